"""Moves of wide games on a board: they are listed as numbers, made, and taken back.

A move's number has its kind in the lowest bits, then two places, then a number of cards or a card.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, inner
from dbmsolver.kits.wide.tables import GONE, WASTED

MOST_FOUND = 2048
"""More moves than a state has: each card face up onto each other column."""

ONTO, HOME, SUIT, WASTE_HOME, WASTE_ONTO, BACK, STOCK = range(7)
"""The kinds of moves: cards of a column onto another one; a card of a column, or a whole suit,
home; the card of the waste, home or onto a column; a card from a foundation onto a column; and
cards of the stock, dealt or turned."""


@inlined
def move_of(kind, first, second, number):
    """Return a move as one number (int64).

    ``kind`` is HOME, SUIT, BACK or another constant of this module. ``first`` is the column that
    cards leave, or the foundation for BACK. ``second`` is the column or foundation that takes them.
    ``number`` is how many cards move; for BACK it is the card.
    """
    return np.int64(kind | first << 3 | second << 9 | number << 15)


@inlined
def kind_of_move(move):
    """Return the kind of a move (int64)."""
    return move & 7


@inlined
def first_of(move):
    """Return the first place of a move (int64)."""
    return move >> 3 & 63


@inlined
def second_of(move):
    """Return the second place of a move (int64)."""
    return move >> 9 & 63


@inlined
def number_of(move):
    """Return the number of cards of a move, or its card (int64)."""
    return move >> 15


@inlined
def stage_of(t, b):
    """Return how many rows were dealt (int64); 0 where no rows are dealt."""
    return (b.numbers[GONE] + t.columns - 1) // t.columns if t.dealing else np.int64(0)


@inlined
def _home_at(t, b, suit, height):
    """Return the first foundation of a suit with this height (int64), -1 for none."""
    for place in range(t.first_home[suit], t.first_home[suit + 1]):
        if b.home[place] == height:
            return np.int64(place)
    return np.int64(-1)


@inlined
def _is_taken(t, b, card, column, stage):
    """Return True if a card may be put on a column, and no column before it is like it if empty."""
    if b.up[column]:
        return t.stacks[card, b.cards[column, b.up[column] - 1]] == 1
    if t.fill == 0 or (t.fill == 2 and card < 48):
        return False
    before = t.before[stage, column]
    while before >= 0:
        if not b.up[before]:
            return False
        before = t.before[stage, before]
    return True


@inner
def list_moves(t, b, moves):
    """Write the moves of the state on a board to ``moves`` (int64[MOST_FOUND]); return how many.

    Of empty columns that make no difference, cards go to the first one only. The move of the stock,
    if there is one, is last.
    """
    count, stage = np.int64(0), stage_of(t, b)
    for source in range(t.columns):
        size = np.int64(0)
        while size < b.up[source]:
            size += 1
            place = b.up[source] - size
            card = np.int64(b.cards[source, place])
            if size > 1 and not t.groups and not t.joined[b.cards[source, place + 1], card]:
                break
            if not t.whole and size == 1:
                home = _home_at(t, b, card & 3, card >> 2)
                if home >= 0:
                    moves[count] = move_of(HOME, source, home, size)
                    count += 1
            elif t.whole and card >= 48 and size == 14 - t.lowest and _is_suit(t, b, source, card):
                home = _home_at(t, b, card & 3, t.lowest - 1)
                moves[count] = move_of(SUIT, source, home, size)
                count += 1
            for column in range(t.columns):
                if column != source and _is_taken(t, b, card, column, stage):
                    moves[count] = move_of(ONTO, source, column, size)
                    count += 1
    if b.numbers[WASTED]:
        count = _from_waste(t, b, moves, count, stage)
    if t.removable:
        count = _from_home(t, b, moves, count, stage)
    if _has_stock_move(t, b):
        left = t.stock.size - b.numbers[GONE]
        moves[count] = move_of(STOCK, 0, 0, min(left, t.draw if t.draw else t.columns))
        count += 1
    return count


@inlined
def _is_suit(t, b, source, king):
    """Return True if a column ends with a complete suit, from the king down to the lowest rank."""
    size = 14 - t.lowest
    place = b.up[source] - size
    depth = np.int64(0)
    while depth < size and b.cards[source, place + depth] == king - 4 * depth:
        depth += 1
    return depth == size


@inner
def _from_waste(t, b, moves, count, stage):
    """List the moves of the top card of the waste."""
    card = np.int64(b.waste[b.numbers[WASTED] - 1])
    home = _home_at(t, b, card & 3, card >> 2) if not t.whole else np.int64(-1)
    if home >= 0:
        moves[count] = move_of(WASTE_HOME, 0, home, 1)
        count += 1
    for column in range(t.columns):
        if _is_taken(t, b, card, column, stage):
            moves[count] = move_of(WASTE_ONTO, 0, column, 1)
            count += 1
    return count


@inner
def _from_home(t, b, moves, count, stage):
    """List the moves of cards that come back: from the last of a suit's foundations alike."""
    for suit in range(4):
        last = t.first_home[suit + 1] - 1
        for home in range(last, t.first_home[suit] - 1, -1):
            height = b.home[home]
            if height < t.lowest or (home < last and b.home[home + 1] == height):
                continue
            card = np.int64(4 * (height - 1) + suit)
            for column in range(t.columns):
                if _is_taken(t, b, card, column, stage):
                    moves[count] = move_of(BACK, home, column, card)
                    count += 1
    return count


