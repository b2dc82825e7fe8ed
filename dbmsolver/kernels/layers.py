"""Cost layers: the kernel of a shortest solution.

States are expanded in ascending order of f = moves made (g) + lower bound (h). The bound is
consistent, so a state that is expanded in layer f has its least g, whatever the order within the
layer. A state found again later is a duplicate, and no state is expanded twice. States are rows of
a shard (:mod:`dbmsolver.kernels.shards`); those that wait for a higher layer are named to the
caller as (row, layer).

How a state is expanded, and what bounds it, differs between kinds of states:
:mod:`dbmsolver.kits.cards.layers` and :mod:`dbmsolver.kits.klondike.layers`.

Below, ``t`` and ``b`` are the deal's tables and those of its bound, ``layer`` is the one being
closed, f = g + ``weight`` * h, and ``locked_in_deal`` is the number of locked cards in the deal
(all int64). Kernels write to the shard only.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.kernels.bits import prefetch
from dbmsolver.kernels.hooks import (
    assess,
    expand_row,
    held_back,
    hold,
    holds,
    is_goal,
    meta_at,
    moves_at_most,
    put_meta,
    way_to_go,
)
from dbmsolver.kernels.meta import IS_CHEAP, IS_CLOSED, META, OF_CANDIDATE, g_of, h_of
from dbmsolver.kernels.shards import (
    BUFFER,
    CEILING,
    COUNT,
    EVALUATED,
    FIRST_LENT,
    GOAL_ROW,
    GROUP,
    HASHED,
    IN_HURRY,
    LATER,
    OUTGOING,
    SLOT,
    TODO,
    entry_of,
    has_tag,
    put_buffered,
    row_of,
    slot_of,
    tag_of,
)
from dbmsolver.kernels.states import HIGH, LOW, OFF, ONE, SIGNATURE, U64

IN_HURRY_STOP = 1 << 8
"""The rows that are expanded before a round ends for which another thread waits."""


@inlined
def place_row(t, shard, index, meta, layer, weight):
    """Put row ``index`` among those to expand in this layer, or among those that wait."""
    f = g_of(meta) + weight * h_of(meta)
    if f <= layer:
        shard.todo[shard.state[TODO]] = index
        shard.state[TODO] += 1
        if shard.state[GOAL_ROW] < 0 and is_goal(t, shard.rows, index, meta):
            shard.state[GOAL_ROW] = index
    else:
        shard.later[shard.state[LATER]] = index
        shard.later_layer[shard.state[LATER]] = f
        shard.state[LATER] += 1


@inlined
def held_in(buffer, candidate):
    """Return the words that rows have of a candidate in the buffer."""
    return (
        buffer[candidate, SIGNATURE],
        buffer[candidate, OFF],
        buffer[candidate, LOW],
        buffer[candidate, HIGH],
    )


@inlined
def find_row(t, shard, held, hashed, slot):
    """Return the table slot, from ``slot`` on, of a state in a shard, or a free one.

    ``held`` are its words in rows.
    """
    slots = shard.table.size
    tag = tag_of(hashed, slots)
    while shard.table[slot]:
        seen = shard.table[slot]
        if has_tag(seen, tag, slots) and holds(t, shard.rows, row_of(seen, slots), held):
            break
        slot = (slot + 1) & (slots - 1)
    return slot


@inlined
def enter(t, b, shard, candidate, layer, weight, locked_in_deal):
    """Look at row ``candidate`` of the buffer.

    A duplicate is dropped unless it has fewer moves. A new state becomes a row, unless it cannot be
    part of a solution shorter than the shard's ceiling.
    """
    rows, slots = shard.rows, shard.table.size
    held = held_in(shard.buffer, candidate)
    meta = shard.buffer[candidate, META] & OF_CANDIDATE
    hashed = shard.buffer[candidate, HASHED]
    slot = find_row(t, shard, held, hashed, np.int64(shard.buffer[candidate, SLOT]))
    known = shard.table[slot] != np.uint32(0)
    if known:
        index = row_of(shard.table[slot], slots)
        before = meta_at(t, rows, index)
        if before & IS_CLOSED or g_of(before) <= g_of(meta):
            return
    else:
        index = shard.state[COUNT]
        hold(t, rows, index, held)
        shard.state[EVALUATED] += 1
    meta = assess(t, b, shard, index, meta, layer, weight, locked_in_deal)
    if not known:
        if g_of(meta) + h_of(meta) >= shard.state[CEILING]:
            return
        shard.table[slot] = entry_of(hashed, index, slots)
        shard.state[COUNT] = index + 1
    put_meta(t, rows, index, meta)
    place_row(t, shard, index, meta, layer, weight)


@inlined
def has_room(shard):
    """Return True if a full buffer of candidates surely fits."""
    return (
        shard.state[COUNT] + BUFFER <= shard.state[FIRST_LENT]
        and shard.state[TODO] + BUFFER <= shard.todo.size
        and 4 * (shard.state[COUNT] + BUFFER) <= 3 * shard.table.size
        and shard.state[LATER] + BUFFER <= shard.later.size
        and shard.state[OUTGOING] + BUFFER <= shard.outgoing.shape[0]
    )


@inner
def enter_buffered(t, b, shard, layer, weight, locked_in_deal, buffered):
    """Look at the first ``buffered`` candidates in ``shard.buffer``.

    Their table slots have been prefetched.
    """
    slots = shard.table.size
    for index in range(buffered):
        hashed = shard.buffer[index, HASHED]
        slot, tag = slot_of(hashed, slots), tag_of(hashed, slots)
        seen = shard.table[slot]
        while seen and not has_tag(seen, tag, slots):
            slot = (slot + 1) & (slots - 1)
            seen = shard.table[slot]
        shard.buffer[index, SLOT] = slot  # no state before it has this tag, nor will have
        if seen:
            place = shard.rows.shape[1] * row_of(seen, slots)
            prefetch(shard.rows, place)
    for index in range(buffered):
        enter(t, b, shard, index, layer, weight, locked_in_deal)


@kernel
def insert_candidates(t, b, shard, layer, weight, locked_in_deal, candidates, first):
    """Look at candidates (uint64[*, ROW]) from ``first`` on while there is room.

    Returns the first one not looked at.
    """
    total = candidates.shape[0]
    while first < total and has_room(shard):
        buffered = min(GROUP * GROUP, total - first)
        for index in range(buffered):
            row = candidates[first + index]
            put_buffered(
                t, shard, index, (row[SIGNATURE], row[OFF], row[LOW], row[HIGH]), row[META]
            )
        enter_buffered(t, b, shard, layer, weight, locked_in_deal, buffered)
        first += buffered
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
        meta = meta_at(t, shard.rows, index)
        if not meta & IS_CLOSED:
            if meta & IS_CHEAP:
                meta = assess(t, b, shard, index, meta, layer, weight, locked_in_deal)
                put_meta(t, shard.rows, index, meta)
            place_row(t, shard, index, meta, layer, weight)
        first += 1
    return first


@kernel
def rate_rows(t, rows, chosen, rates):
    """Rate the rows with the numbers ``chosen`` (uint32[*]).

    For each of them a row of ``rates`` (int64[*, 2]) gets f = g + h, and the number of cards that
    are held back.
    """
    for place in range(chosen.size):
        index = np.int64(chosen[place])
        meta = meta_at(t, rows, index)
        rates[place, 0] = g_of(meta) + h_of(meta)
        rates[place, 1] = held_back(t, rows, index)


@kernel
def order_todo(t, shard, rows, bounds):
    """Order the rows to expand in this layer: those that seem near to the goal come first.

    Only in the last layer the order matters. States found on the way are nearer still, and are
    expanded before the rest. Writes ``rows`` (uint32[*]) and ``bounds`` (uint16[*]), which have
    room for all of them.
    """
    count = shard.state[TODO]
    starts = shard.starts
    starts[:] = U64(0)
    for index in range(count):
        row = shard.todo[index]
        bound = min(way_to_go(t, shard.rows, np.int64(row)), starts.size - 1)
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


@kernel
def expand_layer(t, b, shard, layer, weight, locked_in_deal, me, shards, ceiling, stop):
    """Expand rows until none is left, ``stop`` are expanded, there is no room, or a goal is met.

    The shard is number ``me`` of ``shards``. Candidates of other shards, and those of a slice above
    ``ceiling``, go to ``shard.outgoing``. While another thread waits for work, ``stop`` is
    IN_HURRY_STOP at most. Returns True if it stopped for lack of room.
    """
    expanded = 0
    while shard.state[TODO] > 0 and shard.state[GOAL_ROW] < 0 and expanded < stop:
        if shard.state[IN_HURRY] and expanded >= IN_HURRY_STOP:
            return False
        if not has_room(shard):
            return True
        buffered = np.int64(0)  # a literal would be compiled apart
        for _ in range(min(GROUP, BUFFER // moves_at_most(t), shard.state[TODO])):
            shard.state[TODO] -= 1
            index = np.int64(shard.todo[shard.state[TODO]])
            if meta_at(t, shard.rows, index) & IS_CLOSED:
                continue
            buffered = expand_row(
                t, b, shard, index, buffered, weight, locked_in_deal, me, shards, ceiling
            )
            expanded += 1
        enter_buffered(t, b, shard, layer, weight, locked_in_deal, buffered)
    return False
