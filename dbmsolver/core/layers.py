"""Cost layers: the kernel of a shortest solution.

States are expanded in ascending order of f = moves made (g) + lower bound (h).  The bound is consistent, so a state that
is expanded in layer f has its least g, whatever the order within the layer; what is found again later is a duplicate, and
nothing is ever reopened.  A *shard* holds the states of those signatures that hash to it: a row for each state looked at,
found through a hash table.  Rows that wait for a higher layer are named to the caller as (row, layer).

A row is five words: signature, planes *off*, *low*, *high*, and *meta*: from the lowest bit on parent-move code (16), g
(15), whether the state turned out to have a forced move (1), h (16), closed (1), h is only its cheap part (1), written to
the store as it is (1; the caller's).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bits import prefetch
from dbmsolver.core.bound import (
    BoundSets,
    bound_sets,
    cheap_bound,
    full_bound,
    make_scratch,
)
from dbmsolver.core.expand import (
    MAX_MOVES,
    Sets,
    apply_move,
    list_moves,
    place_of,
    progress,
    signature_sets,
)
from dbmsolver.core.jit import allocating, expression, inlined, inner, kernel
from dbmsolver.core.tables import PLACE_HOME, PLACE_LOCKED

U64 = np.uint64
ONE = np.uint64(1)
ROW = 5
GROUP = 16
BURST = GROUP * MAX_MOVES
CACHE = 4096
"""Signatures whose sets are remembered; a power of two."""
CACHE_WORDS = 16
LOW_32 = np.uint64(0xFFFFFFFF)
GOAL = np.uint64(0xDDDD)
IS_FORCED = np.uint64(1 << 31)
IS_CLOSED = np.uint64(1 << 48)
IS_CHEAP = np.uint64(1 << 49)
IS_STORED = np.uint64(1 << 50)
CODE_AND_G = np.uint64(0x7FFFFFFF)
BOUND_SHIFT = np.uint64(32)

COUNT, TODO, DONE, EVALUATED, LATER, ELSEWHERE, GOAL_ROW = range(7)
"""Places in a shard's ``state`` array."""


class Shard(NamedTuple):
    """The states of one part of the signatures, and scratch memory of the thread that works on it."""

    state: NDArray[np.int64]  # [8]
    rows: NDArray[np.uint64]  # [states, ROW]
    flat: NDArray[np.uint64]  # the same memory, one-dimensional
    table: NDArray[np.uint64]  # slot: upper half of the hash, index of the row plus one
    todo: NDArray[np.uint32]  # rows to expand in this layer, last in first out
    done: NDArray[np.uint32]  # rows expanded, in that order
    later: NDArray[np.uint32]  # rows that wait for a higher layer
    later_layer: NDArray[np.uint16]
    elsewhere: NDArray[np.uint64]  # [*, ROW]: candidates of other shards
    burst: NDArray[np.uint64]  # [BURST, ROW + 1]
    cache: NDArray[np.uint64]  # [CACHE, CACHE_WORDS]: what is known of a signature
    over: NDArray[np.uint64]  # [CACHE, 52]: see bound_sets
    work: NDArray[np.uint64]
    moves: NDArray[np.uint16]


def make_shard(states: int, slots: int, outgoing: int) -> Shard:
    """An empty shard with room for ``states`` rows, ``slots`` table slots (a power of two) and outgoing candidates."""
    over, work = make_scratch(CACHE)
    cache = np.zeros((CACHE, CACHE_WORDS), np.uint64)
    cache[:, 0] = ~U64(0)
    flat = np.empty(states * ROW, np.uint64)
    return Shard(
        state=np.zeros(8, np.int64),
        rows=flat.reshape(states, ROW),
        flat=flat,
        table=np.zeros(slots, np.uint64),
        todo=np.empty(states, np.uint32),
        done=np.empty(states, np.uint32),
        later=np.empty(outgoing, np.uint32),
        later_layer=np.empty(outgoing, np.uint16),
        elsewhere=np.empty((outgoing, ROW), np.uint64),
        burst=np.empty((BURST, ROW + 1), np.uint64),
        cache=cache,
        over=over,
        work=work,
        moves=np.zeros(MAX_MOVES, np.uint16),
    )


