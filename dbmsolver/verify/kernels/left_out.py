"""Moves that some solution does without, in Klondike and its relatives.

The search leaves them out, so that the check has to know why it may. In searches for shortest
solutions:

* A card that stays home once it can go there (:func:`stays_home`) is not played elsewhere. From
  every solution that does so, one as short follows that does not.
* Where cards of the stock are turned one by one, a card of waste or stock that stays home is played
  before all cards behind it, and, if it is the waste's last one, before all other cards
  (:func:`play_is_certain`). Once it has left, each other card is reached by as many turns or fewer,
  and the move home has to be made anyway. With more cards at once it would shift which cards are
  reached.
* Where empty columns take kings only, columns are emptied for kings (:func:`bottoms_stay`). While
  one is empty, or no king could go there, moving a whole column onto a card of another one gives
  nothing that a move of the same cards later would not give.
* A card comes back from the foundations to take another card, or to let one beneath it come back
  and take a card, or not at all (:func:`is_of_use`).

Where runs move, two cards of a rank may be taken by, and take, the same cards: *twins*. A run that
lies on one of them goes to the other one only to free the first (:func:`need_not_change_twins`),
which helps only if that goes home.

Each of these leads from a shortest solution to one as short whose first move is listed. The rest of
that is a shortest solution from there; so there is one all of whose moves are listed.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels.board import NOTHING
from dbmsolver.verify.kernels.rules import is_safe
from dbmsolver.verify.kernels.words import KINGS, ONE, U64, first_bit, height_of, holds, one


@inlined
def stays_home(r, heights, card):
    """Return True if a card, next in its suit or its last one home, need be nowhere else."""
    height = height_of(heights, card & 3)
    return (height == card >> 2 or height == (card >> 2) + 1) and is_safe(r, heights, card)


@inlined
def play_is_certain(r, board, laid):
    """Return True if the card of the waste goes home before anything else is tried."""
    if not r.only_shortest or r.draw != 1 or not laid.waste:
        return False
    return stays_home(r, laid.heights, board.hand[laid.waste - 1])


@inlined
def need_not_change_twins(r, laid, card, under):
    """Return True if a card need not go to the twin of the card that it lies on.

    All other cards that take it are such twins.
    """
    if not r.twins or under < 0 or holds(laid.down, under):
        return False
    return holds(r.takes[card], under) and height_of(laid.heights, under & 3) != under >> 2


@inlined
def bottoms_stay(r, board, laid):
    """Return True if no column need be emptied: one is empty already, or no king could go there."""
    if not r.only_shortest or r.fillers != KINGS:
        return False
    if laid.used < r.columns:
        return True
    for king in range(48, 52):
        if not holds(laid.lying, king):
            if height_of(laid.heights, king & 3) < 13 or r.kept < 13:
                return False
        elif board.on[king] != NOTHING and not holds(laid.down, king):
            card = king
            while board.load[card] >= 0 and holds(r.moves_with[board.load[card]], card):
                card = board.load[card]
            if board.load[card] < 0:
                return False
    return True


@inlined
def is_of_use(r, board, laid, card, to_columns):
    """Return True if a card that comes back stays away, and a card can be put on it.

    Also True if a card can be put on one that is beneath it on the foundation, and can come back
    after it. ``to_columns`` are the cards of columns that may go to columns.
    """
    if not r.only_shortest:
        return True
    if stays_home(r, laid.heights, card):
        return False
    for place in range(laid.hand):
        to_columns |= one(board.hand[place])
    for suit in range(4):
        height = height_of(laid.heights, suit)
        if height > r.kept:
            to_columns |= one(4 * (height - 1) + suit)
    places = U64(0)
    for place in range(card, 4 * r.kept - 1, -4):
        places |= one(place)
    while to_columns:
        if r.takes[first_bit(to_columns)] & places:
            return True
        to_columns &= to_columns - ONE
    return False
