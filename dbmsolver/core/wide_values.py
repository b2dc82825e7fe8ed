"""Values of states of wide games: the order in which they are expanded, and a bound of moves."""

from __future__ import annotations

import numpy as np

from dbmsolver.core.wide_tables import GONE
from dbmsolver.jit.decorators import inlined, inner, kernel

VALUES = 1 << 12
"""The number of values; higher ones count as the highest."""


@inner
def bound_of(t, b):
    """Return a lower bound of the moves that a state needs (int64).

    Each row that is dealt is a move, and so is each turn of the stock. Where cards go home one by
    one, each of them needs a move. Where whole suits do, each suit needs one, and so does each card
    of a column but the kings that does not lie on the next card of its suit: it has to, and only a
    move whose deepest card it is puts it there. A move makes the bound smaller by one at most: it
    changes what lies under one card, or the cards home, or the stock. So it is consistent.
    """
    left = t.stock.size - b.numbers[GONE] if t.dealing or t.draw else 0
    total = np.int64(0)
    if t.dealing:
        total += (left + t.columns - 1) // t.columns
    elif t.draw:
        total += (left + t.draw - 1) // t.draw
    for place in range(b.home.size):
        if t.whole:
            total += b.home[place] < 13
        else:
            total += 13 - b.home[place]
    if not t.whole:
        return total
    for column in range(t.columns):
        first = t.first_down[b.origin[column]]
        below = np.int64(-1)
        for place in range(b.down[column] + b.up[column]):
            if place < b.down[column]:
                card = np.int64(t.down[first + place])
            else:
                card = np.int64(b.cards[column, place - b.down[column]])
            total += card < 48 and below != card + 4
            below = card
    return total


@inlined
def kind_of(t, b):
    """Return the kind of a state (int64): turns of the stock or rows dealt, and cards turned up."""
    left = np.int64(0)
    for column in range(t.columns):
        left += b.down[column]
    stage = np.int64(0)
    if t.dealing:
        stage = (b.numbers[GONE] + t.columns - 1) // t.columns
    elif t.draw:
        stage = (b.numbers[GONE] + t.draw - 1) // t.draw
    return stage * (t.down.size + 1) + t.down.size - left


@kernel
def kinds_of(t):
    """Return the number of kinds of states (int64)."""
    stages = np.int64(t.before.shape[0])
    if t.draw:
        stages = 1 + (t.stock.size + t.draw - 1) // t.draw
    return stages * (t.down.size + 1)


@inner
def value(t, b, weights):
    """Return the kind of a state times VALUES, plus how far it is from the goal (int64).

    A dive expands the lowest value of a kind first. ``weights`` (int64[6]) are those of: a card
    that does not lie on the next one of its suit; one that does not even lie on a card that takes
    it; an empty column; a card home; a card above a lower one of its column; and each rank that the
    deepest card of a column without cards face down is below a king.
    """
    total = np.int64(VALUES >> 1)
    for column in range(t.columns):
        down, up = b.down[column], b.up[column]
        if not down and not up:
            total -= weights[2]
            continue
        below = np.int64(-1)
        if down:
            below = np.int64(t.down[t.first_down[b.origin[column]] + down - 1])
        least = np.int64(13)
        first = t.first_down[b.origin[column]]
        for place in range(down):
            least = min(least, np.int64(t.down[first + place]) >> 2)
        for place in range(up):
            card = np.int64(b.cards[column, place])
            if below < 0:
                total += weights[5] * (12 - (card >> 2))
            elif not t.joined[card, below] or card & 3 != below & 3:
                total += weights[0]
                if not t.stacks[card, below]:
                    total += weights[1]
            if card >> 2 > least:
                total += weights[4]
            least = min(least, card >> 2)
            below = card
    for place in range(b.home.size):
        total -= weights[3] * b.home[place]
    return kind_of(t, b) * VALUES + max(0, min(total, VALUES - 1))
