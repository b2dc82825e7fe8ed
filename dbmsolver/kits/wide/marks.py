"""Costs and hashes of the successors of a state of a wide game, from what its columns add up to.

The state is marked once: each column, up to each of its cards, has a part of the costs and a hash.
A move changes two columns at most, so what it leads to is told without being written down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.states import U64
from dbmsolver.kits.wide.moves import (
    BACK,
    HOME,
    ONTO,
    SUIT,
    WASTE_HOME,
    first_of,
    kind_of_move,
    number_of,
    second_of,
    stage_of,
)
from dbmsolver.kits.wide.tables import GONE, HEAD, MOST_CARDS, WASTED, WideTables
from dbmsolver.kits.wide.values import (
    AT_HOME,
    card_below,
    hidden_part,
    waste_costs,
    whole_costs,
    with_card,
)


@struct
class Marks(NamedTuple):
    """The marks of a state."""

    costs: NDArray[np.int64]  # [columns, MOST_CARDS + 1, 3]: the part of so many cards face up
    hashes: NDArray[np.uint64]  # [columns, MOST_CARDS + 1]: of the column with these cards
    total: NDArray[np.int64]  # [2]: the costs of the state, those of the top card of the waste
    hash: NDArray[np.uint64]  # [2]: of the state, and of its cards face down and home


def make_marks(t: WideTables) -> Marks:
    """Return room for the marks of a state."""
    return Marks(
        np.zeros((t.columns, MOST_CARDS + 1, 3), np.int64),
        np.zeros((t.columns, MOST_CARDS + 1), np.uint64),
        np.zeros(2, np.int64),
        np.zeros(2, np.uint64),
    )


@inlined
def _mixed(number, with_it):
    """Return a hash (uint64) of a hash and a number."""
    mixed = (U64(number) ^ U64(with_it)) * U64(0xD6E8FEB86659FD93)
    return mixed ^ (mixed >> U64(32))


@inlined
def _ended(number):
    """Return the hash of a whole column (uint64): those of all columns are added."""
    mixed = number * U64(0xA0761D6478BD642F)
    return mixed ^ (mixed >> U64(29))


@inlined
def _hash_of_home(suit, height):
    """Return the hash of a foundation (uint64)."""
    return _ended(_mixed(0x51ED27 + suit, height))


@inlined
def _hash_of_head(t, b, column, down, stage):
    """Return the hash of a column without cards face up (uint64)."""
    like, before = np.int64(column), t.before[stage, column]
    while before >= 0:
        like, before = before, t.before[stage, before]
    head = np.int64(HEAD)
    if down:
        head = np.int64(t.heads[t.first_down[b.origin[column]] + down - 1])
    return _mixed(_mixed(0x9E3779, like), head)


@inlined
def _suit_of_home(t, place):
    """Return the suit of a foundation (int64)."""
    suit = np.int64(0)
    while t.first_home[suit + 1] <= place:
        suit += 1
    return suit


@inner
def mark(t, b, m, weights):
    """Mark the state on a board."""
    stage = stage_of(t, b)
    total, m.total[1] = waste_costs(b, weights)
    whole, group = _mixed(0xB5297A, b.numbers[GONE]), _mixed(0x68E31D, 0)
    for column in range(t.columns):
        down = b.down[column]
        part = hidden_part(t, weights, b.origin[column], down)
        number = _hash_of_head(t, b, column, down, stage)
        below = card_below(t, b, column, down)
        m.costs[column, 0, 0], m.costs[column, 0, 1], m.costs[column, 0, 2] = part
        m.hashes[column, 0] = number
        for place in range(b.up[column]):
            card = np.int64(b.cards[column, place])
            part = with_card(t, weights, part, card, below)
            number = _mixed(number, card + 1)
            m.hashes[column, place + 1] = number
            row = m.costs[column, place + 1]
            row[0], row[1], row[2] = part
            below = card
        total += whole_costs(weights, part)
        whole += _ended(number)
        group += _ended(m.hashes[column, 0])
    for place in range(b.home.size):
        total -= weights[AT_HOME] * b.home[place]
        number = _hash_of_home(_suit_of_home(t, place), b.home[place])
        whole += number
        group += number
    number = U64(0)
    for place in range(b.numbers[WASTED]):
        number = _mixed(number, b.waste[place] + 1)
    m.total[0], m.hash[0], m.hash[1] = total, whole + number, group


@inlined
def _part_at(m, column, up):
    """Return the part of the costs of a column with ``up`` cards face up."""
    return m.costs[column, up, 0], m.costs[column, up, 1], m.costs[column, up, 2]


@inlined
def _left(t, b, m, weights, column, up):
    """Return the costs and the hash of a column that keeps ``up`` cards face up.

    The last result is by how much the hash of the cards face down changes (uint64).
    """
    down = b.down[column]
    if up or not down:
        return whole_costs(weights, _part_at(m, column, up)), m.hashes[column, up], U64(0)
    down -= 1
    card = np.int64(t.down[t.first_down[b.origin[column]] + down])
    part = hidden_part(t, weights, b.origin[column], down)
    part = with_card(t, weights, part, card, card_below(t, b, column, down))
    number = _hash_of_head(t, b, column, down, stage_of(t, b))
    turned = _ended(number) - _ended(m.hashes[column, 0])
    return whole_costs(weights, part), _mixed(number, card + 1), turned


@inlined
def _with_cards(t, b, m, weights, source, size, column, single):
    """Return the costs and the hash that a column would have with more cards on it.

    These are the last ``size`` cards of another column, or the card ``single`` if ``size`` is 0.
    """
    up = b.up[column]
    part, number = _part_at(m, column, up), m.hashes[column, up]
    below = np.int64(b.cards[column, up - 1]) if up else card_below(t, b, column, b.down[column])
    if not size:
        part = with_card(t, weights, part, single, below)
        return whole_costs(weights, part), _mixed(number, single + 1)
    for place in range(b.up[source] - size, b.up[source]):
        card = np.int64(b.cards[source, place])
        part = with_card(t, weights, part, card, below)
        number = _mixed(number, card + 1)
        below = card
    return whole_costs(weights, part), number


@inner
def after_move(t, b, m, weights, move):
    """Return what a move leads to from the state on a marked board; it is no move of the stock.

    That is the costs (int64), the hash, and the hash of the cards face down and home (uint64).
    """
    kind, first, second = kind_of_move(move), first_of(move), second_of(move)
    total, whole, group = m.total[0], m.hash[0], m.hash[1]
    if kind in (ONTO, HOME, SUIT):
        up, size = b.up[first], number_of(move)
        costs, number, turned = _left(t, b, m, weights, first, up - size)
        total += costs - whole_costs(weights, _part_at(m, first, up))
        whole += _ended(number) - _ended(m.hashes[first, up])
        group += turned
    else:
        size = np.int64(0)
        if kind != BACK:
            total -= m.total[1]
            whole -= _top_of_waste(b)
    if kind in (HOME, SUIT, WASTE_HOME, BACK):
        place = first if kind == BACK else second
        height = b.home[place]
        height_then = height - 1 if kind == BACK else height + number_of(move)
        suit = _suit_of_home(t, place)
        change = _hash_of_home(suit, height_then) - _hash_of_home(suit, height)
        total -= weights[AT_HOME] * (height_then - height)
        whole += change
        group += change
    if kind in (HOME, SUIT, WASTE_HOME):
        return total, whole, group
    single = np.int64(0)
    if kind != ONTO:
        single = number_of(move) if kind == BACK else np.int64(b.waste[b.numbers[WASTED] - 1])
    costs, number = _with_cards(t, b, m, weights, first, size, second, single)
    up = b.up[second]
    total += costs - whole_costs(weights, _part_at(m, second, up))
    whole += _ended(number) - _ended(m.hashes[second, up])
    return total, whole, group


@inlined
def _top_of_waste(b):
    """Return what the top card adds to the hash of the waste (uint64)."""
    number, before = U64(0), U64(0)
    for place in range(b.numbers[WASTED]):
        before = number
        number = _mixed(number, b.waste[place] + 1)
    return number - before
