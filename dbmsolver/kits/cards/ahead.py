"""The kernels that count and list all shortest solutions, with their types."""

from __future__ import annotations

from typing import Any

import numpy as np

from dbmsolver.kernels.hooks import make_bound_tables
from dbmsolver.kernels.samples import NUMBER, NUMBERS, WORD, WORDS, Call
from dbmsolver.kits.cards.possible_states import are_positions
from dbmsolver.kits.cards.sweep import (
    Index,
    empty_level,
    enter_all,
    leading_moves,
    mark_leading,
    remember,
    sweep,
)


def of_counting(t: Any, columns: Any) -> list[Call]:
    """Return them for a deal with these tables and columns."""
    bound = make_bound_tables(t, columns)
    level = empty_level(1, 1)
    index = Index(level.rows, level.table, level.moves)
    marks = np.empty(1, np.bool_)
    states = level, level.rows, NUMBER, level.rows, level.ways
    return [
        (sweep, (t, bound, *states, NUMBER, NUMBER, (NUMBER, NUMBER))),
        (remember, (level.rows, level.rows)),
        (are_positions, (t, WORD, WORD, level.rows)),
        (mark_leading, (t, index, level.rows, NUMBERS, level.moves, marks)),
        (leading_moves, (t, index, WORDS, NUMBERS, level.moves)),
        (enter_all, (index,)),
    ]
