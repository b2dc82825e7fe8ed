"""Functions of states that are made of cards, for :mod:`.kernels.hooks`.

The kits of runs and of cards that go both ways have the same states, and other moves.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels import hooks
from dbmsolver.kernels.layout import PACKED
from dbmsolver.kits.cards import bound, expand, groups, layers, move_order, public, rows
from dbmsolver.kits.cards.bound import BoundTables
from dbmsolver.kits.cards.groups import PositionSpace
from dbmsolver.kits.cards.tables import Tables


@inlined
def _one(t, card):
    return np.int64(1)


@inlined
def costs_one(t, forced):
    """Return the cost of any move (int64), where each counts."""
    return np.int64(1)


STATES = {
    **PACKED,
    hooks.signature_sets: expand.signature_sets,
    hooks.progress: expand.progress,
    hooks.base_of: public.base_words,
    hooks.hash_of: public.hash_state,
    hooks.place_of: expand.place_of,
    # Rows.
    hooks.empty_rows: rows.empty_rows,
    hooks.make_row_scratch: rows.make_row_scratch,
    hooks.as_held: rows.as_held,
    hooks.held_at: rows.state_at,
    hooks.hold: rows.hold,
    hooks.holds: rows.holds,
    hooks.state_at: rows.state_at,
    hooks.meta_at: rows.meta_at,
    hooks.put_meta: rows.put_meta,
    hooks.hash_of_home: rows.hash_of_home,
    hooks.count_of: public.count_row,
    # Cost layers.
    hooks.assess: layers.assess,
    hooks.is_goal: layers.is_goal,
    hooks.expand_row: layers.expand_row,
    hooks.held_back: layers.held_back,
    hooks.way_to_go: layers.way_to_go,
    hooks.moves_at_most: layers.moves_at_most,
}
"""The hooks of all states that are made of cards."""

hooks.add(
    Tables,
    {
        **STATES,
        hooks.list_moves: expand.list_moves,
        hooks.before_move: move_order.before_move,
        hooks.apply_move: expand.apply_move,
        hooks.undo_code: expand.undo_code,
        hooks.move_cost: costs_one,
        hooks.cards_home: _one,
        hooks.make_bound_tables: bound.make_bound_tables,
    },
)
hooks.add(
    BoundTables,
    {
        hooks.bound_sets: bound.bound_sets,
        hooks.cheap_bound: bound.cheap_bound,
        hooks.full_bound: bound.full_bound,
    },
)
hooks.add(
    PositionSpace,
    {
        hooks.prepare: groups.prepare_positions,
        hooks.forget_targets: groups.forget_position_targets,
        hooks.targets_of: groups.number_of_targets,
        hooks.expand_group: groups.expand_positions,
    },
)
