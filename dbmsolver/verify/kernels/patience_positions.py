"""All positions of a deal of Klondike, listed by the rules alone."""

from __future__ import annotations

from dbmsolver.jit.decorators import kernel
from dbmsolver.verify.kernels.board import ALL_HOME, MOST_MOVES
from dbmsolver.verify.kernels.digits import lay_digits, make_move, state_of_words
from dbmsolver.verify.kernels.moves import list_moves
from dbmsolver.verify.kernels.position_set import insert
from dbmsolver.verify.kernels.rules import forced_card
from dbmsolver.verify.kernels.words import ALL

ALL_LISTED, MORE, WON, FULL = range(4)
"""Ends of a call of :func:`list_positions`: nothing is left; some are left; a win; no room."""


@kernel
def list_positions(d, board, known, head, count, steps):
    """Add what follows from at most ``steps`` positions of a set, from number ``head`` on.

    There are ``count`` of them. Returns (how it ended, head, count).
    """
    end = head + steps
    while head < count and head < end:
        if count + MOST_MOVES > known.states.shape[0]:
            return FULL, head, count
        here = state_of_words(d, known.states[head])
        _, laid = lay_digits(d, here, board)
        if laid.heights == ALL_HOME:
            return WON, head, count
        forced = forced_card(d.rules, laid.heights, laid.tops)
        for move in range(list_moves(d.rules, board, laid, forced, ALL)):
            after = make_move(d, here, board, laid, board.moves[move])
            count = insert(known, count, after.off, after.low, after.high)
        head += 1
    return MORE if head < count else ALL_LISTED, head, count


@kernel
def begin(known, root):
    """Write the deal's position (uint64[3]) to an empty set."""
    insert(known, 0, root[0], root[1], root[2])
