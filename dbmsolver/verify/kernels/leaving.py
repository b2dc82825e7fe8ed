"""Games whose cards only leave, of one pile and of pairs: a state, its moves, and a lower bound.

A *state* of such a game is int64[fields], made of its key. First it has how many cards each column
has left; then,

* in games of one pile, how many the stock has left, and the card on top of the pile;
* in pairing games, the number of the waste's top card, 0 for none; how often the waste has been
  turned over; the cards that are left in waste and stock, a bit for each.

:mod:`dbmsolver.verify.leaving_format` says what keys and codes mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel, inner, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels.words import U64, ZERO, Ints, Words, copy


@struct
class LeavingKeys(NamedTuple):
    """The form of the keys of a deal."""

    shifts: Ints  # [fields]: the lowest bit of each field of a state in its key
    masks: Ints  # [fields]: the bits of each field
    first: Ints  # [fields]: the state that is dealt
    cut: int  # the bits of a local key below those of the signature
    signature_bits: int
    local_bits: int
    tells_layer: bool  # True if signatures tell the layer: the same cards may be closed in several

    def progress(self, signatures: Words) -> Ints:
        """Return the stratum of each signature: the cards that its fields have lost."""
        inside = (self.shifts >= self.cut) & (self.shifts < self.cut + self.signature_bits)
        own = signatures & np.uint64((1 << self.signature_bits) - 1)
        fields = own[:, None] >> (self.shifts[inside] - self.cut).astype(np.uint64)
        left = fields.astype(np.int64) & self.masks[inside]
        gone: Ints = (self.first[inside] - left).sum(1)
        return gone


@struct
class LeavingTable(NamedTuple):
    """Scratch memory of one thread."""

    state: Ints  # [fields]
    after: Ints  # [fields]: the state that a move leads to
    free: Ints  # [columns + 2]
    ranks: Ints  # [13]


def make_table(fields: int) -> LeavingTable:
    """Return scratch memory for states with this many fields."""
    state, after, free = (np.zeros(fields, np.int64) for _ in range(3))
    return LeavingTable(state, after, free, np.zeros(13, np.int64))


@inlined_kernel
def key_of(k, state):
    """Return the public key of a state."""
    key = ZERO
    for field in range(state.size):
        key |= U64(state[field]) << U64(k.shifts[field])
    return key


@inlined
def take_apart(k, key, state):
    """Write the state of a key; return False if the key has bits above those of its fields."""
    for field in range(state.size):
        state[field] = np.int64(key >> U64(k.shifts[field])) & k.masks[field]
    return key >> U64(k.local_bits + k.signature_bits) == ZERO


@inlined
def write_after(k, table, layer, code, layers, after, end):
    """Write the state ``table.after`` as one that a move leads to; return the end of the list.

    The move has a parent-move code, and leads up some layers; ``layer`` is that of the state before
    where signatures tell it, else 0.
    """
    row = after.rows[end]
    row[0], row[1] = key_of(k, table.after), layer
    row[2] = row[3] = ZERO
    if k.tells_layer:
        row[1] += U64(layers)
    after.codes[end], after.made[end] = code, layers
    return end + 1


# Games of one pile: a card of a column, or the next one of the stock, goes onto the pile.

EMPTY = 52
"""The card on top of an empty pile."""


@struct
class Pile(NamedTuple):
    """One deal of a game of one pile, and the form of its keys."""

    keys: LeavingKeys
    columns: int
    cards: Ints  # [columns + 1, *]: cards of each column and of the stock; the last one goes first
    source: Ints  # [53]: by card, its column; the number of columns in the stock; -1 for no place
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
        copy(state, table.after)
        table.after[place], table.after[-1] = left - 1, p.cards[place, left - 1]
        layers = np.int64(turned and p.turns_count)
        end = write_after(p.keys, table, layer, top, layers, after, end)
    return end


# Pairing games: pairs of free cards and kings are removed, cards of the stock are turned, the waste
# is turned over.

KING = 12
"""The rank of the king, from 0."""
KINGS = 96
"""The number from which on half of a code stands for a king."""
TURNED, OVER = 200, 201
"""The codes of a turn of the stock, and of the waste turned over."""


@struct
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
    copy(state, after)
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
        copy(state, following)
        following[p.columns], following[p.columns + 1] = turned, turns + over
        code, layers = OVER if over else TURNED, np.int64(p.turns_count and not over)
        end = write_after(p.keys, table, layer, code, layers, after, end)
    return end
