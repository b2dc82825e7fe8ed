"""Blocks: states grouped by signature, in arrays and as bytes (see ``docs/store-format.md``).

A block may be pending or closed; it has no key yet when it is encoded.  :func:`split` keeps blocks
below the size that readers accept.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from dbmsolver.errors import InternalError, StoreError
from dbmsolver.kernels.blocks import from_planes, to_planes
from dbmsolver.storage.binding import CHECKSUM, is_intact, with_content_hash
from dbmsolver.storage.records import BLOCK_HEADER, FORMAT
from dbmsolver.storage.store import Store

MOST_BYTES = 1 << 26
"""The most bytes of a block's body, uncompressed: a reader never unpacks more."""
_COMPRESSION_LEVEL = 1
_RUN_BYTES = 16
"""Bytes of a run's signature and count in a block."""


class _Packing(threading.local):
    """The compressor of each thread, and its inverse: making one takes longer than using it."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_PACKING = _Packing()


@dataclass(frozen=True, slots=True)
class Runs:
    """States grouped by signature: the content of a block.

    ``signatures`` uint64[runs], ``counts`` int64[runs], ``keys`` uint64[key_words * states], sorted
    within each run, ``codes`` uint8 or uint16[states], ``extra`` uint16[states] or None;
    ``key_words`` is 1 or 3.
    """

    signatures: NDArray[np.uint64]
    counts: NDArray[np.int64]
    keys: NDArray[np.uint64]
    codes: NDArray[Any]
    key_words: int
    extra: NDArray[np.uint16] | None = None

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        return int(self.keys.nbytes + self.codes.nbytes + 16 * self.signatures.size)

    @property
    def extra_bytes(self) -> int:
        """Bytes of a state's ``extra``."""
        return 0 if self.extra is None else self.extra.itemsize

    @property
    def state_bytes(self) -> int:
        """Bytes of one state in a block's body."""
        return 8 * self.key_words + self.codes.itemsize + self.extra_bytes

    @property
    def body_bytes(self) -> int:
        """Bytes of the block's body, uncompressed."""
        return _RUN_BYTES * self.signatures.size + self.state_bytes * self.codes.size


