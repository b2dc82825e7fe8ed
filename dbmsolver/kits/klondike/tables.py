"""Klondike and its relatives: their states as words, the tables of a deal, and boards.

A state is what lies under each card, and how far the stock is turned. It is three words. Of each
card they hold a *digit* of three bits, cards 0 to 20 in word 0, 21 to 41 in word 1, the others in
word 2, the lowest bits first:

===== ===========================================================================================
digit where the card is
===== ===========================================================================================
0     where it was dealt: on the card dealt under it, or in stock or waste
1-4   on a legal parent: ``parents[card, digit - 1]``, of one rank more
5     at the bottom of a column that was empty
6     home
===== ===========================================================================================

A card that comes back to the card it was dealt on has digit 0 again, if that card was dealt face
up; if it was dealt face down, it has been turned up, and the digit is that of the parent. So a card
that was dealt face down lies so as long as the card dealt on it has digit 0. The order of columns
is in no digit. Bits 32 to 37 of word 2 say how many cards the waste has, bits 38 to 43 how often it
may still be turned over (0 where that is not limited).

*Ranks* are those of :mod:`dbmsolver.kits.klondike.keys`: where the deal gives the base of the
foundations, they are counted from it. Where columns go round, cards of the last rank have those of
the base as parents.

*A reserve* is one stack: its cards have the digit 0 until they leave it, the last one first. When a
move takes all cards of a column, the reserve's last card goes to the bottom of it (digit 5) as part
of the move.

A *parent-move code* has 16 bits: the card that moved last (6 bits), its digit before (3), the cards
in the waste before (6), and a last bit. Of a card that was in stock or waste, it says whether the
waste was turned over; of another, whether the reserve filled the column that it left. So a move is
undone: the card that filled the column is the one that left the reserve last, as cards leave it in
their order, and no move before it can be meant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.states import CARDS, Ints, Words

DEALT, BOTTOM, HOME = 0, 5, 6
PER_WORD = 21
WASTE_SHIFT, TURNS_SHIFT = 32, 38
NO_CARD = 63
NO_PARENT = NO_CARD
"""The code of the deal itself."""
OVER = 1 << 15
"""The last bit of a code: the waste was turned over, or the reserve filled the column that the card
left."""
FILL_NONE, FILL_KINGS, FILL_ANY, FILL_WASTE = 0, 1, 2, 3
SINGLE, RUNS, SUIT_RUNS, GROUPS, CARD_OR_COLUMN, COLUMNS = 0, 1, 2, 3, 4, 5
NONE_COUNT, TURNS_COUNT, ALL_COUNT = 0, 1, 2
"""The turns that count as moves: none, those of the stock, or those of the stock and of the
waste."""
NOT_IN_COLUMN, ON_NOTHING = -2, -1
AT_BOTTOM, ELSEWHERE = 52, 53
"""The bottom of a column, and any other place: numbers for them where others are cards."""
MOST_MOVES = 512
"""More than a state has: each card has five places to go to."""
MOST_COLUMNS = 13


@struct
class PatienceTables(NamedTuple):
    """Constants of one deal."""

    columns: int
    draw: int
    limited: int  # 1 if the waste may be turned over a limited number of times
    free: int  # 1 if turning costs nothing and is not limited
    counted: int  # NONE_COUNT, TURNS_COUNT or ALL_COUNT
    worrying: int  # 0, or 1 and the height of foundations up to which no card comes back
    takes: int  # SINGLE, RUNS, SUIT_RUNS, GROUPS, CARD_OR_COLUMN or COLUMNS
    fill: int
    brief: int  # 1 if moves are left out that no search for a shortest solution needs
    twins: int  # 1 if runs go from one twin to another only to send it home
    under: Ints  # [52]: the card dealt under each, ON_NOTHING, NOT_IN_COLUMN
    hidden: Ints  # [52]: 1 for cards dealt face down
    parents: Ints  # [52, 4]: the cards that a card may be put on, -1 for none
    legal: Words  # [52]: the same cards, as a bit for each
    lies_on: Ints  # [52, 8]: what a card of each digit lies on: a card, AT_BOTTOM or ELSEWHERE
    covers: Ints  # [52]: 1 for cards dealt on a card that was dealt face down
    stock: Ints  # [*]: the cards of waste and stock, in the order in which they are turned
    safe: Ints  # [52, 4]: heights of foundations from which on a move home is safe
    bits: Ints  # [52]: the bit of a card's digit being 0 in signatures, -1 for none
    reserve: Ints  # [*]: the cards of the reserve, deepest card first


@inlined
def left_in_reserve(t, digits):
    """Return the number of cards (int64) that the reserve has."""
    left = np.int64(t.reserve.size)
    while left and digits[t.reserve[left - 1]] != DEALT:
        left -= 1
    return left


@inlined
def last_of_reserve(t, left):
    """Return the last card (int64) of a reserve that has ``left`` cards, one at least."""
    return t.reserve[left - 1]


@struct
class PatienceBoard(NamedTuple):
    """Columns, waste and stock of a state as its words have them; written again for each."""

    digits: Ints  # [52]
    above: Ints  # [54]: the card on each, -1 for none; the last two mean nothing
    heights: Ints  # [4]
    column: Ints  # [52]: the column of each card, -1 for none
    depth: Ints  # [52]: how many cards of its column lie under each card that lies in one
    tops: Words  # [1]: the last cards of all columns, as a bit for each
    unplayed: Words  # [1]: the cards of waste and stock, likewise
    stacks: Ints  # [13, 52]: columns that have cards, deepest card first
    lengths: Ints  # [13]
    up: Ints  # [13]: how many cards of a column lie face down
    left: Ints  # [52]: the cards of waste and stock
    numbers: Ints  # [8]: see below


USED, LEFT, IN_WASTE, TURNS, RESERVE = 0, 1, 2, 3, 4
"""Indices of a board's ``numbers``: columns with cards; cards of waste and stock together; cards of
the waste; turns left; cards of the reserve."""


def make_board() -> PatienceBoard:
    """Return an empty board."""
    return PatienceBoard(
        digits=np.zeros(CARDS, np.int64),
        above=np.zeros(CARDS + 2, np.int64),
        heights=np.zeros(4, np.int64),
        column=np.zeros(CARDS, np.int64),
        depth=np.zeros(CARDS, np.int64),
        tops=np.zeros(1, np.uint64),
        unplayed=np.zeros(1, np.uint64),
        stacks=np.zeros((MOST_COLUMNS + 1, CARDS), np.int64),
        lengths=np.zeros(MOST_COLUMNS + 1, np.int64),
        up=np.zeros(MOST_COLUMNS + 1, np.int64),
        left=np.zeros(CARDS, np.int64),
        numbers=np.zeros(8, np.int64),
    )


@struct
class Found(NamedTuple):
    """Arrays for the moves of a state: states that follow, parent-move codes, costs."""

    words: Words  # [512, 3]
    codes: NDArray[np.uint16]  # [512]
    costs: Ints  # [512]


def make_found() -> Found:
    """Return arrays with room for the moves of a state."""
    return Found(
        words=np.zeros((MOST_MOVES, 3), np.uint64),
        codes=np.zeros(MOST_MOVES, np.uint16),
        costs=np.zeros(MOST_MOVES, np.int64),
    )
