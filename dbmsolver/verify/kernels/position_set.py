"""Sets of positions of three words, without repetition: how one is entered and found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.verify.kernels.board import MOST_MOVES
from dbmsolver.verify.kernels.words import AHEAD, ZERO, fetch, hash_state, slot_of

_MOST = 2048 + MOST_MOVES
"""Positions that are looked for together."""


class PositionSet(NamedTuple):
    """A set of positions: a position in each row, and a hash table of row numbers plus one."""

    states: NDArray[np.uint64]  # [most, 3]
    slots: NDArray[np.uint32]  # 0 where it is empty


class Wanted(NamedTuple):
    """Positions to be looked for together: memory is asked for those that come later."""

    words: NDArray[np.uint64]  # [most, 3]
    sources: NDArray[np.int64]  # [most]: the number of the position that each came from
    slots: NDArray[np.int64]  # [most]: the slot to look in first


def make_wanted() -> Wanted:
    """Return scratch memory of one thread."""
    words = np.empty((_MOST, 3), np.uint64)
    return Wanted(words, np.empty(_MOST, np.int64), np.empty(_MOST, np.int64))


@inlined
def want(known, wanted, count, source, first, second, third):
    """Note a position to be looked for, and its source; return how many there are then."""
    words = wanted.words[count]
    words[0], words[1], words[2] = first, second, third
    wanted.sources[count] = source
    wanted.slots[count] = first_slot(known, first, second, third)
    return count + 1


@inlined
def look_ahead(known, wanted, place, count):
    """Ask for the memory of positions that come some places later, first their slots."""
    if place + 2 * AHEAD < count:
        fetch(known.slots, wanted.slots[place + 2 * AHEAD])
    if place + AHEAD < count:
        number = np.int64(known.slots[wanted.slots[place + AHEAD]])
        if number:
            fetch(known.states, 3 * (number - 1))


@inlined
def first_slot(known, first, second, third):
    """Return the slot to look in first for a position."""
    return slot_of(hash_state(first, second, third, ZERO), known.slots.size)


@inlined
def seek(known, slot, first, second, third):
    """Look for a position from its first slot on; return its number plus one, and its slot.

    The number is 0, and the slot an empty one, if it is not in the set.
    """
    states, slots = known.states, known.slots
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
    """Add a position, if it is new; return how many there are then."""
    return insert_at(known, count, first_slot(known, first, second, third), first, second, third)


@inlined
def insert_at(known, count, slot, first, second, third):
    """Add a position, whose first slot is known, as :func:`insert` does."""
    found, slot = seek(known, slot, first, second, third)
    if found:
        return count
    states = known.states
    states[count, 0], states[count, 1], states[count, 2] = first, second, third
    known.slots[slot] = np.uint32(count + 1)
    return count + 1


@inner
def insert_wanted(known, count, wanted, noted):
    """Add those of the noted positions that are new; return how many there are then."""
    for place in range(noted):
        look_ahead(known, wanted, place, noted)
        words, slot = wanted.words[place], wanted.slots[place]
        count = insert_at(known, count, slot, words[0], words[1], words[2])
    return count


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
    first, second, third = words[0], words[1], words[2]
    return seek(known, first_slot(known, first, second, third), first, second, third)[0] > 0
