"""All positions of a deal of Klondike, listed by the rules alone."""

from __future__ import annotations

from dbmsolver.jit.decorators import kernel
from dbmsolver.verify.kernels.board import ALL_HOME, MOST_MOVES
from dbmsolver.verify.kernels.digits import lay_key, make_move
from dbmsolver.verify.kernels.moves import list_moves
from dbmsolver.verify.kernels.planes import State
from dbmsolver.verify.kernels.position_set import insert, insert_wanted, want
from dbmsolver.verify.kernels.rules import forced_card
from dbmsolver.verify.kernels.words import ZERO

ALL_LISTED, MORE, WON, FULL = range(4)
"""Ends of a call of :func:`list_positions`: nothing is left; some are left; a win; no room."""


@kernel
def list_positions(d, board, known, wanted, head, count, steps):
    """Add what follows from at most ``steps`` positions of a set, from number ``head`` on.

    There are ``count`` of them; ``wanted`` is scratch memory. Returns (how it ended, head, count).
    """
    noted, end = 0, min(head + steps, count)
    while head < end:
        if count + noted > known.states.shape[0] - MOST_MOVES:
            return FULL, head, insert_wanted(known, count, wanted, noted)
        words = known.states[head]
        here = State(ZERO, ZERO, ZERO, words[0], words[1], words[2])
        _, _, laid = lay_key(d, here, board)
        if laid.heights == ALL_HOME:
            return WON, head, count
        forced = forced_card(d.rules, laid.heights, laid.tops)
        for move in range(list_moves(d.rules, board, laid, forced)):
            after = make_move(d, here, board, laid, board.moves[move])
            noted = want(known, wanted, noted, head, after.off, after.low, after.high)
        head += 1
        if noted > wanted.sources.size - MOST_MOVES:
            count, noted = insert_wanted(known, count, wanted, noted), 0
    count = insert_wanted(known, count, wanted, noted)
    return MORE if head < count else ALL_LISTED, head, count


@kernel
def begin(known, root):
    """Write the deal's position (uint64[3]) to an empty set."""
    insert(known, 0, root[0], root[1], root[2])
