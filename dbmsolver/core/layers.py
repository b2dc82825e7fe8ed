"""Cost layers: the kernel of a shortest solution.

States are expanded in ascending order of f = moves made (g) + lower bound (h). The bound is
consistent, so a state that is expanded in layer f has its least g, whatever the order within the
layer. A state found again later is a duplicate, and no state is expanded twice. States are rows of
a shard (:mod:`dbmsolver.core.shards`); those that wait for a higher layer are named to the caller
as (row, layer).

Below, ``t`` and ``b`` are the deal's :class:`~dbmsolver.core.tables.Tables` and
:class:`~dbmsolver.core.bound.BoundTables`, ``layer`` is the one being closed, f = g + ``weight`` *
h, and ``locked_in_deal`` is the number of locked cards in the deal (all int64). Kernels write to
the shard only.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.core.bits import prefetch
from dbmsolver.core.expand import skipping_last
from dbmsolver.core.families import (
    apply_move,
    before_move,
    cards_home,
    cheap_bound,
    full_bound,
    list_moves,
    move_cost,
    place_of,
)
from dbmsolver.core.shards import (
    BOUND_SHIFT,
    BURST,
    CACHED_PROGRESS,
    CEILING,
    CODE_AND_G,
    COUNT,
    DONE,
    EVALUATED,
    GOAL,
    GOAL_ROW,
    GROUP,
    HASHED,
    IS_CHEAP,
    IS_CLOSED,
    IS_FORCED,
    LATER,
    LOW_32,
    META,
    OUTGOING,
    ROW,
    TODO,
    bounds_of,
    cached_signature,
    code_of,
    g_of,
    h_of,
    hash_row,
    is_same_state,
    make_meta,
    put_state,
    sets_of,
    shard_of,
    slot_of,
)
from dbmsolver.core.tables import HIGH, LOW, OFF, PLACE_HOME, PLACE_LOCKED, SIGNATURE
from dbmsolver.jit.decorators import inlined, inner, kernel

U64 = np.uint64
ONE = np.uint64(1)


@inlined
def assess(t, b, shard, index, layer, weight, locked_in_deal):
    """Bound a row's state, as far as needed to see if its f is above ``layer``; return f so far.

    Writes h to the row's meta, and a flag if it is only the cheap part.
    """
    row = shard.rows[index]
    g = g_of(row[META])
    place = cached_signature(t, b, shard, row[SIGNATURE], locked_in_deal)
    bounds = bounds_of(shard.cache, place)
    over = shard.over[place]
    bound, chained = cheap_bound(b, t, bounds, row[OFF], row[LOW], row[HIGH], over)
    cheap = IS_CHEAP
    if g + weight * bound <= layer:
        bound = full_bound(b, bounds, bound, chained, over, shard.work)
        cheap = U64(0)
    row[META] = (row[META] & CODE_AND_G) | (U64(bound) << BOUND_SHIFT) | cheap
    return g + weight * bound


@inlined
def place_row(shard, index, layer, f):
    """Put row ``index`` among those to expand in this layer, or among those that wait."""
    if f <= layer:
        shard.todo[shard.state[TODO]] = index
        shard.state[TODO] += 1
        if shard.rows[index, SIGNATURE] == GOAL and shard.state[GOAL_ROW] < 0:
            shard.state[GOAL_ROW] = index
    else:
        shard.later[shard.state[LATER]] = index
        shard.later_layer[shard.state[LATER]] = f
        shard.state[LATER] += 1


@inlined
def find_row(shard, candidate, hashed):
    """Return the table slot of a candidate's state in a shard, or a free one."""
    mask = shard.table.size - 1
    slot = slot_of(hashed, shard.table.size)
    tag = hashed >> U64(32)
    while shard.table[slot]:
        seen = shard.table[slot]
        if seen >> U64(32) == tag:
            index = np.int64(seen & LOW_32) - 1
            if is_same_state(shard.rows, index, shard.burst, candidate):
                break
        slot = (slot + 1) & mask
    return slot


