"""The lower bound h where runs move as far as there is room, from the columns of one position.

h is the number of cards not home, or nothing where a program moves them home by itself, plus the
smallest number of *pieces* that can have been moved aside.

Cut each column wherever two cards that lie on each other are no run. Look, in any solution, at the
pieces of which some card makes its first move to another place than home. The first move of a card
of one piece never moves a card of another piece for the first time: the cards of two pieces do not
move together before one of them has moved. So there are at least as many moves that do not go home
as there are such pieces, and every card not home makes one that does, alone.

A piece with a card above a lower one of its suit is such a piece: that lower card goes home first.
Let x and y be cards of two columns, of pieces without such cards, with a lower card of y's suit
beneath x and a lower card of x's suit beneath y. If the first moves of both went home, each would
have gone home before the other. So one of the two pieces is such a piece, too, and all of them are
at least as many as the smallest set that touches each such pair of pieces.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels.board import cards_home
from dbmsolver.verify.kernels.covers import touching_all
from dbmsolver.verify.kernels.rules import holds
from dbmsolver.verify.kernels.words import ALL, ONE, SUIT, U64, ZERO, count_bits, first_bit


@inlined
def bound_of_pieces(r, board, laid):
    """Return h where runs move as far as there is room."""
    moving, still = cut_into_pieces(r, board, laid)
    result = moving + (0 if r.forced_free else count_bits(ALL & ~cards_home(laid.heights)))
    paired = pair_pieces(board, still)
    return result + (touching_all(paired, board.edges, board.stack) if paired else 0)


@inlined
def cut_into_pieces(r, board, laid):
    """Cut columns into pieces: (pieces that move for themselves, cards of the others).

    Writes the deepest card of each card's piece to ``board.deep``, and the cards that are higher
    than one of their suit beneath it to ``board.near``.
    """
    near, piece = board.near, board.deep
    result = 0
    still = ZERO
    bottoms = laid.bottoms
    while bottoms:
        card, under = first_bit(bottoms), -1
        bottoms &= bottoms - ONE
        over = cards = ZERO
        first, moves = card, False
        while card >= 0:
            if under >= 0 and not holds(r.moves_with[card], under):
                result += moves
                still |= ZERO if moves else cards
                cards = ZERO
                first, moves = card, False
            piece[card, 0] = first
            near[card] = over
            cards |= ONE << U64(card)
            moves |= holds(over, card)
            over |= (SUIT << U64(card)) & ALL & ~(ONE << U64(card))
            card, under = board.load[card], card
        result += moves
        still |= ZERO if moves else cards
    return result, still


@inlined
def pair_pieces(board, still):
    """Write to ``board.edges`` with which pieces each piece is in such a pair; return which are.

    Pieces are told by their deepest cards.
    """
    near, piece, edges = board.near, board.deep, board.edges
    paired = ZERO
    rest = still
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        others = near[card] & still
        while others:
            other = first_bit(others)
            others &= others - ONE
            if holds(near[other], card):
                own = piece[card, 0]
                if not holds(paired, own):
                    edges[own] = ZERO
                    paired |= ONE << U64(own)
                edges[own] |= ONE << U64(piece[other, 0])
    return paired
