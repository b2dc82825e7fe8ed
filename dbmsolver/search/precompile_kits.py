"""The kernels, with their types, that only Klondike's kind has, or Spider's kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.kits.klondike.check import find_wrong
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.strata import signatures
from dbmsolver.kits.wide.beam import WideBeamShape, make_beam, next_level, replay
from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.kits.wide.rows import least_moves, normal_row
from dbmsolver.kits.wide.search import (
    begin,
    enter_all,
    explore,
    layers_of_closed,
    make_frontier,
)
from dbmsolver.kits.wide.values import kinds_of

Call = tuple[Any, tuple[Any, ...]]
"""A kernel, and arguments of the types it is called with; it is not called with these."""

_NUMBER = 0
_STATES = np.empty((1, 3), np.uint64)
_NUMBERS = np.empty(1, np.int64)


def of_wide(rules: Rules) -> list[Call]:
    """Return the kernels of Spider and its kin, those first that take longest to compile."""
    keys = WideKeys(Deal.from_number(1, rules))
    tables, frontier = keys.tables, make_frontier(keys.tables, keys.root, 2)
    beam, shape = make_beam(tables, keys.root, 1, 1), WideBeamShape(*[_NUMBER] * 6)
    return [
        (next_level, (tables, beam, shape, _NUMBERS)),
        (explore, (tables, frontier, _NUMBERS, _NUMBER)),
        (enter_all, (frontier,)),
        (replay, (tables, frontier.board, _NUMBERS, keys.root, frontier.found.rows, _NUMBERS)),
        (begin, (frontier, keys.root)),
        (normal_row, (tables, frontier.board)),
        (least_moves, (tables, frontier.board, keys.root)),
        (kinds_of, (tables,)),
        (layers_of_closed, (frontier, _NUMBERS)),
    ]


def checks_of_patience(keys: PatienceKeys) -> list[Call]:
    """Return the kernels that check blocks of a game of Klondike's kind, and look states up."""
    return [
        (signatures, (keys.tables, _STATES, _NUMBERS.view(np.uint64))),
        (find_wrong, (keys.tables, keys.arranging, _STATES, _NUMBERS)),
    ]
