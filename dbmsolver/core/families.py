"""What differs between families of games, under one name for each: the interface of the kernels.

A family is a class of tables (:class:`~dbmsolver.core.tables.Tables` for single cards,
:data:`~dbmsolver.core.run_tables.RunTables` for runs), a module with its moves, and one with its
bound. The kernels that search call the names below with the tables, and are compiled for the family
that is played, and for no other (:mod:`dbmsolver.jit.families`).

=================== ============================================================================
``list_moves``      the legal moves of a state
``apply_move``      the state after a move
``move_cost``       what a move costs, a forced one or another
``undo_code``       the state before the move of a parent-move code
``homing_card``     the card of a suit whose move takes cards home next
``cards_home``      how many cards that move takes home
``set_home``        which cards these are
``bound_sets``      what the bounds of a signature's states share
``cheap_bound``     the part of the lower bound that costs little
``full_bound``      all of it
=================== ============================================================================

Layouts, keys, signatures and progress are the same in all families: a state is made of the cards
that are home, those that are locked, and what lies under each of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dbmsolver.core import bound, expand, run_bound, run_moves
from dbmsolver.core.bound import BoundTables
from dbmsolver.core.expand import MAX_MOVES, height, place_of, signature_sets
from dbmsolver.core.run_bound import RunBoundTables
from dbmsolver.core.run_tables import RunTables
from dbmsolver.core.tables import Tables
from dbmsolver.jit.decorators import allocating, inlined, kernel
from dbmsolver.jit.families import by_type, inlined_by_type

U64 = np.uint64
ONE = np.uint64(1)


@inlined
def _next_card(t, signature, suit):
    return 4 * height(signature, suit) + suit


@inlined
def _one(t, card):
    return np.int64(1)


@inlined
def _the_card(t, card):
    return ONE << U64(card)


@inlined
def _costs_one(t, forced):
    return np.int64(1)


list_moves = inlined_by_type({Tables: expand.list_moves, RunTables: run_moves.list_moves})
apply_move = inlined_by_type({Tables: expand.apply_move, RunTables: run_moves.apply_move})
undo_code = by_type({Tables: expand.undo_code, RunTables: run_moves.undo_code})
move_cost = inlined_by_type({Tables: _costs_one, RunTables: run_moves.move_cost})
homing_card = inlined_by_type({Tables: _next_card, RunTables: run_moves.homing_card})
cards_home = inlined_by_type({Tables: _one, RunTables: run_moves.cards_home})
set_home = inlined_by_type({Tables: _the_card, RunTables: run_moves.set_home})
bound_sets = by_type({BoundTables: bound.bound_sets, RunBoundTables: run_bound.bound_sets})
cheap_bound = inlined_by_type(
    {BoundTables: bound.cheap_bound, RunBoundTables: run_bound.cheap_bound}
)
full_bound = inlined_by_type({BoundTables: bound.full_bound, RunBoundTables: run_bound.full_bound})


def make_bound_tables(t: Tables, columns: Sequence[Sequence[int]]) -> Any:
    """The bound's tables of the deal that ``t`` was made for, with these columns."""
    if isinstance(t, RunTables):
        return run_bound.make_bound_tables(t, columns)
    return bound.make_bound_tables(t, columns)


@allocating
def successors(t, signature, off, low, high, skip, states, codes):
    """All successors of one state, for tests and tools.

    Writes ``states`` (uint64[256, 4]: signature and planes) and ``codes`` (uint16[256]); returns
    (count, forced).
    """
    moves = np.empty(MAX_MOVES, np.uint16)
    sets = signature_sets(t, signature)
    count, forced = list_moves(t, sets, off, low, high, skip, moves)
    for index in range(count):
        card, new = np.int64(moves[index]) >> 3, np.int64(moves[index]) & 7
        old = place_of(sets.locked, off, low, high, card)
        result = apply_move(t, signature, off, low, high, card, old, new)
        for word in range(4):
            states[index, word] = result[word]
        codes[index] = t.codes[8 * card + old]
    return count, forced


@kernel
def bound_of_state(b, t, signature, off, low, high, over, work, limit):
    """The lower bound (int64) of one state, its signature worked out each time: for tests.

    Writes ``over`` (uint64[52]) and ``work``; if the cheap part exceeds ``limit``, only that.
    """
    s = bound_sets(b, t, signature_sets(t, signature), over, work)
    cheap, chained = cheap_bound(b, t, s, off, low, high, over)
    if cheap > limit:
        return cheap
    return full_bound(b, s, cheap, chained, over, work)