def most_states(state_bytes: int) -> int:
    """Return the number of states of this width that fit into a block, at least one."""
    return max(1, MOST_BYTES // (_RUN_BYTES + state_bytes))


def split(runs: Runs) -> list[Runs]:
    """Split states into as many parts as blocks need: each body has at most MOST_BYTES.

    A run may be cut in two. The parts are views of the arrays.
    """
    if runs.body_bytes <= MOST_BYTES:
        return [runs]
    most = most_states(runs.state_bytes)
    ends = np.cumsum(runs.counts)
    parts = []
    for first in range(0, runs.codes.size, most):
        last = min(first + most, runs.codes.size)
        inside = slice(
            int(np.searchsorted(ends, first, side="right")),
            int(np.searchsorted(ends, last, side="left")) + 1,
        )
        cuts = np.concatenate(([first], np.minimum(ends[inside], last)))
        parts.append(
            Runs(
                runs.signatures[inside],
                np.diff(cuts),
                runs.keys[runs.key_words * first : runs.key_words * last],
                runs.codes[first:last],
                runs.key_words,
                None if runs.extra is None else runs.extra[first:last],
            )
        )
    return parts


def encode_block(runs: Runs) -> bytes:
    """Return a block's bytes; its checksum is the content hash until the block is stored.

    The keys must be sorted within each run. InternalError for more than :func:`split` allows.
    """
    states = runs.codes.size
    size = runs.body_bytes
    if size > MOST_BYTES:
        raise InternalError(f"a block of {size} bytes, more than {MOST_BYTES}")
    directory = _RUN_BYTES * runs.signatures.size
    body = np.empty(size, np.uint8)
    body[: directory // 2] = runs.signatures.view(np.uint8)
    body[directory // 2 : directory] = runs.counts.view(np.uint8)
    end_of_keys = directory + 8 * runs.key_words * states
    planes = body[directory:end_of_keys].reshape(8 * runs.key_words, states)
    to_planes(runs.keys, runs.counts, runs.key_words, planes)
    body[end_of_keys : end_of_keys + runs.codes.nbytes] = runs.codes.view(np.uint8)
    if runs.extra is not None:
        body[end_of_keys + runs.codes.nbytes :] = runs.extra.view(np.uint8)
    header = BLOCK_HEADER.pack(
        FORMAT, runs.codes.itemsize, runs.key_words, runs.extra_bytes, runs.signatures.size, states
    )
    rest = header + _PACKING.compressor.compress(body.data)
    return with_content_hash(rest)


def decode_block(data: bytes | memoryview, where: str, address: bytes | None = None) -> Runs:
    """Return the states of a block's bytes: the inverse of :func:`encode_block`.

    Raises StoreError, naming ``where``, for a damaged block. ``address`` are the bytes that the
    checksum covers beside the content (:mod:`dbmsolver.storage.binding`), None for a block that has
    not been stored.
    """
    data = bytes(data)
    start = CHECKSUM.size + BLOCK_HEADER.size
    if len(data) < start or not is_intact(data, address):
        raise StoreError(f"{where}: the block is damaged (checksum does not match)")
    header = BLOCK_HEADER.unpack_from(data, CHECKSUM.size)
    version, code_bytes, words, extra_bytes, count, states = header
    if version != FORMAT:
        raise StoreError(f"{where}: unknown block version {version}, expected {FORMAT}")
    if words not in (1, 3) or code_bytes not in (1, 2) or extra_bytes not in (0, 2):
        raise StoreError(f"{where}: the block's keys or codes have a width that cannot be")
    size = _RUN_BYTES * count + states * (8 * words + code_bytes + extra_bytes)
    body = _unpacked(data[start:], size, where)
    counts = np.frombuffer(body, np.int64, count, 8 * count)
    if not count or counts.min() < 1 or counts.max() > states or int(counts.sum()) != states:
        raise StoreError(f"{where}: the block's runs do not fit its header")
    planes = np.frombuffer(body, np.uint8, 8 * words * states, _RUN_BYTES * count)
    begin = _RUN_BYTES * count + planes.size
    keys = np.empty(words * states, np.uint64)
    from_planes(planes.reshape(8 * words, states), counts, words, keys)
    # Copies: a view of a part would keep the whole body in memory.
    codes = np.frombuffer(body, np.uint8 if code_bytes == 1 else "<u2", states, begin).copy()
    extra = None
    if extra_bytes:
        extra = np.frombuffer(body, "<u2", states, begin + codes.nbytes).copy()
    signatures = np.frombuffer(body, np.uint64, count).copy()
    return Runs(signatures, counts.copy(), keys, codes, words, extra)


def _unpacked(packed: bytes, size: int, where: str) -> bytes:
    """Return the uncompressed body of a block, which must have ``size`` bytes.

    A frame that announces another size, or more than MOST_BYTES, is not decompressed.
    """
    try:
        said = zstandard.frame_content_size(packed)
        if said != size or size > MOST_BYTES:
            raise StoreError(f"{where}: the block has {said} bytes, not what its header says")
        return _PACKING.decompressor.decompress(packed, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise StoreError(f"{where}: the block is damaged (it cannot be unpacked)") from error


def read_block(store: Store, key: bytes) -> Runs:
    """Return the states of a block in a store; StoreError, naming it, if it is damaged.

    The store's ``check_states``, if it has one, checks them, unless this process has written them.
    """
    runs = read_checked_block(store, key)
    if store.check_states is not None and not store.wrote(key):
        store.check_states(key, runs, store.where(key))
    return runs


def read_checked_block(store: Store, key: bytes) -> Runs:
    """Return the states of a block that this process has checked already, or written itself."""
    _check_claim(store, key)
    return decode_block(store.read(key), store.where(key), store.record_address(key))


def _check_claim(store: Store, key: bytes) -> None:
    """Raise StoreError if a block claims more states than the manifest counts in all."""
    manifest = store.manifest
    if key[:1] != b"C" or store.wrote(key):
        return
    claimed, most = store.states_in(key), manifest.states + manifest.forced
    if claimed > most:
        raise StoreError(f"{store.where(key)}: {claimed:,} states, of {most:,} that are closed")
