"""Cost layers: the kernel of a shortest solution.

States are expanded in ascending order of f = moves made (g) + lower bound (h).  The bound is consistent, so a state that
is expanded in layer f has its least g, whatever the order within the layer; what is found again later is a duplicate, and
nothing is ever reopened.  The states are rows of a shard (:mod:`dbmsolver.core.shards`); those that wait for a higher
layer are named to the caller as (row, layer).
"""

from __future__ import annotations

import numpy as np

from dbmsolver.core.bits import prefetch
from dbmsolver.core.bound import cheap_bound, full_bound
from dbmsolver.core.expand import apply_move, list_moves, place_of
from dbmsolver.core.shards import (
    BOUND_SHIFT,
    BURST,
    CODE_AND_G,
    COUNT,
    DONE,
    EVALUATED,
    GOAL,
    GOAL_ROW,
    GROUP,
    IS_CHEAP,
    IS_CLOSED,
    IS_FORCED,
    LATER,
    LOW_32,
    OUTGOING,
    ROW,
    TODO,
    bounds_of,
    cached_signature,
    g_of,
    hash_row,
    sets_of,
    shard_of,
)
from dbmsolver.core.tables import PLACE_HOME, PLACE_LOCKED
from dbmsolver.jit.decorators import inlined, inner, kernel

U64 = np.uint64
ONE = np.uint64(1)


@inlined
def assess(t, b, shard, index, layer, weight, locked_in_deal):
    """Bound a row's state, as far as needed to see whether it is above ``layer``; its f as far as known."""
    rows = shard.rows
    g = g_of(rows[index, 4])
    place = cached_signature(t, b, shard, rows[index, 0], locked_in_deal)
    bounds = bounds_of(shard.cache, place)
    over = shard.over[place]
    bound, chained = cheap_bound(b, t, bounds, rows[index, 1], rows[index, 2], rows[index, 3], over)
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


@inlined
def has_room(shard):
    """Whether another burst of candidates surely fits."""
    return (
        shard.state[COUNT] + BURST <= shard.rows.shape[0]
        and shard.state[TODO] + BURST <= shard.todo.size
        and shard.state[DONE] + GROUP <= shard.done.size
        and 4 * (shard.state[COUNT] + BURST) <= 3 * shard.table.size
        and shard.state[LATER] + BURST <= shard.later.size
        and shard.state[OUTGOING] + BURST <= shard.outgoing.shape[0]
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
def insert_candidates(t, b, shard, layer, weight, locked_in_deal, candidates, first):
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
def requeue(t, b, shard, layer, weight, locked_in_deal, waiting, first):
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

    Candidates of other shards, and those with a progress above ``ceiling``, go to ``outgoing``.  Returns whether it
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
            place = cached_signature(t, b, shard, rows[index, 0], locked_in_deal)
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
                    away = shard.state[OUTGOING]
                    for word in range(4):
                        shard.outgoing[away, word] = moved[word]
                    shard.outgoing[away, 4] = code
                    shard.state[OUTGOING] = away + 1
        enter_burst(t, b, shard, layer, weight, locked_in_deal, burst)
    return False
