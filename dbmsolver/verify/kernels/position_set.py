"""Sets of positions, without repetition: how one is entered and found.

A set is ``states`` (uint64[most, 3]), a position in each row: its signature and the planes ``off``
and ``low``. ``slots`` (uint32) is a hash table of row numbers plus one, 0 where it is empty.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.verify.kernels.partition import slot_of
from dbmsolver.verify.kernels.words import ZERO, hash_state


@inlined
def seek(states, slots, signature, off, low):
    """Look for a position; return its number plus one, and its slot.

    The number is 0, and the slot an empty one, if it is not in the set.
    """
    slot = slot_of(hash_state(signature, off, low, ZERO), slots)
    while slots[slot]:
        number = np.int64(slots[slot]) - 1
        if states[number, 0] == signature and states[number, 1] == off and states[number, 2] == low:
            return number + 1, slot
        slot += 1
        if slot == slots.size:
            slot = 0
    return np.int64(0), slot


@inlined
def insert(states, slots, count, signature, off, low):
    """Add a position, if it is new and there is room; return how many there are then."""
    found, slot = seek(states, slots, signature, off, low)
    if found:
        return count
    states[count, 0], states[count, 1], states[count, 2] = signature, off, low
    slots[slot] = np.uint32(count + 1)
    return count + 1


@kernel
def enter_all(states, slots, count):
    """Fill an empty hash table with the first ``count`` positions, all of them different."""
    for number in range(count):
        slot = slot_of(
            hash_state(states[number, 0], states[number, 1], states[number, 2], ZERO), slots
        )
        while slots[slot]:
            slot += 1
            if slot == slots.size:
                slot = 0
        slots[slot] = np.uint32(number + 1)


@kernel
def contains(states, slots, words):
    """Return True if a position (uint64[3]) is in the set."""
    return seek(states, slots, words[0], words[1], words[2])[0] > 0
