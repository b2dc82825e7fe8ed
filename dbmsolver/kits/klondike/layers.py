"""Cost layers of Klondike and its relatives: bound and moves.

The functions are those that :mod:`dbmsolver.kernels.layers` calls, which says what they do. The
bound of a successor is worked out from that of the state before: only what the move changes is
looked at again. So candidates come with their bound, but for those that were read from the store.

Where the distances of the deal's classes are known
(:mod:`dbmsolver.kits.klondike.class_distances`), the bound is the larger one of the two, and a
state whose class cannot be won is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import popcount
from dbmsolver.kernels.meta import g_of, h_of, make_meta, with_bound
from dbmsolver.kernels.shards import (
    CEILING,
    FAULT,
    are_divided,
    belongs_here,
    note_done,
    put_buffered,
    put_outgoing,
)
from dbmsolver.kernels.states import U64
from dbmsolver.kits.klondike.bound import PatienceBoundTables, bound_after, bound_here
from dbmsolver.kits.klondike.class_distances import (
    NO_WIN,
    NOT_LISTED,
    ClassDistances,
    are_listed,
    class_bound,
)
from dbmsolver.kits.klondike.moves import list_moves, take
from dbmsolver.kits.klondike.rows import (
    LOWEST_OF_LAST,
    close_row,
    hash_of_home,
    meta_at,
    stratum_of_words,
    words_at,
)
from dbmsolver.kits.klondike.strata import LOWEST, signature_of
from dbmsolver.kits.klondike.tables import MOST_MOVES

_MOST_PROGRESS = 2 * 52


@struct
class LayerBounds(NamedTuple):
    """Constants of one deal: those of the bound of positions, and the distances of classes."""

    positions: PatienceBoundTables
    classes: ClassDistances


@inlined
def moves_at_most(t):
    """Return more successors (int64) than a state has."""
    return np.int64(MOST_MOVES)


@inlined
def assess(t, b, shard, index, meta, layer, weight, locked_in_deal):
    """Bound a row's state, unless its candidate came with its bound; return its meta."""
    if h_of(meta):
        return meta
    scratch = shard.scratch
    off, low, high = words_at(t, shard.rows, index)
    take(t.game, off, low, high, scratch.board)
    bound = bound_here(t.game, b.positions, scratch.board, scratch.weights)
    if are_listed(b.classes):
        bound = max(bound, by_class(b.classes, shard, off, low, high))
    return with_bound(meta, bound)


@inlined
def by_class(c, shard, off, low, high):
    """Return the bound (int64) of a state by its class: NO_WIN if it has none.

    A class that is not listed is noted in the shard.
    """
    bound = class_bound(c, off, low, high, shard.scratch.classes)
    if bound == NOT_LISTED:
        shard.state[FAULT] = 1
    return bound


@inlined
def is_goal(t, rows, index, meta):
    """Return True if a row has a state with all cards home; others have a bound above 0."""
    return h_of(meta) == 0


@inlined
def held_back(t, rows, index):
    """Return how many cards lie face down, or where they were dealt in stock and reserve."""
    off, low, high = words_at(t, rows, index)
    return t.last - 1 - stratum_of_words(t, off, low, high)


@inlined
def way_to_go(t, rows, index):
    """Return how many cards are not home, plus how many are face down or left in the stock.

    Among the states of a layer these have more moves to come, by and large.
    """
    first, second, third = words_at(t, rows, index)
    home = popcount((first >> U64(1)) & (first >> U64(2)) & LOWEST)
    home += popcount((second >> U64(1)) & (second >> U64(2)) & LOWEST)
    home += popcount((third >> U64(1)) & (third >> U64(2)) & LOWEST_OF_LAST)
    return _MOST_PROGRESS - home - stratum_of_words(t, first, second, third)


@inlined
def expand_row(t, b, shard, index, buffered, weight, locked_in_deal, me, shards, ceiling):
    """Expand a row's state and close it; return how many candidates are buffered then."""
    scratch = shard.scratch
    words, board, weights, found = scratch.words, scratch.board, scratch.weights, scratch.found
    words[0], words[1], words[2] = words_at(t, shard.rows, index)
    meta = meta_at(t, shard.rows, index)
    take(t.game, words[0], words[1], words[2], board)
    bound_here(t.game, b.positions, board, weights)
    listed = are_listed(b.classes)
    count = list_moves(t.game, words, board, found)
    close_row(shard.rows, index)
    note_done(shard, index)
    divided = are_divided(shards, ceiling)
    for number in range(count):
        following, code = found.words[number], found.codes[number]
        g = g_of(meta) + found.costs[number]
        bound = bound_after(t.game, b.positions, board, weights, following, code)
        if g + bound >= shard.state[CEILING]:
            continue
        off, low, high = following[0], following[1], following[2]
        if listed:
            needed = by_class(b.classes, shard, off, low, high)
            if needed == NO_WIN or g + needed >= shard.state[CEILING]:
                continue
            bound = max(bound, needed)
        new = with_bound(make_meta(code, g), bound)
        mine = True
        if divided:
            home = hash_of_home(t, U64(0), off, low, high)
            mine = belongs_here(home, stratum_of_words(t, off, low, high), me, shards, ceiling)
        if mine:
            put_buffered(t, shard, buffered, (U64(0), off, low, high), new)
            buffered += 1
        else:
            put_outgoing(shard, (signature_of(t, off, low, high), off, low, high), new)
    return buffered
