"""The lower bound of Klondike and its relatives: moves that every solution needs."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels.covers import fewest_of_pairs
from dbmsolver.verify.kernels.sets import count_left, first_of, higher_than, holds, one
from dbmsolver.verify.kernels.words import ZERO


@inlined
def least(r, board, laid):
    """Return a number of moves that no solution from a position falls short of.

    One home for each card. One away for each card face down, and for the open cards of each column
    together, if such a card lies above a lower one of its suit in the column. Of these that do not,
    one of two has to go away before it goes home, if each of their deepest cards, as it was dealt,
    lies above a card that is lower than the other one, and of its suit. If turns count: one for
    every ``draw`` cards of the stock, and what waste and stock need besides; and where single cards
    are turned, those of the waste are like cards of columns, in pairs with these.
    """
    moves = count_left(laid.heights)
    loose, bottoms = ZERO, laid.bottoms
    while bottoms:
        bottom, bottoms = first_of(bottoms)
        away, own = _away(board, laid, bottom)
        moves += away
        loose |= own
    if r.counted:
        moves += (laid.hand - laid.waste + r.draw - 1) // r.draw
        moves += _again(r, board, laid.hand, laid.waste)
        if r.draw == 1:
            loose |= _foremost(board, laid.waste)
    return moves + fewest_of_pairs(board, loose)


@inlined
def _away(board, laid, card):
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
def _again(r, board, hand, waste):
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
            if _is_above_lower(board, first, place):
                staying += place + 1 - first
                break
    moves = (staying + r.draw - 1) // r.draw
    for place in range(waste):
        if _is_above_lower(board, 0, place):
            turns = (staying + place + r.draw) // r.draw
            moves = min(moves + 1, turns)
    return moves


@inlined
def _is_above_lower(board, first, place):
    """Return True if a lower card of its suit lies between a place of the hand and a card's."""
    found, card = False, board.hand[place]
    for beneath in range(first, place):
        found |= board.hand[beneath] < card and (board.hand[beneath] ^ card) & 3 == 0
    return found


@inlined
def _foremost(board, waste):
    """Return the cards of the waste that lie above no lower one of their suit."""
    loose, over = ZERO, ZERO
    for place in range(waste):
        card = board.hand[place]
        board.near[card], board.piece[card] = over, card
        if not holds(over, card):
            loose |= one(card)
        over |= higher_than(card)
    return loose
