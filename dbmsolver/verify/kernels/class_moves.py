"""Moves between classes of positions of Klondike: the classes that follow from one are listed.

:mod:`dbmsolver.verify.kernels.class_layout` says what a class is. docs/dominance.md proves that
nothing else matters, and which moves need not be made. All three rules that leave moves out serve
the check of a proof. Distances are worked out with two of them, as
:mod:`dbmsolver.verify.kernels.class_distances` needs what these two alone grant.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.jit.decorators import inlined, inner
from dbmsolver.verify.kernels.class_layout import FREE, HELD, KING, STOCK, kind_of, matching
from dbmsolver.verify.kernels.rules import is_as_none
from dbmsolver.verify.kernels.words import ONE, U64, ZERO


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
def is_safe_home(game, board, card):
    """Return True if every card that may come to lie above a card is home, or can go home."""
    for other in range(4):
        if other != card & 3 and board.home[other] < game.at_home[card, other]:
            return False
    return True


@inlined
def is_won(game, covered, hand):
    """Return True if nothing is covered, and every card left can be turned up at any time."""
    return covered == 0 and (hand == 0 or (game.draw == 1 and game.most_turns < 0))


@inner
def with_home(game, key, card, by):
    """Return the key with the foundation of a card higher by one, or lower by one."""
    step = ONE << U64(game.pack.size + 4 * (card & 3))
    return key + step if by > 0 else key - step


@inner
def note(game, board, count, signature, key, covered, hand):
    """Write a class that follows to the board; return how many there are."""
    board.after[count, 0], board.after[count, 1] = signature, key
    board.won[count] = is_won(game, covered, hand)
    return count + 1


@inner
def move_open(game, board, count, signature, key, card):
    """Note the class in which an open card has left its place.

    A king that a held card leaves alone at the bottom is free.
    """
    covered = board.numbers[3]
    if board.where[card] == HELD:
        number = board.column[card]
        left = board.left[number] - 1
        if left > 0:
            covered -= 1
        leaving = 2 if left == 1 and game.dealt[number, 0] >> 2 == KING else 1
        signature -= U64(leaving) << U64(game.shifts[number])
    return note(game, board, count, signature, key, covered, board.numbers[0])


@inner
def after_play(game, board, key, number, turns):
    """Return the key after the last of ``number`` cards in the waste has left."""
    place = board.hand[number - 1]
    stay = (ONE << U64(game.pack.size + 16)) - ONE
    key = (key & stay) & ~(ONE << U64(place))
    waste, hand = number - 1, board.numbers[0] - 1
    if hand == 0:
        return key
    if game.most_turns < 0 and is_as_none(waste, hand, game.draw):
        waste = np.int64(0)
    key |= U64(waste) << U64(game.pack.size + 16)
    return key | (U64(turns) << U64(game.pack.size + 22)) if turns else key


@inner
def list_plays(game, board, count, signature, key, only):
    """Note what plays of the waste lead to.

    ``only`` is the one card to be played, home, -1 for all.

    Cards are turned up pass after pass. What can be played in a pass is not looked at in a later
    one, which leaves fewer turns.
    """
    hand, at, turns = board.numbers[0], board.numbers[1], board.numbers[2]
    covered = board.numbers[3]
    seen, passes = ZERO, 0
    while hand and passes < 2:
        if at and not (seen >> U64(at)) & ONE:
            seen |= ONE << U64(at)
            card = game.pack[board.hand[at - 1]]
            after = after_play(game, board, key, at, turns)
            if (only < 0 or card == only) and board.home[card & 3] == card >> 2:
                up = with_home(game, after, card, 1)
                count = note(game, board, count, signature, up, covered, hand - 1)
            if only < 0 and has_place(game, board, card):
                count = note(game, board, count, signature, after, covered, hand - 1)
        if at < hand:
            at = min(hand, at + game.draw)
            continue
        passes += 1
        if game.most_turns >= 0:
            if turns == 0:
                break
            turns -= 1
        at = np.int64(0)
    return count


@inner
def only_move(game, board):
    """Return a card that goes home where nothing else need be tried; -1 if there is none.

    Of several it is the lowest one, and one of the columns before one of the stock.
    """
    first = in_stock = np.int64(CARDS)
    for suit in range(4):
        card = 4 * board.home[suit] + suit
        if card >= CARDS or not is_safe_home(game, board, card):
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
def list_moves_home(game, board, count, signature, key):
    """Note what moves of open cards to foundations lead to."""
    for suit in range(4):
        card = 4 * board.home[suit] + suit
        if card >= CARDS or (board.where[card] != HELD and board.where[card] != FREE):
            continue
        if can_be_bared(game, board, card):
            up = with_home(game, key, card, 1)
            count = move_open(game, board, count, signature, up, card)
    return count


@inner
def list_moves_of_held(game, board, count, signature, key, every):
    """Note what moves of held cards to columns lead to."""
    kings = board.free[KING].sum()
    many = not every and board.numbers[4] + kings >= 4  # a fifth empty column is of no use
    for number in range(game.columns):
        card = board.held[number]
        if card < 0 or not has_place(game, board, card) or (many and board.left[number] == 1):
            continue
        count = move_open(game, board, count, signature, key, card)
    return count


@inner
def list_returns(game, board, count, signature, key):
    """Note what moves back from foundations lead to."""
    for suit in range(4):
        card = 4 * (board.home[suit] - 1) + suit
        if (
            board.home[suit] <= game.kept
            or is_safe_home(game, board, card)
            or not has_place(game, board, card)
        ):
            continue
        down = with_home(game, key, card, -1)
        covered, hand = board.numbers[3], board.numbers[0]
        count = note(game, board, count, signature, down, covered, hand)
    return count


@inner
def list_successors(game, board, signature, key, every):
    """Write the classes that follow from the one laid out to the board; return how many.

    With ``every``, moves that empty columns which no king needs are among them.
    """
    card = only_move(game, board)
    if card >= 0:
        if board.where[card] == STOCK:
            return list_plays(game, board, 0, signature, key, card)
        up = with_home(game, key, card, 1)
        return move_open(game, board, 0, signature, up, card)
    count = list_moves_home(game, board, 0, signature, key)
    count = list_moves_of_held(game, board, count, signature, key, every)
    count = list_returns(game, board, count, signature, key)
    return list_plays(game, board, count, signature, key, -1)
