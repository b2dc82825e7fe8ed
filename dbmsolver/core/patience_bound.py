"""Klondike and its relatives: moves that a solution has at least, admissible and consistent.

In each column the cards that lie face down, and those that lie open, are *places of rest*: each
card that lies face down is one, and all open cards of the column together are one. A move takes
cards away from one place of rest at most: it takes open cards, and a card that lies face down only
once it has been turned up. The bound is the sum of these:

*Home.* A move home for each card that is not home.

*Paid.* A place of rest is paid if one of its cards lies above a lower one of its suit in the
column: that one goes home first, so a move that is none home takes the card away before. Such a
move lowers the number of paid places by one at most, that of the cards that it takes: a card that
was face down is the only open one once it is turned up, and as paid as before. Where the cards
go to, a place may become paid. A move home takes a card all whose lower ones are home: it frees
none.

*Deadlocks.* Of two places of rest that are not paid, let x be the deepest card of one and y of the
other, both as they were dealt. If y's suit has a card lower than y beneath x, and x's suit one
lower than x beneath y, then neither goes home before the other has moved: for one of the two a move
is needed that is none home, and takes just it, with what lies on it. The smallest set of places
that has one of each such pair is counted: a move takes away one place at most, and so does one that
makes a place paid, for which another move is counted then. A card that goes home has no lower one
of its suit anywhere, so it is in no pair. What lies beneath a dealt card is what was dealt there,
so all pairs of a deal are known beforehand.

*Turns*, where they count. A turn for every ``draw`` cards of the stock that are not in the waste:
each has to come to the waste. A card of the waste above a lower one of its suit leaves the waste
by a move that is none home, or the waste is turned over, and the card is turned once more: so there
is a move for each such card where single cards are turned, and one for every ``draw`` of them
otherwise. When the waste is turned over, no card lies in the waste any more, but so many cards in
the stock. Where single cards are turned, cards of the waste are places of rest in deadlocks, too:
with one that is not counted already, either the card moves elsewhere but home, or it is turned
again.

A card that comes back from a foundation adds one to the first of the four, and takes nothing from
the others. A whole column that moves to another one takes what is paid along. A card of a reserve
that fills a column is alone there, and not as it was dealt; it was not home before, and is not
after.

Of a state that follows from another one, only what the move changes is looked at again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.core.bits import lowest_bit
from dbmsolver.core.bound import WORK_WORDS, smallest_cover
from dbmsolver.core.patience import take
from dbmsolver.core.patience_tables import (
    BOTTOM,
    DEALT,
    HOME,
    IN_WASTE,
    LEFT,
    MOST_COLUMNS,
    ON_NOTHING,
    PER_WORD,
    RESERVE,
    USED,
    WASTE_SHIFT,
    Ints,
    Words,
    last_of_reserve,
    of_canfield,
)
from dbmsolver.core.tables import CARDS
from dbmsolver.jit.decorators import inlined, inner, kernel

U64 = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)


class BoundTables(NamedTuple):
    """Constants of one deal."""

    lowest: Ints  # [52, 4]: of a dealt card and those beneath, the lowest card of a suit, or 52
    paid: Words  # [1]: the cards dealt above a lower one of their suit
    pairs: Words  # [52]: those that a card as it was dealt is in a deadlock with
    waiting: Words  # [52]: those dealt above a card of this one's suit that is lower than it
    higher: Words  # [52]: all cards of the same suit that are higher


class Weights(NamedTuple):
    """Parts of a state's bound: arrays that are written again for each state."""

    column: Ints  # [52]: the column of each card, -1 for none
    depth: Ints  # [52]
    lowest: Ints  # [14, 4]: the lowest card of a suit in a column, or 52
    above: Words  # [14]: the depths of open cards above a lower one of their suit
    held: Words  # [14]: the deepest open card where it is as it was dealt, as a bit
    sums: Ints  # [4]: see below
    resting: Words  # [3]: see below
    turned: Ints  # [53]: of so many cards in the waste, those above lower ones of their suit
    tops: Words  # [53]: the others of them
    covers: Ints  # [53]: deadlocks with so many cards in the waste, -1 where not known
    seen: Ints  # [4]
    work: Words  # [*]


CARDS_HOME, PAID = 0, 1
"""Indices of ``sums``: the number of cards that are not home; the number of places that are
paid."""
PLACES, EDGED = 0, 1
"""Indices of ``resting``: the set of places in columns that are not paid; the set of cards in any
deadlock."""


