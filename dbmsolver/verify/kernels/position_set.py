"""Sets of positions of three words, without repetition: how one is entered and found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.verify.kernels.partition import slot_of
from dbmsolver.verify.kernels.words import ZERO, hash_state


class PositionSet(NamedTuple):
    """A set of positions: a position in each row, and a hash table of row numbers plus one."""

    states: NDArray[np.uint64]  # [most, 3]
    slots: NDArray[np.uint32]  # 0 where it is empty


@inlined
def first_slot(known, first, second, third):
    """Return the slot to look in first for a position."""
    return slot_of(hash_state(first, second, third, ZERO), known.slots)


@inlined
def seek(known, first, second, third):
    """Look for a position; return its number plus one, and its slot.

    The number is 0, and the slot an empty one, if it is not in the set.
    """
    states, slots = known.states, known.slots
    slot = first_slot(known, first, second, third)
    while slots[slot]:
        number = np.int64(slots[slot]) - 1
        same = states[number, 0] == first and states[number, 1] == second
        if same and states[number, 2] == third:
            return number + 1, slot
        slot += 1
        if slot == slots.size:
            slot = 0
    return np.int64(0), slot


@inlined
def insert(known, count, first, second, third):
    """Add a position, if it is new and there is room; return how many there are then."""
    found, slot = seek(known, first, second, third)
    if found:
        return count
    states = known.states
    states[count, 0], states[count, 1], states[count, 2] = first, second, third
    known.slots[slot] = np.uint32(count + 1)
    return count + 1


@kernel
def enter_all(known, count):
    """Fill an empty hash table with the first ``count`` positions, all of them different."""
    states, slots = known.states, known.slots
    for number in range(count):
        slot = first_slot(known, states[number, 0], states[number, 1], states[number, 2])
        while slots[slot]:
            slot += 1
            if slot == slots.size:
                slot = 0
        slots[slot] = np.uint32(number + 1)


@kernel
def contains(known, words):
    """Return True if a position (uint64[3]) is in the set."""
    return seek(known, words[0], words[1], words[2])[0] > 0
