"""States and moves of games of one pile.

A *state* is int64[columns + 2]: how many cards each column and, after them, the stock has left; the
card on top of the pile. :mod:`dbmsolver.verify.pile_format` says what the codes mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inner
from dbmsolver.verify.kernels.leaving import LeavingKeys, copy_state, write_after
from dbmsolver.verify.kernels.words import Ints

EMPTY = 52
"""The card on top of an empty pile."""


class Pile(NamedTuple):
    """One deal of a game of one pile, and the form of its keys."""

    keys: LeavingKeys
    columns: int
    cards: Ints  # [columns + 1, *]: cards of each column and of the stock; the last one goes first
    source: Ints  # [53]: by card, the column that it lies in, or the number of columns; -1 for none
    depth: Ints  # [53]: by card, its place there, from 0
    ranks: int  # the ranks of the deck
    wraps: bool  # True if its lowest and highest rank follow each other
    turns_count: bool  # True if a card of the stock leads up a layer


@inlined
def is_pile(p, state):
    """Return True if a state is one of the deal, and its top card was moved last."""
    dealt, top = p.keys.first, state[-1]
    as_dealt = True
    for pile in range(p.columns + 1):
        if state[pile] > dealt[pile]:
            return False
        as_dealt &= state[pile] == dealt[pile]
    if as_dealt or top > EMPTY:
        return top == dealt[-1]
    return p.source[top] >= 0 and state[p.source[top]] == p.depth[top]


@inlined
def is_pile_of_layer(p, state, layer):
    """Return True if a state is of a layer: the cards in the deal's columns, plus those turned."""
    least = 0
    for column in range(p.columns):
        least += p.keys.first[column]
    return not p.turns_count or least + p.keys.first[p.columns] - state[p.columns] == layer


@inlined
def is_pile_won(p, state):
    """Return True if no column has cards left."""
    left = 0
    for column in range(p.columns):
        left += state[column]
    return left == 0


@inlined
def may_go_on(p, card, top):
    """Return True if a card of a column may be put on the card on top of the pile."""
    apart = abs((card >> 2) - (top >> 2))
    return top == EMPTY or apart == 1 or (p.wraps and apart == p.ranks - 1)


@inner
def list_pile_moves(p, state, table, layer, after, end):
    """Write the states that moves lead to; return the end of the list."""
    top = state[-1]
    for place in range(p.columns + 1):
        left, turned = state[place], place == p.columns
        if left == 0 or not (turned or may_go_on(p, p.cards[place, left - 1], top)):
            continue
        copy_state(state, table.after)
        table.after[place], table.after[-1] = left - 1, p.cards[place, left - 1]
        layers = np.int64(turned and p.turns_count)
        end = write_after(p.keys, table, layer, top, layers, after, end)
    return end
