"""Blocks of states of Klondike and its relatives, and what such a block may hold.

The local key of a state is all of it, three words. So the signature is known from it, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import StoreError
from dbmsolver.kits.klondike import strata
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.storage.blocks import Runs

WORDS = 3
_DIGITS = np.array([(1 << 63) - 1, (1 << 63) - 1, (1 << 30) - 1], np.uint64)

Words = NDArray[np.uint64]


def words_of(runs: Runs) -> Words:
    """Return the states of runs, uint64[states, 3]."""
    return runs.keys.reshape(-1, WORDS)


def strata_of(keys: PatienceKeys, words: Words) -> NDArray[np.int64]:
    """Return the strata of states."""
    found = np.zeros(words.shape[0], np.int64)
    strata.strata_of(keys.tables, words, found)
    return found


def won_states(keys: PatienceKeys, words: Words) -> NDArray[np.bool_]:
    """Return True for each state whose cards are all home."""
    found: NDArray[np.bool_] = (words & _DIGITS == keys.words(keys.goal)).all(axis=1)
    return found


class PatienceIntake:
    """The check of the blocks of one deal's store, before they are worked with.

    A checksum tells that a block is unchanged, not that it makes sense.
    """

    def __init__(self, keys: PatienceKeys) -> None:
        self.keys = keys

    def __call__(self, key: bytes, runs: Runs, where: str) -> None:
        """Raise StoreError, naming ``where``, if a block with this key cannot have these states."""
        wrong = self._wrong(key, runs)
        if wrong is not None:
            raise StoreError(f"the block is wrong: {wrong}", where)

    def _wrong(self, key: bytes, runs: Runs) -> str | None:
        closed = key[:1] == b"C"
        if runs.key_words != WORDS or (closed and runs.extra is not None):
            return "keys that cannot be"
        if runs.codes.dtype != np.uint16:
            return "parent-move codes that cannot be"
        words = words_of(runs)
        if not self.keys.are_states(words):
            return "keys that cannot be"
        found = np.zeros(runs.codes.size, np.uint64)
        strata.signatures(self.keys.tables, words, found)
        found[won_states(self.keys, words)] = strata.WON
        if (found != np.repeat(runs.signatures, runs.counts)).any():
            return "signatures that cannot be"
        stratum = int.from_bytes(key[3:5], "big")
        if closed:
            first, last = (int.from_bytes(key[place : place + 8], "big") for place in (5, 13))
            if (int(runs.signatures[0]), int(runs.signatures[-1])) != (first, last):
                return "signatures that its key does not name"
            if (strata_of(self.keys, words) != stratum).any():
                return "states of another stratum"
        return None
