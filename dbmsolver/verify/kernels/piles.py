"""The moves of games of one pile, and those that lead back by their codes.

A *state* is int64[columns + 2]: how many cards each column and, after them, the stock has left; the
card on top of the pile. :mod:`dbmsolver.verify.pile_format` says what the codes mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import allocating, inlined_kernel, kernel
from dbmsolver.verify.kernels.leaving import CODE, LAYERS, STRATA, key_of

Ints = NDArray[np.int64]

EMPTY = 52
"""The card on top of an empty pile."""


class Pile(NamedTuple):
    """One deal of a game of one pile, and the fields of its keys."""

    columns: int
    cards: Ints
    """int64[columns + 1, *]: the cards of each column and of the stock; the last one goes first."""
    source: Ints
    """int64[53]: by card, the column that it lies in, or the number of columns; -1 for none."""
    depth: Ints
    """int64[53]: by card, its place there, from 0."""
    shifts: Ints
    """int64[columns + 2]: the lowest bit of each field of a state in its key."""
    masks: Ints
    """int64[columns + 2]: the bits of each field."""
    first: int
    """The columns whose cards lead up a stratum when they leave, as those of the stock do."""
    ranks: int
    """The ranks of the deck."""
    wraps: bool
    """True if its lowest and highest rank follow each other."""
    turns_count: bool
    """True if a card of the stock leads up a layer."""


@inlined_kernel
def may_go_on(p, card, top):
    """Return True if a card of a column may be put on the card on top of the pile."""
    apart = abs((card >> 2) - (top >> 2))
    return top == EMPTY or apart == 1 or (p.wraps and apart == p.ranks - 1)


@kernel
def list_moves(p, state, keys, facts):
    """List the moves of a state; return the number of moves.

    Write the key of the state that each leads to (``keys``, uint64[*]), and the facts about each
    (``facts``, int64[*, 3]). Both arrays have to be long enough for all moves.
    ``state`` changes meanwhile; at the end it is as before.
    """
    top, count = state[-1], 0
    for place in range(p.columns + 1):
        left, turned = state[place], place == p.columns
        if left == 0 or not (turned or may_go_on(p, p.cards[place, left - 1], top)):
            continue
        state[place], state[-1] = left - 1, p.cards[place, left - 1]
        keys[count] = key_of(p, state)
        state[place], state[-1] = left, top
        facts[count, CODE] = top
        facts[count, STRATA] = turned or place < p.first
        facts[count, LAYERS] = turned and p.turns_count
        count += 1
    return count


@allocating
def put_back(p, state, code, before):
    """Write to ``before`` the parent of a state, by the parent-move code and nothing else.

    The card on top goes back to its place, and the card that the code names is on top. Return False
    if the card on top was not moved, or the code names no card. Nothing else is checked: the move
    may be illegal.
    """
    top = state[-1]
    if top == EMPTY or p.source[top] < 0 or code > EMPTY:
        return False
    before[:] = state
    before[p.source[top]], before[-1] = p.depth[top] + 1, code
    return True
