"""A depth-first dive over records, in memory: towards a win, or to the end of a small search space.

Records wait in one stack for each *priority*; the record taken next is the last one of the
highest priority. When no record waits any more, all that can be reached have been expanded: that is
a proof.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import dbmsolver.kits.records.hooks  # noqa: F401  # tables of cards are for positions, too
from dbmsolver.jit.decorators import allocating, inlined, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import lowest_bit, prefetch
from dbmsolver.kernels.hashes import fingerprint, hash_record
from dbmsolver.kernels.hooks import expand_state, home_height, is_won, progress, signature_sets
from dbmsolver.kernels.states import CARDS, LOW, OFF, SIGNATURE, U64
from dbmsolver.kits.columns import locked_in
from dbmsolver.kits.records.macros import FREE, Scratch, make_scratch

MOST_PRIORITY = 1023
RECORD_BYTES = 24 + 4 + 4 + 8
"""Memory that a dive takes for each record it has room for."""

WON, EXHAUSTED, FULL, STOPPED, BROKEN = 0, 1, 2, 3, 4
"""The ends of a dive: a win; nothing waits; no room for more; told to stop; an impossible record.
"""
_LOOK_UP = 1023
"""A dive looks whether it is to stop whenever the number of records expanded has these bits set."""


@struct
class Diving(NamedTuple):
    """The records that a dive has found."""

    rows: NDArray[np.uint64]  # [records, 3]: columns SIGNATURE, OFF, LOW
    parents: NDArray[np.int32]  # [records]: the record it comes from, -1 for the deal's
    following: NDArray[np.int32]  # [records]: the next in its stack, -1 for none
    table: NDArray[np.int32]  # [slots]: number of a record, -1 for none
    stacks: NDArray[np.int32]  # [MOST_PRIORITY + 1]: top of each stack, -1 for none
    stop: NDArray[np.uint8]  # [1]: set by another thread to end the dive
    columns: NDArray[np.int8]  # [CARDS]: the column that a card is locked in at first, or -1
    depths: NDArray[np.int8]  # [CARDS]: how many locked cards are there up to it, itself included
    scratch: Scratch
    slots: NDArray[np.int64]  # [successors]: the table slot at which the search for each begins


def make_diving(records: int) -> Diving:
    """Return arrays with room for ``records`` records, a power of two.

    The table has two slots for each record.
    """
    scratch = make_scratch()
    return Diving(
        rows=np.empty((records, 3), np.uint64),
        parents=np.empty(records, np.int32),
        following=np.empty(records, np.int32),
        table=np.empty(2 * records, np.int32),
        stacks=np.empty(MOST_PRIORITY + 1, np.int32),
        stop=np.zeros(1, np.uint8),
        columns=np.empty(CARDS, np.int8),
        depths=np.empty(CARDS, np.int8),
        scratch=scratch,
        slots=np.empty(scratch.found.shape[0], np.int64),
    )


@inlined
def first_slot(mask, signature, off, low):
    """Return the table slot (int64) at which the search for a record begins."""
    return np.int64(hash_record(signature, off, low) >> U64(20)) & mask


@inlined
def find_slot(d, mask, slot, signature, off, low):
    """Return the table slot (int64) of a record, from its first one on; a free one if it is new."""
    rows = d.rows
    while True:
        other = np.int64(d.table[slot])
        if other < 0 or (
            rows[other, SIGNATURE] == signature
            and rows[other, OFF] == off
            and rows[other, LOW] == low
        ):
            return slot
        slot = (slot + 1) & mask


@inlined
def start_dive(d, signature, off, low, most):
    """Forget all records but the first; returns the table's mask.

    Writes ``d.table``, ``d.stacks`` and the first row.
    """
    slots = 2
    while slots < 2 * most:
        slots *= 2
    d.table[:slots] = -1
    d.stacks[:] = -1
    d.table[first_slot(slots - 1, signature, off, low)] = 0
    d.rows[0, SIGNATURE], d.rows[0, OFF], d.rows[0, LOW] = signature, off, low
    d.parents[0] = -1
    d.following[0] = -1
    d.stacks[0] = 0
    return slots - 1


@inlined
def note_depths(t, d, signature):
    """Write where cards are locked at first to ``d.columns`` and ``d.depths``."""
    d.columns[:] = -1
    for column in range(t.columns):
        for count in range(1, locked_in(t, signature, column) + 1):
            card = lowest_bit(t.locked[column, count] & ~t.locked[column, count - 1])
            d.columns[card] = column
            d.depths[card] = count


@inlined
def locked_above(t, d, signature, off):
    """Count the cards locked on those that go home next, and those themselves (int64)."""
    total = 0
    for suit in range(4):
        card = 4 * home_height(t, signature, off, suit) + suit
        if card < CARDS and d.columns[card] >= 0:
            column = np.int64(d.columns[card])
            above = locked_in(t, signature, column) - np.int64(d.depths[card])
            if above >= 0:
                total += above + 1
    return total


@kernel
def dive(t, d, signature, off, low, locked_in_deal, most, weights):
    """Dive from a normalised record, the first row, with room for ``most`` records.

    The record is (signature, off, low), all uint64. A record's priority is the sum, with these four
    ``weights`` (int64), of its progress, its free slots, the cards home, and how few cards are
    locked on those that go home next. Writes to ``d`` only. Returns (outcome, records found,
    records expanded); a win is the last row.
    """
    rows = d.rows
    found = d.scratch.found
    progress_weight, free_weight, home_weight, near_weight = weights
    mask = start_dive(d, signature, off, low, most)
    note_depths(t, d, signature)
    count = 1
    expanded = 0
    if is_won(t, signature):
        return WON, count, expanded
    best = 0
    while best >= 0:
        current = np.int64(d.stacks[best])
        if current < 0:
            best -= 1
            continue
        d.stacks[best] = d.following[current]
        sets = signature_sets(t, rows[current, SIGNATURE])
        successors = expand_state(
            t, sets, rows[current, OFF], rows[current, LOW], U64(0), d.scratch
        )
        expanded += 1
        if successors < 0:
            return BROKEN, count, expanded
        if expanded & _LOOK_UP == _LOOK_UP and d.stop[0]:
            return STOPPED, count, expanded
        # All slots come from memory at the same time, not one after the other.
        for index in range(successors):
            row = found[index]
            d.slots[index] = first_slot(mask, row[SIGNATURE], row[OFF], row[LOW])
            prefetch(d.table, d.slots[index])
        for index in range(successors - 1, -1, -1):
            signature, off, low = found[index, SIGNATURE], found[index, OFF], found[index, LOW]
            slot = find_slot(d, mask, d.slots[index], signature, off, low)
            if d.table[slot] >= 0:
                continue
            if count == most:
                return FULL, count, expanded
            rows[count, SIGNATURE], rows[count, OFF], rows[count, LOW] = signature, off, low
            d.parents[count] = current
            d.table[slot] = count
            home = np.int64(0)
            for suit in range(4):
                home += home_height(t, signature, off, suit)
            priority = progress_weight * progress(t, signature, locked_in_deal)
            priority += free_weight * np.int64(found[index, FREE]) + home_weight * home
            if near_weight:
                priority += near_weight * (CARDS - locked_above(t, d, signature, off))
            priority = min(priority, MOST_PRIORITY)
            d.following[count] = d.stacks[priority]
            d.stacks[priority] = count
            best = max(best, priority)
            count += 1
            if is_won(t, signature):
                return WON, count, expanded
    return EXHAUSTED, count, expanded


@allocating
def fingerprints(rows):
    """Return the fingerprint (uint64[*]) of each row, which its successors are stored with.

    ``rows`` (uint64[*, 3 or more]) hold records.
    """
    result = np.empty(rows.shape[0], np.uint64)
    for index in range(rows.shape[0]):
        row = rows[index]
        result[index] = U64(fingerprint(row[SIGNATURE], row[OFF], row[LOW]))
    return result
