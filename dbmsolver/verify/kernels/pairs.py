"""States and moves of pairing games, and the bound.

Pairs of free cards and kings are removed, cards of the stock are turned, the waste is turned over.

A *state* is int64[columns + 3]: how many cards each column has left; the number of the waste's top
card, 0 for none; how often the waste has been turned over; the cards that are left in waste and
stock, a bit for each. :mod:`dbmsolver.verify.pair_format` says what the numbers and codes mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel, inner, kernel
from dbmsolver.verify.kernels.leaving import LeavingKeys, copy_state, write_after
from dbmsolver.verify.kernels.words import Ints

KING = 12
"""The rank of the king, from 0."""
KINGS = 96
"""The number from which on half of a code stands for a king."""
TURNED, OVER = 200, 201
"""The codes of a turn of the stock, and of the waste turned over."""


class Pairs(NamedTuple):
    """One deal of a pairing game, and the form of its keys."""

    keys: LeavingKeys
    columns: int
    cards: Ints  # [columns + 1, *]: the cards of each column, the highest row first; then those of
    # waste and stock, as they are numbered. -1 elsewhere
    number: Ints  # [52]: of a card of waste and stock, its number, from 0
    held: int  # the cards of waste and stock
    lowest: int  # the lowest rank of the deck, from 0
    turns: int  # the times that the waste may be turned over
    free_stock: bool  # True if the card of the stock that is turned next can be removed
    stock_goes: bool  # True if the cards of waste and stock have to go, too
    turns_count: bool  # True if a turn of the stock leads up a layer
    removals_count: bool  # True if a removal leads up a layer, unless fewer are needed after it


@inlined
def is_pyramid(p, state):
    """Return True if a state is one of the deal: no card has gone from under others."""
    number, turns, held = state[p.columns], state[p.columns + 1], state[p.columns + 2]
    if turns > p.turns or number > p.held or (number and held >> (number - 1) & 1 == 0):
        return False
    for column in range(p.columns):
        if state[column] > p.keys.first[column]:
            return False
        if column and state[column] > state[column - 1]:
            return False
    return True


@inlined
def is_any_layer(p, state, layer):
    """Return True: a state can be of several layers."""
    return True


@inlined
def is_pyramid_won(p, state):
    """Return True if nothing has to go any more."""
    left = state[p.columns + 2] if p.stock_goes else 0
    for column in range(p.columns):
        left += state[column]
    return left == 0


@inlined_kernel
def last_left(held, number):
    """Return the number of the last card that is left up to a number, 0 for none."""
    while number > 0 and held >> (number - 1) & 1 == 0:
        number -= 1
    return number


@inlined_kernel
def next_left(held, number):
    """Return the number of the card that is turned next, 0 for none: the first after a number."""
    if held >> number == 0:
        return 0
    number += 1
    while held >> (number - 1) & 1 == 0:
        number += 1
    return number


@kernel
def fewest_removals(p, state, ranks):
    """Return the fewest removals that take the cards of the pyramid.

    A king goes alone. Of two ranks that make pairs, each card of the larger number takes one. Of a
    rank that makes pairs with itself, two cards do. ``ranks`` (int64[13]) is scratch memory.
    """
    ranks[:] = 0
    for column in range(p.columns):
        for depth in range(state[column]):
            ranks[p.cards[column, depth] >> 2] += 1
    total = ranks[KING]
    for low in range(p.lowest, KING):
        high = 11 + p.lowest - low
        if low < high:
            total += max(ranks[low], ranks[high])
        elif low == high:
            total += (ranks[low] + 1) // 2
    return total


@inner
def list_free(p, state, free):
    """Write the free card of each column, of the waste and of the stock to ``free``; -1 for none.

    A column's last card is free if the next column has fewer cards left: none lie on it.
    """
    waste, held = state[p.columns], state[p.columns + 2]
    for column in range(p.columns):
        left = state[column]
        following = state[column + 1] if column + 1 < p.columns else 0
        free[column] = p.cards[column, left - 1] if left > following else -1
    free[p.columns] = p.cards[p.columns, waste - 1] if waste > 0 else -1
    stock = next_left(held, waste) if p.free_stock else 0
    free[p.columns + 1] = p.cards[p.columns, stock - 1] if stock > 0 else -1


@inlined
def take(p, state, slot, card):
    """Take the free card of a slot away."""
    if slot < p.columns:
        state[slot] -= 1
    else:
        state[p.columns + 2] &= ~(1 << p.number[card])


@inner
def remove(p, state, free, first, second, after):
    """Write to ``after`` the state without the free cards of two slots; return the code.

    The first slot is the lower one. A king is removed alone: both are the same then.
    """
    copy_state(state, after)
    take(p, after, first, free[first])
    if first != second:
        take(p, after, second, free[second])
    after[p.columns] = last_left(after[p.columns + 2], state[p.columns])
    low, high = min(free[first], free[second]), max(free[first], free[second])
    half = KINGS + (low & 3) if low == high else 4 * (low - 4 * p.lowest) + (high & 3)
    of_stock_only = second == p.columns + 1 and first != p.columns
    return 2 * half + of_stock_only


@inner
def list_pair_moves(p, state, table, layer, after, end):
    """Write the states that moves lead to; return the end of the list."""
    following, ranks, free = table.after, table.ranks, table.free[: p.columns + 2]
    before = fewest_removals(p, state, ranks) if p.removals_count else 0
    list_free(p, state, free)
    for first in range(free.size):
        for second in range(first, free.size):
            if free[first] < 0 or free[second] < 0:
                continue
            total = (free[first] >> 2) + (free[second] >> 2)
            if total != (2 * KING if first == second else 11 + p.lowest):
                continue
            code, layers = remove(p, state, free, first, second, following), np.int64(0)
            if p.removals_count:
                layers = 1 + fewest_removals(p, following, ranks) - before
            end = write_after(p.keys, table, layer, code, layers, after, end)
    waste, turns, held = state[p.columns], state[p.columns + 1], state[p.columns + 2]
    turned = next_left(held, waste)
    over = turned == 0 and waste > 0 and turns < p.turns
    if turned > 0 or over:
        copy_state(state, following)
        following[p.columns], following[p.columns + 1] = turned, turns + over
        code, layers = OVER if over else TURNED, np.int64(p.turns_count and not over)
        end = write_after(p.keys, table, layer, code, layers, after, end)
    return end
