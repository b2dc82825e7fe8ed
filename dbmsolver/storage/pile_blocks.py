"""Blocks of states of games of one pile, and what such a block may hold.

Beside the signature, which is the upper half of a state's key, the local key is the lower half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import StoreError
from dbmsolver.keys.piles import PileKeys
from dbmsolver.storage.blocks import Runs

HALF = 32
_LOWER = np.uint64((1 << HALF) - 1)

Words = NDArray[np.uint64]
Codes = NDArray[np.uint8]


def to_runs(keys: Words, codes: Codes) -> Runs:
    """Return states, in ascending order of keys, as runs of one signature each."""
    signatures, counts = np.unique(keys >> np.uint64(HALF), return_counts=True)
    return Runs(signatures, counts.astype(np.int64), keys & _LOWER, codes, 1)


def from_runs(runs: Runs) -> Words:
    """Return the keys of runs: the inverse of :func:`to_runs`."""
    keys: Words = (np.repeat(runs.signatures, runs.counts) << np.uint64(HALF)) | runs.keys
    return keys


class PileIntake:
    """The check of the blocks of one deal's store, before they are worked with.

    A checksum tells that a block is unchanged, not that it makes sense.
    """

    def __init__(self, keys: PileKeys) -> None:
        self.keys = keys

    def __call__(self, key: bytes, runs: Runs, where: str) -> None:
        """Raise StoreError, naming ``where``, if a block with this key cannot have these states."""
        wrong = self._wrong(key, runs)
        if wrong is not None:
            raise StoreError(f"the block is wrong: {wrong}", where)

    def _wrong(self, key: bytes, runs: Runs) -> str | None:
        if runs.key_words != 1 or (runs.keys > _LOWER).any():
            return "keys that cannot be"
        if (runs.signatures >> np.uint64(HALF)).any():
            return "signatures that cannot be"
        states = from_runs(runs)
        if (states[1:] <= states[:-1]).any():
            return "states that are not in order"
        wrong = self.keys.problem(states, runs.codes)
        if wrong is not None:
            return wrong
        layer, stratum = (int.from_bytes(key[place : place + 2], "big") for place in (1, 3))
        if (self.keys.strata(states) != stratum).any():
            return "states of another stratum"
        if layer and (self.keys.layers(states) != layer).any():
            return "states of another layer"
        if key[:1] == b"C":
            first, last = (int.from_bytes(key[place : place + 8], "big") for place in (5, 13))
            if (int(runs.signatures[0]), int(runs.signatures[-1])) != (first, last):
                return "signatures that its key does not name"
        return None
