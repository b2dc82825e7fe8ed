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
each has to come to the waste. A card of the waste is *blocked* if it lies above a lower one of its
suit there. It leaves the waste by a move that is none home, or it is there when the waste is turned
over, and so are all cards beneath it: a turn is needed once more for every ``draw`` of these. So
one blocked card, or none, is the highest that stays: a move is counted for each one above it, and
the turns of all cards from it down. Cards of the stock that are turned together lie on each other
in the waste: where one of them is blocked by another, it moves, or the cards of its turn from the
highest blocked one down are turned once more. These are no more than ``draw``, so a turn at most
is counted for the move that is saved. The least sum of all choices is taken.

It falls by one at most with a turn of the stock: as the cards of the turn come to the waste, its
blocked cards do, and what was counted for them is counted there. Other cards that are blocked in
the waste by then make the sum no smaller. It does not fall when the waste is turned over: no more
cards are counted than lie there. A card that goes home is not blocked. When another one leaves the
waste, one blocked card less is counted.

Where single cards are turned, cards of the waste are places of rest in deadlocks, too: with one
that is not counted already, either the card moves elsewhere but home, or it is turned again.

A card that comes back from a foundation adds one to the first of the four, and takes nothing from
the others. A whole column that moves to another one takes what is paid along. A card of a reserve
that fills a column is alone there, and not as it was dealt; it was not home before, and is not
after.

Of a state that follows from another one, only what the move changes is looked at again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import lowest_bit, popcount
from dbmsolver.kernels.states import CARDS, ONE, U64, ZERO, Ints, Words
from dbmsolver.kits.cards.bound import WORK_WORDS, smallest_cover
from dbmsolver.kits.klondike.tables import (
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
    last_of_reserve,
)


@struct
class PatienceBoundTables(NamedTuple):
    """Constants of one deal."""

    cards: Words  # [52]: a card dealt face down or held, with those beneath
    paid: Words  # [1]: those of them that lie above a lower one of their suit
    linked: Words  # [1]: all cards that may be in a deadlock
    pairs: Words  # [52]: those that a card as it was dealt is in a deadlock with
    waiting: Words  # [52]: those dealt above a card of this one's suit that is lower than it
    higher: Words  # [52]: all cards of the same suit that are higher
    lower: Words  # [52]: and those that are lower
    turns: Ints  # [*]: how many turns so many cards need


@struct
class Weights(NamedTuple):
    """Parts of a state's bound: arrays that are written again for each state."""

    cards: Words  # [14]: the cards of each column
    above: Words  # [14]: the depths of open cards above a lower one of their suit
    held: Words  # [14]: the deepest open card where it is as it was dealt, as a bit
    sums: Ints  # [4]: see below
    resting: Words  # [3]: see below
    blocked: Ints  # [53]: how many of so many cards in the waste lie above lower ones of their suit
    places: Ints  # [53]: each blocked card's number in the waste, counted from 1
    again: Ints  # [53]: cards of the stock from a place on that a blocked card of their turn keeps
    tops: Words  # [53]: of so many cards in the waste, those that are not blocked, in deadlocks
    covers: Ints  # [53]: deadlocks with so many cards in the waste, -1 where not known
    work: Words  # [*]


CARDS_HOME, PAID, TURNS = 0, 1, 2
"""Indices of ``sums``: the number of cards that are not home; the number of places that are paid;
the moves that waste and stock need beside those home."""
PLACES, EDGED = 0, 1
"""Indices of ``resting``: the set of places in columns that are not paid; the set of cards in any
deadlock."""


def make_weights() -> Weights:
    """Return room for the weights of a state."""
    return Weights(
        cards=np.zeros(MOST_COLUMNS + 1, np.uint64),
        above=np.zeros(MOST_COLUMNS + 1, np.uint64),
        held=np.zeros(MOST_COLUMNS + 1, np.uint64),
        sums=np.zeros(4, np.int64),
        resting=np.zeros(3, np.uint64),
        blocked=np.zeros(CARDS + 1, np.int64),
        places=np.zeros(CARDS + 1, np.int64),
        again=np.zeros(CARDS + 1, np.int64),
        tops=np.zeros(CARDS + 1, np.uint64),
        covers=np.zeros(CARDS + 1, np.int64),
        work=np.zeros(WORK_WORDS, np.uint64),
    )


@inlined
def weigh(t, b, board, weights):
    """Write the parts of a state's bound to ``weights``.

    ``board`` is the state as :func:`~dbmsolver.kits.klondike.moves.take` writes it.
    """
    work = weights.work
    home = np.int64(CARDS)
    for suit in range(4):
        home -= board.heights[suit]
    paid, places = np.int64(0), ZERO
    for column in range(board.numbers[USED]):
        up = board.up[column]
        cards = b.cards[board.stacks[column, up - 1]] if up else ZERO
        paid += popcount(cards & b.paid[0])
        places |= cards & ~b.paid[0]
        above = ZERO
        for depth in range(up, board.lengths[column]):
            card = board.stacks[column, depth]
            above |= U64(b.lower[card] & cards != ZERO) << U64(depth)
            cards |= ONE << U64(card)
        weights.cards[column] = cards
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
    rest &= b.linked[0]
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


