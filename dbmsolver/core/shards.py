"""Shards: the states that a search by cost layers has looked at, in rows found by a hash table.

A *shard* holds the states of those signatures that hash to it, a row for each. A row is five words:
signature, planes *off*, *low*, *high*, and *meta*. From the lowest bit on, meta is:

====== ===================================================================
bits   meaning
====== ===================================================================
0-15   parent-move code
16-30  g, moves made
31     the state has a forced move
32-47  h, its lower bound
48     closed
49     h is only the cheap part of the bound
50     written to the store as it is; the caller's
====== ===================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bits import prefetch
from dbmsolver.core.bound import BoundSets, make_scratch
from dbmsolver.core.expand import MAX_MOVES, Sets, progress, signature_sets
from dbmsolver.core.families import bound_sets
from dbmsolver.core.tables import HIGH, LOW, OFF, SIGNATURE
from dbmsolver.jit.decorators import inlined, kernel

U64 = np.uint64
ONE = np.uint64(1)
ROW = 5
"""Words of a row: columns SIGNATURE, OFF, LOW, HIGH and META."""
META = 4
HASHED = 5
"""Column of a candidate in ``Shard.burst``, after those of a row: its hash."""
GROUP = 16
BURST = GROUP * MAX_MOVES
CACHE = 4096
"""Signatures whose sets are remembered; a power of two."""
CACHE_WORDS = 16
(
    CACHED_SIGNATURE,
    CACHED_HOME,
    CACHED_LOCKED,
    CACHED_LOOSE,
    CACHED_UNDER,
    CACHED_BOTTOMS,
    CACHED_BASE,
    CACHED_CHAINED,
    CACHED_VERTICES,
    CACHED_EDGED,
    CACHED_COVER,
    CACHED_PROGRESS,
) = range(12)
"""Columns of ``Shard.cache``: a signature's Sets, then its BoundSets, then its progress."""
LOW_32 = np.uint64(0xFFFFFFFF)
GOAL = np.uint64(0xDDDD)
"""Signature of the state with all cards home."""
CODE_MASK = np.uint64(0xFFFF)
G_SHIFT = np.uint64(16)
G_MASK = np.uint64(0x7FFF)
IS_FORCED = np.uint64(1 << 31)
IS_CLOSED = np.uint64(1 << 48)
IS_CHEAP = np.uint64(1 << 49)
IS_STORED = np.uint64(1 << 50)
CODE_AND_G = np.uint64(0x7FFFFFFF)
BOUND_SHIFT = np.uint64(32)
BOUND_MASK = np.uint64(0xFFFF)

COUNT, TODO, DONE, EVALUATED, LATER, OUTGOING, GOAL_ROW, CEILING = range(8)
"""Columns of ``Shard.state``: how much of rows, todo, done, later and outgoing is in use.

Besides: states looked at, each time they were; the row with all cards home, -1 for none; and the
length of the best solution that is known. A new state that cannot be part of a shorter one is
dropped.
"""
NOWHERE = np.uint32(0xFFFFFFFF)
"""No row's number."""
NO_CEILING = 1 << 30
"""More than any length, and more than any progress."""


class Shard(NamedTuple):
    """The states of some signatures, and scratch memory of the thread that works on them."""

    state: NDArray[np.int64]  # [8]
    rows: NDArray[np.uint64]  # [states, ROW]
    flat: NDArray[np.uint64]  # [states * ROW]: the same memory
    table: NDArray[np.uint64]  # [slots]: upper half of the hash, row plus one; 0 if free
    todo: NDArray[np.uint32]  # [states]: rows to expand in this layer, last in first out
    done: NDArray[np.uint32]  # [states]: rows expanded, in that order
    later: NDArray[np.uint32]  # [candidates]: rows that wait for a higher layer
    later_layer: NDArray[np.uint16]  # [candidates]: that layer
    outgoing: NDArray[np.uint64]  # [candidates, ROW]: candidates of other shards or partitions
    burst: NDArray[np.uint64]  # [BURST, ROW + 1]: candidates of this one
    cache: NDArray[np.uint64]  # [CACHE, CACHE_WORDS]: facts about a signature
    over: NDArray[np.uint64]  # [CACHE, 52]: see bound_sets
    work: NDArray[np.uint64]  # see make_scratch of the bound
    moves: NDArray[np.uint16]  # [MAX_MOVES]


