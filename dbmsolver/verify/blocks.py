"""Blocks of closed states, as docs/store-format.md describes them."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
import xxhash
import zstandard
from numpy.typing import NDArray

from dbmsolver.errors import StoreError
from dbmsolver.storage.records import describe, parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify.forms import Form
from dbmsolver.verify.kernels.blocks import Body, make_scratch, unpack_run

_FORMAT = 6
"""The version of blocks that is read here."""
_MOST_BYTES = 1 << 26
_HEADER = struct.Struct("<QBBBBIQ")
Ints = NDArray[np.int64]
Item = TypeVar("Item")
Value = TypeVar("Value")
_BLOCK_BYTES = 1 << 25
"""Memory that the largest block takes while its states are read."""


class Directory(NamedTuple):
    """A block's signatures, and how many states it has of each."""

    signatures: NDArray[np.uint64]
    counts: Ints


class _Header(NamedTuple):
    checksum: int
    version: int
    code_bytes: int
    words: int
    extra_bytes: int
    runs: int
    states: int

    @property
    def body_bytes(self) -> int:
        each = 8 * self.words + self.code_bytes + self.extra_bytes
        return 16 * self.runs + each * self.states


def read_directory(store: Store, form: Form, key: bytes, whole: bool) -> Directory:
    """Return the directory of a block; StoreError if it cannot be, or does not fit its key.

    ``whole``: the checksum is compared, too. The states are not decompressed.
    """
    where = f"{store.path}: {describe(key)}"
    data = store.read(key)
    header = _header(data, form.code_bytes, where, _place(store, key) if whole else None)
    with zstandard.ZstdDecompressor().stream_reader(data[_HEADER.size :]) as stream:
        try:
            body = stream.read(16 * header.runs)
        except zstandard.ZstdError as error:
            raise StoreError("the block is damaged (it cannot be decompressed)", where) from error
    if len(body) != 16 * header.runs:
        raise StoreError("the block is damaged (it is cut short)", where)
    directory = _directory(body, header, key, where)
    if (form.progress(directory.signatures) != parse_closed_key(key).stratum).any():
        raise StoreError("the block's signatures do not belong to its stratum", where)
    return directory


def _directory(body: bytes, header: _Header, key: bytes, where: str) -> Directory:
    """Return the beginning of a block's body; StoreError if it does not fit its header and key."""
    signatures = np.frombuffer(body, np.uint64, header.runs).copy()
    counts = np.frombuffer(body, np.int64, header.runs, 8 * header.runs).copy()
    place = parse_closed_key(key)
    if (
        not header.runs
        or counts.min() < 1
        or int(counts.sum()) != header.states
        or counts.max() > header.states
        or int(signatures.min()) != place.first
        or int(signatures.max()) != place.last
    ):
        raise StoreError("the block's runs do not fit its header and key", where)
    return Directory(signatures, counts)


def read_body(store: Store, form: Form, key: bytes) -> Body:
    """Return a block's states; StoreError if it is damaged."""
    return _whole(store, form.code_bytes, key)[1]


def read_run(
    store: Store, form: Form, key: bytes, signature: np.uint64, first: int, count: int
) -> tuple[int, NDArray[np.uint64], NDArray[np.uint16]]:
    """Return an error, and planes and codes of ``count`` states of a block, from ``first`` on.

    They are all of one signature. The error is one of
    :mod:`dbmsolver.verify.kernels.blocks`, 0 if there is none. StoreError if the block is damaged.
    """
    body = read_body(store, form, key)
    planes, codes = np.empty(form.planes * count, np.uint64), np.empty(count, np.uint16)
    place = np.int64(first), np.int64(count)
    error = unpack_run(form, signature, body, *place, planes, codes, np.int64(0), make_scratch())
    return int(error), planes, codes


def claimed_by(store: Store, width: int, key: bytes) -> tuple[int, int]:
    """Return how many states a block claims, and how many bytes; nothing is unpacked.

    StoreError if its header cannot be.
    """
    where = f"{store.path}: {describe(key)}"
    header = _header(store.read(key), width, where, None)
    return header.states, header.body_bytes


def read_block(store: Store, width: int, key: bytes) -> tuple[Directory, Body]:
    """Return all of a block whose codes have ``width`` bytes; StoreError if it is damaged."""
    directory, body = _whole(store, width, key)
    return directory(), body


def _whole(store: Store, width: int, key: bytes) -> tuple[Callable[[], Directory], Body]:
    """Return a block's directory, which is checked when it is called, and its states."""
    where = f"{store.path}: {describe(key)}"
    data = store.read(key)
    header = _header(data, width, where, _place(store, key))
    try:
        packed = memoryview(data)[_HEADER.size :]
        body = zstandard.ZstdDecompressor().decompress(packed, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise StoreError("the block is damaged (it cannot be decompressed)", where) from error
    size = 8 * header.words * header.states
    planes = np.frombuffer(body, np.uint8, size, 16 * header.runs)
    kind = "<u1" if header.code_bytes == 1 else "<u2"
    codes = np.frombuffer(body, kind, header.states, 16 * header.runs + size)
    states = Body(header.words, header.states, planes, codes.astype(np.uint16))
    return partial(_directory, body, header, key, where), states


def _place(store: Store, key: bytes) -> bytes:
    """Return the bytes that a checksum covers besides the block: the store's id and its key."""
    return bytes.fromhex(store.manifest.id) + key


def _header(data: bytes, width: int, where: str, place: bytes | None) -> _Header:
    """Return a block's header; where it has a ``place``, its checksum is compared, too.

    ``width`` are the bytes of a parent-move code.
    """
    if len(data) < _HEADER.size:
        raise StoreError("the block is damaged (it is cut short)", where)
    header = _Header(*_HEADER.unpack_from(data))
    if place is not None:
        content = xxhash.xxh3_64_digest(memoryview(data)[8:])[::-1]
        if xxhash.xxh3_64_intdigest(place + content) != header.checksum:
            raise StoreError("the block is damaged (checksum does not match)", where)
    if header.version != _FORMAT:
        raise StoreError(f"block version {header.version}, expected {_FORMAT}", where)
    if header.words not in (1, 3) or header.code_bytes != width:
        raise StoreError("the block's keys or codes have a width that cannot be", where)
    try:
        size = zstandard.frame_content_size(data[_HEADER.size :])
    except zstandard.ZstdError as error:
        raise StoreError("the block is damaged (it cannot be decompressed)", where) from error
    if size != header.body_bytes or size > _MOST_BYTES:
        raise StoreError(f"the block has {size} bytes, not what its header says", where)
    return header


class Readers:
    """Threads that read blocks, as many at a time as need a quarter of ``memory`` at most."""

    def __init__(self, pool: Executor, memory: int) -> None:
        self.pool = pool
        self.most = max(1, memory // (4 * _BLOCK_BYTES))

    def map(self, work: Callable[[Item], Value], items: Iterable[Item]) -> Iterator[Value]:
        """Yield the result of ``work`` for each item, in order."""
        begun: deque[Future[Value]] = deque()
        for item in items:
            if len(begun) == self.most:
                yield begun.popleft().result()
            begun.append(self.pool.submit(work, item))
        while begun:
            yield begun.popleft().result()
