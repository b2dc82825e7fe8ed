"""Cost layers of Klondike and its relatives: bound and moves.

The functions are those that :mod:`dbmsolver.core.layers` calls, which says what they do. The bound
of a successor is worked out from that of the state before: only what the move changes is looked at
again. So candidates come with their bound, but for those that were read from the store.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.core.bits import popcount
from dbmsolver.core.patience import list_moves, take
from dbmsolver.core.patience_bound import bound_after, bound_here
from dbmsolver.core.patience_rows import hash_of_home, signature_of, stratum_of_words
from dbmsolver.core.patience_strata import LOWEST, rises
from dbmsolver.core.patience_tables import MOST_MOVES
from dbmsolver.core.shards import (
    BOUND_SHIFT,
    CEILING,
    CODE_AND_G,
    DONE,
    IS_CLOSED,
    LAST,
    META,
    OUTGOING,
    g_of,
    h_of,
    make_meta,
    put_state,
    shard_of,
    slice_of,
    stage,
)
from dbmsolver.jit.decorators import inlined

U64 = np.uint64
_MOST_PROGRESS = 2 * 52
_CARDS_OF_LAST = np.uint64((1 << 30) - 1)


@inlined
def moves_at_most(t):
    """Return more successors (int64) than a state has."""
    return np.int64(MOST_MOVES)


@inlined
def assess(t, b, shard, index, layer, weight, locked_in_deal):
    """Bound a row's state, unless its candidate came with its bound; return f."""
    row, scratch = shard.rows[index], shard.scratch
    bound = h_of(row[LAST])
    if bound == 0:
        take(t.game, row[0], row[1], row[2], scratch.board)
        bound = np.int64(bound_here(t.game, b, scratch.board, scratch.weights))
        row[LAST] = (row[LAST] & CODE_AND_G) | (U64(bound) << BOUND_SHIFT)
    return g_of(row[LAST]) + weight * bound


@inlined
def is_goal(t, rows, index):
    """Return True if a row has a state with all cards home; others have a bound above 0."""
    return h_of(rows[index, LAST]) == 0


@inlined
def way_to_go(t, rows, index):
    """Return how many cards are not home, plus how many are face down or left in the stock.

    Among the states of a layer these have more moves to come, by and large.
    """
    first, second, third = rows[index, 0], rows[index, 1], rows[index, 2]
    home = popcount((first >> U64(1)) & (first >> U64(2)) & LOWEST)
    home += popcount((second >> U64(1)) & (second >> U64(2)) & LOWEST)
    home += popcount((third >> U64(1)) & (third >> U64(2)) & LOWEST & _CARDS_OF_LAST)
    return _MOST_PROGRESS - home - stratum_of_words(t, first, second, third)


@inlined
def expand_row(t, b, shard, index, burst, weight, locked_in_deal, me, shards, ceiling):
    """Expand a row's state and close it; return how many candidates are staged then."""
    row, scratch = shard.rows[index], shard.scratch
    words, board, weights, found = scratch.words, scratch.board, scratch.weights, scratch.found
    words[0], words[1], words[2], meta = row[0], row[1], row[2], row[LAST]
    take(t.game, words[0], words[1], words[2], board)
    bound_here(t.game, b, board, weights)
    count = list_moves(t.game, words, board, found)
    row[LAST] = meta | IS_CLOSED
    shard.done[shard.state[DONE]] = index
    shard.state[DONE] += 1
    for number in range(count):
        following, code = found.words[number], found.codes[number]
        g = g_of(meta) + found.costs[number]
        bound = bound_after(t.game, b, board, weights, following, code)
        if g + bound >= shard.state[CEILING]:
            continue
        off, low, high = following[0], following[1], following[2]
        new = make_meta(code, g) | (U64(bound) << BOUND_SHIFT)
        mine = True
        if rises(t.game, code):
            home = hash_of_home(t, U64(0), off, low, high)
            risen = slice_of(stratum_of_words(t, off, low, high), home)
            mine = shard_of(home, shards) == me and risen <= ceiling
        if mine:
            stage(t, shard, burst, (U64(0), off, low, high), new)
            burst += 1
        else:
            away = shard.state[OUTGOING]
            put_state(shard.outgoing, away, (signature_of(t, off, low, high), off, low, high))
            shard.outgoing[away, META] = new
            shard.state[OUTGOING] = away + 1
    return burst
