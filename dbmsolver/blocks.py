"""States grouped by signature, in arrays and as blocks of bytes; the format is told in :mod:`dbmsolver.store`."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import xxhash
import zstandard
from numpy.typing import NDArray

from dbmsolver.core.blocks import from_planes, to_planes
from dbmsolver.errors import StoreError

FORMAT = 2
_HEADER = struct.Struct("<BBBBIQ")
_CHECKSUM = struct.Struct("<Q")
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
    words: int
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
    """A block's bytes; the keys must be sorted within each run."""
    states = runs.codes.size
    planes = 8 * runs.words * states
    directory = 16 * runs.signatures.size
    body = np.empty(directory + planes + runs.codes.nbytes + runs.extra_bytes * states, np.uint8)
    body[: directory // 2] = runs.signatures.view(np.uint8)
    body[directory // 2 : directory] = runs.counts.view(np.uint8)
    place = directory + planes
    to_planes(
        runs.keys, runs.counts, runs.words, body[directory:place].reshape(8 * runs.words, states)
    )
    body[place : place + runs.codes.nbytes] = runs.codes.view(np.uint8)
    if runs.extra is not None:
        body[place + runs.codes.nbytes :] = runs.extra.view(np.uint8)
    header = _HEADER.pack(
        FORMAT, runs.codes.itemsize, runs.words, runs.extra_bytes, runs.signatures.size, states
    )
    rest = header + zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL).compress(body.data)
    return _CHECKSUM.pack(xxhash.xxh3_64_intdigest(rest)) + rest


def decode_block(data: bytes | memoryview, where: str) -> Runs:
    """Inverse of :func:`encode_block`; a damaged block raises StoreError naming ``where``."""
    data = bytes(data)
    start = _CHECKSUM.size + _HEADER.size
    if len(data) < start or _CHECKSUM.unpack_from(data)[0] != xxhash.xxh3_64_intdigest(data[8:]):
        raise StoreError(f"{where}: the block is damaged (checksum does not match)")
    version, code_bytes, words, extra_bytes, count, states = _HEADER.unpack_from(data, 8)
    if version != FORMAT or words not in (1, 3) or code_bytes not in (1, 2):
        raise StoreError(f"{where}: unknown block version {version}, expected {FORMAT}")
    body = zstandard.ZstdDecompressor().decompress(data[start:])
    if len(body) != 16 * count + states * (8 * words + code_bytes + extra_bytes):
        raise StoreError(f"{where}: the block has {len(body)} bytes, not what its header says")
    counts = np.frombuffer(body, np.int64, count, 8 * count)
    planes = np.frombuffer(body, np.uint8, 8 * words * states, 16 * count)
    place = 16 * count + planes.size
    keys = np.empty(words * states, np.uint64)
    from_planes(planes.reshape(8 * words, states), counts, words, keys)
    # Copies: a view of a part would keep the whole body in memory.
    codes = np.frombuffer(body, np.uint8 if code_bytes == 1 else "<u2", states, place).copy()
    extra = None
    if extra_bytes:
        extra = np.frombuffer(body, "<u2", states, place + codes.nbytes).copy()
    signatures = np.frombuffer(body, np.uint64, count).copy()
    return Runs(signatures, counts.copy(), keys, codes, words, extra)


def states_of(data: bytes, where: str) -> int:
    """How many states a block says it has, without decoding it; StoreError, naming ``where``, if it is cut short."""
    if len(data) < _CHECKSUM.size + _HEADER.size:
        raise StoreError(f"{where} is damaged (cut short)")
    return int(_HEADER.unpack_from(data, _CHECKSUM.size)[-1])
