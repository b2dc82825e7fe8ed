"""The rules of every game of columns, as tables: the only place where games differ in moves.

A card is a number, four times its rank plus its suit; where the deal says with which rank
foundations begin, cards are numbered as they count from it. A set of cards is a word with a bit for
each. *Place values* say where a card goes: 0 to 3 on the first to fourth card that takes it, 4 to a
freecell, 5 to an empty column, 7 home; and where it lies: 6 is where it was dealt, if it has not
moved, and has no other place value there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels.words import Ints, Words, height_of, holds

FREECELL, BOTTOM, AS_DEALT, HOME = 4, 5, 6, 7
"""Place values; 0 to 3 stand for the first to fourth card that takes a card."""
MOST_TAKERS = 4
"""The most cards that take a card."""
ANY_PART, CARD_OR_ALL, ALL_OR_NOTHING = range(3)
"""Parts of a column that go to columns: what moves as one; the last card, or all; all only."""


@struct
class Rules(NamedTuple):
    """The rules of one game and deal."""

    columns: int
    freecells: int
    room: int  # freecells that a card may be put into: none where cards only leave them
    takers: Ints  # [52, 4]: by place value, the card that a card may be put on; -1 for none
    takes: Words  # [52]: the same as a set
    moves_with: Words  # [52]: the cards with which a card that lies on them moves as one
    part: int  # the part of a column that goes to columns
    deadlocks: bool  # True if deadlocked cards count in the lower bound
    limited: bool  # True if runs move only as far as there is room to move their cards one by one
    fillers: np.uint64  # the cards that an empty column takes
    waste_fillers: np.uint64  # the cards that it takes from the waste
    whole_suits: bool  # True if only a whole suit goes home, from the end of a column, in one move
    kept: int  # the cards of each suit that never come back from the foundations; mostly all 13
    at_home: Ints  # [ways, 52, 4]: in each way, how many cards of each suit have to be home before
    # a card that can go home does so at once; 14 for never. No way at all where no move is forced
    forced_free: bool  # True if a forced move costs nothing
    pack: Ints  # [*]: the deal's waste and stock, in the order in which they are turned
    reserve: Ints  # [*]: the reserve, of which only the last card moves; it fills empty columns
    draw: int  # cards that are turned from the stock at once
    turns: int  # times that the waste may be turned over; -1 for any number
    counted: int  # 0 if no turn counts as a move; 1 if turns of the stock do; 2 if those of the
    # waste do too
    all_reached: bool  # True if what turning reaches matters, and not how often it is done
    only_shortest: bool  # True if moves that some shortest solution does without are left out
    patience: bool  # True for Klondike and its relatives, which have a lower bound of their own
    twins: bool  # True if a run goes from twin to twin only to free the first for its foundation


@inlined_kernel
def is_as_none(waste, left, draw):
    """Return True if a waste is as good as an empty one, as it can be turned over for nothing.

    It has ``waste`` of the ``left`` cards of waste and stock, and ``draw`` are turned at once.
    """
    return waste % draw == 0 or waste == left


@inlined
def is_safe(r, heights, card):
    """Return True if a card that can go home does so at once.

    The argument is at :func:`dbmsolver.game.safe_moves.is_safe_home` and
    :mod:`dbmsolver.game.patience`. Where a program makes these moves, they are those of
    :func:`dbmsolver.game.automoves.goes_home`.
    """
    for way in range(r.at_home.shape[0]):
        sure = True
        for suit in range(4):
            sure &= height_of(heights, suit) >= r.at_home[way, card, suit]
        if sure:
            return True
    return False


@inlined
def forced_card(r, heights, free):
    """Return the card of the lowest suit that has to go home, of those that are free; else -1."""
    for suit in range(4):
        height = height_of(heights, suit)
        card = 4 * height + suit
        if height < 13 and holds(free, card) and is_safe(r, heights, card):
            return card
    return -1
