"""Cost layers of states made of single cards, runs, or cards that go both ways: bound and moves.

The functions are those that :mod:`dbmsolver.kernels.layers` calls, which says what they do.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.bits import popcount
from dbmsolver.kernels.hooks import (
    apply_move,
    before_move,
    cards_home,
    cheap_bound,
    full_bound,
    list_moves,
    move_cost,
    place_of,
)
from dbmsolver.kernels.meta import (
    IS_CHEAP,
    IS_CLOSED,
    IS_FORCED,
    IS_STORED,
    META,
    code_of,
    g_of,
    h_of,
    make_meta,
    with_bound,
)
from dbmsolver.kernels.shards import (
    are_divided,
    belongs_here,
    note_done,
    put_buffered,
    put_outgoing,
)
from dbmsolver.kernels.states import HIGH, LOW, MAX_MOVES, OFF, SIGNATURE, U64
from dbmsolver.kits.cards.expand import skip_last
from dbmsolver.kits.cards.rows import (
    CACHED_PROGRESS,
    bounds_of,
    cached_signature,
    hash_of_home,
    sets_of,
)
from dbmsolver.kits.cards.tables import PLACE_HOME, PLACE_LOCKED

GOAL = np.uint64(0xDDDD)
"""Signature of the state with all cards home."""


@inlined
def moves_at_most(t):
    """Return more successors (int64) than a state has."""
    return np.int64(MAX_MOVES)


@inlined
def assess(t, b, shard, index, meta, layer, weight, locked_in_deal):
    """Bound a row's state, as far as needed to see if its f is above ``layer``; return its meta."""
    row, scratch = shard.rows[index], shard.scratch
    g = g_of(meta)
    place = cached_signature(t, b, scratch, row[SIGNATURE], locked_in_deal)
    bounds = bounds_of(scratch.cache, place)
    over = scratch.over[place]
    bound, chained = cheap_bound(b, t, bounds, row[OFF], row[LOW], row[HIGH], over)
    cheap = IS_CHEAP
    if g + weight * bound <= layer:
        bound = full_bound(b, bounds, bound, chained, over, scratch.work)
        cheap = U64(0)
    return with_bound(meta, bound) | cheap


@inlined
def is_goal(t, rows, index, meta):
    """Return True if a row has the state with all cards home."""
    return rows[index, SIGNATURE] == GOAL


@inlined
def held_back(t, rows, index):
    """Return how many cards lie in freecells."""
    return popcount(rows[index, OFF] & ~rows[index, LOW])


@inlined
def way_to_go(t, rows, index):
    """Return the bound of a row's state."""
    return h_of(rows[index, META])


@inlined
def expand_row(t, b, shard, index, buffered, weight, locked_in_deal, me, shards, ceiling):
    """Expand a row's state and close it; return how many candidates are buffered then."""
    row, scratch = shard.rows[index], shard.scratch
    off, low, high, meta = row[OFF], row[LOW], row[HIGH], row[META]
    place = cached_signature(t, b, scratch, row[SIGNATURE], locked_in_deal)
    sets = sets_of(scratch.cache, place)
    progress = np.int64(scratch.cache[place, CACHED_PROGRESS])
    if weight == 1 and g_of(meta):
        before = before_move(t, sets, off, low, high, code_of(meta))
    else:  # it need not have its least g, or was entered by no move
        before = skip_last(t, sets, off, low, high, code_of(meta))
    count, forced = list_moves(t, sets, off, low, high, before, scratch.moves)
    row[META] = (meta & ~IS_STORED) | IS_CLOSED | (IS_FORCED if forced else U64(0))
    note_done(shard, index)
    g = g_of(meta) + move_cost(t, forced)
    divided = are_divided(shards, ceiling)
    for number in range(count):
        card, new = np.int64(scratch.moves[number]) >> 3, np.int64(scratch.moves[number]) & 7
        old = place_of(t, sets.locked, off, low, high, card)
        moved = apply_move(t, sets.signature, off, low, high, card, old, new)
        meta = make_meta(t.codes[8 * card + old], g)
        mine = True
        if divided:
            rise = np.int64(old == PLACE_LOCKED)
            if new == PLACE_HOME:
                rise += cards_home(t, card)
            home = hash_of_home(t, moved[0], moved[1], moved[2], moved[3])
            mine = belongs_here(home, progress + rise, me, shards, ceiling)
        if mine:
            put_buffered(t, shard, buffered, moved, meta)
            buffered += 1
        else:
            put_outgoing(shard, moved, meta)
    return buffered
