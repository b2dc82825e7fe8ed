"""The lower bound h: moves that every solution needs, from the columns of one position.

Each is counted for another card or another moment, so h never exceeds the moves to come, which is
all that the check of a shortest solution needs of it. Klondike and its relatives have a bound of
their own (:mod:`dbmsolver.verify.kernels.stock_bound`).

*Cards go home one by one.* Every card not home makes a move home, alone; that costs nothing where a
program makes it by itself. To these come the *pieces* that are moved aside. Cut each column
wherever two cards that lie on each other do not move as one; where cards move one by one, each of
them is a piece. Look, in any solution, at the pieces of which some card makes its first move to
another place than home. The first move of a card of one piece never moves a card of another piece
for the first time: the cards of two pieces do not move together before one of them has moved. So
there are at least as many moves that do not go home as there are such pieces.

* A piece with a card above a lower one of its suit is such a piece: that lower card goes home
  first. This is as true where columns are built up, too, or cards come back.
* Where a run is one move by the rules and columns go round, cut between a king and its base, too,
  though they move as one run: that run has all lower cards of its suit, so no card of it but those
  from the king on lies above one. These have to leave the base by a move of the king.
* Let x and y be cards of two columns, of pieces without such cards, with a lower card of y's suit
  beneath x and a lower card of x's suit beneath y: they are *deadlocked*. If the first moves of
  both went home, each would have gone home before the other. So one of the two pieces is such a
  piece, too, and all of them are at least as many as the smallest set that touches each such pair
  of pieces. (This is counted only where cards move one by one, or as far as there is room.)

*Whole suits go home.* Each suit not home makes a move, which moves its king. A card of lower rank
that is not on the next higher one of its suit is the deepest of the move that brings it there; and
of another one before it, if that higher card lies beneath it, and the lower one does not move
together with the card that it lies on. A king above lower cards of its suit is the deepest of a
move that takes it from there.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined, inlined_kernel
from dbmsolver.verify.kernels.covers import fewest_of_pairs
from dbmsolver.verify.kernels.sets import (
    SUIT,
    count_left,
    first_of,
    height_of,
    higher_than,
    holds,
    one,
)
from dbmsolver.verify.kernels.stock_bound import least
from dbmsolver.verify.kernels.words import U64, ZERO, count_bits


@inlined_kernel
def lower_bound(r, board, laid):
    """Return h of the position on ``board``."""
    if r.patience:
        return least(r, board, laid)
    if r.whole_suits:
        return bound_of_suits(r, board, laid)
    moving, still = cut_into_pieces(r, board, laid)
    result = moving + (0 if r.forced_free else count_left(laid.heights))
    if r.deadlocks:
        result += fewest_of_pairs(board, still)
    return result


@inlined
def cut_into_pieces(r, board, laid):
    """Cut columns into pieces: (pieces with a card above a lower one of its suit, other cards).

    Writes the deepest card of each card's piece to ``board.piece``, and the cards that are higher
    than one of their suit beneath it to ``board.near``.
    """
    result, still, bottoms = 0, ZERO, laid.bottoms
    while bottoms:
        card, bottoms = first_of(bottoms)
        under = -1
        over = cards = ZERO
        first, moves = card, False
        while card >= 0:
            sunk_king = card >= 48 and not r.limited
            if under >= 0 and (sunk_king or not holds(r.moves_with[card], under)):
                result += moves
                still |= ZERO if moves else cards
                cards = ZERO
                first, moves = card, False
            board.piece[card], board.near[card] = first, over
            cards |= one(card)
            moves |= holds(over, card)
            over |= higher_than(card)
            card, under = board.load[card], card
        result += moves
        still |= ZERO if moves else cards
    return result, still


@inlined
def bound_of_suits(r, board, laid):
    """Return h where only whole suits go home."""
    # Cards in freecells, kings aside, have a way to go.
    result = count_bits(laid.cells & U64((1 << 48) - 1))
    for suit in range(4):
        if height_of(laid.heights, suit) < 13:
            result += 1
    bottoms = laid.bottoms
    while bottoms:
        card, bottoms = first_of(bottoms)
        under = -1
        seen = ZERO
        while card >= 0:
            if card >= 48:
                result += 1 if seen & (SUIT << U64(card & 3)) else 0
            elif under != card + 4:
                alone = under < 0 or not holds(r.moves_with[card], under)
                result += 1 + (1 if alone and holds(seen, card + 4) else 0)
            seen |= one(card)
            card, under = board.load[card], card
    return result
