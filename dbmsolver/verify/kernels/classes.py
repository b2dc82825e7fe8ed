"""Classes of positions of Klondike: laid out from signature and key, and the moves between them.

A class says which cards of each dealt column lie where they were dealt, how high the foundations
are, and which cards stock and waste have left. All other cards are *free*: a king at the bottom of
a column, any other card on one of the two cards that are one rank higher and of the other colour,
or, by suit, on the next card of its suit.
The last card of a column that lies where it was dealt is *held*; those under it are *covered*. Held
and free cards are *open*.

A state is two words, a signature and a key; :mod:`dbmsolver.verify.class_format` says what they
hold. docs/dominance.md proves that nothing else matters, and which moves need not be made. All
three rules that leave moves out serve the check of a proof. Distances are worked out with two of
them, as :mod:`dbmsolver.verify.kernels.class_distances` needs what these two alone grant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels.rules import is_as_none, is_safe
from dbmsolver.verify.kernels.words import (
    ALL,
    KINGS,
    ONE,
    U64,
    ZERO,
    Ints,
    Words,
    cards_home,
    count_bits,
    first_of,
    height_of,
    holds,
    one,
)

KING = 12
WON_SIGNATURE = np.uint64(1 << 63)


@struct
class ClassRules(NamedTuple):
    """The rules and the deal, as far as classes need them; names are those of `Rules`."""

    columns: int
    draw: int
    turns: int
    kept: int
    pack: Ints  # [*]: cards of stock and waste in order
    at_home: Ints  # [ways, 52, 4]
    takes: Words  # [52]: the cards that a card may be put on
    carried: Words  # [52]: the cards that may be put on a card
    alike: Words  # [52]: a card, and the cards of its rank with the same takes and carried
    dealt: Ints  # [columns, most]: cards from the bottom up, held card last, -1 beyond
    sizes: Ints  # [columns]: how many these are
    shifts: Ints  # [columns]: where the column's number is in a signature
    widths: Ints  # [columns]: bits of that number
    column: Ints  # [52]: the column of a dealt card
    under: Ints  # [52]: the card beneath it there, -1 for none
    total: int  # of sizes

    def progress(self, signatures: Words) -> Ints:
        """Return the stratum of each signature: the dealt cards that have left."""
        total = np.full(signatures.size, self.total, np.int64)
        for shift, width in zip(self.shifts, self.widths, strict=True):
            left = signatures >> np.uint64(shift) & np.uint64((1 << int(width)) - 1)
            total -= left.astype(np.int64)
        total[signatures == WON_SIGNATURE] = self.total + 1
        return total


@struct
class ClassBoard(NamedTuple):
    """Scratch memory of one thread."""

    hand: Ints  # [52]: places in the pack of the cards of a class that are left
    after: Words  # [*, 2]: signature and key of the classes that follow
    won: Ints  # [*]: 1 for those that are won


class LaidClass(NamedTuple):
    """A class laid out: sets of cards, and numbers."""

    heights: np.uint64  # of the foundations, four bits for each suit
    covered: np.uint64
    held: np.uint64
    free: np.uint64
    open: np.uint64
    stock: np.uint64  # cards of stock and waste
    hand: int  # how many these are
    waste: int  # of them in the waste
    turns: int  # times that the waste may still be turned over
    spaces: int  # empty columns


def make_board(game: ClassRules) -> ClassBoard:
    """Return scratch memory."""
    most = game.columns + 8 + 2 * game.pack.size  # held cards, foundations, plays
    after, won = np.zeros((most, 2), np.uint64), np.zeros(most, np.int64)
    return ClassBoard(np.zeros(CARDS, np.int64), after, won)


@inner
def lay_columns(game, signature):
    """Lay out the dealt columns of a signature: (False if it is none, covered cards, held ones)."""
    used = covered = held = ZERO
    for number in range(game.columns):
        mask = (ONE << U64(game.widths[number])) - ONE
        used |= mask << U64(game.shifts[number])
        left = np.int64((signature >> U64(game.shifts[number])) & mask)
        if left > game.sizes[number] or (left == 1 and game.dealt[number, 0] >> 2 == KING):
            return False, covered, held
        for depth in range(left - 1):
            covered |= one(game.dealt[number, depth])
        if left:
            held |= one(game.dealt[number, left - 1])
    return signature & ~used == ZERO, covered, held


@inner
def lay_out(game, board, covered, held, key):
    """Lay out a class with these covered and held cards: (False if there is none, the class)."""
    size = game.pack.size
    hand, stock = np.int64(0), ZERO
    for place in range(size):
        if (key >> U64(place)) & ONE:
            stock |= one(game.pack[place])
            board.hand[hand] = place
            hand += 1
    heights = (key >> U64(size)) & U64(0xFFFF)
    home, good = cards_home(heights), True
    for suit in range(4):
        good &= height_of(heights, suit) <= 13
    good &= home & (covered | held | stock) == ZERO
    waste = np.int64((key >> U64(size + 16)) & U64(63))
    turns = np.int64(key >> U64(size + 22)) if size + 22 < 64 else np.int64(0)
    good &= waste <= hand and turns <= (max(game.turns, 0) if hand else 0)
    good &= waste == 0 or game.turns >= 0 or not is_as_none(waste, hand, game.draw)
    free = ALL & ~(home | covered | held | stock)
    spaces = game.columns - count_bits(held) - count_bits(free & KINGS)
    laid = LaidClass(heights, covered, held, free, held | free, stock, hand, waste, turns, spaces)
    good &= spaces >= 0
    rest = free & ~KINGS
    while rest:
        card, rest = first_of(rest)
        good &= count_bits(free & game.alike[card]) <= count_bits(laid.open & game.takes[card])
    return good, laid


@kernel
def lay_class(game, board, signature, key):
    """Lay out a class: (False if there is none, the class)."""
    is_signature, covered, held = lay_columns(game, signature)
    good, laid = lay_out(game, board, covered, held, key)
    return is_signature and good, laid


@inlined
def can_be_bared(game, laid, card):
    """Return True if an open card can be made the last of its column."""
    lower = count_bits(laid.free & game.carried[card])
    return count_bits(laid.open & game.alike[card]) > lower


@inlined
def has_place(game, laid, card):
    """Return True if a column takes a card: on a card one rank higher, or, a king, if empty."""
    if card >> 2 == KING:
        return laid.spaces > 0
    return count_bits(laid.open & game.takes[card]) > count_bits(laid.free & game.alike[card])


@inlined
def is_won(game, covered, hand):
    """Return True if nothing is covered, and every card left can be turned up at any time."""
    return covered == ZERO and (hand == 0 or (game.draw == 1 and game.turns < 0))


@inlined
def step_of(game, card):
    """Return what a card that goes home adds to the key."""
    return ONE << U64(game.pack.size + 4 * (card & 3))


@inlined
def note(game, board, count, signature, key, covered, hand):
    """Write a class that follows to the board; return how many there are."""
    board.after[count, 0], board.after[count, 1] = signature, key
    board.won[count] = is_won(game, covered, hand)
    return count + 1


@inner
def move_open(game, board, laid, count, signature, key, card):
    """Note the class in which an open card has left its place.

    A king that a held card leaves alone at the bottom is free.
    """
    covered = laid.covered
    if holds(laid.held, card):
        leaving, under = 1, game.under[card]
        if under >= 0:
            covered &= ~one(under)
            if under >> 2 == KING and game.under[under] < 0:
                leaving = 2
        signature -= U64(leaving) << U64(game.shifts[game.column[card]])
    return note(game, board, count, signature, key, covered, laid.hand)


@inner
def after_play(game, board, laid, key, number, turns):
    """Return the key after the last of ``number`` cards in the waste has left."""
    stay = (ONE << U64(game.pack.size + 16)) - ONE
    key = (key & stay) & ~(ONE << U64(board.hand[number - 1]))
    return with_waste(game, key, laid.hand - 1, number - 1, turns)


@inlined
def with_waste(game, key, hand, waste, turns):
    """Return a key that says where waste and stock begin, and the turns that are left."""
    size = game.pack.size
    if hand == 0:
        return key
    if game.turns >= 0 or not is_as_none(waste, hand, game.draw):
        key |= U64(waste) << U64(size + 16)
    return key | (U64(turns) << U64(size + 22)) if turns else key


@inner
def list_plays(game, board, laid, count, signature, key, only):
    """Note what plays of the waste lead to.

    ``only`` is a card that is played, and only home; -1 for every card.

    Cards are turned up pass after pass. What can be played in a pass is not looked at in a later
    one, which leaves fewer turns.
    """
    hand, at, turns = laid.hand, laid.waste, laid.turns
    seen, passes = ZERO, 0
    while hand and passes < 2:
        if at and not holds(seen, at):
            seen |= one(at)
            card = game.pack[board.hand[at - 1]]
            after = after_play(game, board, laid, key, at, turns)
            if (only < 0 or card == only) and height_of(laid.heights, card & 3) == card >> 2:
                up = after + step_of(game, card)
                count = note(game, board, count, signature, up, laid.covered, hand - 1)
            if only < 0 and has_place(game, laid, card):
                count = note(game, board, count, signature, after, laid.covered, hand - 1)
        if at < hand:
            at = min(hand, at + game.draw)
            continue
        passes += 1
        if game.turns >= 0:
            if turns == 0:
                break
            turns -= 1
        at = np.int64(0)
    return count


@inner
def only_move(game, laid):
    """Return a card that goes home where nothing else need be tried; -1 if there is none.

    Of several it is the lowest one, and one of the columns before one of the stock.
    """
    first = in_stock = np.int64(CARDS)
    for suit in range(4):
        card = 4 * height_of(laid.heights, suit) + suit
        if card >= CARDS or not is_safe(game, laid.heights, card):
            continue
        if holds(laid.open, card):
            if can_be_bared(game, laid, card):
                first = min(first, card)
        elif holds(laid.stock, card) and game.draw == 1 and game.turns < 0:
            in_stock = min(in_stock, card)
    first = first if first < CARDS else in_stock
    return first if first < CARDS else np.int64(-1)


@inner
def list_moves_home(game, board, laid, count, signature, key):
    """Note what moves of open cards to foundations lead to."""
    for suit in range(4):
        card = 4 * height_of(laid.heights, suit) + suit
        if card < CARDS and holds(laid.open, card) and can_be_bared(game, laid, card):
            up = key + step_of(game, card)
            count = move_open(game, board, laid, count, signature, up, card)
    return count


@inner
def list_moves_of_held(game, board, laid, count, signature, key, every):
    """Note what moves of held cards to columns lead to."""
    kings = count_bits(laid.free & KINGS)
    many = not every and laid.spaces + kings >= 4  # a fifth empty column is of no use
    rest = laid.held
    while rest:
        card, rest = first_of(rest)
        if has_place(game, laid, card) and not (many and game.under[card] < 0):
            count = move_open(game, board, laid, count, signature, key, card)
    return count


@inner
def list_returns(game, board, laid, count, signature, key):
    """Note what moves back from foundations lead to."""
    for suit in range(4):
        height = height_of(laid.heights, suit)
        card = 4 * (height - 1) + suit
        if height <= game.kept or is_safe(game, laid.heights, card):
            continue
        if has_place(game, laid, card):
            down = key - step_of(game, card)
            count = note(game, board, count, signature, down, laid.covered, laid.hand)
    return count


@inner
def list_successors(game, board, laid, signature, key, every):
    """Write the classes that follow from a class to the board; return how many.

    With ``every``, moves that empty a column are among them even where no king needs one.
    """
    card = only_move(game, laid)
    if card >= 0:
        if holds(laid.stock, card):
            return list_plays(game, board, laid, 0, signature, key, card)
        up = key + step_of(game, card)
        return move_open(game, board, laid, 0, signature, up, card)
    count = list_moves_home(game, board, laid, 0, signature, key)
    count = list_moves_of_held(game, board, laid, count, signature, key, every)
    count = list_returns(game, board, laid, count, signature, key)
    return list_plays(game, board, laid, count, signature, key, -1)
