"""The kernels of Spider and its kin, with their types."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.samples import NUMBER, NUMBERS, Call
from dbmsolver.kits.wide.beam import WideBeamShape, make_beam, next_level, replay
from dbmsolver.kits.wide.rows import least_moves, normal_row
from dbmsolver.kits.wide.search import (
    begin,
    enter_all,
    explore,
    layers_of_closed,
    make_frontier,
)
from dbmsolver.kits.wide.tables import WideTables
from dbmsolver.kits.wide.values import kinds_of


def all_kernels(tables: WideTables, root: NDArray[np.uint64]) -> list[Call]:
    """Return all kernels, those first that take longest to compile; ``root`` is a deal's row."""
    frontier = make_frontier(tables, root, 2)
    beam, shape = make_beam(tables, root, 1, 1), WideBeamShape(*[NUMBER] * 4)
    return [
        (next_level, (tables, beam, shape, NUMBERS)),
        (explore, (tables, frontier, NUMBERS, NUMBER)),
        (enter_all, (frontier,)),
        (replay, (tables, frontier.board, NUMBERS, root, beam.after_rows, NUMBERS)),
        (begin, (frontier, root)),
        (normal_row, (tables, frontier.board)),
        (least_moves, (tables, frontier.board, root)),
        (kinds_of, (tables,)),
        (layers_of_closed, (frontier, NUMBERS)),
    ]
