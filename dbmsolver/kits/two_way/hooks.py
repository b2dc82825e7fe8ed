"""Functions of games whose cards go both ways, for :mod:`.kernels.hooks`."""

from __future__ import annotations

from dbmsolver.kernels import hooks
from dbmsolver.kits.cards.expand import skip_last
from dbmsolver.kits.cards.hooks import STATES, costs_one
from dbmsolver.kits.two_way import bound, moves
from dbmsolver.kits.two_way.bound import TwoWayBoundTables
from dbmsolver.kits.two_way.tables import TwoWayTables

hooks.add(
    TwoWayTables,
    {
        **STATES,
        hooks.list_moves: moves.list_moves,
        hooks.before_move: skip_last,
        hooks.apply_move: moves.apply_move,
        hooks.place_of: moves.place_of,
        hooks.undo_code: moves.undo_code,
        hooks.move_cost: costs_one,
        hooks.cards_home: moves.cards_home,
        hooks.make_bound_tables: bound.make_bound_tables,
    },
)
hooks.add(
    TwoWayBoundTables,
    {
        hooks.bound_sets: bound.bound_sets,
        hooks.cheap_bound: bound.cheap_bound,
        hooks.full_bound: bound.full_bound,
    },
)
