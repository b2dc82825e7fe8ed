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
TWICE, FULL = -1, -2
"""Results of :func:`enter`."""
_MIX = np.uint64(0x9E3779B97F4A7C15)

Words = NDArray[np.uint64]


class ClosedClasses(NamedTuple):
    """The closed classes of three strata that follow each other, a hash table for each."""

    first: Words  # [slots, 2]
    second: Words
    third: Words
    part: int  # the part of the classes that they hold
    parts: int


@inner
def hash_of(signature, key):
    """Return a hash of a class."""
    word = (signature * _MIX) ^ (key + (key << U64(29)))
    word ^= word >> U64(31)
    return word * _MIX


@inner
def slot_of(signature, key, slots):
    """Return the first slot to look in."""
    return np.int64(hash_of(signature, key) >> U64(20)) & (slots - 1)


@inner
def is_of_part(signature, key, part, parts):
    """Return True if a class is of one of the parts that hashes divide classes into."""
    return parts == 1 or (hash_of(signature, key) >> U64(44)) % U64(parts) == U64(part)


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
def enter(table, entered, part, parts, signatures, counts, body):
    """Enter the classes of a block that are of a part into a table (uint64[slots, 2]).

    ``entered`` classes are there before. Return how many are there then, TWICE if one of them is
    there already, FULL if there are too many for the table.
    """
    number, slots = 0, table.shape[0]
    for run in range(signatures.size):
        key = ZERO
        for _ in range(counts[run]):
            key += difference(body, 0, number)
            number += 1
            if not is_of_part(signatures[run], key, part, parts):
                continue
            if 8 * entered >= 7 * slots:
                return FULL
            slot = slot_of(signatures[run], key, slots)
            while table[slot, 0] != NONE:
                if table[slot, 0] == signatures[run] and table[slot, 1] == key:
                    return TWICE
                slot = (slot + 1) & (slots - 1)
            table[slot, 0], table[slot, 1] = signatures[run], key
            entered += 1
    return entered


@kernel
def is_closed_in_part(tables, signature, key):
    """Return True if a class is in the first table, or of another part than the tables'."""
    is_mine = is_of_part(signature, key, tables.part, tables.parts)
    return not is_mine or is_in(tables.first, signature, key)
