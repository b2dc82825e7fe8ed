"""Functions of games where a run of cards is one move, for :mod:`.kernels.hooks`."""

from __future__ import annotations

from dbmsolver.kernels import hooks
from dbmsolver.kits.cards import expand
from dbmsolver.kits.cards.hooks import STATES
from dbmsolver.kits.runs import bound, moves
from dbmsolver.kits.runs.bound import RunBoundTables
from dbmsolver.kits.runs.tables import RunTables

hooks.add(
    RunTables,
    {
        **STATES,
        hooks.list_moves: moves.list_moves,
        hooks.before_move: expand.skip_last,
        hooks.apply_move: expand.apply_move,
        hooks.undo_code: expand.undo_code,
        hooks.move_cost: moves.move_cost,
        hooks.cards_home: moves.cards_home,
        hooks.make_bound_tables: bound.make_bound_tables,
    },
)
hooks.add(
    RunBoundTables,
    {
        hooks.bound_sets: bound.bound_sets,
        hooks.cheap_bound: bound.cheap_bound,
        hooks.full_bound: bound.full_bound,
    },
)
