"""Moves of wide games: Spider, Gypsy, Forty Thieves, Scorpion and their kin.

:mod:`dbmsolver.core.wide_tables` says what a state is. A state is written out on a board, each move
is made there, the row of the result is written, and the move is taken back.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.core.wide_tables import GONE, HEAD, PAD, WASTED
from dbmsolver.core.wide_values import bound_of, value
from dbmsolver.jit.decorators import inlined, inner, kernel

U64 = np.uint64
MOST_FOUND = 2048
"""More successors than a state has: each card face up onto each other column."""


@inner
def read_row(t, b, words, start, end):
    """Write a state, words ``start`` to ``end`` of an array, out on a board."""
    for place in range(end - start):
        b.words[place] = words[start + place]
    size = 8 * (end - start)
    row = b.row
    b.numbers[GONE] = row[0]
    at = 1
    for place in range(b.home.size):
        b.home[place] = row[at]
        at += 1
    b.numbers[WASTED] = 0
    if t.draw:
        while row[at] < HEAD:
            b.waste[b.numbers[WASTED]] = row[at]
            b.numbers[WASTED] += 1
            at += 1
    column = -1
    while at < size and row[at] != PAD:
        if row[at] >= HEAD:
            column += 1
            head = np.int64(row[at]) - HEAD
            b.down[column] = t.count[head]
            b.origin[column] = t.origin[head]
            b.up[column] = 0
        else:
            b.cards[column, b.up[column]] = row[at]
            b.up[column] += 1
        at += 1


@inlined
def _head(t, b, column):
    """Return the head of a column (int64)."""
    if not b.down[column]:
        return np.int64(HEAD)
    return np.int64(t.heads[t.first_down[b.origin[column]] + b.down[column] - 1])


@inner
def _is_lower(t, b, one, other):
    """Return True if a column's bytes come before another's."""
    head, other_head = _head(t, b, one), _head(t, b, other)
    if head != other_head:
        return head < other_head
    shared = min(b.up[one], b.up[other])
    for place in range(shared):
        card, against = b.cards[one, place], b.cards[other, place]
        if card != against:
            return card < against
    return b.up[one] < b.up[other]


@inner
def write_row(t, b):
    """Write the row of the state on a board to ``b.row``; return its length in words (int64)."""
    row = b.row
    row[0] = b.numbers[GONE]
    at = 1
    for place in range(b.home.size):
        row[at] = b.home[place]
        at += 1
    for place in range(b.numbers[WASTED]):
        row[at] = b.waste[place]
        at += 1
    stage = np.int64(0)
    if t.dealing:
        stage = (b.numbers[GONE] + t.columns - 1) // t.columns
    for column in range(t.columns):
        b.order[column] = column
        place, before = np.int64(column), t.before[stage, column]
        while before >= 0 and _is_lower(t, b, column, b.order[before]):
            b.order[place] = b.order[before]
            b.order[before] = column
            place, before = before, t.before[stage, before]
    for number in range(t.columns):
        column = b.order[number]
        row[at] = _head(t, b, column)
        at += 1
        for place in range(b.up[column]):
            row[at] = b.cards[column, place]
            at += 1
    while at & 7:
        row[at] = PAD
        at += 1
    return np.int64(at >> 3)


@inlined
def _home_at(t, b, suit, height):
    """Return the first foundation of a suit with this height (int64), -1 for none."""
    for place in range(t.first_home[suit], t.first_home[suit + 1]):
        if b.home[place] == height:
            return np.int64(place)
    return np.int64(-1)


@inlined
def _last_at(t, b, suit, height):
    """Return the last foundation of a suit with this height (int64), -1 for none."""
    found = np.int64(-1)
    for place in range(t.first_home[suit], t.first_home[suit + 1]):
        if b.home[place] == height:
            found = np.int64(place)
    return found


@inlined
def _turn_up(t, b, column):
    """Turn up the last card face down of a column without cards face up; return how many (0, 1)."""
    if b.up[column] or not b.down[column]:
        return np.int64(0)
    b.down[column] -= 1
    b.cards[column, 0] = t.down[t.first_down[b.origin[column]] + b.down[column]]
    b.up[column] = 1
    return np.int64(1)


@inlined
def _turn_down(b, column, turned):
    """Take back what :func:`_turn_up` did."""
    if turned:
        b.down[column] += 1
        b.up[column] = 0


@inlined
def _keep(t, b, weights, found, sizes, values, count):
    """Write the state on the board as a successor; return how many there are (int64)."""
    words = write_row(t, b)
    for place in range(words):
        found[count, place] = b.words[place]
    sizes[count] = words
    if weights.size > 1:
        values[count] = value(t, b, weights)
    else:
        values[count] = bound_of(t, b)
    return count + 1


@inlined
def _fits(t, b, card, column):
    """Return True if a card may be put on a column."""
    if b.up[column]:
        return t.stacks[card, b.cards[column, b.up[column] - 1]] == 1
    return t.fill == 1 or (t.fill == 2 and card >= 48)


@inlined
def _is_repeated(t, b, stage, column):
    """Return True if an empty column is like one before it."""
    before = t.before[stage, column]
    while before >= 0:
        if not b.up[before]:
            return True
        before = t.before[stage, before]
    return False


@inner
def expand_wide(t, b, weights, found, sizes, values):
    """List the successors of the state on a board; return how many there are (int64).

    Writes their rows to ``found`` (uint64[MOST_FOUND, ROW_WORDS]), their lengths to ``sizes`` and
    their values to ``values``: bounds if ``weights`` has one element, otherwise those of a dive.
    Of empty columns that are alike, cards go to the first one only. Rows may be the same.
    """
    count = np.int64(0)
    stage = np.int64(0)
    if t.dealing:
        stage = (b.numbers[GONE] + t.columns - 1) // t.columns
    for source in range(t.columns):
        size = np.int64(0)
        while size < b.up[source]:
            size += 1
            place = b.up[source] - size
            card = np.int64(b.cards[source, place])
            if size > 1 and not t.groups and not t.joined[b.cards[source, place + 1], card]:
                break
            if not t.whole and size == 1:
                count = _send_home(t, b, weights, found, sizes, values, count, source, card)
            elif t.whole and card >= 48 and size == 14 - t.lowest:
                count = _suit_home(t, b, weights, found, sizes, values, count, source, card)
            for column in range(t.columns):
                if column == source or not _fits(t, b, card, column):
                    continue
                empty = not b.up[column]
                if empty and _is_repeated(t, b, stage, column):
                    continue
                for offset in range(size):
                    b.cards[column, b.up[column] + offset] = b.cards[source, place + offset]
                b.up[column] += size
                b.up[source] -= size
                turned = _turn_up(t, b, source)
                count = _keep(t, b, weights, found, sizes, values, count)
                _turn_down(b, source, turned)
                b.up[source] += size
                b.up[column] -= size
                if turned:
                    for offset in range(size):
                        b.cards[source, place + offset] = b.cards[column, b.up[column] + offset]
    if b.numbers[WASTED]:
        count = _from_waste(t, b, weights, found, sizes, values, count, stage)
    if t.removable:
        count = _from_home(t, b, weights, found, sizes, values, count, stage)
    return _from_stock(t, b, weights, found, sizes, values, count)


@inner
def _send_home(t, b, weights, found, sizes, values, count, source, card):
    """List the move home of the last card of a column."""
    home = _home_at(t, b, card & 3, card >> 2)
    if home < 0:
        return count
    b.home[home] += 1
    b.up[source] -= 1
    turned = _turn_up(t, b, source)
    count = _keep(t, b, weights, found, sizes, values, count)
    _turn_down(b, source, turned)
    b.cards[source, b.up[source]] = card
    b.up[source] += 1
    b.home[home] -= 1
    return count


@inner
def _suit_home(t, b, weights, found, sizes, values, count, source, king):
    """List the move home of a whole suit, if it is the end of a column."""
    size = 14 - t.lowest
    place = b.up[source] - size
    for depth in range(size):
        if b.cards[source, place + depth] != king - 4 * depth:
            return count
    home = _home_at(t, b, king & 3, t.lowest - 1)
    b.home[home] = 13
    b.up[source] = place
    turned = _turn_up(t, b, source)
    count = _keep(t, b, weights, found, sizes, values, count)
    _turn_down(b, source, turned)
    for depth in range(size):
        b.cards[source, place + depth] = king - 4 * depth
    b.up[source] = place + size
    b.home[home] = t.lowest - 1
    return count


@inner
def _from_waste(t, b, weights, found, sizes, values, count, stage):
    """List the moves of the top card of the waste."""
    card = np.int64(b.waste[b.numbers[WASTED] - 1])
    b.numbers[WASTED] -= 1
    home = _home_at(t, b, card & 3, card >> 2) if not t.whole else np.int64(-1)
    if home >= 0:
        b.home[home] += 1
        count = _keep(t, b, weights, found, sizes, values, count)
        b.home[home] -= 1
    for column in range(t.columns):
        if _fits(t, b, card, column) and (b.up[column] or not _is_repeated(t, b, stage, column)):
            b.cards[column, b.up[column]] = card
            b.up[column] += 1
            count = _keep(t, b, weights, found, sizes, values, count)
            b.up[column] -= 1
    b.numbers[WASTED] += 1
    return count


@inner
def _from_home(t, b, weights, found, sizes, values, count, stage):
    """List the moves of cards that come back from the foundations."""
    for suit in range(4):
        for height in range(t.lowest, 14):
            home = _last_at(t, b, suit, height)
            if home < 0:
                continue
            card = np.int64(4 * (height - 1) + suit)
            b.home[home] -= 1
            for column in range(t.columns):
                alike = not b.up[column] and _is_repeated(t, b, stage, column)
                if _fits(t, b, card, column) and not alike:
                    b.cards[column, b.up[column]] = card
                    b.up[column] += 1
                    count = _keep(t, b, weights, found, sizes, values, count)
                    b.up[column] -= 1
            b.home[home] += 1
    return count


@inner
def _from_stock(t, b, weights, found, sizes, values, count):
    """List the move of the stock: a row that is dealt, or cards that are turned."""
    left = t.stock.size - b.numbers[GONE]
    if not left or not (t.dealing or t.draw):
        return count
    if t.draw:
        turned = min(t.draw, left)
        for number in range(turned):
            b.waste[b.numbers[WASTED] + number] = t.stock[b.numbers[GONE] + number]
        b.numbers[GONE] += turned
        b.numbers[WASTED] += turned
        count = _keep(t, b, weights, found, sizes, values, count)
        b.numbers[GONE] -= turned
        b.numbers[WASTED] -= turned
        return count
    if t.dealing == 2:
        for column in range(t.columns):
            if not b.up[column]:
                return count
    row = min(t.columns, left)
    for column in range(row):
        b.cards[column, b.up[column]] = t.stock[b.numbers[GONE] + column]
        b.up[column] += 1
    b.numbers[GONE] += row
    count = _keep(t, b, weights, found, sizes, values, count)
    b.numbers[GONE] -= row
    for column in range(row):
        b.up[column] -= 1
    return count


@kernel
def successors_of(t, b, words, weights, found, sizes, values):
    """List the successors of a state, as :func:`expand_wide` does; ``words`` is its row."""
    read_row(t, b, words, 0, words.size)
    return expand_wide(t, b, weights, found, sizes, values)


@kernel
def normal_row(t, b):
    """Write the row of the state on a board; return its length in words (int64)."""
    return write_row(t, b)


@kernel
def least_moves(t, b, words):
    """Return the lower bound of the moves that a state needs (int64); ``words`` is its row."""
    read_row(t, b, words, 0, words.size)
    return bound_of(t, b)