@inlined
def _weigh_waste(t, b, board, weights, places):
    """Write the part of the bound that waste and stock add.

    Returns the set (uint64) of the cards of the waste that are in deadlocks, and of the cards that
    they are in deadlocks with.
    """
    work, left = weights.work, board.numbers[LEFT]
    edged = tops = seen = over_any = ZERO
    count = np.int64(0)
    weights.blocked[0], weights.tops[0] = 0, ZERO
    for place in range(left):
        card = board.left[place]
        bit = ONE << U64(card)
        if b.lower[card] & seen:
            weights.places[count] = place + 1
            count += 1
        elif t.draw == 1:
            near = over_any & ~(b.higher[card] | b.lower[card]) & b.waiting[card] & places
            if near:
                work[card] = near
                edged |= near | bit
                tops |= bit
                while near:
                    other = lowest_bit(near)
                    near &= near - ONE
                    work[other] |= bit
        over_any |= b.higher[card]
        seen |= bit
        weights.blocked[place + 1] = count
        weights.tops[place + 1] = tops
        weights.covers[place + 1] = -1
    if t.draw > 1:
        _weigh_stock(t, b, board, weights)
    return edged


@inlined
def _weigh_stock(t, b, board, weights):
    """Write how many cards of the stock are turned again, or cost a move for each turn saved.

    The stock may begin at any place of waste and stock.
    """
    left = board.numbers[LEFT]
    weights.again[left] = 0
    for place in range(left - 1, -1, -1):
        seen, highest = ONE << U64(board.left[place]), np.int64(0)
        end = min(place + t.draw, left)
        for next_place in range(place + 1, end):
            card = board.left[next_place]
            if b.lower[card] & seen:
                highest = next_place + 1 - place
            seen |= ONE << U64(card)
        weights.again[place] = highest + weights.again[end]


@inlined
def deadlocks(t, weights, places, waste):
    """Return the smallest number of places (int64) that has one of each pair in a deadlock."""
    cards = places
    if t.counted:
        cards |= weights.tops[waste]
    cards &= weights.resting[EDGED]
    if not cards:
        return np.int64(0)
    if (places ^ weights.resting[PLACES]) & weights.resting[EDGED]:
        return np.int64(smallest_cover(cards, weights.work))
    if weights.covers[waste] < 0:
        weights.covers[waste] = smallest_cover(cards, weights.work)
    return weights.covers[waste]


@inlined
def turns(t, b, weights, left, waste, stock):
    """Return the moves (int64) that waste and stock need beside those home.

    ``left`` cards are left, ``waste`` of them in the waste. ``stock`` is the place where the stock
    begins, among the cards that the state that was weighed has left.
    """
    if not t.counted:
        return np.int64(0)
    again = weights.again[stock] if t.draw > 1 else np.int64(0)
    least = b.turns[again]
    for number in range(weights.blocked[waste]):
        # It moves, with what is counted for those beneath it, or it stays, and all of these do.
        least = min(least + 1, b.turns[weights.places[number] + again])
    return b.turns[left - waste] + least


@inlined
def bound_here(t, b, board, weights):
    """Return the bound (int64) of the state that was weighed; ``board`` is the same state."""
    weigh(t, b, board, weights)
    waste = board.numbers[IN_WASTE] if t.counted else np.int64(0)
    total = weights.sums[CARDS_HOME] + weights.sums[PAID]
    total += deadlocks(t, weights, weights.resting[PLACES], waste)
    weights.sums[TURNS] = turns(t, b, weights, board.numbers[LEFT], waste, waste)
    return total + weights.sums[TURNS]


@inlined
def _becomes_paid(b, board, weights, column, card, target):
    """Return True if open cards of a column, from a card on, or a card of no column, make one paid.

    ``target`` is that one, -1 for an empty column.
    """
    if target >= 0 and weights.above[target]:
        return False
    cards = weights.cards[target] if target >= 0 else ZERO
    if column < 0:
        return b.lower[card] & cards != ZERO
    for depth in range(board.depth[card], board.lengths[column]):
        one = board.stacks[column, depth]
        if b.lower[one] & cards:
            return True
        cards |= ONE << U64(one)
    return False


@inlined
def bound_after(t, b, board, weights, words, code):
    """Return the bound (int64) of a state that follows from the one that was weighed.

    ``words`` are the state, ``code`` is its parent-move code.
    """
    card = np.int64(code & np.uint16(63))
    digit = np.int64((words[card // PER_WORD] >> U64(3 * (card % PER_WORD))) & U64(7))
    home, paid = weights.sums[CARDS_HOME], weights.sums[PAID]
    places, column = weights.resting[PLACES], board.column[card]
    waste, of_stock = board.numbers[IN_WASTE], weights.sums[TURNS]
    if column >= 0:
        depth, up = board.depth[card], board.up[column]
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
        played = _of_stock(t, board, card)
        left = board.numbers[LEFT] - played
        of_stock = turns(t, b, weights, left, waste, waste + played)
    if digit == HOME:
        home -= 1
    else:
        under = np.int64(ON_NOTHING)
        if digit == DEALT:
            under = t.under[card]
        elif digit != BOTTOM:
            under = t.parents[card, digit - 1]
        target = board.column[under] if under >= 0 else np.int64(-1)
        if _becomes_paid(b, board, weights, column, card, target):
            paid += 1
            if target >= 0:
                places &= ~weights.held[target]
    if not t.counted:
        waste = np.int64(0)
    total = home + paid + deadlocks(t, weights, places, waste)
    return total + of_stock


@inlined
def _of_stock(t, board, card):
    """Return 1 for a card of stock or waste that is played, 0 for one of the reserve."""
    held = board.numbers[RESERVE]
    return np.int64(held == 0 or last_of_reserve(t, held) != card)
