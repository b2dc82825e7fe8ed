"""Shards: the states that a search by cost layers has looked at, in rows found by a hash table.

A *shard* holds the states of those signatures that hash to it, a row for each. Candidates, which
are not looked at yet, are five words: signature, planes *off*, *low*, *high*, and *meta*
(:mod:`dbmsolver.kernels.meta`). A row has what its kind of states needs
(:mod:`dbmsolver.kernels.hooks`).

A slot of the hash table is 0 where it is free. Of a table with 2**n slots its lower n bits are else
a row's number plus one, the others are bits of the state's hash: few rows of other states have to
be looked at. Three quarters of the slots are taken at most.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.arrays import apart
from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import prefetch
from dbmsolver.kernels.hashes import hash_state
from dbmsolver.kernels.hooks import (
    as_held,
    empty_rows,
    hash_of_home,
    held_at,
    hold,
    make_row_scratch,
    meta_at,
    progress,
    put_meta,
    state_at,
)
from dbmsolver.kernels.meta import IS_CLOSED, IS_STORED, META, g_of, h_of
from dbmsolver.kernels.states import HIGH, LOW, MAX_MOVES, OFF, SIGNATURE, U64

ROW = 5
"""Words of a candidate: columns SIGNATURE, OFF, LOW, HIGH and META."""
HASHED = 5
"""Column of the hash in ``Shard.buffer``, after the words that rows have of a state, and meta."""
SLOT = 6
"""Column of the table slot in ``Shard.buffer`` from which on to look for the state."""
GROUP = 16
BUFFER = GROUP * MAX_MOVES
LOW_32 = np.uint64(0xFFFFFFFF)

(
    COUNT,
    TODO,
    DONE,
    EVALUATED,
    LATER,
    OUTGOING,
    GOAL_ROW,
    CEILING,
    FAULT,
    FIRST_LENT,
    IN_HURRY,
) = range(11)
"""Columns of ``Shard.state``: how much of rows, todo, done, later and outgoing is in use.

Besides: states looked at, each time they were; the row with all cards home, -1 for none; the length
of the best solution that is known; 1 after a class was met that is not listed, which cannot be; the
first of the rows that other shards have lent, which are copies at the end of all rows; and 1 while
another thread waits for work, so that rounds are to be short. A new state that cannot be part of a
shorter solution is dropped.
"""
NOWHERE = np.uint32(0xFFFFFFFF)
"""No row's number."""
NO_CEILING = 1 << 30
"""More than any length, and more than any slice."""
SLICES = 256
"""The slices of a stratum: by them it is divided where it does not fit into memory."""


@struct
class Shard(NamedTuple):
    """The states of some signatures, and scratch memory of the thread that works on them."""

    state: NDArray[np.int64]  # [11]
    rows: NDArray[Any]  # [states, width]
    table: NDArray[np.uint32]  # [2**n]: slots
    todo: NDArray[np.uint32]  # [states]: rows to expand in this layer, last in first out
    done: NDArray[np.uint32]  # [states]: rows expanded, in that order
    later: NDArray[np.uint32]  # [candidates]: rows that wait for a higher layer
    later_layer: NDArray[np.uint16]  # [candidates]: that layer
    outgoing: NDArray[np.uint64]  # [candidates, ROW]: candidates of other shards or partitions
    buffer: NDArray[np.uint64]  # [BUFFER, ROW + 2]: candidates of this one, as rows have them
    starts: NDArray[np.uint64]  # [256]: see order_todo
    scratch: Any  # what the kind of states needs, see the hook `make_row_scratch`


def bytes_of_row(t: Any) -> int:
    """Return the memory of a row."""
    memory: int = empty_rows(t, 1).nbytes
    return memory


