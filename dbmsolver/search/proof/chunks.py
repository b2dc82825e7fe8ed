"""Candidates that wait within a big signature: arrays or, to save memory, packed as a block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.runs import sort_runs
from dbmsolver.storage.blocks import Runs, decode_block, encode_block


@dataclass(eq=False, slots=True)
class PieceCandidates:
    """Candidates of one piece: local keys and parent-move codes.

    ``record``: where a store has them, too; ``stored``: how many are there, without duplicates.
    """

    size: int
    keys: NDArray[np.uint64] | None
    codes: NDArray[Any] | None
    packed: bytes | None = None
    record: bytes | None = None
    stored: int = 0

    @classmethod
    def of(cls, keys: NDArray[np.uint64], codes: NDArray[Any]) -> PieceCandidates:
        """A chunk of these arrays."""
        return cls(codes.size, keys, codes)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        if self.packed is not None:
            return len(self.packed)
        assert self.keys is not None and self.codes is not None
        return self.keys.nbytes + self.codes.nbytes

    def arrays(self) -> tuple[NDArray[np.uint64], NDArray[Any]]:
        """Keys and codes."""
        if self.packed is not None:
            runs = decode_block(self.packed, "memory")
            return runs.keys, runs.codes
        assert self.keys is not None and self.codes is not None
        return self.keys, self.codes


def pack_candidates(signature: int, words: int, chunks: list[PieceCandidates]) -> PieceCandidates:
    """One packed chunk of several, sorted and without duplicates."""
    runs = _sorted(signature, words, chunks)
    return PieceCandidates(runs.codes.size, None, None, encode_block(runs))


def _sorted(signature: int, words: int, chunks: list[PieceCandidates]) -> Runs:
    # A function of its own, so that nothing but the result is in memory when it is encoded.
    arrays = [chunk.arrays() for chunk in chunks]
    keys = np.concatenate([keys for keys, _ in arrays])
    codes = np.concatenate([codes for _, codes in arrays])
    counts = np.array([codes.size], np.int64)
    del arrays
    counts, keys, codes = sort_runs(counts, words, keys, codes)
    return Runs(np.array([signature], np.uint64), counts, keys, codes, words)