def make_weights() -> Weights:
    """Return room for the weights of a state."""
    return Weights(
        column=np.zeros(CARDS, np.int64),
        depth=np.zeros(CARDS, np.int64),
        lowest=np.zeros((MOST_COLUMNS + 1, 4), np.int64),
        above=np.zeros(MOST_COLUMNS + 1, np.uint64),
        held=np.zeros(MOST_COLUMNS + 1, np.uint64),
        sums=np.zeros(4, np.int64),
        resting=np.zeros(3, np.uint64),
        turned=np.zeros(CARDS + 1, np.int64),
        tops=np.zeros(CARDS + 1, np.uint64),
        covers=np.zeros(CARDS + 1, np.int64),
        seen=np.zeros(4, np.int64),
        work=np.zeros(WORK_WORDS, np.uint64),
    )


@inner
def weigh(t, b, board, weights):
    """Write the parts of a state's bound to ``weights``.

    ``board`` is the state as :func:`~dbmsolver.core.patience.take` writes it.
    """
    lowest, work = weights.lowest, weights.work
    home = np.int64(CARDS)
    for suit in range(4):
        home -= board.heights[suit]
    for card in range(CARDS):
        weights.column[card] = -1
    paid, places = np.int64(0), ZERO
    for column in range(board.numbers[USED]):
        up = board.up[column]
        for suit in range(4):
            lowest[column, suit] = CARDS
        for depth in range(up):
            card = board.stacks[column, depth]
            if (b.paid[0] >> U64(card)) & ONE:
                paid += 1
            else:
                places |= ONE << U64(card)
        if up:
            card = board.stacks[column, up - 1]
            for suit in range(4):
                lowest[column, suit] = b.lowest[card, suit]
        above = ZERO
        for depth in range(up, board.lengths[column]):
            card = board.stacks[column, depth]
            weights.column[card] = column
            weights.depth[card] = depth
            if lowest[column, card & 3] < card:
                above |= ONE << U64(depth)
            else:
                lowest[column, card & 3] = card
        held = board.stacks[column, up]
        weights.above[column] = above
        weights.held[column] = ONE << U64(held) if board.digits[held] == DEALT else ZERO
        if above:
            paid += 1
        else:
            places |= weights.held[column]
    weights.sums[CARDS_HOME], weights.sums[PAID] = home, paid
    edged = ZERO
    rest = places
    for column in range(board.numbers[USED]):
        rest |= weights.held[column]  # a place that is paid may come to be one that is not
    every = rest
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        work[card] = b.pairs[card] & every
        if work[card]:
            edged |= ONE << U64(card)
    weights.resting[PLACES], weights.covers[0] = places, -1
    if t.counted:
        edged |= _weigh_waste(t, b, board, weights, every)
    weights.resting[EDGED] = edged


@inner
def _weigh_waste(t, b, board, weights, places):
    """Write the part of the bound that waste and stock add.

    Returns the set (uint64) of the cards of the waste that are in deadlocks, and of the cards that
    they are in deadlocks with.
    """
    work, lowest, left = weights.work, weights.seen, board.numbers[LEFT]
    for suit in range(4):
        lowest[suit] = CARDS
    edged = tops = ZERO
    count = np.int64(0)
    weights.turned[0], weights.tops[0] = 0, ZERO
    for place in range(left):
        card = board.left[place]
        if lowest[card & 3] < card:
            count += 1
        else:
            lowest[card & 3] = card
            if t.draw == 1:
                over = ZERO
                for suit in range(4):
                    if lowest[suit] < CARDS and suit != card & 3:
                        over |= b.higher[lowest[suit]]
                near = over & b.waiting[card] & places
                if near:
                    bit = ONE << U64(card)
                    work[card] = near
                    edged |= near | bit
                    tops |= bit
                    while near:
                        other = lowest_bit(near)
                        near &= near - ONE
                        work[other] |= bit
        weights.turned[place + 1] = count
        weights.tops[place + 1] = tops
        weights.covers[place + 1] = -1
    return edged


@inlined
def deadlocks(t, weights, places, waste):
    """Return the smallest number of places (int64) that has one of each pair in a deadlock."""
    cards = places
    if t.counted:
        cards |= weights.tops[waste]
    cards &= weights.resting[EDGED]
    if not cards:
        return np.int64(0)
    if places != weights.resting[PLACES]:
        return np.int64(smallest_cover(cards, weights.work))
    if weights.covers[waste] < 0:
        weights.covers[waste] = smallest_cover(cards, weights.work)
    return weights.covers[waste]