def make_shard(t: Any, states: int, slots: int, outgoing: int) -> Shard:
    """Return an empty shard with room for rows and candidates, and no ceiling.

    ``t`` are the deal's tables. It has room for ``states`` rows and ``outgoing`` candidates. Its
    table has ``slots`` slots, a power of two.
    """
    state = np.zeros(IN_HURRY + 1, np.int64)
    state[GOAL_ROW], state[CEILING], state[FIRST_LENT] = -1, NO_CEILING, states
    shard: Shard = apart(
        Shard(
            state=state,
            rows=empty_rows(t, states),
            table=np.zeros(slots, np.uint32),
            todo=np.empty(states, np.uint32),
            done=np.empty(states, np.uint32),
            later=np.empty(outgoing, np.uint32),
            later_layer=np.empty(outgoing, np.uint16),
            outgoing=np.empty((outgoing, ROW), np.uint64),
            buffer=np.empty((BUFFER, ROW + 2), np.uint64),
            starts=np.zeros(256, np.uint64),
            scratch=make_row_scratch(t),
        )
    )
    return shard


@inlined
def shard_of(home, shards):
    """Return the number (int64) of a shard, of ``shards``, a power of two, by `hash_of_home`."""
    return np.int64(home >> U64(40)) & (shards - 1)


@inlined
def slice_of(progress, home):
    """Return the number (int64) of a slice, by its progress and `hash_of_home`.

    A stratum has SLICES of them. A move leads to the same slice, or to one of a higher stratum.
    """
    return progress * SLICES + np.int64(home >> U64(56))


@inlined
def are_divided(shards, ceiling):
    """Return True if successors of a row's state may belong to other shards or later partitions.

    These may be successors with the same signature, too: the row may be lent by another shard.
    """
    return shards > 1 or ceiling < NO_CEILING - 1  # slices are below NO_CEILING


@inlined
def belongs_here(home, stratum, me, shards, ceiling):
    """Return True if a state belongs to shard ``me``, and to a slice up to ``ceiling``.

    ``home`` is its `hash_of_home`; together with ``stratum`` it tells the slice.
    """
    return shard_of(home, shards) == me and slice_of(stratum, home) <= ceiling


@inlined
def note_done(shard, index):
    """Note that a row is expanded."""
    shard.done[shard.state[DONE]] = index
    shard.state[DONE] += 1


@inlined
def put_outgoing(shard, state, meta):
    """Put a state (signature and three planes) with its meta among the outgoing candidates."""
    index = shard.state[OUTGOING]
    put_state(shard.outgoing, index, state)
    shard.outgoing[index, META] = meta
    shard.state[OUTGOING] = index + 1


@kernel
def find_shards(t, rows, shards, found):
    """Write to ``found`` (int64[*]) the shard of each candidate of ``rows`` (uint64[*, ROW])."""
    for index in range(rows.shape[0]):
        row = rows[index]
        home = hash_of_home(t, row[SIGNATURE], row[OFF], row[LOW], row[HIGH])
        found[index] = shard_of(home, shards)


def shards_of(t: Any, rows: NDArray[np.uint64], shards: int) -> NDArray[np.int64]:
    """Return the shard of each candidate (int64[*]) of ``rows`` (uint64[*, ROW])."""
    found = np.empty(rows.shape[0], np.int64)
    find_shards(t, rows, shards, found)
    return found


def slices_of(t: Any, rows: NDArray[np.uint64], locked_in_deal: int) -> NDArray[np.int64]:
    """Return the slice of each candidate (int64[*]) of ``rows`` (uint64[*, ROW])."""
    found = np.empty(rows.shape[0], np.int64)
    find_slices(t, rows, locked_in_deal, found)
    return found