@inlined
def enter(t, b, shard, candidate, layer, weight, locked_in_deal):
    """Look at row ``candidate`` of the burst.

    A duplicate is dropped unless it has fewer moves. A new state becomes a row, unless it cannot be
    part of a solution shorter than the shard's ceiling.
    """
    rows = shard.rows
    meta = shard.burst[candidate, META] & CODE_AND_G
    hashed = shard.burst[candidate, HASHED]
    slot = find_row(shard, candidate, hashed)
    known = shard.table[slot] != U64(0)
    if known:
        index = np.int64(shard.table[slot] & LOW_32) - 1
        if rows[index, META] & IS_CLOSED or g_of(rows[index, META]) <= g_of(meta):
            return
    else:
        index = shard.state[COUNT]
        for word in range(META):
            rows[index, word] = shard.burst[candidate, word]
        shard.state[EVALUATED] += 1
    rows[index, META] = meta
    f = assess(t, b, shard, index, layer, weight, locked_in_deal)
    if not known:
        if g_of(meta) + h_of(rows[index, META]) >= shard.state[CEILING]:
            return
        shard.table[slot] = (hashed & ~LOW_32) | U64(index + 1)
        shard.state[COUNT] = index + 1
    place_row(shard, index, layer, f)


@inlined
def has_room(shard):
    """Return True if another burst of candidates surely fits."""
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
    """Look at the first ``burst`` candidates in ``shard.burst``.

    Their table slots have been prefetched.
    """
    slots = shard.table.size
    for index in range(burst):
        seen = shard.table[slot_of(shard.burst[index, HASHED], slots)]
        if seen:
            prefetch(shard.flat, ROW * (np.int64(seen & LOW_32) - 1))
    for index in range(burst):
        enter(t, b, shard, index, layer, weight, locked_in_deal)


@inlined
def stage(shard, burst, state, meta):
    """Make a state the candidate number ``burst``, and prefetch its table slot."""
    hashed = hash_row(state[0], state[1], state[2], state[3])
    prefetch(shard.table, slot_of(hashed, shard.table.size))
    put_state(shard.burst, burst, state)
    shard.burst[burst, META] = meta
    shard.burst[burst, HASHED] = hashed


@kernel
def insert_candidates(t, b, shard, layer, weight, locked_in_deal, candidates, first):
    """Look at candidates (uint64[*, ROW]) from ``first`` on while there is room.

    Returns the first one not looked at.
    """
    total = candidates.shape[0]
    while first < total and has_room(shard):
        burst = min(GROUP * GROUP, total - first)
        for index in range(burst):
            row = candidates[first + index]
            stage(shard, index, (row[SIGNATURE], row[OFF], row[LOW], row[HIGH]), row[META])
        enter_burst(t, b, shard, layer, weight, locked_in_deal, burst)
        first += burst
    return first


@kernel
def requeue(t, b, shard, layer, weight, locked_in_deal, waiting, first):
    """Bring rows (uint32[*]) that have waited for ``layer`` into it, from ``first`` on.

    Rows that were reached with fewer moves meanwhile are closed already. Those whose bound was only
    its cheap part may have to wait on. Stops when there is no room; returns the first one not
    looked at.
    """
    while first < waiting.size and has_room(shard):
        index = np.int64(waiting[first])
        meta = shard.rows[index, META]
        if not meta & IS_CLOSED:
            if meta & IS_CHEAP:
                f = assess(t, b, shard, index, layer, weight, locked_in_deal)
            else:
                f = g_of(meta) + weight * h_of(meta)
            place_row(shard, index, layer, f)
        first += 1
    return first


