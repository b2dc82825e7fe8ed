"""Hash tables of the closed classes of positions of Klondike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inner, kernel
from dbmsolver.verify.kernels.blocks import difference
from dbmsolver.verify.kernels.words import U64, ZERO

NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The word in the place of a signature in an empty slot."""
_MIX = np.uint64(0x9E3779B97F4A7C15)

Words = NDArray[np.uint64]


class ClosedClasses(NamedTuple):
    """The closed classes of three strata that follow each other, a hash table for each."""

    first: Words  # [slots, 2]
    second: Words
    third: Words


@inner
def slot_of(signature, key, slots):
    """Return the first slot to look in."""
    word = (signature * _MIX) ^ (key + (key << U64(29)))
    word ^= word >> U64(31)
    return np.int64((word * _MIX) >> U64(20)) & (slots - 1)


@inner
def is_in(table, signature, key):
    """Return True if a class is in a table."""
    slots = table.shape[0]
    slot = slot_of(signature, key, slots)
    while table[slot, 0] != NONE:
        if table[slot, 0] == signature and table[slot, 1] == key:
            return True
        slot = (slot + 1) & (slots - 1)
    return False


@kernel
def enter(table, signatures, counts, body):
    """Enter the classes of a block into a table (uint64[slots, 2]).

    Return False if one of them is there already.
    """
    number, slots = 0, table.shape[0]
    for run in range(signatures.size):
        key = ZERO
        for _ in range(counts[run]):
            key += difference(body, 0, number)
            number += 1
            slot = slot_of(signatures[run], key, slots)
            while table[slot, 0] != NONE:
                if table[slot, 0] == signatures[run] and table[slot, 1] == key:
                    return False
                slot = (slot + 1) & (slots - 1)
            table[slot, 0], table[slot, 1] = signatures[run], key
    return True


@kernel
def holds(table, signature, key):
    """Return True if a class is in a table, for callers from Python."""
    return is_in(table, signature, key)
