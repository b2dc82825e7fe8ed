"""The check of each class of positions of Klondike: the rules once more.

A class says which cards of each dealt column lie where they were dealt, how high the foundations
are, and which cards stock and waste have left. All other cards are *free*: a king at the bottom of
a column, any other card on one of the two cards that are one rank higher and of the other colour,
or, by suit, on the next card of its suit.
The last card of a column that lies where it was dealt is *held*; those under it are *covered*. Held
and free cards are *open*. docs/dominance.md proves that nothing else matters, and which moves need
not be made.

A state is two words, a signature and a key; :mod:`dbmsolver.verify.class_format` says what they
hold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inner, kernel
from dbmsolver.verify.kernels.blocks import difference
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.words import ONE, U64, ZERO

CARDS, KING = 52, 12
COVERED, HELD, FREE, STOCK, HOME = range(5)
"""The places that a card can be in."""
GOOD, BAD_CLASS, WRONG_STRATUM, WON, NO_SUCCESSOR, TWICE = range(6)
"""Results of the kernels."""
WON_SIGNATURE = np.uint64(1 << 63)
NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The word in the place of a signature where a slot is empty."""
_MIX = np.uint64(0x9E3779B97F4A7C15)

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]


class Game(NamedTuple):
    """The rules and the deal."""

    columns: int
    draw: int
    most_turns: int  # of the waste, -1 for any number
    back: int  # 1 if cards come back from the foundations
    dealt: Ints  # [columns, most]: cards from the bottom up, held card last, -1 beyond
    sizes: Ints  # [columns]: how many these are
    shifts: Ints  # [columns]: where the column's number is in a signature
    widths: Ints  # [columns]: bits of that number
    pack: Ints  # [*]: cards of stock and waste in order
    total: int  # of sizes
    at_home: Ints  # [52, 4]: of each suit what has to be home for a card to be of no use elsewhere
    by_suit: int  # 1 if columns are built by suit, 0 by alternate colour


class Board(NamedTuple):
    """A class laid out, and what all classes of its signature share."""

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


class Known(NamedTuple):
    """Classes of some strata in hash tables of their own."""

    first: Words  # [slots, 2]
    second: Words
    third: Words


def make_board(game: Game) -> Board:
    """Return an empty board."""
    dealt, column, where, hand = (np.zeros(CARDS, np.int64) for _ in range(4))
    held, left = (np.zeros(game.columns, np.int64) for _ in range(2))
    counts, free = (np.zeros((13, 4), np.int64) for _ in range(2))
    home, numbers = np.zeros(4, np.int64), np.zeros(6, np.int64)
    return Board(dealt, held, left, column, where, home, hand, counts, free, numbers)


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
    """Lay out the dealt columns of a signature; returns False if it is none."""
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
    """Lay out foundations, stock and waste of a key; returns False if it is none."""
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
    return waste == 0 or game.most_turns >= 0 or not (waste % game.draw == 0 or waste == hand)