@expression
def mix(word):
    """A well-mixed hash of one word (the finalizer of SplitMix64)."""
    word = (word ^ (word >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> U64(27))) * U64(0x94D049BB133111EB)
    return word ^ (word >> U64(31))


@expression
def hash_row(signature, off, low, high):
    """Hash of a state."""
    word = signature * U64(0x9E3779B97F4A7C15) + off * U64(0xD6E8FEB86659FD93)
    word ^= word >> U64(32)
    word = (word + low) * U64(0xA0761D6478BD642F) + high * U64(0xE7037ED1A0B428DB)
    return mix(word)


@expression
def shard_of(signature, shards):
    """Which of ``shards`` shards (a power of two) a signature belongs to."""
    return np.int64(mix(signature * U64(0x9E3779B97F4A7C15)) >> U64(40)) & (shards - 1)


@allocating
def shards_of(rows, shards):
    """The shard of each row (int64)."""
    result = np.empty(rows.shape[0], np.int64)
    for index in range(rows.shape[0]):
        result[index] = shard_of(rows[index, 0], shards)
    return result


@inlined
def remember(t, b, shard, signature, locked_in_deal):
    """The cache slot of a signature, filled with its sets."""
    slot = np.int64(mix(signature) & U64(CACHE - 1))
    if shard.cache[slot, 0] != signature:
        sets = signature_sets(t, signature)
        bound = bound_sets(b, t, sets, shard.over[slot], shard.work)
        line = shard.cache[slot]
        line[0], line[1], line[2] = signature, sets.home, sets.locked
        line[3], line[4], line[5] = sets.loose, sets.under, U64(sets.bottoms)
        line[6], line[7], line[8] = U64(bound.base), bound.chained, bound.vertices
        line[9], line[10] = bound.edged, U64(bound.cover)
        line[11] = U64(progress(t, signature, locked_in_deal))
    return slot


@expression
def sets_of(cache, slot):
    """The Sets in a cache line."""
    return Sets(
        cache[slot, 0],
        cache[slot, 1],
        cache[slot, 2],
        cache[slot, 3],
        cache[slot, 4],
        np.int64(cache[slot, 5]),
    )


@expression
def bounds_of(cache, slot):
    """The BoundSets in a cache line."""
    return BoundSets(
        np.int64(cache[slot, 6]),
        cache[slot, 7],
        cache[slot, 8],
        cache[slot, 9],
        np.int64(cache[slot, 10]),
    )


@expression
def g_of(meta):
    """Moves made, of a row's last word (int64)."""
    return np.int64((meta >> U64(16)) & U64(0x7FFF))


@inlined
def assess(t, b, shard, index, layer, weight, locked_in_deal):
    """Bound a row's state, as far as needed to see whether it is above ``layer``; its f as far as known."""
    rows = shard.rows
    g = g_of(rows[index, 4])
    place = remember(t, b, shard, rows[index, 0], locked_in_deal)
    bounds = bounds_of(shard.cache, place)
    over = shard.over[place]
    bound, chained = cheap_bound(
        b, t, bounds, rows[index, 1], rows[index, 2], rows[index, 3], over
    )
    cheap = IS_CHEAP
    if g + weight * bound <= layer:
        bound = full_bound(b, bounds, bound, chained, over, shard.work)
        cheap = U64(0)
    rows[index, 4] = (rows[index, 4] & CODE_AND_G) | (U64(bound) << BOUND_SHIFT) | cheap
    return g + weight * bound


@inlined
def place_row(shard, index, layer, f):
    """Put a row among those to expand in this layer, or among those that wait."""
    if f <= layer:
        shard.todo[shard.state[TODO]] = index
        shard.state[TODO] += 1
        if shard.rows[index, 0] == GOAL and shard.state[GOAL_ROW] < 0:
            shard.state[GOAL_ROW] = index
    else:
        shard.later[shard.state[LATER]] = index
        shard.later_layer[shard.state[LATER]] = f
        shard.state[LATER] += 1


