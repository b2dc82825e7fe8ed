"""Tables of distances of classes, signature by signature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.verify.kernels.class_layout import KING, ClassRules
from dbmsolver.verify.kernels.words import HALF, U64, ZERO, Words, hash_state

NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The word in an empty slot."""
LOST = 255
"""The distance of a class that cannot be won."""
FURTHEST = 254
"""This distance, and any above; no class has it."""
FAR = 1 << 14
"""The moves to come from a position that cannot be won; no solution has as many."""
NO_CLASS = -FAR
"""The moves to come from a position of a class that no moves from the deal lead to."""


class Distances(NamedTuple):
    """The distances of the classes of a deal.

    The keys of each signature are a hash table of their own, and all these lie one after the other.
    """

    known: bool  # False if none are wanted: then all arrays are empty
    game: ClassRules
    runs: Words  # [slots, 3]: a hash table: signature, its first key, and its slots; NONE for none
    keys: Words
    moves: NDArray[np.uint8]  # of each key


def no_distances() -> Distances:
    """Return what stands for distances where none are wanted."""
    none, rows = np.empty(0, np.int64), np.empty((0, 4), np.int64)
    game = ClassRules(0, 1, -1, KING + 1, rows, none, none, none, none, 0, rows, 0)
    words = np.empty((0, 3), np.uint64)
    return Distances(False, game, words, np.empty(0, np.uint64), np.empty(0, np.uint8))


@inlined
def slot_in(keys, first, size, key):
    """Return the slot of a key, or the empty one for it, in a table from ``first`` on."""
    slot = first + np.int64(((hash_state(ZERO, key, ZERO, ZERO) & HALF) * U64(size)) >> U64(32))
    while keys[slot] != key and keys[slot] != NONE:
        slot += 1
        if slot == first + size:
            slot = first
    return slot


@inlined
def run_in(runs, signature):
    """Return the row of a signature, or the empty one for it."""
    row = np.int64(hash_state(signature, ZERO, ZERO, ZERO) & HALF) & (runs.shape[0] - 1)
    while runs[row, 0] != signature and runs[row, 0] != NONE:
        row = (row + 1) & (runs.shape[0] - 1)
    return row


@inlined
def place_of(c, signature, key):
    """Return the place of a class among all keys, -1 if it is not listed."""
    run = run_in(c.runs, signature)
    if c.runs[run, 0] == NONE:
        return np.int64(-1)
    place = slot_in(c.keys, np.int64(c.runs[run, 1]), np.int64(c.runs[run, 2]), key)
    return place if c.keys[place] == key else np.int64(-1)


@kernel
def enter_runs(runs, signatures, firsts):
    """Enter signatures, and where their tables begin, into an empty table."""
    for number in range(signatures.size):
        row = run_in(runs, signatures[number])
        runs[row, 0], runs[row, 1] = signatures[number], firsts[number]
        runs[row, 2] = firsts[number + 1] - firsts[number]


@kernel
def enter_keys(table, first, size, keys):
    """Enter keys into a table from ``first`` on; return how many were not there."""
    new = 0
    for number in range(keys.size):
        if keys[number] != NONE:
            slot = slot_in(table, first, size, keys[number])
            new += table[slot] == NONE
            table[slot] = keys[number]
    return new
