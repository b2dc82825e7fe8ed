"""A depth-first dive over records, in memory: towards a win, or to the end of a small search space.

Records wait in one stack for each *priority*; the record taken next is the last one of the
highest priority. When no record waits any more, all that can be reached have been expanded: that is
a proof. A dive that has found all records that it may find can go on in another order, with more.

Whether a record is new is looked up in a table, anywhere in memory. So records may be taken in
batches: what follows from all of a batch is looked up together, and the processor waits for memory
once for a batch, not once for a record. For classes of Klondike that takes a third less time.
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
RECORD_BYTES = 24 + 4 + 4 + 1 + 8
"""Memory that a dive takes for each record it has room for."""
LARGEST_BATCH = 16
"""The most records of a batch."""
_MORE = 12
"""A batch has one more record for each two to this power that a dive has found."""
EXPANDED = -2
"""In place of the next record in its stack: the record waits no more."""
_ENTRY = 0x7FFFFFFF
"""The bits of an entry of the table: the number of a record, and above it some bits of its hash.

A record is looked at only where these are the same: most others that share its slots have others.
"""

WON, EXHAUSTED, FULL, STOPPED, BROKEN = 0, 1, 2, 3, 4
"""The ends of a dive: a win; nothing waits; no room for more; told to stop; an impossible record.
"""


@struct
class Batch(NamedTuple):
    """Records that are taken together, and what follows from them."""

    taken: NDArray[np.int64]  # [LARGEST_BATCH]: their numbers
    ends: NDArray[np.int64]  # [LARGEST_BATCH]: where the rows of each one's successors end
    found: NDArray[np.uint64]  # [successors, 5]: rows as in ``Scratch.found``
    hashes: NDArray[np.uint64]  # [successors]


@struct
class Diving(NamedTuple):
    """The records that a dive has found."""

    rows: NDArray[np.uint64]  # [records, 3]: columns SIGNATURE, OFF, LOW
    parents: NDArray[np.int32]  # [records]: the record it comes from, -1 for the deal's
    following: NDArray[np.int32]  # [records]: the next in its stack, -1 for none, or EXPANDED
    free: NDArray[np.int8]  # [records]: its free slots
    table: NDArray[np.int32]  # [slots]: number and tag of a record, -1 for none
    mask: NDArray[np.int64]  # [1]: that of the table as it is filled, 0 before it is
    stacks: NDArray[np.int32]  # [MOST_PRIORITY + 1]: top of each stack, -1 for none
    stop: NDArray[np.uint8]  # [1]: set by another thread to end the dive
    columns: NDArray[np.int8]  # [CARDS]: the column that a card is locked in at first, or -1
    depths: NDArray[np.int8]  # [CARDS]: how many locked cards are there up to it, itself included
    scratch: Scratch
    batch: Batch


def make_diving(records: int) -> Diving:
    """Return arrays with room for ``records`` records, a power of two.

    The table has two slots for each record.
    """
    scratch = make_scratch()
    return Diving(
        rows=np.empty((records, 3), np.uint64),
        parents=np.empty(records, np.int32),
        following=np.empty(records, np.int32),
        free=np.empty(records, np.int8),
        table=np.empty(2 * records, np.int32),
        mask=np.zeros(1, np.int64),
        stacks=np.empty(MOST_PRIORITY + 1, np.int32),
        stop=np.zeros(1, np.uint8),
        columns=np.empty(CARDS, np.int8),
        depths=np.empty(CARDS, np.int8),
        scratch=scratch,
        batch=make_batch(LARGEST_BATCH * scratch.found.shape[0]),
    )


def make_batch(successors: int) -> Batch:
    """Return arrays with room for ``successors`` rows, the successors of all records of a batch."""
    return Batch(
        taken=np.empty(LARGEST_BATCH, np.int64),
        ends=np.empty(LARGEST_BATCH, np.int64),
        found=np.empty((successors, FREE + 1), np.uint64),
        hashes=np.empty(successors, np.uint64),
    )


@inlined
def first_slot(mask, word):
    """Return the table slot (int64) at which the search for a record with this hash begins."""
    return np.int64(word >> U64(36)) & mask


@inlined
def number_mask(mask):
    """Return the bits (int64) of an entry for a number: a table has two slots for each."""
    return mask >> 1


@inlined
def entry_of(mask, word, number):
    """Return the entry (int64) of the table for the record with this hash and number."""
    return (np.int64(word & U64(_ENTRY)) & ~number_mask(mask)) | np.int64(number)


@inlined
def may_be(mask, entry, word):
    """Return True if an entry may be that of a record with the hash ``word``: it has its tag."""
    return entry >= 0 and (entry ^ entry_of(mask, word, 0)) <= number_mask(mask)


@inlined
def find_slot(d, mask, word, signature, off, low):
    """Return the table slot (int64) of a record; a free one if it is new. ``word`` is its hash."""
    rows = d.rows
    slot = first_slot(mask, word)
    while True:
        entry = np.int64(d.table[slot])
        if entry < 0:
            return slot
        if may_be(mask, entry, word):
            other = entry & number_mask(mask)
            if (
                rows[other, SIGNATURE] == signature
                and rows[other, OFF] == off
                and rows[other, LOW] == low
            ):
                return slot
        slot = (slot + 1) & mask


@inlined
def fill_table(d, known, most):
    """Return the mask of a table for ``most`` records, its number of slots less one.

    If the table has another number of slots, it is emptied, and filled with the first ``known``
    records.
    """
    slots = 2
    while slots < 2 * most:
        slots *= 2
    mask = np.int64(slots - 1)
    if mask != d.mask[0]:
        d.mask[0] = mask
        d.table[:slots] = -1
        for number in range(known):
            row = d.rows[number]
            word = hash_record(row[SIGNATURE], row[OFF], row[LOW])
            slot = first_slot(mask, word)
            while d.table[slot] >= 0:
                slot = (slot + 1) & mask
            d.table[slot] = entry_of(mask, word, number)
    return mask


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


@inlined
def priority_of(t, d, number, locked_in_deal, weights):
    """Return the priority (int64) of a record, at most MOST_PRIORITY; the highest is taken first.

    It is a sum with four ``weights`` (int64), in this order: of its progress, its free slots, the
    cards home, and 52 less the cards locked on, or with, those that go home next.
    """
    progress_weight, free_weight, home_weight, near_weight = weights
    signature, off = d.rows[number, SIGNATURE], d.rows[number, OFF]
    home = np.int64(0)
    for suit in range(4):
        home += home_height(t, signature, off, suit)
    priority = progress_weight * progress(t, signature, locked_in_deal)
    priority += free_weight * np.int64(d.free[number]) + home_weight * home
    if near_weight:
        priority += near_weight * (CARDS - locked_above(t, d, signature, off))
    return min(priority, MOST_PRIORITY)


@inlined
def let_wait(d, number, priority):
    """Let a record wait, as the next to be taken of its priority."""
    d.following[number] = d.stacks[priority]
    d.stacks[priority] = number


@inlined
def take_batch(t, d, mask, best, most):
    """Take up to ``most`` waiting records, and write the successors of each to ``d.batch``.

    Those of the highest priority are taken first, then those of lower ones. The caller knows that
    no waiting record has a priority above ``best``. Returns (taken, best): the number of records
    taken, -1 if one of them cannot be; and the same bound for those that are left, -1 if none is.
    """
    batch, rows, found = d.batch, d.rows, d.scratch.found
    taken = end = np.int64(0)
    while taken < most and best >= 0:
        current = np.int64(d.stacks[best])
        if current < 0:
            best -= 1
            continue
        d.stacks[best] = d.following[current]
        sets = signature_sets(t, rows[current, SIGNATURE])
        successors = expand_state(
            t, sets, rows[current, OFF], rows[current, LOW], U64(0), d.scratch
        )
        if successors < 0:
            return np.int64(-1), best
        for index in range(successors):
            signature, off, low = found[index, SIGNATURE], found[index, OFF], found[index, LOW]
            row = batch.found[end]
            row[SIGNATURE], row[OFF], row[LOW], row[FREE] = signature, off, low, found[index, FREE]
            word = hash_record(signature, off, low)
            batch.hashes[end] = word
            prefetch(d.table, first_slot(mask, word))
            end += 1
        batch.taken[taken] = current
        batch.ends[taken] = end
        taken += 1
    for index in range(end):
        entry = np.int64(d.table[first_slot(mask, batch.hashes[index])])
        if may_be(mask, entry, batch.hashes[index]):
            prefetch(rows[entry & number_mask(mask)], np.int64(0))
    return taken, best


@kernel
def dive(t, d, signature, off, low, locked_in_deal, most, weights, largest):
    """Dive from a normalised record, the first row: (signature, off, low), all uint64.

    The rest is that of :func:`go_on`.
    """
    d.rows[0, SIGNATURE], d.rows[0, OFF], d.rows[0, LOW] = signature, off, low
    d.parents[0] = -1
    d.following[0] = -1
    d.free[0] = 0
    d.mask[0] = 0
    if is_won(t, signature):
        return WON, 1, 0
    return go_on(t, d, 1, locked_in_deal, most, weights, largest)


@kernel
def go_on(t, d, known, locked_in_deal, most, weights, largest):
    """Go on with a dive that has found ``known`` records, until it has ``most`` of them in all.

    Records that are not expanded yet get new priorities (:func:`priority_of`) with ``weights``. A
    batch has one record as long as few are found, later up to ``largest``, which is LARGEST_BATCH
    at most. Writes to ``d`` only. Returns (outcome, records found in all, records expanded by this
    call). The outcome is WON, EXHAUSTED, FULL, STOPPED or BROKEN; a win is the last row of ``d``.
    """
    rows, batch = d.rows, d.batch
    mask = fill_table(d, known, most)
    note_depths(t, d, rows[0, SIGNATURE])
    d.stacks[:] = -1
    best = np.int64(-1)
    for number in range(known):
        if d.following[number] != EXPANDED:
            priority = priority_of(t, d, number, locked_in_deal, weights)
            let_wait(d, number, priority)
            best = max(best, priority)
    count, expanded = known, 0
    while True:
        taken, best = take_batch(t, d, mask, best, min((count >> _MORE) + 1, largest))
        if taken < 0:
            return BROKEN, count, expanded + 1
        if taken == 0:
            return EXHAUSTED, count, expanded
        expanded += taken
        if d.stop[0]:
            return STOPPED, count, expanded
        index = batch.ends[taken - 1]
        # What follows from the first is put on the stacks last, and taken first.
        for place in range(taken - 1, -1, -1):
            current = batch.taken[place]
            begin = batch.ends[place - 1] if place > 0 else np.int64(0)
            while index > begin:
                index -= 1
                row = batch.found[index]
                signature, off, low = row[SIGNATURE], row[OFF], row[LOW]
                word = batch.hashes[index]
                slot = find_slot(d, mask, word, signature, off, low)
                if d.table[slot] >= 0:
                    continue
                if count == most:
                    return FULL, count, expanded
                rows[count, SIGNATURE], rows[count, OFF], rows[count, LOW] = signature, off, low
                d.parents[count] = current
                d.table[slot] = entry_of(mask, word, count)
                d.free[count] = np.int64(row[FREE])
                priority = priority_of(t, d, count, locked_in_deal, weights)
                let_wait(d, count, priority)
                best = max(best, priority)
                count += 1
                if is_won(t, signature):
                    return WON, count, expanded
            d.following[current] = EXPANDED


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
