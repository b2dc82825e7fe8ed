"""Classes of positions of Klondike one by one: their cards, and the classes that follow."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inner
from dbmsolver.verify.kernels.class_layout import lay_columns, lay_out
from dbmsolver.verify.kernels.class_moves import is_won, list_successors
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.errors import BAD_CLASS, GOAL
from dbmsolver.verify.kernels.expand import Seen, wrong
from dbmsolver.verify.kernels.words import ZERO

WON_SIGNATURE = np.uint64(1 << 63)


@inner
def expand_class(game, row, layer, board, after, end):
    """Lay a class out, and list the classes that follow."""
    signature, key = row[0], row[1]
    if signature == WON_SIGNATURE:
        return wrong(GOAL, end)
    if not (lay_columns(game, board, signature) and lay_out(game, board, key)):
        return wrong(BAD_CLASS, end)
    if is_won(game, board.numbers[3], board.numbers[0]):
        return wrong(GOAL, end)
    for number in range(list_successors(game, board, signature, key, False)):
        following = after.rows[end]
        following[0], following[1] = board.after[number, 0], board.after[number, 1]
        following[2] = following[3] = ZERO
        after.codes[end] = after.made[end] = 0
        end += 1
    return Seen(0, False, hash_key(signature, key, ZERO, 2), end)
