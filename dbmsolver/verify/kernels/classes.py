"""The check of each class of positions of Klondike: every move leads to a closed class.

:mod:`dbmsolver.verify.kernels.class_layout` says what a class is. docs/dominance.md proves that
nothing else matters, and which moves need not be made.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.jit.decorators import inner, kernel
from dbmsolver.verify.kernels.blocks import difference
from dbmsolver.verify.kernels.class_layout import (
    FREE,
    HELD,
    KING,
    STOCK,
    kind_of,
    lay_columns,
    lay_out,
    matching,
)
from dbmsolver.verify.kernels.class_table import is_in, is_of_part
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.words import ONE, U64, ZERO

GOOD, BAD_CLASS, WRONG_STRATUM, WON, NO_SUCCESSOR = range(5)
"""Results of :func:`check_classes`."""
WON_SIGNATURE = np.uint64(1 << 63)


@inner
def can_be_bared(game, board, card):
    """Return True if an open card can be made the last of its column."""
    rank, kind = card >> 2, kind_of(game, card)
    lower = board.free[rank - 1, matching(game, kind)] if rank else np.int64(0)
    return board.open[rank, kind] > lower


@inner
def has_place(game, board, card):
    """Return True if a column takes a card: on a card one rank higher, or, a king, if empty."""
    rank, kind = card >> 2, kind_of(game, card)
    if rank == KING:
        return board.numbers[4] > 0
    return board.open[rank + 1, matching(game, kind)] > board.free[rank, kind]


@inner
def is_of_no_use(game, board, card):
    """Return True if every card that may come to lie above a card is home, or can go home."""
    for other in range(4):
        if other != card & 3 and board.home[other] < game.at_home[card, other]:
            return False
    return True


@inner
def is_won(game, covered, hand):
    """Return True if nothing is covered, and every card left can be turned up at any time."""
    return covered == 0 and (hand == 0 or (game.draw == 1 and game.most_turns < 0))


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
    step = ONE << U64(game.pack.size + 4 * (card & 3))
    return key + step if by > 0 else key - step


@inner
def is_closed(game, tables, pair, signature, key, covered, hand, lifted):
    """Return True if a class is closed, ``lifted`` strata above; else write it to ``pair``.

    A won class is not closed. One of another part than that of the tables is taken to be closed.
    """
    pair[0], pair[1] = signature, key
    if is_won(game, covered, hand):
        return False
    if not is_of_part(signature, key, tables.part, tables.parts):
        return True
    if lifted == 0:
        return is_in(tables.first, signature, key)
    return is_in(tables.second if lifted == 1 else tables.third, signature, key)


@inner
def move_open(game, tables, board, pair, signature, key, card):
    """Return True if the class is closed in which an open card has left its place."""
    after, covered = signature, board.numbers[3]
    lifted = np.int64(0)
    if board.where[card] == HELD:
        after, covered = after_leaving(game, board, signature, card)
        lifted = np.int64((signature - after) >> U64(game.shifts[board.column[card]]))
    return is_closed(game, tables, pair, after, key, covered, board.numbers[0], lifted)


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
def plays_are_closed(game, tables, board, pair, signature, key, only):
    """Return True if all plays of the waste lead to closed classes.

    ``only`` is the one card to be played, -1 for all.

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
                if not is_closed(game, tables, pair, signature, up, covered, hand - 1, 0):
                    return False
            if (
                only < 0
                and has_place(game, board, card)
                and not is_closed(game, tables, pair, signature, after, covered, hand - 1, 0)
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
    """Return True if a foundation waits for a card, open or in the stock."""
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
def moves_home_are_closed(game, tables, board, pair, signature, key):
    """Return True if all moves of open cards to foundations lead to closed classes."""
    for suit in range(4):
        card = 4 * board.home[suit] + suit
        if card >= CARDS or (board.where[card] != HELD and board.where[card] != FREE):
            continue
        if can_be_bared(game, board, card):
            up = with_home(game, key, card, 1)
            if not move_open(game, tables, board, pair, signature, up, card):
                return False
    return True


@inner
def moves_of_held_are_closed(game, tables, board, pair, signature, key):
    """Return True if all moves of held cards to columns lead to closed classes."""
    kings = board.free[KING].sum()
    many = board.numbers[4] + kings >= 4  # a fifth empty column is of no use
    for number in range(game.columns):
        card = board.held[number]
        if card < 0 or not has_place(game, board, card) or (many and board.left[number] == 1):
            continue
        if not move_open(game, tables, board, pair, signature, key, card):
            return False
    return True


@inner
def returns_are_closed(game, tables, board, pair, signature, key):
    """Return True if all moves back from foundations lead to closed classes."""
    for suit in range(4):
        card = 4 * (board.home[suit] - 1) + suit
        if card < 0 or is_of_no_use(game, board, card) or not has_place(game, board, card):
            continue
        down = with_home(game, key, card, -1)
        covered, hand = board.numbers[3], board.numbers[0]
        if not is_closed(game, tables, pair, signature, down, covered, hand, 0):
            return False
    return True


@inner
def successors_are_closed(game, tables, board, pair, signature, key):
    """Return True if every move leads to a closed class; else write a class to ``pair``."""
    card = only_move(game, board)
    if card >= 0:
        if board.where[card] == STOCK:
            return plays_are_closed(game, tables, board, pair, signature, key, card)
        up = with_home(game, key, card, 1)
        return move_open(game, tables, board, pair, signature, up, card)
    return (
        moves_home_are_closed(game, tables, board, pair, signature, key)
        and moves_of_held_are_closed(game, tables, board, pair, signature, key)
        and (not game.back or returns_are_closed(game, tables, board, pair, signature, key))
        and plays_are_closed(game, tables, board, pair, signature, key, -1)
    )


@kernel
def check_classes(game, board, tables, signatures, counts, body, expected, sums, pair):
    """Check the classes of a block of the stratum ``expected``.

    ``tables.first`` has the classes of that stratum, the others those of the next two. Adds the
    digest to ``sums`` (uint64[1]). Returns GOOD or an error; ``pair`` (uint64[4]) gets the
    successor concerned, then its class.
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
            if not successors_are_closed(game, tables, board, pair, signatures[run], key):
                return NO_SUCCESSOR
            sums[0] += hash_key(signatures[run], key, ZERO, 2)
    return GOOD
