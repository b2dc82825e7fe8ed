"""Blocks of closed states, as docs/store-format.md describes them."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
import xxhash
import zstandard
from numpy.typing import NDArray

from dbmsolver.errors import StoreError
from dbmsolver.storage.records import describe, parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify.kernels.words import Ints, Words

_FORMAT = 6
"""The version of blocks that is read here."""
_MOST_BYTES = 1 << 26
_HEADER = struct.Struct("<QBBBBIQ")


class Block(NamedTuple):
    """A block's states."""

    signatures: Words
    counts: Ints  # the states of each signature
    words: int
    keys: Words  # [states, words]: local keys
    codes: NDArray[np.uint16]


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


def claimed_by(store: Store, width: int, key: bytes) -> tuple[int, int]:
    """Return how many states a block claims, and how many bytes; nothing is unpacked.

    ``width`` are the bytes of a parent-move code. StoreError if its header cannot be.
    """
    where = f"{store.path}: {describe(key)}"
    header = _header(store.read(key), width, where, None)
    return header.states, header.body_bytes


def read_block(store: Store, width: int, key: bytes) -> Block:
    """Return a block whose codes have ``width`` bytes.

    StoreError if it is damaged, or does not fit its key.
    """
    where = f"{store.path}: {describe(key)}"
    data = store.read(key)
    # The checksum covers what tells the block's place, too.
    header = _header(data, width, where, bytes.fromhex(store.manifest.id) + key)
    try:
        packed = memoryview(data)[_HEADER.size :]
        body = zstandard.ZstdDecompressor().decompress(packed, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise StoreError("the block is damaged (it cannot be decompressed)", where) from error
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
    size = 8 * header.words * header.states
    planes = np.frombuffer(body, np.uint8, size, 16 * header.runs)
    keys = _keys(planes.reshape(-1, header.states), counts, header.words)
    kind = "<u1" if header.code_bytes == 1 else "<u2"
    codes = np.frombuffer(body, kind, header.states, 16 * header.runs + size)
    return Block(signatures, counts, header.words, keys, codes.astype(np.uint16))


def _keys(planes: NDArray[np.uint8], counts: Ints, words: int) -> Words:
    """Return local keys, from the bytes of their differences to the keys before in their runs."""
    keys = np.array(planes.T, order="C").view(np.uint64)
    np.cumsum(keys, axis=0, out=keys)  # modulo 2**64
    before = np.zeros((counts.size, words), np.uint64)
    before[1:] = keys[np.cumsum(counts)[:-1] - 1]
    keys -= np.repeat(before, counts, axis=0)
    return keys


def _header(data: bytes, width: int, where: str, place: bytes | None) -> _Header:
    """Return a block's header.

    With a ``place`` (the store's id and the key) the checksum is compared, too. ``width`` are the
    bytes of a parent-move code.
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
