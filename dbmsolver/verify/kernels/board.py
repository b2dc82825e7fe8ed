"""A position laid out: which card lies on which, and the sets of cards that can move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels.words import ZERO, Ints, Words, count_bits, first_of, holds

ALL_HOME = np.uint64(0xDDDD)
"""The heights of the foundations when all cards are home."""
NOTHING, NOWHERE = -1, -2
"""Under a card: nothing, at the bottom of a column; and in no column at all."""
MOST_MOVES = 600
"""More moves than a position has: 52 cards go to eleven places at most."""
CARD, PLACE, WASTE, TURNS, COST = range(5)
"""A move: the deepest card that moves, where it goes, the cards of the waste and the turns that are
left after it, and what it costs."""


@struct
class Board(NamedTuple):
    """The columns of a position, card by card, and its moves: scratch memory of one thread.

    ``on`` and ``load`` are told of cards in columns only.
    """

    on: Ints  # [52]: the card under it, or NOTHING
    load: Ints  # [52]: the card on it, or NOTHING
    hand: Ints  # [52]: the cards of waste and stock that are left, in order
    moves: Ints  # [MOST_MOVES, 5]
    near: Words  # [52]: for bounds
    piece: Ints  # [52]: for bounds
    edges: Words  # [52]: for bounds
    stack: Words  # [256]: for bounds


class Laid(NamedTuple):
    """All of a laid position that is not on the board: sets of cards, and numbers."""

    heights: np.uint64  # of the foundations, four bits for each suit
    tops: np.uint64  # last cards of columns
    bottoms: np.uint64  # first cards of columns
    lying: np.uint64  # all cards in columns
    cells: np.uint64  # cards in freecells
    dealt: np.uint64  # cards that lie as they were dealt, by their place values
    down: np.uint64  # cards that lie face down
    used: int  # columns that are not empty
    hand: int  # cards of waste and stock
    waste: int  # of them in the waste
    turns: int  # times that the waste may still be turned over
    reserve: int  # cards of the reserve


def make_board() -> Board:
    """Return scratch memory."""
    return Board(
        on=np.full(52, NOWHERE, np.int64),
        load=np.full(52, NOTHING, np.int64),
        hand=np.zeros(52, np.int64),
        moves=np.zeros((MOST_MOVES, 5), np.int64),
        near=np.zeros(52, np.uint64),
        piece=np.zeros(52, np.int64),
        edges=np.zeros(52, np.uint64),
        stack=np.zeros(256, np.uint64),
    )


@inlined
def nothing_laid():
    """Return a position with nothing in it."""
    return Laid(ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, 0, 0, 0, 0, 0)


@inlined
def has_ring(board, bottoms, tops, lying):
    """Write where columns begin and end; return True if cards lie on each other in a ring.

    There is none if columns lead to all cards that are ``lying`` in columns.
    """
    while tops:
        card, tops = first_of(tops)
        board.load[card] = NOTHING
    reached = 0
    while bottoms:
        card, bottoms = first_of(bottoms)
        board.on[card] = NOTHING
        while card >= 0:
            reached += 1
            card = board.load[card]
    return reached != count_bits(lying)


@inlined
def carries(r, laid, card, under):
    """Return True if the card under another one moves with it."""
    return under >= 0 and holds(r.moves_with[card], under) and not holds(laid.down, under)
