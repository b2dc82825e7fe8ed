"""The interface of the kernels: functions that differ between families, under common names.

A family is a class of tables (:class:`~dbmsolver.core.tables.Tables` for single cards,
:data:`~dbmsolver.core.run_tables.RunTables` for runs,
:data:`~dbmsolver.core.two_way_tables.TwoWayTables` for cards that go both ways), a module with its
moves, and one with its bound. The kernels that search call the names below with the tables, and are
compiled for the family that is played, and for no other (:mod:`dbmsolver.jit.families`).

=================== ============================================================================
``list_moves``      the legal moves of a state
``before_move``     which of them need not be made, after the move that led there
``apply_move``      the state after a move
``place_of``        where a card lies in a state
``move_cost``       what a move costs, a forced one or another
``undo_code``       the state before the move of a parent-move code
``home_signature``  the signature after the next move home of a suit, for good
``cards_home``      how many cards that move takes home
``set_home``        which cards these are
``bound_sets``      what the bounds of a signature's states share
``cheap_bound``     the part of the lower bound that costs little
``full_bound``      all of it
=================== ============================================================================

Layouts, keys, signatures and progress are the same in all families: a state is made of the cards
that are home, those that are locked, and what lies under each of the others. Games of one pile, and
of pairs, have states of another kind (:mod:`dbmsolver.core.pile`, :mod:`dbmsolver.core.pairs`): of
these names, `undo_code` alone is for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dbmsolver.core import (
    bound,
    expand,
    move_order,
    pairs,
    pile,
    run_bound,
    run_moves,
    two_way_bound,
    two_way_moves,
)
from dbmsolver.core.bound import BoundTables
from dbmsolver.core.expand import height, skipping_last
from dbmsolver.core.pairs import PairTables
from dbmsolver.core.pile import PileTables
from dbmsolver.core.run_bound import RunBoundTables
from dbmsolver.core.run_tables import RunTables
from dbmsolver.core.tables import Tables
from dbmsolver.core.two_way_bound import TwoWayBoundTables
from dbmsolver.core.two_way_tables import TwoWayTables
from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.families import ByType

U64 = np.uint64
ONE = np.uint64(1)


@inlined
def _place_of(t, locked, off, low, high, card):
    return expand.place_of(locked, off, low, high, card)


@inlined
def _one_home(t, sets, suit):
    return _card_home(t, sets, 4 * height(sets.signature, suit) + suit, 1)


@inlined
def _run_home(t, sets, suit):
    card = run_moves.homing_card(t, sets.signature, suit)
    return _card_home(t, sets, card, run_moves.cards_home(t, card))


@inlined
def _card_home(t, sets, card, cards):
    """Return the signature after a card goes home, as the deepest of ``cards`` cards."""
    signature = sets.signature + (U64(cards) << U64(4 * (card & 3)))
    if (sets.locked >> U64(card)) & ONE:
        signature -= t.release[card]
    return signature


@inlined
def _one(t, card):
    return np.int64(1)


@inlined
def _the_card(t, card):
    return ONE << U64(card)


@inlined
def _costs_one(t, forced):
    return np.int64(1)


@inlined
def _skip_last(t, sets, off, low, high, code):
    return skipping_last(t, code)


_FAMILIES = (Tables, RunTables, TwoWayTables)
_BOUNDS = (BoundTables, RunBoundTables, TwoWayBoundTables)


def _of(functions: Iterable[Any], types: Iterable[Any] = _FAMILIES) -> dict[Any, Any]:
    """Return the functions of single cards, of runs, and of two-way cards, by their types."""
    return dict(zip(types, functions, strict=True))


list_moves = ByType(_of((expand.list_moves, run_moves.list_moves, two_way_moves.list_moves)))
before_move = ByType(_of((move_order.before_move, _skip_last, _skip_last)))
apply_move = ByType(_of((expand.apply_move, run_moves.apply_move, two_way_moves.apply_move)))
move_cost = ByType(_of((_costs_one, run_moves.move_cost, _costs_one)))
place_of = ByType(_of((_place_of, _place_of, two_way_moves.place_of)))
undo_code = ByType(
    {
        **_of((expand.undo_code, run_moves.undo_code, two_way_moves.undo_code)),
        PileTables: pile.undo_code,
        PairTables: pairs.undo_code,
    }
)
home_signature = ByType(_of((_one_home, _run_home, two_way_moves.home_signature)))
cards_home = ByType(_of((_one, run_moves.cards_home, two_way_moves.cards_home)))
set_home = ByType(_of((_the_card, run_moves.set_home, two_way_moves.set_home)))
bound_sets = ByType(
    _of((bound.bound_sets, run_bound.bound_sets, two_way_bound.bound_sets), _BOUNDS)
)
cheap_bound = ByType(
    _of((bound.cheap_bound, run_bound.cheap_bound, two_way_bound.cheap_bound), _BOUNDS)
)
full_bound = ByType(
    _of((bound.full_bound, run_bound.full_bound, two_way_bound.full_bound), _BOUNDS)
)


def make_bound_tables(t: Tables, columns: Sequence[Sequence[int]]) -> Any:
    """Return the bound's tables of the deal that ``t`` was made for, with these columns."""
    if isinstance(t, RunTables):
        return run_bound.make_bound_tables(t, columns)
    if isinstance(t, TwoWayTables):
        return two_way_bound.make_bound_tables(t, columns)
    return bound.make_bound_tables(t, columns)