@inner
def lay_out(game, board, key):
    """Lay out a class of the signature that :func:`lay_columns` laid out.

    Returns False if there is no such class.
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


@inner
def can_be_bared(game, board, card):
    """Return whether an open card can be made the last of its column."""
    rank, kind = card >> 2, kind_of(game, card)
    lower = board.free[rank - 1, matching(game, kind)] if rank else np.int64(0)
    return board.open[rank, kind] > lower


@inner
def has_place(game, board, card):
    """Return whether a column takes a card: on a card one rank higher, or, a king, if empty."""
    rank, kind = card >> 2, kind_of(game, card)
    if rank == KING:
        return board.numbers[4] > 0
    return board.open[rank + 1, matching(game, kind)] > board.free[rank, kind]


@inner
def is_of_no_use(game, board, card):
    """Return whether each card that may come to lie on a card, or on those, is home or can go."""
    for other in range(4):
        if other != card & 3 and board.home[other] < game.at_home[card, other]:
            return False
    return True


@inner
def is_won(game, covered, hand):
    """Return whether nothing is covered, and every card left can be turned up at any time."""
    return covered == 0 and (hand == 0 or (game.draw == 1 and game.most_turns < 0))


@inner
def slot_of(signature, key, slots):
    """Return the first slot to look in."""
    word = (signature * _MIX) ^ (key + (key << U64(29)))
    word ^= word >> U64(31)
    return np.int64((word * _MIX) >> U64(20)) & (slots - 1)


@inner
def is_in(table, signature, key):
    """Return whether a class is in a table."""
    slots = table.shape[0]
    slot = slot_of(signature, key, slots)
    while table[slot, 0] != NONE:
        if table[slot, 0] == signature and table[slot, 1] == key:
            return True
        slot = (slot + 1) & (slots - 1)
    return False


@kernel
def enter(table, signatures, counts, body):
    """Enter the classes of a block into a table (uint64[slots, 2]); returns GOOD or TWICE."""
    number, slots = 0, table.shape[0]
    for run in range(signatures.size):
        key = ZERO
        for _ in range(counts[run]):
            key += difference(body, 0, number)
            number += 1
            slot = slot_of(signatures[run], key, slots)
            while table[slot, 0] != NONE:
                if table[slot, 0] == signatures[run] and table[slot, 1] == key:
                    return TWICE
                slot = (slot + 1) & (slots - 1)
            table[slot, 0], table[slot, 1] = signatures[run], key
    return GOOD


@inner
def after_leaving(game, board, signature, card):
    """Return the signature, and the number of covered cards, after a held card has left.

    A king that is left alone at the bottom is free.
    """
    number = board.column[card]
    left, covered = board.left[number] - 1, board.numbers[3]
    if left > 0:
        covered -= 1
    leaving = 2 if left == 1 and game.dealt[number, 0] >> 2 == KING else 1
    return signature - (U64(leaving) << U64(game.shifts[number])), covered


@inner
def with_home(game, key, card, by):
    """Return the key with the foundation of a card higher by one, or lower by one."""
    one = ONE << U64(game.pack.size + 4 * (card & 3))
    return key + one if by > 0 else key - one


@inner
def is_closed(game, known, board, pair, signature, key, covered, hand, lifted):
    """Return whether a class is closed, ``lifted`` strata above; else write it to ``pair``.

    A won class is not closed.
    """
    pair[0], pair[1] = signature, key
    if is_won(game, covered, hand):
        return False
    if lifted == 0:
        return is_in(known.first, signature, key)
    return is_in(known.second if lifted == 1 else known.third, signature, key)


@inner
def move_open(game, known, board, pair, signature, key, card):
    """Return whether the class is closed in which an open card has left its place."""
    after, covered = signature, board.numbers[3]
    lifted = np.int64(0)
    if board.where[card] == HELD:
        after, covered = after_leaving(game, board, signature, card)
        lifted = np.int64((signature - after) >> U64(game.shifts[board.column[card]]))
    return is_closed(game, known, board, pair, after, key, covered, board.numbers[0], lifted)


@inner
def after_play(game, board, key, number, turns):
    """Return the key after the last of ``number`` cards in the waste has left."""
    place = board.hand[number - 1]
    stay = (ONE << U64(game.pack.size + 16)) - ONE
    key = (key & stay) & ~(ONE << U64(place))
    waste, hand = number - 1, board.numbers[0] - 1
    if hand == 0:
        return key
    if game.most_turns < 0 and (waste % game.draw == 0 or waste == hand):
        waste = np.int64(0)
    key |= U64(waste) << U64(game.pack.size + 16)
    return key | (U64(turns) << U64(game.pack.size + 22)) if turns else key


@inner
def plays_are_closed(game, known, board, pair, signature, key, only):
    """Return whether all plays of the waste lead to closed classes; ``only`` one card, or -1.

    Cards are turned up pass after pass. What can be played in a pass is not looked at in a later
    one, which leaves fewer turns.
    """
    hand, at, turns = board.numbers[0], board.numbers[1], board.numbers[2]
    seen, passes = ZERO, 0
    while hand and passes < 2:
        if at and not (seen >> U64(at)) & ONE:
            seen |= ONE << U64(at)
            card = game.pack[board.hand[at - 1]]
            after = after_play(game, board, key, at, turns)
            covered = board.numbers[3]
            if (only < 0 or card == only) and is_next(board, card):
                up = with_home(game, after, card, 1)
                if not is_closed(game, known, board, pair, signature, up, covered, hand - 1, 0):
                    return False
            if (
                only < 0
                and has_place(game, board, card)
                and not is_closed(game, known, board, pair, signature, after, covered, hand - 1, 0)
            ):
                return False
        if at < hand:
            at = min(hand, at + game.draw)
            continue
        passes += 1
        if game.most_turns >= 0:
            if turns == 0:
                break
            turns -= 1
        at = np.int64(0)
    return True


@inner
def is_next(board, card):
    """Return whether a foundation waits for a card, open or in the stock."""
    return board.home[card & 3] == card >> 2


@inner
def only_move(game, board):
    """Return a card that goes home where nothing else need be tried; -1 if there is none.

    Of several it is the lowest one, and one of the columns before one of the stock.
    """
    first = in_stock = np.int64(CARDS)
    for suit in range(4):
        card = 4 * board.home[suit] + suit
        if card >= CARDS or not is_of_no_use(game, board, card):
            continue
        where = board.where[card]
        if where in (HELD, FREE):
            if can_be_bared(game, board, card):
                first = min(first, card)
        elif where == STOCK and game.draw == 1 and game.most_turns < 0:
            in_stock = min(in_stock, card)
    first = first if first < CARDS else in_stock
    return first if first < CARDS else np.int64(-1)


@inner
def moves_home_are_closed(game, known, board, pair, signature, key):
    """Return whether all moves of open cards to foundations lead to closed classes."""
    for suit in range(4):
        card = 4 * board.home[suit] + suit
        if card >= CARDS or (board.where[card] != HELD and board.where[card] != FREE):
            continue
        if can_be_bared(game, board, card):
            up = with_home(game, key, card, 1)
            if not move_open(game, known, board, pair, signature, up, card):
                return False
    return True


@inner
def moves_of_held_are_closed(game, known, board, pair, signature, key):
    """Return whether all moves of held cards to columns lead to closed classes."""
    kings = board.free[KING].sum()
    many = board.numbers[4] + kings >= 4  # a fifth empty column is of no use
    for number in range(game.columns):
        card = board.held[number]
        if card < 0 or not has_place(game, board, card) or (many and board.left[number] == 1):
            continue
        if not move_open(game, known, board, pair, signature, key, card):
            return False
    return True


@inner
def returns_are_closed(game, known, board, pair, signature, key):
    """Return whether all moves back from foundations lead to closed classes."""
    for suit in range(4):
        card = 4 * (board.home[suit] - 1) + suit
        if card < 0 or is_of_no_use(game, board, card) or not has_place(game, board, card):
            continue
        down = with_home(game, key, card, -1)
        covered, hand = board.numbers[3], board.numbers[0]
        if not is_closed(game, known, board, pair, signature, down, covered, hand, 0):
            return False
    return True


@inner
def successors_are_closed(game, known, board, pair, signature, key):
    """Return whether every move leads to a closed class; else write a class to ``pair``."""
    card = only_move(game, board)
    if card >= 0:
        if board.where[card] == STOCK:
            return plays_are_closed(game, known, board, pair, signature, key, card)
        up = with_home(game, key, card, 1)
        return move_open(game, known, board, pair, signature, up, card)
    return (
        moves_home_are_closed(game, known, board, pair, signature, key)
        and moves_of_held_are_closed(game, known, board, pair, signature, key)
        and (not game.back or returns_are_closed(game, known, board, pair, signature, key))
        and plays_are_closed(game, known, board, pair, signature, key, -1)
    )


@kernel
def check_classes(game, board, known, signatures, counts, body, expected, sums, pair):
    """Check the classes of a block of the stratum ``expected``.

    ``known.first`` has the classes of that stratum, the others those of the next two. Adds the
    digest to ``sums`` (uint64[1]). Returns what was found; ``pair`` (uint64[4]) gets the class
    concerned, then its successor.
    """
    number = 0
    for run in range(signatures.size):
        key = ZERO
        if counts[run] and signatures[run] == WON_SIGNATURE:
            pair[2], pair[3] = signatures[run], difference(body, 0, number)
            return WON
        is_signature = lay_columns(game, board, signatures[run])
        stratum = game.total - board.left.sum()
        for _ in range(counts[run]):
            key += difference(body, 0, number)
            number += 1
            pair[2], pair[3] = signatures[run], key
            if not is_signature or not lay_out(game, board, key):
                return BAD_CLASS
            if stratum != expected:
                return WRONG_STRATUM
            if is_won(game, board.numbers[3], board.numbers[0]):
                return WON
            if not successors_are_closed(game, known, board, pair, signatures[run], key):
                return NO_SUCCESSOR
            sums[0] += hash_key(signatures[run], key, ZERO, 2)
    return GOOD


@kernel
def is_class(game, board, words):
    """Lay out a class (uint64[2]: signature, key) on the board; returns False if there is none."""
    return lay_columns(game, board, words[0]) and lay_out(game, board, words[1])


@kernel
def holds(table, signature, key):
    """Return whether a class is in a table."""
    return is_in(table, signature, key)
