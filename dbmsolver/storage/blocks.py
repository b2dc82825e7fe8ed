"""States grouped by signature, in arrays and as blocks of bytes; the format is told in :mod:`dbmsolver.storage.store`."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from dbmsolver.core.blocks import from_planes, to_planes
from dbmsolver.errors import InternalError, StoreError
from dbmsolver.storage.binding import CHECKSUM, is_intact, with_content_hash

FORMAT = 3
MOST_BYTES = 1 << 29
"""The most that a block may have unpacked: nobody is made to unpack more."""
_HEADER = struct.Struct("<BBBBIQ")
_COMPRESSION_LEVEL = 1


@dataclass(frozen=True, slots=True)
class Runs:
    """States grouped by signature: what a block holds, decoded.

    ``signatures`` uint64[runs], ``counts`` int64[runs], ``keys`` uint64[words * states] sorted within each run, ``codes``
    uint8 or uint16[states], ``extra`` uint16[states] or None; ``words`` is 1 or 3.
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


def encode_block(runs: Runs) -> bytes:
    """A block's bytes, with its content hash for a checksum; the keys must be sorted within each run."""
    states = runs.codes.size
    planes = 8 * runs.key_words * states
    directory = 16 * runs.signatures.size
    size = directory + planes + runs.codes.nbytes + runs.extra_bytes * states
    if size > MOST_BYTES:
        raise InternalError(f"a block of {size} bytes, more than {MOST_BYTES}")
    body = np.empty(size, np.uint8)
    body[: directory // 2] = runs.signatures.view(np.uint8)
    body[directory // 2 : directory] = runs.counts.view(np.uint8)
    place = directory + planes
    to_planes(
        runs.keys,
        runs.counts,
        runs.key_words,
        body[directory:place].reshape(8 * runs.key_words, states),
    )
    body[place : place + runs.codes.nbytes] = runs.codes.view(np.uint8)
    if runs.extra is not None:
        body[place + runs.codes.nbytes :] = runs.extra.view(np.uint8)
    header = _HEADER.pack(
        FORMAT, runs.codes.itemsize, runs.key_words, runs.extra_bytes, runs.signatures.size, states
    )
    rest = header + zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL).compress(body.data)
    return with_content_hash(rest)


def decode_block(data: bytes | memoryview, where: str, place: bytes | None = None) -> Runs:
    """Inverse of :func:`encode_block`; a damaged block raises StoreError naming ``where``.

    ``place`` is what its checksum binds it to (:mod:`dbmsolver.storage.binding`), None for a block that is not from a store.
    """
    data = bytes(data)
    start = CHECKSUM.size + _HEADER.size
    if len(data) < start or not is_intact(data, place):
        raise StoreError(f"{where}: the block is damaged (checksum does not match)")
    version, code_bytes, words, extra_bytes, count, states = _HEADER.unpack_from(data, 8)
    if version != FORMAT:
        raise StoreError(f"{where}: unknown block version {version}, expected {FORMAT}")
    if words not in (1, 3) or code_bytes not in (1, 2) or extra_bytes not in (0, 2):
        raise StoreError(f"{where}: the block's keys or codes have a width that cannot be")
    size = 16 * count + states * (8 * words + code_bytes + extra_bytes)
    body = _unpacked(data[start:], size, where)
    counts = np.frombuffer(body, np.int64, count, 8 * count)
    if not count or counts.min() < 1 or counts.max() > states or int(counts.sum()) != states:
        raise StoreError(f"{where}: the block's runs do not fit its header")
    planes = np.frombuffer(body, np.uint8, 8 * words * states, 16 * count)
    begin = 16 * count + planes.size
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
    """The body of a block, which must have ``size`` bytes; nothing is unpacked that says otherwise."""
    try:
        said = zstandard.frame_content_size(packed)
        if said != size or size > MOST_BYTES:
            raise StoreError(f"{where}: the block has {said} bytes, not what its header says")
        # As much as it says and no more, whatever follows.
        return zstandard.ZstdDecompressor().decompress(packed, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise StoreError(f"{where}: the block is damaged (it cannot be unpacked)") from error


def states_of(data: bytes, where: str) -> int:
    """How many states a block says it has, without decoding it; StoreError, naming ``where``, if it is cut short."""
    if len(data) < CHECKSUM.size + _HEADER.size:
        raise StoreError(f"{where} is damaged (cut short)")
    return int(_HEADER.unpack_from(data, CHECKSUM.size)[-1])