@kernel
def take_rows(t, others, shard, me, shards, places):
    """Copy those of another shard's rows that belong to shard number ``me``.

    Returns how many there are (int64); those without room are left out. Writes to ``shard.rows``,
    not to its table, and to ``places`` (uint32[*]) the new number of each row, NOWHERE without one.
    """
    rows = shard.rows
    found = 0
    for index in range(others.shape[0]):
        places[index] = NOWHERE
        signature, off, low, high = state_at(t, others, index)
        if shard_of(hash_of_home(t, signature, off, low, high), shards) != me:
            continue
        if found < rows.shape[0]:
            for word in range(rows.shape[1]):
                rows[found, word] = others[index, word]
            places[index] = found
        found += 1
    return found


@kernel
def read_rows(t, rows, chosen, found):
    """Write rows that are held, by their numbers (uint32[*]), to ``found`` as candidates are."""
    for place in range(chosen.size):
        index = np.int64(chosen[place])
        put_state(found, place, state_at(t, rows, index))
        found[place, META] = meta_at(t, rows, index)


@kernel
def hold_closed(t, candidates, rows, first):
    """Write candidates (uint64[*, ROW]), as rows that are closed and stored, from ``first`` on."""
    for index in range(candidates.shape[0]):
        row = candidates[index]
        hold(t, rows, first + index, as_held(t, row[SIGNATURE], row[OFF], row[LOW], row[HIGH]))
        put_meta(t, rows, first + index, row[META] | IS_CLOSED | IS_STORED)


@kernel
def find_unstored(t, rows, weight, closed, found, layers):
    """Find the rows of a shard that the store does not have; return how many they are (int64).

    Only closed rows are looked for if ``closed`` is true, else only open ones. Writes the number of
    each to ``found`` (uint32[*]), and its layer, g + ``weight`` * h, to ``layers`` (uint16[*]).
    These need as much room as ``rows``.
    """
    wanted = IS_CLOSED if closed else U64(0)
    count = 0
    for index in range(rows.shape[0]):
        meta = meta_at(t, rows, index)
        if meta & (IS_CLOSED | IS_STORED) == wanted:
            found[count] = index
            layers[count] = g_of(meta) + weight * h_of(meta)
            count += 1
    return count


@kernel
def mark_rows(t, rows, chosen, flags):
    """Set flags (uint64) in the meta of rows that are held, by their numbers (uint32[*])."""
    for place in range(chosen.size):
        index = np.int64(chosen[place])
        put_meta(t, rows, index, meta_at(t, rows, index) | flags)


@kernel
def lend_rows(t, shard, copies, numbers):
    """Take half of the rows that a shard is to expand out of it; return how many (int64).

    They are closed here, and copied to ``copies`` ([*, width]) as they were before. Writes their
    numbers to ``numbers`` (uint32[*]); both have room for half of them. Rows that are closed
    already are dropped. Rows that another shard has lent to this one stay.
    """
    todo, count = shard.todo, shard.state[TODO]
    half = count // 2
    taken = kept = 0
    for place in range(half):
        index = np.int64(todo[place])
        meta = meta_at(t, shard.rows, index)
        if index >= shard.state[FIRST_LENT]:
            todo[kept] = index
            kept += 1
        elif not meta & IS_CLOSED:
            for word in range(shard.rows.shape[1]):
                copies[taken, word] = shard.rows[index, word]
            put_meta(t, shard.rows, index, meta | IS_CLOSED)
            numbers[taken] = index
            taken += 1
    for place in range(half, count):
        todo[kept] = todo[place]
        kept += 1
    shard.state[TODO] = kept
    return taken


@kernel
def count_slices(t, rows, locked_in_deal, counts):
    """Count the rows that are held in each slice, in ``counts`` (int64[*]), which is zero before.

    It has room for all slices of all strata.
    """
    for index in range(rows.shape[0]):
        signature, off, low, high = state_at(t, rows, index)
        home = hash_of_home(t, signature, off, low, high)
        counts[slice_of(progress(t, signature, locked_in_deal), home)] += 1