def make_shard(states: int, slots: int, outgoing: int) -> Shard:
    """Return an empty shard with room for rows and candidates, and no ceiling.

    It has room for ``states`` rows and ``outgoing`` candidates. Its table has ``slots`` slots, a
    power of two.
    """
    over, work = make_scratch(CACHE)
    cache = np.zeros((CACHE, CACHE_WORDS), np.uint64)
    cache[:, 0] = ~U64(0)
    state = np.zeros(8, np.int64)
    state[GOAL_ROW], state[CEILING] = -1, NO_CEILING
    flat = np.empty(states * ROW, np.uint64)
    return Shard(
        state=state,
        rows=flat.reshape(states, ROW),
        flat=flat,
        table=np.zeros(slots, np.uint64),
        todo=np.empty(states, np.uint32),
        done=np.empty(states, np.uint32),
        later=np.empty(outgoing, np.uint32),
        later_layer=np.empty(outgoing, np.uint16),
        outgoing=np.empty((outgoing, ROW), np.uint64),
        burst=np.empty((BURST, ROW + 1), np.uint64),
        cache=cache,
        over=over,
        work=work,
        moves=np.zeros(MAX_MOVES, np.uint16),
    )


@inlined
def mix(word):
    """Return a well-mixed hash (uint64) of one word: the finalizer of SplitMix64."""
    word = (word ^ (word >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> U64(27))) * U64(0x94D049BB133111EB)
    return word ^ (word >> U64(31))


@inlined
def hash_row(signature, off, low, high):
    """Return the hash (uint64) of a state."""
    word = signature * U64(0x9E3779B97F4A7C15) + off * U64(0xD6E8FEB86659FD93)
    word ^= word >> U64(32)
    word = (word + low) * U64(0xA0761D6478BD642F) + high * U64(0xE7037ED1A0B428DB)
    return mix(word)


@inlined
def shard_of(signature, shards):
    """Return the number (int64) of a signature's shard, of ``shards``, a power of two."""
    return np.int64(mix(signature * U64(0x9E3779B97F4A7C15)) >> U64(40)) & (shards - 1)


@kernel
def find_shards(rows, shards, found):
    """Write to ``found`` (int64[*]) the shard of each of ``rows`` (uint64[*, ROW])."""
    for index in range(rows.shape[0]):
        found[index] = shard_of(rows[index, SIGNATURE], shards)


def shards_of(rows: NDArray[np.uint64], shards: int) -> NDArray[np.int64]:
    """Return the shard of each row (int64[*]) of ``rows`` (uint64[*, ROW])."""
    found = np.empty(rows.shape[0], np.int64)
    find_shards(rows, shards, found)
    return found


@kernel
def take_rows(others, shard, me, shards, places):
    """Copy those of another shard's rows (uint64[*, ROW]) that belong to shard number ``me``.

    Returns how many there are (int64); those without room are left out. Writes to ``shard.rows``,
    not to its table, and to ``places`` (uint32[*]) the new number of each row, NOWHERE without one.
    """
    rows = shard.rows
    found = 0
    for index in range(others.shape[0]):
        places[index] = NOWHERE
        if shard_of(others[index, SIGNATURE], shards) != me:
            continue
        if found < rows.shape[0]:
            for word in range(ROW):
                rows[found, word] = others[index, word]
            places[index] = found
        found += 1
    return found


@inlined
def g_of(meta):
    """Return the number of moves made (int64), from a row's meta."""
    return np.int64((meta >> G_SHIFT) & G_MASK)


@inlined
def h_of(meta):
    """Lower bound (int64), from a row's meta."""
    return np.int64((meta >> BOUND_SHIFT) & BOUND_MASK)


@inlined
def code_of(meta):
    """Return the parent-move code (int64), from a row's meta."""
    return np.int64(meta & CODE_MASK)


@inlined
def make_meta(code, g):
    """Return the meta of a state that has not been looked at."""
    return U64(code) | (U64(g) << G_SHIFT)


@inlined
def put_state(rows, index, state):
    """Write a state (signature and three planes) to a row."""
    rows[index, SIGNATURE] = state[0]
    rows[index, OFF] = state[1]
    rows[index, LOW] = state[2]
    rows[index, HIGH] = state[3]


