"""Closed states in memory: how one is entered and found, and which move is said to lead to it.

A *state* is four words, a row of an array, of which the last ones are zeros. Its number tells where
it is in the store.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels.words import AHEAD, U64, ZERO, Ints, Words, fetch, hash_state, slot_of

STATE_WORDS = 4
MOST_STATES = (1 << 36) - 2
"""The most states that are numbered together."""
MOST_MADE = (1 << 12) - 1
"""The most moves made to a state."""
NO_PARENT, OUTSIDE, INSIDE = range(3)
"""Parents: none is found; in another stratum; from here on, the number of one in the same."""
ENTERED, TWICE, FULL = range(3)
"""Ends of :func:`enter`: all are entered; a state is there already; there is no room for one."""
_MADE_SHIFT, _CODE_SHIFT = 36, 48
"""The bits of a slot's last word from which on moves made and code stand, above the number."""


@struct
class ClosedSet(NamedTuple):
    """Closed states of some strata that follow each other, or one part of them.

    A hash divides states into parts. ``slots`` are a hash table, with a row for each state: its
    words but for zeros that all states have; then a word with the state's number plus one, the
    moves made to it, and its parent-move code. The last word is 0 in an empty slot. ``parents``
    has, for the number of each state of any part, the state that leads to it by the move that its
    code names: NO_PARENT, OUTSIDE, or INSIDE plus the number of that state.
    """

    slots: Words  # [slots, words + 1]
    parents: Ints  # int32, or int64 for more states than that has numbers
    part: int
    parts: int


@struct
class States(NamedTuple):
    """States that are read from a block together."""

    rows: Words  # [*, STATE_WORDS]
    codes: NDArray[np.uint16]


def make_states(most: int) -> States:
    """Return room for this many states."""
    rows = np.zeros((most, STATE_WORDS), np.uint64)
    return States(rows, np.zeros(most, np.uint16))


@inlined
def hash_row(row):
    """Return the hash of a state."""
    return hash_state(row[0], row[1], row[2], row[3])


@inlined
def is_of_part(closed, hashed):
    """Return True if a state with this hash is of the part that is in memory."""
    parts = U64(closed.parts)
    return parts == U64(1) or ((hashed >> U64(32)) * parts) >> U64(32) == U64(closed.part)


@inlined
def find(closed, hashed, row):
    """Return the slot of a state, or the empty one where the search for it ends."""
    slots, slot = closed.slots, slot_of(hashed, closed.slots.shape[0])
    last = slots.shape[1] - 1
    while slots[slot, last]:
        word = 0
        while word < last and slots[slot, word] == row[word]:
            word += 1
        if word == last:
            break
        slot += 1
        if slot == slots.shape[0]:
            slot = 0
    return slot


@inlined
def is_filled(closed, slot):
    """Return True if there is a state in a slot."""
    return closed.slots[slot, closed.slots.shape[1] - 1] != ZERO


@inlined
def facts_of(closed, slot):
    """Return number, moves made and parent-move code of the state in a slot."""
    word = closed.slots[slot, closed.slots.shape[1] - 1]
    number = np.int64(word & U64(MOST_STATES + 1)) - 1
    made = np.int64(word >> U64(_MADE_SHIFT) & U64(MOST_MADE))
    return number, made, np.int64(word >> U64(_CODE_SHIFT))


@inner
def hash_ahead(closed, rows, count, hashes):
    """Write the hashes of rows, and ask for the memory of the first slots."""
    for number in range(count):
        hashes[number] = hash_row(rows[number])
        if number < AHEAD:
            ask_for(closed, hashes[number])


@inlined
def ask_for(closed, hashed):
    """Ask for the memory of the first slot of a hash."""
    fetch(closed.slots, slot_of(hashed, closed.slots.shape[0]) * closed.slots.shape[1])


@kernel
def enter(closed, states, made, count, first, entered, hashes):
    """Enter those of the first ``count`` states that are of this part.

    The i-th state has the number ``first + i``, also where some are passed over. ``made``
    (int16[*]) are the moves made to them. ``entered`` states are there before. Returns how it
    ended, how many are there then, and the index of the state that it ended at. An eighth of the
    slots stays empty. ``hashes`` is scratch memory.
    """
    slots, last = closed.slots, closed.slots.shape[1] - 1
    hash_ahead(closed, states.rows, count, hashes)
    for number in range(count):
        if number + AHEAD < count:
            ask_for(closed, hashes[number + AHEAD])
        hashed, row = hashes[number], states.rows[number]
        if not is_of_part(closed, hashed):
            continue
        slot = find(closed, hashed, row)
        if slots[slot, last]:
            return TWICE, entered, number
        if 8 * entered >= 7 * slots.shape[0]:
            return FULL, entered, number
        for word in range(last):
            slots[slot, word] = row[word]
        facts = U64(made[number]) << U64(_MADE_SHIFT)
        facts |= U64(states.codes[number]) << U64(_CODE_SHIFT)
        slots[slot, last] = facts | U64(first + number + 1)
        entered += 1
    return ENTERED, entered, count


@kernel
def look_up(closed, row):
    """Return (True if a state is of this part, its number or -1, the moves made to it)."""
    hashed = hash_row(row)
    slot = find(closed, hashed, row)
    if not is_filled(closed, slot):
        return is_of_part(closed, hashed), np.int64(-1), np.int64(0)
    number, made, _ = facts_of(closed, slot)
    return True, number, made


@kernel
def follow_chains(parents, first, last):
    """Follow the parents of the states with numbers from ``first`` up to ``last``.

    Return -1 if each chain leads to another stratum, else the number of a state without a parent,
    or of one in a ring; and True for a ring. Parents in chains that end so are OUTSIDE afterwards.
    Those of the chain that is being followed are negative, so a ring ends where it began.
    """
    for start in range(first, last):
        number = start
        while parents[number] >= INSIDE:
            following = np.int64(parents[number]) - INSIDE
            parents[number] = -parents[number]
            number = following
        if parents[number] != OUTSIDE:
            return number, parents[number] != NO_PARENT
        number = start
        while parents[number] < 0:
            following = -np.int64(parents[number]) - INSIDE
            parents[number] = OUTSIDE
            number = following
    return -1, False
