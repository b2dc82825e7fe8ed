"""The lower bound h: moves that every solution needs, from the columns of one position.

Each is counted for another card or another moment, so h never exceeds the moves to come, which is
all that the check of a shortest solution needs of it. Klondike and its relatives have a bound of
their own (:func:`bound_of_patience`).

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

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel
from dbmsolver.verify.kernels.words import (
    ONE,
    SUIT,
    U64,
    ZERO,
    count_bits,
    count_left,
    first_of,
    height_of,
    higher_than,
    holds,
    one,
)


@inlined_kernel
def lower_bound(r, board, laid):
    """Return h of the position on ``board``."""
    if r.patience:
        return bound_of_patience(r, board, laid)
    if r.whole_suits:
        return bound_of_suits(r, board, laid)
    moving, still = cut_into_pieces(r, board, laid)
    result = moving + (0 if r.forced_free else count_left(laid.heights))
    if r.deadlocks:
        result += fewest_of_pairs(board, still)
    return result


@inlined
def cut_into_pieces(r, board, laid):
    """Cut columns into pieces; return two of their properties.

    The first is the number of pieces with a card above a lower one of its suit, the second the set
    of the cards in other pieces. Writes the deepest card of each card's piece to ``board.piece``,
    and the cards that are higher than one of their suit beneath it to ``board.near``.
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


@inlined
def bound_of_patience(r, board, laid):
    """Return a number of moves that no solution from a position falls short of.

    One home for each card. One away for each card face down, and for the open cards of each column
    together, if such a card lies above a lower one of its suit in the column. Of two columns
    without such a card, one move away more if the deepest open card of each, as it was dealt, lies
    above a card that is lower than the other column's, and of its suit. If turns count: one for
    every ``draw`` cards of the stock, and what waste and stock need besides; and where single cards
    are turned, those of the waste are like cards of columns, in pairs with these.
    """
    moves = count_left(laid.heights)
    loose, bottoms = ZERO, laid.bottoms
    while bottoms:
        bottom, bottoms = first_of(bottoms)
        away, own = moves_away(board, laid, bottom)
        moves += away
        loose |= own
    if r.counted:
        moves += (laid.hand - laid.waste + r.draw - 1) // r.draw
        moves += turned_again(r, board, laid.hand, laid.waste)
        if r.draw == 1:
            loose |= foremost(board, laid.waste)
    return moves + fewest_of_pairs(board, loose)


@inlined
def moves_away(board, laid, card):
    """Return how many moves away a column needs, and the cards without one that may be in pairs.

    ``card`` is the first one of the column.
    """
    away, loose, over = np.int64(0), ZERO, ZERO
    opened, blocked, first = False, False, np.int64(-1)
    while card >= 0:
        above = holds(over, card)
        board.near[card], board.piece[card] = over, card
        over |= higher_than(card)
        if holds(laid.down, card):
            away += above
            if not above:
                loose |= one(card)
        else:
            if not opened and holds(laid.dealt, card):
                first = card
            opened = True
            blocked |= above
        card = board.load[card]
    if blocked:
        away += 1
    elif first >= 0:
        loose |= one(first)
    return away, loose


@inlined
def turned_again(r, board, hand, waste):
    """Return a lower bound of what cards of waste and stock need besides: moves and turns.

    A card *blocks* if it lies above a card of its suit with a lower rank, which goes home first. So
    it makes a move that does not take it home, or it is turned a second time, with all cards
    beneath it. In the stock, cards that are turned together come to lie on each other. Of such a
    group, the cards up to the topmost that blocks are counted as turned a second time. They are
    ``draw`` cards at most, so this is one turn at most, no more than a move instead. In the waste,
    the smaller number counts: a move for each card that blocks, or turns of all cards up to it.
    """
    staying = np.int64(0)
    for first in range(waste, hand, r.draw):
        last = min(first + r.draw, hand)
        for place in range(last - 1, first, -1):
            if is_above_lower(board, first, place):
                staying += place + 1 - first
                break
    moves = (staying + r.draw - 1) // r.draw
    for place in range(waste):
        if is_above_lower(board, 0, place):
            turns = (staying + place + r.draw) // r.draw
            moves = min(moves + 1, turns)
    return moves


@inlined
def is_above_lower(board, first, place):
    """Return True if, from place ``first`` on, a lower card of its suit is beneath a card."""
    found, card = False, board.hand[place]
    for beneath in range(first, place):
        found |= board.hand[beneath] < card and (board.hand[beneath] ^ card) & 3 == 0
    return found


@inlined
def foremost(board, waste):
    """Return the cards of the waste that lie above no lower one of their suit."""
    loose, over = ZERO, ZERO
    for place in range(waste):
        card = board.hand[place]
        board.near[card], board.piece[card] = over, card
        if not holds(over, card):
            loose |= one(card)
        over |= higher_than(card)
    return loose


@inlined
def fewest_of_pairs(board, cards):
    """Return the fewest pieces that touch all pairs of pieces with deadlocked cards.

    Two of ``cards`` are deadlocked if each is among the other's ``board.near``: the cards that are
    higher than one of their suit beneath it. ``board.piece`` has the piece that each card is of.
    """
    paired, rest = ZERO, cards
    while rest:
        card, rest = first_of(rest)
        others = board.near[card] & cards
        while others:
            other, others = first_of(others)
            if holds(board.near[other], card):
                own = board.piece[card]
                if not holds(paired, own):
                    board.edges[own] = ZERO
                    paired |= one(own)
                board.edges[own] |= one(board.piece[other])
    return touching_all(paired, board.edges, board.stack) if paired else 0


@inlined_kernel
def touching_all(cards, near, stack):
    """Return the fewest of ``cards`` that touch all edges between them.

    ``near[card]`` are the card's neighbours. Tries, for a card with most neighbours, both the card
    and all of its neighbours.
    """
    best = 64
    stack[0] = cards
    stack[1] = ZERO
    depth = 1
    while depth:
        depth -= 1
        cards = stack[2 * depth]
        taken = np.int64(stack[2 * depth + 1])
        most = edges = 0
        chosen = 0
        rest = cards
        while rest:
            card, rest = first_of(rest)
            degree = count_bits(near[card] & cards)
            edges += degree
            if degree > most:
                most = degree
                chosen = card
        edges //= 2
        if most <= 1:
            best = min(best, taken + edges)
        elif taken + (edges + most - 1) // most < best:
            others = near[chosen] & cards
            without = cards & ~(ONE << U64(chosen))
            stack[2 * depth] = without & ~others
            stack[2 * depth + 1] = U64(taken + most)
            stack[2 * depth + 2] = without
            stack[2 * depth + 3] = U64(taken + 1)
            depth += 2
    return best