@inlined
def turns(t, weights, left, waste):
    """Return how many turns are needed with ``left`` cards left, ``waste`` of them in the waste."""
    if not t.counted:
        return np.int64(0)
    return (left - waste + t.draw - 1) // t.draw + (weights.turned[waste] + t.draw - 1) // t.draw


@inner
def bound_here(t, b, board, weights):
    """Return the bound (int64) of the state that was weighed; ``board`` is the same state."""
    weigh(t, b, board, weights)
    waste = board.numbers[IN_WASTE] if t.counted else np.int64(0)
    total = weights.sums[CARDS_HOME] + weights.sums[PAID]
    total += deadlocks(t, weights, weights.resting[PLACES], waste)
    return total + turns(t, weights, board.numbers[LEFT], waste)


@inlined
def _becomes_paid(t, board, weights, column, card, target):
    """Return whether open cards of a column, from a card on, or a card of no column, make one paid.

    ``target`` is that one, -1 for an empty column.
    """
    if target >= 0 and weights.above[target]:
        return False
    lowest = weights.seen
    for suit in range(4):
        lowest[suit] = weights.lowest[target, suit] if target >= 0 else CARDS
    if column < 0:
        return lowest[card & 3] < card
    for depth in range(weights.depth[card], board.lengths[column]):
        one = board.stacks[column, depth]
        if lowest[one & 3] < one:
            return True
        lowest[one & 3] = one
    return False


@inner
def bound_after(t, board, weights, words, code):
    """Return the bound (int64) of a state that follows from the one that was weighed.

    ``words`` are the state, ``code`` is its parent-move code.
    """
    card = np.int64(code & np.uint16(63))
    digit = np.int64((words[card // PER_WORD] >> U64(3 * (card % PER_WORD))) & U64(7))
    home, paid = weights.sums[CARDS_HOME], weights.sums[PAID]
    places, column = weights.resting[PLACES], weights.column[card]
    waste, left = board.numbers[IN_WASTE], board.numbers[LEFT]
    if column >= 0:
        depth, up = weights.depth[card], board.up[column]
        above = weights.above[column]
        if depth == up:
            if above:
                paid -= 1
            else:
                places &= ~weights.held[column]
        elif above and not above & ((ONE << U64(depth)) - ONE):
            paid -= 1
            places |= weights.held[column]
    elif board.digits[card] == HOME:
        home += 1
    else:
        waste = np.int64((words[2] >> U64(WASTE_SHIFT)) & U64(63))
        left -= _of_stock(t, board, card)
    if digit == HOME:
        home -= 1
    else:
        under = np.int64(ON_NOTHING)
        if digit == DEALT:
            under = t.under[card]
        elif digit != BOTTOM:
            under = t.parents[card, digit - 1]
        target = weights.column[under] if under >= 0 else np.int64(-1)
        if _becomes_paid(t, board, weights, column, card, target):
            paid += 1
            if target >= 0:
                places &= ~weights.held[target]
    if not t.counted:
        waste = np.int64(0)
    total = home + paid + deadlocks(t, weights, places, waste)
    return total + turns(t, weights, left, waste)


@inlined
def _of_stock(t, board, card):
    """Return 1 for a card of stock or waste that is played, 0 for one of the reserve."""
    if of_canfield(t):
        held = board.numbers[RESERVE]
        return np.int64(held == 0 or last_of_reserve(t, held) != card)
    return np.int64(1)


@kernel
def bounds_of(t, b, words, board, weights, found):
    """Write the bound of each state (uint64[states, 3]) to ``found`` (int64[states])."""
    for number in range(words.shape[0]):
        take(t, words[number, 0], words[number, 1], words[number, 2], board)
        found[number] = bound_here(t, b, board, weights)


@kernel
def bound_of(t, b, words, board, weights):
    """Return the bound (int64) of a state (uint64[3]); for calls from Python."""
    take(t, words[0], words[1], words[2], board)
    return bound_here(t, b, board, weights)


@kernel
def bounds_after(t, b, words, found, number, board, weights, bounds):
    """Write the bounds of ``number`` states that follow from one state; for calls from Python."""
    take(t, words[0], words[1], words[2], board)
    bound_here(t, b, board, weights)
    for move in range(number):
        bounds[move] = bound_after(t, board, weights, found.words[move], found.codes[move])
