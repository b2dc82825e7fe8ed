"""Classes of positions of Klondike laid out: the places of their cards, from signature and key.

A class says which cards of each dealt column lie where they were dealt, how high the foundations
are, and which cards stock and waste have left. All other cards are *free*: a king at the bottom of
a column, any other card on one of the two cards that are one rank higher and of the other colour,
or, by suit, on the next card of its suit.
The last card of a column that lies where it was dealt is *held*; those under it are *covered*. Held
and free cards are *open*.

A state is two words, a signature and a key; :mod:`dbmsolver.verify.class_format` says what they
hold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.jit.decorators import inner, kernel
from dbmsolver.verify.kernels.rules import is_as_none
from dbmsolver.verify.kernels.words import ONE, U64, ZERO, Ints, Words

KING = 12
WON_SIGNATURE = np.uint64(1 << 63)
COVERED, HELD, FREE, STOCK, HOME = range(5)
"""The locations that a card can be in."""


class ClassRules(NamedTuple):
    """The rules and the deal, as far as classes need them."""

    columns: int
    draw: int
    most_turns: int  # of the waste, -1 for any number
    kept: int  # the highest rank whose cards never come back from the foundations, 13 for all
    dealt: Ints  # [columns, most]: cards from the bottom up, held card last, -1 beyond
    sizes: Ints  # [columns]: how many these are
    shifts: Ints  # [columns]: where the column's number is in a signature
    widths: Ints  # [columns]: bits of that number
    pack: Ints  # [*]: cards of stock and waste in order
    total: int  # of sizes
    at_home: Ints  # [52, 4]: of each suit what has to be home for a card to be of no use elsewhere
    by_suit: int  # 1 if columns are built by suit, 0 by alternate colour

    def progress(self, signatures: Words) -> Ints:
        """Return the stratum of each signature: the dealt cards that have left."""
        total = np.full(signatures.size, self.total, np.int64)
        for shift, width in zip(self.shifts, self.widths, strict=True):
            left = signatures >> np.uint64(shift) & np.uint64((1 << int(width)) - 1)
            total -= left.astype(np.int64)
        total[signatures == WON_SIGNATURE] = self.total + 1
        return total


class LaidClass(NamedTuple):
    """A class laid out: scratch memory of one thread.

    `dealt`, `held`, `left` and `column` are the same for all classes of a signature.
    """

    dealt: Ints  # [52]: HELD, COVERED, or else FREE, by the signature alone
    held: Ints  # [columns]: the held card of a column, -1 for none
    left: Ints  # [columns]: cards that lie where they were dealt
    column: Ints  # [52]: of a held card
    where: Ints  # [52]
    home: Ints  # [4]
    hand: Ints  # [52]: places in the pack of the cards that are left
    open: Ints  # [13, 4]: open cards of a rank and kind
    free: Ints  # [13, 4]: free ones
    numbers: Ints  # [6]: cards in hand, in the waste, turns left, covered cards, empty columns,
    # columns that have cards where they were dealt
    after: Words  # [*, 2]: signature and key of the classes that follow
    won: Ints  # [*]: 1 for those that are won


def make_board(game: ClassRules) -> LaidClass:
    """Return an empty board."""
    dealt, column, where, hand = (np.zeros(CARDS, np.int64) for _ in range(4))
    held, left = (np.zeros(game.columns, np.int64) for _ in range(2))
    counts, free = (np.zeros((13, 4), np.int64) for _ in range(2))
    home, numbers = np.zeros(4, np.int64), np.zeros(6, np.int64)
    most = game.columns + 8 + 2 * game.pack.size  # held cards, foundations, plays
    after, won = np.zeros((most, 2), np.uint64), np.zeros(most, np.int64)
    return LaidClass(
        dealt, held, left, column, where, home, hand, counts, free, numbers, after, won
    )


@inner
def kind_of(game, card):
    """Return the kind of a card: its colour, red 0 and black 1; its suit if built by suit."""
    return card & 3 if game.by_suit else card & 1


@inner
def matching(game, kind):
    """Return the kind of the cards on which cards of a kind lie, and which lie on them."""
    return kind if game.by_suit else kind ^ 1


@inner
def lay_columns(game, board, signature):
    """Lay out the dealt columns of a signature; return False if it is none."""
    board.dealt[:] = FREE
    used, covered, occupied = ZERO, np.int64(0), np.int64(0)
    for number in range(game.columns):
        mask = (ONE << U64(game.widths[number])) - ONE
        used |= mask << U64(game.shifts[number])
        left = np.int64((signature >> U64(game.shifts[number])) & mask)
        if left > game.sizes[number] or (left == 1 and game.dealt[number, 0] >> 2 == KING):
            return False
        board.left[number], board.held[number] = left, -1
        for depth in range(left):
            card = game.dealt[number, depth]
            board.dealt[card] = COVERED
        if left > 0:
            board.dealt[card], board.held[number], board.column[card] = HELD, card, number
            covered += left - 1
            occupied += 1
    board.numbers[3], board.numbers[5] = covered, occupied
    return signature & ~used == ZERO


@inner
def lay_key(game, board, key):
    """Lay out foundations, stock and waste of a key; return False if it is none."""
    hand = np.int64(0)
    for place in range(game.pack.size):
        if (key >> U64(place)) & ONE:
            card = game.pack[place]
            if board.where[card] != FREE:
                return False
            board.where[card] = STOCK
            board.hand[hand] = place
            hand += 1
    shift = game.pack.size
    for suit in range(4):
        height = np.int64((key >> U64(shift + 4 * suit)) & U64(15))
        board.home[suit] = height
        if height > 13:
            return False
        for rank in range(height):
            if board.where[4 * rank + suit] != FREE:
                return False
            board.where[4 * rank + suit] = HOME
    waste = np.int64((key >> U64(shift + 16)) & U64(63))
    turns = np.int64(key >> U64(shift + 22)) if shift + 22 < 64 else np.int64(0)
    board.numbers[0], board.numbers[1], board.numbers[2] = hand, waste, turns
    if waste > hand or turns > max(game.most_turns, 0) or (hand == 0 and turns):
        return False
    return waste == 0 or game.most_turns >= 0 or not is_as_none(waste, hand, game.draw)


@inner
def lay_out(game, board, key):
    """Lay out a class of the signature that :func:`lay_columns` laid out.

    Return False if there is no such class.
    """
    for card in range(CARDS):
        board.where[card] = board.dealt[card]
    if not lay_key(game, board, key):
        return False
    board.open[:], board.free[:] = 0, 0
    for card in range(CARDS):
        rank, kind = card >> 2, kind_of(game, card)
        board.free[rank, kind] += board.where[card] == FREE
        board.open[rank, kind] += board.where[card] == FREE or board.where[card] == HELD
    used = board.numbers[5] + board.free[KING].sum()
    board.numbers[4] = game.columns - used
    good = used <= game.columns
    for rank in range(KING):
        for kind in range(4):
            good &= board.free[rank, kind] <= board.open[rank + 1, matching(game, kind)]
    return good


@kernel
def is_class(game, board, words):
    """Lay out a class (uint64[2]: signature, key) on the board; return False if there is none."""
    return lay_columns(game, board, words[0]) and lay_out(game, board, words[1])