@kernel
def order_todo(shard, rows, bounds):
    """Order the rows to expand in this layer by their bound, the lowest to be expanded first.

    Only in the last layer the order matters: from a low bound the goal is near. States found on the
    way have lower bounds still, and are expanded before the rest. Writes ``rows`` (uint32[*]) and
    ``bounds`` (uint16[*]), which have room for all of them.
    """
    count = shard.state[TODO]
    starts = shard.work
    starts[:] = U64(0)
    for index in range(count):
        row = shard.todo[index]
        bound = min(h_of(shard.rows[np.int64(row), META]), starts.size - 1)
        rows[index] = row
        bounds[index] = bound
        starts[bound] += ONE
    last = U64(0)
    for bound in range(starts.size - 1, -1, -1):
        size, starts[bound] = starts[bound], last
        last += size
    for index in range(count):
        bound = np.int64(bounds[index])
        shard.todo[np.int64(starts[bound])] = rows[index]
        starts[bound] += ONE


@inlined
def expand_row(t, b, shard, index, burst, weight, locked_in_deal, me, shards, ceiling):
    """Expand a row's state and close it; returns how many candidates are staged then.

    ``burst`` are staged before. Candidates of other shards than ``me``, and those with a progress
    above ``ceiling``, go to ``shard.outgoing``.
    """
    row = shard.rows[index]
    off, low, high, meta = row[OFF], row[LOW], row[HIGH], row[META]
    place = cached_signature(t, b, shard, row[SIGNATURE], locked_in_deal)
    sets = sets_of(shard.cache, place)
    progress = np.int64(shard.cache[place, CACHED_PROGRESS])
    if weight == 1 and g_of(meta):
        before = before_move(t, sets, off, low, high, code_of(meta))
    else:  # it need not have its least g, or was entered by no move
        before = skipping_last(t, code_of(meta))
    count, forced = list_moves(t, sets, off, low, high, before, shard.moves)
    row[META] = meta | IS_CLOSED | (IS_FORCED if forced else U64(0))
    shard.done[shard.state[DONE]] = index
    shard.state[DONE] += 1
    g = g_of(meta) + move_cost(t, forced)
    for number in range(count):
        card, new = np.int64(shard.moves[number]) >> 3, np.int64(shard.moves[number]) & 7
        old = place_of(t, sets.locked, off, low, high, card)
        moved = apply_move(t, sets.signature, off, low, high, card, old, new)
        meta = make_meta(t.codes[8 * card + old], g)
        mine = True
        if moved[0] != sets.signature:
            rise = np.int64(old == PLACE_LOCKED)
            if new == PLACE_HOME:
                rise += cards_home(t, card)
            mine = shard_of(moved[0], shards) == me and progress + rise <= ceiling
        if mine:
            stage(shard, burst, moved, meta)
            burst += 1
        else:
            away = shard.state[OUTGOING]
            put_state(shard.outgoing, away, moved)
            shard.outgoing[away, META] = meta
            shard.state[OUTGOING] = away + 1
    return burst


@kernel
def expand_layer(t, b, shard, layer, weight, locked_in_deal, me, shards, ceiling, stop):
    """Expand rows until none is left, ``stop`` are expanded, there is no room, or a goal is met.

    The shard is number ``me`` of ``shards``. Candidates of other shards, and those with a progress
    above ``ceiling``, go to ``shard.outgoing``. Returns whether it stopped for lack of room.
    """
    expanded = 0
    while shard.state[TODO] > 0 and shard.state[GOAL_ROW] < 0 and expanded < stop:
        if not has_room(shard):
            return True
        burst = np.int64(0)  # a literal would be compiled apart
        for _ in range(min(GROUP, shard.state[TODO])):
            shard.state[TODO] -= 1
            index = np.int64(shard.todo[shard.state[TODO]])
            if shard.rows[index, META] & IS_CLOSED:
                continue
            burst = expand_row(
                t, b, shard, index, burst, weight, locked_in_deal, me, shards, ceiling
            )
            expanded += 1
        enter_burst(t, b, shard, layer, weight, locked_in_deal, burst)
    return False