@kernel
def find_slices(t, rows, locked_in_deal, found):
    """Write the slice of each candidate of ``rows`` (uint64[*, ROW]) to ``found`` (int64[*])."""
    for index in range(rows.shape[0]):
        row = rows[index]
        home = hash_of_home(t, row[SIGNATURE], row[OFF], row[LOW], row[HIGH])
        found[index] = slice_of(progress(t, row[SIGNATURE], locked_in_deal), home)


@inlined
def put_state(rows, index, state):
    """Write a state (signature and three planes) to a row."""
    rows[index, SIGNATURE] = state[0]
    rows[index, OFF] = state[1]
    rows[index, LOW] = state[2]
    rows[index, HIGH] = state[3]


@inlined
def slot_of(hashed, slots):
    """Return the table slot (int64) to look in first for a hash, of ``slots``: its upper bits."""
    return np.int64(((hashed >> U64(32)) * U64(slots)) >> U64(32))


@inlined
def tag_of(hashed, slots):
    """Return the bits of a hash (uint64) that a slot has, of a table of ``slots``."""
    return hashed & LOW_32 & ~U64(slots - 1)


@inlined
def row_of(entry, slots):
    """Return the number of the row (int64) of a slot that is taken, of ``slots``."""
    return np.int64(U64(entry) & U64(slots - 1)) - 1


@inlined
def has_tag(entry, tag, slots):
    """Return True if a slot of ``slots`` has these bits of a hash: its row may be the state's."""
    return U64(entry) & ~U64(slots - 1) == tag


@inlined
def entry_of(hashed, index, slots):
    """Return the slot (uint32) of a row, of ``slots``."""
    return np.uint32(tag_of(hashed, slots) | U64(index + 1))


@inlined
def put_buffered(t, shard, buffered, state, meta):
    """Make a state the candidate number ``buffered``, and prefetch its table slot."""
    held = as_held(t, state[0], state[1], state[2], state[3])
    hashed = hash_state(held)
    prefetch(shard.table, slot_of(hashed, shard.table.size))
    put_state(shard.buffer, buffered, held)
    shard.buffer[buffered, META] = meta
    shard.buffer[buffered, HASHED] = hashed


@kernel
def rehash(t, rows, count, table, hashes):
    """Enter the first ``count`` rows, all different, into an empty ``table`` (uint32[slots]).

    ``hashes`` (uint64[*]) is scratch memory for GROUP hashes.
    """
    slots = table.size
    for first in range(0, count, GROUP):
        last = min(first + GROUP, count)
        # Slots are far apart: they are on their way while the next ones are worked out.
        for index in range(first, last):
            hashed = hash_state(held_at(t, rows, index))
            hashes[index - first] = hashed
            prefetch(table, slot_of(hashed, slots))
        for index in range(first, last):
            hashed = hashes[index - first]
            slot = slot_of(hashed, slots)
            while table[slot]:
                slot = (slot + 1) & (slots - 1)
            table[slot] = entry_of(hashed, index, slots)


@kernel
def count_unclosed(t, rows, count, weight, ceiling):
    """Count (int64) the first ``count`` rows that are open and in a layer below ``ceiling``.

    Open: not closed. The layer is g + ``weight`` * h.
    """
    found = 0
    for index in range(count):
        meta = meta_at(t, rows, index)
        if not meta & IS_CLOSED and g_of(meta) + weight * h_of(meta) < ceiling:
            found += 1
    return found


def take_later(shard: Shard) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
    """Take the rows that wait for higher layers, and these layers.

    Writes ``shard.state``; the arrays are copies.
    """
    later = int(shard.state[LATER])
    shard.state[LATER] = 0
    return shard.later[:later].copy(), shard.later_layer[:later].copy()


def take_outgoing(shard: Shard) -> NDArray[np.uint64]:
    """Take the candidates of other shards and partitions: a copy. Writes ``shard.state``."""
    outgoing = int(shard.state[OUTGOING])
    shard.state[OUTGOING] = 0
    return shard.outgoing[:outgoing].copy()
