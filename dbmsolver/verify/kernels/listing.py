"""All positions of a deal, listed by the generator of moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels.closed_set import STATE_WORDS, hash_row
from dbmsolver.verify.kernels.errors import GOAL
from dbmsolver.verify.kernels.kinds import expand_state
from dbmsolver.verify.kernels.words import AHEAD, Words, copy, fetch, slot_of

ALL_LISTED, MORE, FULL, WON, NO_STATE = range(5)
"""Ends of a call: nothing is left; some are left; there is no room; a win; no position."""


@struct
class Listed(NamedTuple):
    """States without repetition: one in each row, and a hash table of row numbers plus one."""

    rows: Words  # [most, STATE_WORDS]
    slots: NDArray[np.uint32]  # 0 where it is empty


@inlined
def slot_in(listed, hashed, row):
    """Return the slot of a state, or the empty one for it."""
    slots, slot = listed.slots, slot_of(hashed, listed.slots.size)
    while slots[slot]:
        other, word = listed.rows[np.int64(slots[slot]) - 1], 0
        while word < STATE_WORDS and other[word] == row[word]:
            word += 1
        if word == STATE_WORDS:
            break
        slot += 1
        if slot == slots.size:
            slot = 0
    return slot


@inner
def add_new(listed, count, after, end):
    """Add those of the first ``end`` states that are new; return how many there are then."""
    for place in range(end):
        after.hashes[place] = hash_row(after.rows[place])
    for place in range(end):
        if place + 2 * AHEAD < end:
            slot = slot_of(after.hashes[place + 2 * AHEAD], listed.slots.size)
            fetch(listed.slots, slot)
        if place + AHEAD < end:
            number = listed.slots[slot_of(after.hashes[place + AHEAD], listed.slots.size)]
            if number:
                fetch(listed.rows, STATE_WORDS * (np.int64(number) - 1))
        row = after.rows[place]
        slot = slot_in(listed, after.hashes[place], row)
        if listed.slots[slot] == 0:
            copy(row, listed.rows[count])
            count += 1
            listed.slots[slot] = np.uint32(count)
    return count


@kernel
def enter_all(listed, count):
    """Fill an empty hash table with the first ``count`` states, all of them different."""
    for number in range(count):
        row = listed.rows[number]
        listed.slots[slot_in(listed, hash_row(row), row)] = np.uint32(number + 1)


@kernel
def list_states(f, listed, head, count, steps, most, table, after):
    """Add what follows from at most ``steps`` states, from number ``head`` on.

    There are ``count`` states. No state has more than ``most`` moves. ``table`` and ``after`` are
    scratch memory. Returns (how it ended, head, count).
    """
    last, end = min(head + steps, count), 0
    while head < last:
        if count + end + most > listed.rows.shape[0]:
            return FULL, head, add_new(listed, count, after, end)
        seen = expand_state(f, listed.rows[head], 0, table, after, end)
        if seen.error:
            return WON if seen.error == GOAL else NO_STATE, head, count
        head, end = head + 1, seen.end
        if end + most > after.sources.size:
            count, end = add_new(listed, count, after, end), 0
    count = add_new(listed, count, after, end)
    return MORE if head < count else ALL_LISTED, head, count
