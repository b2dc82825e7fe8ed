"""Rows of states of wide games: Spider, Gypsy, Forty Thieves and their kin.

:mod:`dbmsolver.kits.wide.tables` says what a state is. It is written out on a board, moves are made
there, and the row of the result is written.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.kits.wide.moves import stage_of
from dbmsolver.kits.wide.tables import GONE, HEAD, PAD, WASTED
from dbmsolver.kits.wide.values import bound_of


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
    stage = stage_of(t, b)
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
def is_won(b):
    """Return True if all cards of a board are home."""
    least = np.int64(13)
    for place in range(b.home.size):
        least = min(least, b.home[place])
    return least == 13


@kernel
def normal_row(t, b):
    """Write the row of the state on a board; return its length in words (int64)."""
    return write_row(t, b)


@kernel
def least_moves(t, b, words):
    """Return the lower bound of the moves that a state needs (int64); ``words`` is its row."""
    read_row(t, b, words, 0, words.size)
    return bound_of(t, b)
