"""All positions of a deal of Klondike, listed by the rules alone."""

from __future__ import annotations

from dbmsolver.jit.decorators import kernel
from dbmsolver.verify.kernels.board import ALL_HOME, MOST_MOVES
from dbmsolver.verify.kernels.digit_check import moves_of
from dbmsolver.verify.kernels.digits import lay_digits, make_move
from dbmsolver.verify.kernels.position_set import insert
from dbmsolver.verify.kernels.words import ALL

ALL_LISTED, MORE, WON, FULL = range(4)
"""Ends of a call of :func:`list_positions`: nothing is left; some are left; a win; no room."""


@kernel
def list_positions(d, board, known, head, count, steps):
    """Add what follows from at most ``steps`` positions of a set, from number ``head`` on.

    There are ``count`` of them. Returns (how it ended, head, count).
    """
    after = board.after
    end = head + steps
    while head < count and head < end:
        if count + MOST_MOVES > known.states.shape[0]:
            return FULL, head, count
        here = known.states[head]
        _, laid = lay_digits(d, here, board)
        if laid.heights == ALL_HOME:
            return WON, head, count
        for move in range(moves_of(d, board, laid, ALL)):
            make_move(d, here, board, laid, board.moves[move], after)
            count = insert(known, count, after[0], after[1], after[2])
        head += 1
    return MORE if head < count else ALL_LISTED, head, count


@kernel
def begin(known, root):
    """Write the deal's position (uint64[3]) to an empty set."""
    insert(known, 0, root[0], root[1], root[2])