@inlined
def is_same_state(rows, index, others, other):
    """Return True if two rows hold the same state."""
    return (
        rows[index, SIGNATURE] == others[other, SIGNATURE]
        and rows[index, OFF] == others[other, OFF]
        and rows[index, LOW] == others[other, LOW]
        and rows[index, HIGH] == others[other, HIGH]
    )


@inlined
def cached_signature(t, b, shard, signature, locked_in_deal):
    """Return the row of a signature in ``shard.cache``, which is written if need be.

    So is that of ``shard.over``.
    """
    place = np.int64(mix(signature) & U64(CACHE - 1))
    if shard.cache[place, CACHED_SIGNATURE] != signature:
        sets = signature_sets(t, signature)
        bound = bound_sets(b, t, sets, shard.over[place], shard.work)
        row = shard.cache[place]
        row[CACHED_SIGNATURE] = signature
        row[CACHED_HOME] = sets.home
        row[CACHED_LOCKED] = sets.locked
        row[CACHED_LOOSE] = sets.loose
        row[CACHED_UNDER] = sets.under
        row[CACHED_BOTTOMS] = U64(sets.bottoms)
        row[CACHED_BASE] = U64(bound.base)
        row[CACHED_CHAINED] = bound.chained
        row[CACHED_VERTICES] = bound.vertices
        row[CACHED_EDGED] = bound.edged
        row[CACHED_COVER] = U64(bound.cover)
        row[CACHED_PROGRESS] = U64(progress(t, signature, locked_in_deal))
    return place


@inlined
def sets_of(cache, place):
    """Return the Sets in a row of the cache."""
    return Sets(
        cache[place, CACHED_SIGNATURE],
        cache[place, CACHED_HOME],
        cache[place, CACHED_LOCKED],
        cache[place, CACHED_LOOSE],
        cache[place, CACHED_UNDER],
        np.int64(cache[place, CACHED_BOTTOMS]),
    )


@inlined
def bounds_of(cache, place):
    """Return the BoundSets in a row of the cache."""
    return BoundSets(
        np.int64(cache[place, CACHED_BASE]),
        cache[place, CACHED_CHAINED],
        cache[place, CACHED_VERTICES],
        cache[place, CACHED_EDGED],
        np.int64(cache[place, CACHED_COVER]),
    )


@inlined
def slot_of(hashed, slots):
    """Return the table slot (int64) to look in first for a hash, of ``slots``.

    It ascends with the hash, whose upper half is in the table: a larger table is filled from a
    smaller one in the order of both, without a look at the rows.
    """
    return np.int64(((hashed >> U64(32)) * U64(slots)) >> U64(32))


@inlined
def enter_slot(table, slot, entry):
    """Write an entry to ``slot`` of a table, or to the first free one from there on."""
    while table[slot]:
        slot = (slot + 1) & (table.size - 1)
    table[slot] = entry


@kernel
def rehash(rows, count, table):
    """Enter the first ``count`` rows, all different, into an empty ``table`` (uint64[slots])."""
    for first in range(0, count, GROUP):
        last = min(first + GROUP, count)
        # Slots are far apart: they are on their way while the next ones are worked out.
        for index in range(first, last):
            prefetch(table, slot_of(_hash_of(rows, index), table.size))
        for index in range(first, last):
            hashed = _hash_of(rows, index)
            entry = (hashed & ~LOW_32) | U64(index + 1)
            enter_slot(table, slot_of(hashed, table.size), entry)


@kernel
def refill(old, table):
    """Enter all that is in a table into an empty one (both uint64[slots])."""
    for place in range(old.size):
        entry = old[place]
        if entry:
            enter_slot(table, slot_of(entry, table.size), entry)


@inlined
def _hash_of(rows, index):
    row = rows[index]
    return hash_row(row[SIGNATURE], row[OFF], row[LOW], row[HIGH])


@kernel
def count_unclosed(rows, count, weight, ceiling):
    """Count (int64) the first ``count`` rows that are open and in a layer below ``ceiling``.

    Open: not closed. The layer is g + ``weight`` * h.
    """
    found = 0
    for index in range(count):
        meta = rows[index, META]
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