@inlined
def enter(t, b, shard, layer, weight, locked_in_deal, hashed, candidates, place):
    """Look at candidate ``place``: a duplicate is dropped unless it has fewer moves, a new one becomes a row."""
    mask = np.int64(shard.table.size - 1)
    slot = np.int64(hashed) & mask
    tag = hashed >> U64(32)
    rows = shard.rows
    while shard.table[slot]:
        seen = shard.table[slot]
        if seen >> U64(32) == tag:
            index = np.int64(seen & LOW_32) - 1
            if (
                rows[index, 0] == candidates[place, 0]
                and rows[index, 1] == candidates[place, 1]
                and rows[index, 2] == candidates[place, 2]
                and rows[index, 3] == candidates[place, 3]
            ):
                if rows[index, 4] & IS_CLOSED or g_of(rows[index, 4]) <= g_of(candidates[place, 4]):
                    return
                rows[index, 4] = candidates[place, 4] & CODE_AND_G
                break
        slot = (slot + 1) & mask
    if not shard.table[slot]:
        shard.state[EVALUATED] += 1
        index = shard.state[COUNT]
        for word in range(4):
            rows[index, word] = candidates[place, word]
        rows[index, 4] = candidates[place, 4] & CODE_AND_G
        shard.table[slot] = (tag << U64(32)) | U64(index + 1)
        shard.state[COUNT] = index + 1
    f = assess(t, b, shard, index, layer, weight, locked_in_deal)
    place_row(shard, index, layer, f)


@kernel
def rehash(rows, count, table):
    """Enter the first ``count`` rows, all different, into an empty table."""
    mask = U64(table.size - 1)
    for index in range(count):
        hashed = hash_row(rows[index, 0], rows[index, 1], rows[index, 2], rows[index, 3])
        slot = np.int64(hashed & mask)
        while table[slot]:
            slot = (slot + 1) & np.int64(mask)
        table[slot] = ((hashed >> U64(32)) << U64(32)) | U64(index + 1)


@inlined
def has_room(shard):
    """Whether another burst of candidates surely fits."""
    return (
        shard.state[COUNT] + BURST <= shard.rows.shape[0]
        and shard.state[TODO] + BURST <= shard.todo.size
        and shard.state[DONE] + GROUP <= shard.done.size
        and 4 * (shard.state[COUNT] + BURST) <= 3 * shard.table.size
        and shard.state[LATER] + BURST <= shard.later.size
        and shard.state[ELSEWHERE] + BURST <= shard.elsewhere.shape[0]
    )


@inner
def enter_burst(t, b, shard, layer, weight, locked_in_deal, burst):
    """Look at the first ``burst`` candidates in ``shard.burst``, whose table slots have been prefetched."""
    mask = U64(shard.table.size - 1)
    for index in range(burst):
        seen = shard.table[np.int64(shard.burst[index, 5] & mask)]
        if seen:
            prefetch(shard.flat, ROW * (np.int64(seen & LOW_32) - 1))
    for index in range(burst):
        enter(
            t,
            b,
            shard,
            layer,
            weight,
            locked_in_deal,
            shard.burst[index, 5],
            shard.burst,
            index,
        )


@kernel
def take_in(t, b, shard, layer, weight, locked_in_deal, candidates, first):
    """Look at candidates (uint64[*, ROW]) from ``first`` on while there is room; the first one not looked at."""
    total = candidates.shape[0]
    mask = U64(shard.table.size - 1)
    while first < total and has_room(shard):
        burst = min(GROUP * GROUP, total - first)
        for index in range(burst):
            for word in range(ROW):
                shard.burst[index, word] = candidates[first + index, word]
            hashed = hash_row(
                shard.burst[index, 0],
                shard.burst[index, 1],
                shard.burst[index, 2],
                shard.burst[index, 3],
            )
            shard.burst[index, 5] = hashed
            prefetch(shard.table, np.int64(hashed & mask))
        enter_burst(t, b, shard, layer, weight, locked_in_deal, burst)
        first += burst
    return first


