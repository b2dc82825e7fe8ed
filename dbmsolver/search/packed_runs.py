"""States in memory with packed keys, which take a third of the memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.packing import (
    AGREED,
    DIFFERING,
    SHIFT,
    TARGET,
    pack_keys,
    packing_of,
    unpack_keys,
)
from dbmsolver.kernels.pieces import BIT, CHILD
from dbmsolver.search.runs import sorted_runs
from dbmsolver.storage.blocks import Runs

_WORTH_PACKING = 256
"""The number of states from which on their keys are packed: a packing has a size of its own."""


@dataclass(frozen=True, slots=True)
class PackedRuns:
    """States grouped by signature, as in Runs, with packed keys (:mod:`dbmsolver.kernels.packing`).

    All have the same `packing`. `keys` are uint64[packed_words * states], key after key.
    """

    signatures: NDArray[np.uint64]
    counts: NDArray[np.int64]
    packing: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    codes: NDArray[Any]

    @classmethod
    def of(cls, runs: Runs) -> PackedRuns | None:
        """Return a copy of `runs` with packed keys; None if that would not take less memory."""
        states = runs.codes.size
        if runs.key_words == 1 or states < _WORTH_PACKING or runs.extra is not None:
            return None
        packing = packing_of(runs.keys, states, runs.key_words)
        words = int(packing[-1, TARGET]) + 1
        if words == runs.key_words:
            return None
        keys = np.empty(words * states, np.uint64)
        pack_keys(runs.keys, packing, keys)
        return cls(runs.signatures.copy(), runs.counts.copy(), packing, keys, runs.codes.copy())

    @property
    def packed_words(self) -> int:
        """The number of words of each packed key."""
        return int(self.packing[-1, TARGET]) + 1

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        arrays = (self.signatures, self.counts, self.packing, self.keys, self.codes)
        return int(sum(array.nbytes for array in arrays))

    def unpacked(self) -> Runs:
        """Return the states with their keys as they were."""
        words = self.packing.shape[0]
        keys = np.empty(words * self.codes.size, np.uint64)
        unpack_keys(self.keys, self.packing, keys)
        return Runs(self.signatures, self.counts, keys, self.codes, words)

    def sorted(self) -> PackedRuns:
        """Return the same states sorted and without duplicates within each run."""
        runs = Runs(self.signatures, self.counts, self.keys, self.codes, self.packed_words)
        runs = sorted_runs(runs)
        return PackedRuns(runs.signatures, runs.counts, self.packing, runs.keys, runs.codes)

    def tree_of_packed(self, tree: NDArray[np.int64], word: int) -> tuple[NDArray[np.int64], int]:
        """Return a tree that finds the same piece for a packed key as ``tree`` for the key.

        ``tree`` tests bits of the word number ``word``, from 0, of each key
        (:func:`dbmsolver.kernels.pieces.route`). The new tree has tests only for bits that are
        packed. Returns it, and the number of the word of packed keys that it tests.
        """
        row = self.packing[word]
        differing, agreed, shift = int(row[DIFFERING]), int(row[AGREED]), int(row[SHIFT])
        found = tree.copy()
        for node in np.flatnonzero(tree[:, BIT] >= 0).tolist():
            bit = int(tree[node, BIT])
            if differing >> bit & 1:
                below = differing & ((1 << bit) - 1)
                found[node, BIT] = shift + below.bit_count()
            else:  # all keys have the same value of it
                found[node] = 0
                found[node, CHILD:] = tree[node, CHILD + (agreed >> bit & 1)]
        return found, int(row[TARGET])
