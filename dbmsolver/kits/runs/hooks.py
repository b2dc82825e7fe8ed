"""Functions of games where a run of cards is one move, for :mod:`.kernels.hooks`."""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels import hooks
from dbmsolver.kits.cards.expand import skip_last
from dbmsolver.kits.cards.hooks import STATES, signature_without
from dbmsolver.kits.runs import bound, moves
from dbmsolver.kits.runs.bound import RunBoundTables
from dbmsolver.kits.runs.tables import RunTables


@inlined
def _run_home(t, sets, suit):
    card = moves.homing_card(t, sets.signature, suit)
    return signature_without(t, sets, card, moves.cards_home(t, card))


hooks.add(
    RunTables,
    {
        **STATES,
        hooks.list_moves: moves.list_moves,
        hooks.before_move: skip_last,
        hooks.apply_move: moves.apply_move,
        hooks.undo_code: moves.undo_code,
        hooks.move_cost: moves.move_cost,
        hooks.home_signature: _run_home,
        hooks.cards_home: moves.cards_home,
        hooks.set_home: moves.set_home,
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