@kernel
def wake(t, b, shard, layer, weight, locked_in_deal, waiting, first):
    """Bring rows (uint32[*]) that have waited for ``layer`` into it, from ``first`` on while there is room.

    Rows that were reached with fewer moves meanwhile are closed already; those whose bound was only its cheap part may
    have to wait on.  Returns the first one not looked at.
    """
    while first < waiting.size and has_room(shard):
        index = np.int64(waiting[first])
        meta = shard.rows[index, 4]
        if not meta & IS_CLOSED:
            if meta & IS_CHEAP:
                f = assess(t, b, shard, index, layer, weight, locked_in_deal)
            else:
                f = g_of(meta) + weight * np.int64((meta >> BOUND_SHIFT) & U64(0xFFFF))
            place_row(shard, index, layer, f)
        first += 1
    return first


@kernel
def expand_layer(t, b, shard, layer, weight, locked_in_deal, me, shards, ceiling, stop):
    """Expand rows until none is left, ``stop`` are expanded, there is no room, or a goal is met.

    Candidates of other shards, and those with a progress above ``ceiling``, go to ``elsewhere``.  Returns whether it
    stopped for lack of room.
    """
    mask = U64(shard.table.size - 1)
    expanded = 0
    rows = shard.rows
    while shard.state[TODO] > 0 and shard.state[GOAL_ROW] < 0 and expanded < stop:
        if not has_room(shard):
            return True
        burst = np.int64(0)  # a literal would be compiled apart
        for _ in range(min(GROUP, shard.state[TODO])):
            shard.state[TODO] -= 1
            index = shard.todo[shard.state[TODO]]
            off, low, high = rows[index, 1], rows[index, 2], rows[index, 3]
            meta = rows[index, 4]
            if meta & IS_CLOSED:
                continue
            place = remember(t, b, shard, rows[index, 0], locked_in_deal)
            sets = sets_of(shard.cache, place)
            height = np.int64(shard.cache[place, 11])
            skip = ONE << U64(t.code_card[np.int64(meta & U64(0xFFFF))])
            count, forced = list_moves(t, sets, off, low, high, skip, shard.moves)
            rows[index, 4] = meta | IS_CLOSED | (IS_FORCED if forced else U64(0))
            shard.done[shard.state[DONE]] = index
            shard.state[DONE] += 1
            expanded += 1
            g = U64(g_of(meta) + 1)
            for number in range(count):
                card, new = np.int64(shard.moves[number]) >> 3, np.int64(shard.moves[number]) & 7
                old = place_of(sets.locked, off, low, high, card)
                moved = apply_move(t, sets.signature, off, low, high, card, old, new)
                code = U64(t.codes[8 * card + old]) | (g << U64(16))
                mine = True
                if moved[0] != sets.signature:
                    rise = np.int64(old == PLACE_LOCKED) + np.int64(new == PLACE_HOME)
                    mine = shard_of(moved[0], shards) == me and height + rise <= ceiling
                if mine:
                    hashed = hash_row(moved[0], moved[1], moved[2], moved[3])
                    prefetch(shard.table, np.int64(hashed & mask))
                    shard.burst[burst, 5] = hashed
                    for word in range(4):
                        shard.burst[burst, word] = moved[word]
                    shard.burst[burst, 4] = code
                    burst += 1
                else:
                    away = shard.state[ELSEWHERE]
                    for word in range(4):
                        shard.elsewhere[away, word] = moved[word]
                    shard.elsewhere[away, 4] = code
                    shard.state[ELSEWHERE] = away + 1
        enter_burst(t, b, shard, layer, weight, locked_in_deal, burst)
    return False


def outgoing(shard: Shard) -> tuple[Any, Any, Any]:
    """Take what left a shard: (rows that wait, their layers, candidates of other shards)."""
    later, elsewhere = int(shard.state[LATER]), int(shard.state[ELSEWHERE])
    shard.state[LATER] = shard.state[ELSEWHERE] = 0
    return (
        shard.later[:later].copy(),
        shard.later_layer[:later].copy(),
        shard.elsewhere[:elsewhere].copy(),
    )