@inlined
def _has_stock_move(t, b):
    """Return True if a row may be dealt, or cards turned to the waste."""
    if b.numbers[GONE] == t.stock.size or not (t.dealing or t.draw):
        return False
    if t.dealing == 2:
        for column in range(t.columns):
            if not b.up[column]:
                return False
    return True


@inlined
def _turn_up(t, b, column):
    """Turn up a column's last card, if it lies face down."""
    if not b.up[column] and b.down[column]:
        b.down[column] -= 1
        b.cards[column, 0] = t.down[t.first_down[b.origin[column]] + b.down[column]]
        b.up[column] = 1


@inlined
def _copy_cards(b, source, column, size):
    """Put the last cards of a column onto another one, too."""
    place, top = b.up[source] - size, b.up[column]
    for offset in range(size):
        b.cards[column, top + offset] = b.cards[source, place + offset]
    b.up[column] = top + size


@inner
def make_move(t, b, move):
    """Make a move on a board."""
    kind, first, second = kind_of_move(move), first_of(move), second_of(move)
    number = number_of(move)
    if kind == STOCK:
        _take_stock(t, b, number)
    elif kind == WASTE_HOME:
        b.home[second] += 1
        b.numbers[WASTED] -= 1
    elif kind in (BACK, WASTE_ONTO):
        card = number
        if kind == BACK:
            b.home[first] -= 1
        else:
            b.numbers[WASTED] -= 1
            card = np.int64(b.waste[b.numbers[WASTED]])
        b.cards[second, b.up[second]] = card
        b.up[second] += 1
    else:
        if kind == ONTO:
            _copy_cards(b, first, second, number)
        else:
            b.home[second] += number
        b.up[first] -= number
        _turn_up(t, b, first)


@inlined
def _take_stock(t, b, number):
    """Deal a row of ``number`` cards, or turn them to the waste."""
    for place in range(number):
        card = t.stock[b.numbers[GONE] + place]
        if t.draw:
            b.waste[b.numbers[WASTED] + place] = card
        else:
            b.cards[place, b.up[place]] = card
            b.up[place] += 1
    b.numbers[GONE] += number
    if t.draw:
        b.numbers[WASTED] += number


@inlined
def remember(b):
    """Remember the state on a board, for :func:`take_back`."""
    for place in range(b.counters.size):
        b.counters_before[place] = b.counters[place]
    for column in range(b.up.size):
        b.deepest_before[column] = b.cards[column, 0]


@inlined
def take_back(b):
    """Take back the one move that was made after :func:`remember`.

    A move changes counters, and may turn a card up. It overwrites no other card of the state: those
    that have left a column still stand in its array.
    """
    for place in range(b.counters.size):
        b.counters[place] = b.counters_before[place]
    for column in range(b.up.size):
        b.cards[column, 0] = b.deepest_before[column]
