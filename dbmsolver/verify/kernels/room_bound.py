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
from dbmsolver.verify.kernels.covers import touching_all
from dbmsolver.verify.kernels.rules import holds_together
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, count_bits, first_bit


@inlined
def over_of(card):
    """Return all higher cards of a card's suit."""
    return (U64(0x1111111111111111) << U64(card)) & ALL & ~(ONE << U64(card))


@inlined
def bound_of_pieces(f, home, used, board):
    """Return h of the position that :func:`arrange` has laid out on ``board``.

    It has ``used`` columns.
    """
    near, piece = board.near, board.piece
    result = 0 if f.free else count_bits(ALL & ~home)
    still = ZERO  # cards of pieces that need not be moved aside for themselves
    for column in range(used):
        over = before = ZERO
        cards = ZERO
        first = -1
        moved = False
        for depth in range(board.lengths[column]):
            card = board.columns[column, depth]
            if depth == 0 or not holds_together(f, card, board.columns[column, depth - 1]):
                if moved:
                    result += 1
                else:
                    still |= cards
                cards = ZERO
                first = card
                moved = False
            before = over
            piece[card] = first
            near[card] = before
            cards |= ONE << U64(card)
            if (before >> U64(card)) & ONE:
                moved = True
            over |= over_of(card)
        if moved:
            result += 1
        else:
            still |= cards
    # Of each piece, by its deepest card, the pieces that it forms such a pair with.
    edges = board.edges
    paired = ZERO
    rest = still
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        others = near[card] & still
        while others:
            other = first_bit(others)
            others &= others - ONE
            if (near[other] >> U64(card)) & ONE:
                bit = ONE << U64(piece[card])
                if not paired & bit:
                    edges[piece[card]] = ZERO
                    paired |= bit
                edges[piece[card]] |= ONE << U64(piece[other])
    if not paired:
        return result
    return result + touching_all(paired, edges, board.stack)
