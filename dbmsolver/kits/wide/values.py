"""Values of states of wide games: the order in which they are expanded, and a bound of moves."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.kits.wide.tables import GONE, WASTED

VALUES = 1 << 12
"""The number of values; higher ones count as the highest."""
UNSUITED, LOOSE, EMPTY, AT_HOME, INVERTED, BASE, HIDDEN, SEGMENTS, WASTE = range(9)
"""The places of weights, as of :func:`costs_of`."""
WEIGHTS = 9


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


@inlined
def hidden_part(t, weights, origin, down):
    """Return the part of a column's costs that its ``down`` cards face down make up.

    It is the costs themselves, the segments of the column, and its lowest rank less one (int64);
    ``origin`` is the column that they were dealt to. :func:`with_card` goes on from there.
    """
    least, first = np.int64(13), t.first_down[origin]
    for place in range(down):
        least = min(least, np.int64(t.down[first + place]) >> 2)
    return weights[HIDDEN] * down, np.int64(down), least


@inlined
def card_below(t, b, column, down):
    """Return the last of ``down`` cards face down in a column (int64), -1 for none."""
    return np.int64(t.down[t.first_down[b.origin[column]] + down - 1]) if down else np.int64(-1)


@inlined
def with_card(t, weights, part, card, below):
    """Return a part of a column's costs with one more card, which lies on ``below``, or -1."""
    costs, segments, least = part
    if below < 0:
        costs += weights[BASE] * (12 - (card >> 2))
        segments += 1
    elif not t.joined[card, below] or card & 3 != below & 3:
        costs += weights[UNSUITED]
        segments += 1
        if not t.stacks[card, below]:
            costs += weights[LOOSE]
    if card >> 2 > least:
        costs += weights[INVERTED]
    return costs, segments, min(least, card >> 2)


@inlined
def whole_costs(weights, part):
    """Return the costs of a whole column (int64) of such a part."""
    costs, segments, _ = part
    if not segments:
        return -weights[EMPTY]
    return costs + weights[SEGMENTS] * (segments * (segments - 1) >> 1)


@inlined
def waste_costs(b, weights):
    """Return the costs of the waste, and those of its top card (int64)."""
    total, top, least = np.int64(0), np.int64(0), np.int64(13)
    for place in range(b.numbers[WASTED]):
        rank = np.int64(b.waste[place]) >> 2
        top = weights[WASTE]
        if rank > least:
            top += weights[INVERTED]
        total += top
        least = min(least, rank)
    return total, top


@inner
def costs_of(t, b, weights):
    """Return how far the state on a board is from the goal (int64), as ``weights`` have it.

    They are (int64[WEIGHTS]) those of: a card that does not lie on the next one of its suit; one
    that does not even lie on a card that takes it; an empty column; a card home; a card above a
    lower one of its column, or of the waste; each rank that the deepest card of a column without
    cards face down is below a king; a card face down; each pair of segments of a column; and a card
    of the waste. A segment is made of cards each of which lies on the next one of its suit.
    """
    total = np.int64(0)
    for column in range(t.columns):
        part = hidden_part(t, weights, b.origin[column], b.down[column])
        below = card_below(t, b, column, b.down[column])
        for place in range(b.up[column]):
            card = np.int64(b.cards[column, place])
            part = with_card(t, weights, part, card, below)
            below = card
        total += whole_costs(weights, part)
    for place in range(b.home.size):
        total -= weights[AT_HOME] * b.home[place]
    return total + waste_costs(b, weights)[0]


@inner
def value_of(t, b, weights):
    """Return the kind of a state times VALUES, plus the costs of the state (int64).

    Of the states of one kind, a dive expands the one with the lowest value first.
    """
    total = (VALUES >> 1) + costs_of(t, b, weights)
    return kind_of(t, b) * VALUES + max(0, min(total, VALUES - 1))
