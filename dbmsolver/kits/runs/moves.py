"""Moves where a run of cards is one move: the twin, in the kernels, of `Measure.moves` with runs.

Where columns go round, the cards with which foundations begin are the parents of the highest ones,
which are called kings here.

A run is the end of a column in which each card lies on a parent of one of the kinds that hold a run
together. It is known by its deepest card, its *head*, and what moves with that needs no mention:
when a run moves only what lies under its head changes, one digit of the key. So a move is a card
and a place value here, too, and a parent-move code is the head and its place value before.

Where only whole suits go home, that move's card is the king. All other cards of the suit lie on
their own suit's next card then, which is the first kind of parent and has no bit in any plane: what
they leave behind is nothing, and undoing the move puts back the king alone.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.bits import lowest_bit, popcount
from dbmsolver.kernels.states import CARDS, ONE, U64, ZERO
from dbmsolver.kits.cards.expand import (
    children_of,
    next_home,
    permute_suits,
    put_moves,
    safe_move,
)
from dbmsolver.kits.cards.tables import ALL_CARDS, PLACE_BOTTOM, PLACE_FREECELL, PLACE_HOME
from dbmsolver.kits.runs.room_moves import room_for

KINGS = np.uint64(0b1111 << (CARDS - 4))


@inlined
def parents_of(t, children, index):
    """Return the parents of cards, each of which lies on its parent number ``index``."""
    parents = permute_suits(children, t.kinds[index])
    return ((parents << U64(4)) & U64(ALL_CARDS)) | (((parents & KINGS) >> t.around) & t.bases)


@inlined
def free_ends(t, stacked, exposed):
    """Return those of the cards ``exposed`` that take a card of another column.

    Where columns go round, a whole suit may lie in one run. Its deepest card would fit on the last
    one then: of that suit no other card lies on none of its own.
    """
    if t.bases:
        for suit in range(4):
            deepest = (t.suits[suit] | (ONE << U64(CARDS - 4 + suit))) & ~stacked
            if deepest and not deepest & (deepest - ONE):
                exposed &= ~parents_of(t, deepest, 0)
    return exposed


@inlined
def fitting(t, ends, index):
    """Return the cards whose parent number ``index`` is one of the cards ``ends``."""
    below = (ends >> U64(4)) | ((ends & t.bases) << t.around)
    return permute_suits(below, t.kinds[index])


@inlined
def heads_of(t, stacked, low, high, exposed, most, most_bottom):
    """Return the heads of all runs that can move: ``exposed`` cards, and those beneath them.

    Returns (those of at most ``most`` cards, those of at most ``most_bottom``, which is no more).
    """
    heads = short = front = exposed
    length = 1
    while front and length < most:
        beneath = ZERO
        for index in range(t.runs):
            children = children_of(t, stacked, low, high, index) & front
            beneath |= parents_of(t, children, index)
        length += 1
        heads |= beneath
        if length <= most_bottom:
            short |= beneath
        front = beneath
    return heads, short


@inlined
def whole_suits(t, stacked, low, high, heads, ends):
    """Return the kings of suits that can go home, of the kings ``heads``.

    Each of these is free or below a run. No other suit's card lies on the last card of the suit,
    which is one of ``ends``, the cards with nothing on them.
    """
    kings = ZERO
    on_suit = children_of(t, stacked, low, high, 0)
    for suit in range(4):
        king = ONE << U64(CARDS - 4 + suit)
        last = lowest_bit(t.suits[suit] | king)
        if heads & king and not t.suits[suit] & ~on_suit and (ends >> U64(last)) & ONE:
            kings |= king
    return kings


@inlined
def list_moves(t, sets, off, low, high, before, moves):
    """Write the legal moves of a state to ``moves`` (uint16[256]).

    A move is ``8 * head + new place value``; the other arguments, and the result, are those of
    :func:`dbmsolver.kits.cards.expand.list_moves`. The head moved last is skipped, too, and may:
    where its run could go now it could have gone at once, for the run is the same. (Nor was there
    less room. Only a column that has become empty makes more, and that counts for nothing unless
    the run goes to an empty column, which would put it where it came from.)
    """
    signature, loose = sets.signature, sets.loose
    skip = before.skip
    freecell = loose & off & ~low
    bottom = loose & off & low
    stacked = loose & ~off
    covered = sets.under
    for index in range(t.kinds.size):
        children = children_of(t, stacked, low, high, index)
        covered |= parents_of(t, children, index)
    exposed = (loose | sets.locked) & ~(covered | freecell)
    empty = t.columns - sets.bottoms - popcount(bottom)
    most = most_bottom = np.int64(CARDS)
    if t.room:
        most, most_bottom = room_for(t, freecell, empty)
    heads, short = heads_of(t, stacked, low, high, exposed, most, most_bottom)

    if t.whole_suits:
        homing = whole_suits(t, stacked, low, high, heads | freecell, exposed | freecell)
    else:
        homing = (exposed | freecell) & next_home(signature)
        # Where kings are put on a base, its move home may come too early.
        surely = homing & ~t.bases
        safe = safe_move(t, signature, surely)
        if safe >= 0:
            moves[0] = 8 * safe + PLACE_HOME
            return 1, True
    count = put_moves(homing & ~skip, PLACE_HOME, moves, 0)
    movable = (heads | freecell) & ~skip
    ends = free_ends(t, stacked, exposed)
    for index in range(t.kinds.size):
        count = put_moves(movable & fitting(t, ends, index), index, moves, count)
    if popcount(freecell) < t.freecells:
        count = put_moves(exposed & ~skip, PLACE_FREECELL, moves, count)
    if empty > 0:
        movable = (short | freecell) & ~skip
        count = put_moves(movable & t.fillers & ~bottom, PLACE_BOTTOM, moves, count)
    return count, False


@inlined
def move_cost(t, forced):
    """Return 1, or 0 for a forced move where those are free: the cost of a move (int64)."""
    return np.int64(not (forced and t.free))


@inlined
def cards_home(t, card):
    """Return the number of cards (int64) that go home with ``card``, itself included."""
    return t.steps[card & 3]
