"""The kernels, with their types, of searches of Klondike and its relatives, and of Spider's kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from dbmsolver.core import patience_beam, patience_dive
from dbmsolver.core.blocks import find_key, from_planes, to_planes
from dbmsolver.core.patience_bound import bounds_of, make_weights
from dbmsolver.core.patience_check import look_for_columns
from dbmsolver.core.patience_closing import (
    bring_forward,
    close_layer,
    digest_of,
    expand_layer,
    fill_slots,
    insert,
    insert_chosen,
    make_candidates,
    make_set,
    room_of,
    whole_piece,
)
from dbmsolver.core.patience_strata import progress_of, signatures, strata_of
from dbmsolver.core.patience_tables import make_board, make_found
from dbmsolver.core.wide import least_moves, normal_row
from dbmsolver.core.wide_beam import Shape, make_beam, next_level, replay
from dbmsolver.core.wide_search import begin, explore, layers_of_closed, make_frontier
from dbmsolver.core.wide_values import kinds_of
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.keys.wide import WideKeys
from dbmsolver.results import Question

Call = tuple[Any, tuple[Any, ...]]
"""A kernel, and arguments of the types it is called with; it is not called with these."""

_NUMBER = 0
_WORD = np.uint64(0)
_WORDS = np.empty(1, np.uint64)
_STATES = np.empty((1, 3), np.uint64)
_CODES = np.empty(1, np.uint16)
_NUMBERS = np.empty(1, np.int64)
_TRUTHS = np.empty(1, np.bool_)


def of_wide(rules: Rules) -> list[Call]:
    """Return the kernels of Spider and its kin, those first that take longest to compile."""
    keys = WideKeys(Deal.from_number(1, rules))
    tables, frontier = keys.tables, make_frontier(keys.tables, keys.root, 2)
    beam, shape = make_beam(tables, keys.root, 1, 1), Shape(*[_NUMBER] * 6)
    return [
        (next_level, (tables, beam, shape, _NUMBERS)),
        (explore, (tables, frontier, _NUMBERS, _NUMBER)),
        (replay, (tables, frontier.board, _NUMBERS, keys.root, frontier.found.rows, _NUMBERS)),
        (begin, (frontier, keys.root)),
        (normal_row, (tables, frontier.board)),
        (least_moves, (tables, frontier.board, keys.root)),
        (kinds_of, (tables,)),
        (layers_of_closed, (frontier, _NUMBERS)),
    ]


def of_patience(rules: Rules, any_solution: bool) -> list[Call]:
    """Return the kernels of searches for shortest solutions of a game of Klondike's kind.

    Those come first that take longest to compile.
    """
    keys = PatienceKeys(Deal.from_number(1, rules), "wkr", "turns", Question.SOLVE)
    tables, bounds, weights = keys.tables, keys.bounds, make_weights()
    states, board, found, out = make_set(1), make_board(), make_found(), make_candidates(1)
    some = (states, out, board, weights, found, _NUMBER, whole_piece(), _NUMBER)
    closing: Call = (close_layer, (tables, bounds, *some))
    numbers = (_NUMBER, _NUMBER, _NUMBER)
    sharing: list[Call] = [
        (expand_layer, (tables, bounds, states, out, board, weights, found, *numbers))
    ]
    ordering: list[Call] = [
        (progress_of, (tables, _STATES, _NUMBERS)),
        (bring_forward, (states, _NUMBER)),
    ]
    beaming = patience_beam.make_beaming(_STATES[0], 1, 1, 1)
    some_kept = (_STATES, _CODES, beaming.parents, beaming.costs)
    beams: list[Call] = [
        (
            patience_beam.expand_kept,
            (tables, bounds, beaming, board, weights, found, _NUMBER, _NUMBER),
        ),
        (patience_beam.keep, (beaming, *some_kept)),
    ]
    return [
        *(dives_of_patience(keys) if any_solution else []),
        closing,
        (insert_chosen, (states, out, _NUMBER)),
        *sharing,
        *beams,
        *ordering,
        (bounds_of, (tables, bounds, _STATES, board, weights, _NUMBERS)),
        (insert, (states, _STATES, _CODES)),
        (digest_of, (_STATES,)),
        (fill_slots, (states,)),
        (room_of, (states,)),
        *checks_of_patience(keys),
        *_of_blocks(),
    ]


def dives_of_patience(keys: PatienceKeys) -> list[Call]:
    """Return the kernel of dives in a game of Klondike's kind."""
    diving = patience_dive.make_diving(_STATES[0], 1, 1)
    return [(patience_dive.dive, (keys.tables, diving, _NUMBER))]


def checks_of_patience(keys: PatienceKeys) -> list[Call]:
    """Return the kernels that check blocks of a game of Klondike's kind, and look states up."""
    return [
        (strata_of, (keys.tables, _STATES, _NUMBERS)),
        (signatures, (keys.tables, _STATES, _NUMBERS.view(np.uint64))),
        (look_for_columns, (_NUMBERS[None, :], _TRUTHS[None, :], _TRUTHS)),
    ]


def _of_blocks() -> list[Call]:
    """Return the kernels of blocks, and of looking states up in them."""
    planes, counts = np.empty((1, 1), np.uint8), _NUMBERS.copy()
    written = (to_planes, (_WORDS, _NUMBERS, _NUMBER, planes.copy()))
    for read in (planes, counts):  # as they come from the store
        read.flags.writeable = False
    return [
        written,
        (from_planes, (planes, counts, _NUMBER, _WORDS)),
        (find_key, (_WORDS, _NUMBER, *[_WORD] * 3)),
    ]
