"""The lower bound h where a run is one move by the rules, from the columns of one position.

Every move has one deepest card. h counts moves that must be made, each for another deepest card or
another moment, so it never exceeds the moves to come, which is all that the check needs of it.

*Cards go home one by one.* Each card not home makes a move home by itself. Cut each column wherever
two cards that lie on each other are no run. A piece with a card that lies above a lower one of its
suit is moved aside: such a card has to move before that lower one goes home. The first moves of
these cards, one of each piece, are all different, as cards of two pieces that have not moved are
never part of one run. Where columns go round, cut between a king and its base, too, though they
move as one run: that run has all lower cards of its suit, so no card of it but those from the king
on lies above one. These have to leave the base by a move of the king.

*Whole suits go home.* Each suit not home makes a move, which moves its king. A card of lower rank
that is not on the next one of its suit is the deepest of the move that brings it there; and of
another one before it, if that next card lies beneath it. A king above lower cards of its suit is
the deepest of a move that takes it away from there.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels.room_bound import bound_of_pieces
from dbmsolver.verify.kernels.rules import holds_together
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, count_bits, height_of


@inlined
def lower_bound(f, signature, home, cells, used, board):
    """Return h of the position that :func:`arrange` has laid out on ``board``.

    It has ``used`` columns.
    """
    if f.limited:
        return bound_of_pieces(f, home, used, board)
    if f.whole_suits:
        return bound_of_suits(signature, cells, used, board)
    result = count_bits(ALL & ~home)
    for column in range(used):
        over = ZERO
        counted = False
        for depth in range(board.lengths[column]):
            card = board.columns[column, depth]
            bit = ONE << U64(card)
            if depth and not holds_together(f, card, board.columns[column, depth - 1]):
                counted = False
            if card >= 48:
                counted = False  # on its base, if on any card: a piece of its own begins there
            if over & bit and not counted:
                counted = True
                result += 1
            # All cards of the suit from here upwards: every fourth bit above the card's.
            over |= (U64(0x1111111111111111) << U64(card)) & ALL & ~bit
    return result


@inlined
def bound_of_suits(signature, cells, used, board):
    """Return h of a position where only whole suits go home."""
    # Cards in freecells, kings aside, have a way to go.
    result = count_bits(cells & U64((1 << 48) - 1))
    for suit in range(4):
        if height_of(signature, suit) < 13:
            result += 1
    for column in range(used):
        seen = ZERO
        for depth in range(board.lengths[column]):
            card = board.columns[column, depth]
            if card >= 48:
                suit = U64(0x1111111111111111) << U64(card & 3)
                result += 1 if seen & suit else 0
            elif depth == 0 or board.columns[column, depth - 1] != card + 4:
                result += 1 + (1 if (seen >> U64(card + 4)) & ONE else 0)
            seen |= ONE << U64(card)
    return result
