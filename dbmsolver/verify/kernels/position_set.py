"""Sets of positions, without repetition: how one is written down, entered and found.

A position is three words with a bit for each card: ``off`` and ``low`` as in a key (on its first or
second legal parent: off 0, low 0 or 1; in a freecell 1, 0; at the bottom of a column 1, 1), and
``dealt`` for a card that lies where it was dealt and where no move could put it. Above them are the
heights of the foundations: of the first three suits in ``dealt``, of the fourth in ``low``.

A set is ``states`` (uint64[most, 3]), a position in each row, and ``slots`` (uint32), a hash table
of row numbers plus one, 0 where it is empty.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.verify.kernels.partition import slot_of
from dbmsolver.verify.kernels.words import ALL, U64, ZERO, hash_state

_TOP = np.uint64(52)


@inlined
def pack(heights, off, low, dealt):
    """Return the three words of a position."""
    return off, low | ((heights >> U64(12)) << _TOP), dealt | ((heights & U64(0xFFF)) << _TOP)


@inlined
def unpack(first, second, third):
    """Return (heights, off, low, dealt) of three words."""
    heights = (third >> _TOP) | ((second >> _TOP) << U64(12))
    return heights, first, second & ALL, third & ALL


@inlined
def seek(states, slots, first, second, third):
    """Look for a position; return its number plus one, and its slot.

    The number is 0, and the slot an empty one, if it is not in the set.
    """
    slot = slot_of(hash_state(third, first, second, ZERO), slots)
    while slots[slot]:
        number = np.int64(slots[slot]) - 1
        if (
            states[number, 0] == first
            and states[number, 1] == second
            and states[number, 2] == third
        ):
            return number + 1, slot
        slot += 1
        if slot == slots.size:
            slot = 0
    return np.int64(0), slot


@inlined
def insert(states, slots, count, first, second, third):
    """Add a position, if it is new and there is room; return how many there are then."""
    found, slot = seek(states, slots, first, second, third)
    if found:
        return count
    states[count, 0], states[count, 1], states[count, 2] = first, second, third
    slots[slot] = np.uint32(count + 1)
    return count + 1


@kernel
def enter_all(states, slots, count):
    """Fill an empty hash table with the first ``count`` positions, all of them different."""
    for number in range(count):
        hashed = hash_state(states[number, 2], states[number, 0], states[number, 1], ZERO)
        slot = slot_of(hashed, slots)
        while slots[slot]:
            slot += 1
            if slot == slots.size:
                slot = 0
        slots[slot] = np.uint32(number + 1)


@kernel
def contains(states, slots, words):
    """Return True if a position (uint64[3]) is in the set."""
    return seek(states, slots, words[0], words[1], words[2])[0] > 0
