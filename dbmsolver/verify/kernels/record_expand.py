"""Closed records one by one: laid out, found to be normal, and their successors written as rows.

A macro is carried out on sets of cards, and on a copy of what lies on what. The words of the key
follow card by card.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.verify.kernels.board import ALL_HOME, NOTHING
from dbmsolver.verify.kernels.errors import GOAL, NOT_NORMAL, TOO_MANY_MACROS
from dbmsolver.verify.kernels.expand import Seen, write, wrong
from dbmsolver.verify.kernels.positions import (
    State,
    cards_at,
    hash_public,
    heights_of,
    put,
    state_of,
)
from dbmsolver.verify.kernels.record_layout import MOST_MACROS, take_apart, takes_any_card
from dbmsolver.verify.kernels.record_macros import CARD, HOMEWARD, PARENT, WAY, list_macros
from dbmsolver.verify.kernels.rules import BOTTOM, FREECELL, HOME, MOST_TAKERS, forced_card
from dbmsolver.verify.kernels.words import ZERO, copy, count_bits, first_bit, first_of, holds, one


class Record(NamedTuple):
    """A record while it changes; what its cards lie on is on the table."""

    state: State  # the words of its key, but for ``fix``
    tops: np.uint64  # last cards of stuck columns
    slots: np.uint64


@inlined
def same_state(first, second):
    """Return True if two states are the same."""
    same = first.ones == second.ones and first.twos == second.twos
    return same and first.fours == second.fours


@inner
def expand_record(r, row, layer, table, after, end):
    """Lay a record out, and list the normal forms of what its macros lead to."""
    f, here = r.cards, state_of(row)
    error, laid = take_apart(f, here, table)
    if error:
        return wrong(error, end)
    heights = heights_of(here)
    if heights == ALL_HOME:
        return wrong(GOAL, end)
    record = Record(put(here, laid.fix, FREECELL), laid.tops, laid.slots)
    copy(table.board.on, table.on)
    if not same_state(normal_form(f, record, laid.fix, table), here):
        return wrong(NOT_NORMAL, end)
    macros = list_macros(f, heights, laid, table)
    if macros > MOST_MACROS:
        return wrong(TOO_MANY_MACROS, end)
    for macro in range(macros):
        copy(table.board.on, table.on)
        result = carry_out(f, table.macros[macro], table.lifted[macro], record, table)
        state = normal_form(f, result, table.fixes[macro], table)
        if not same_state(state, here):
            write(after, end, state, 0, 0)
            end += 1
    return Seen(0, False, hash_public(f, here), end)


@inlined
def to_slot(f, record, card):
    """Return a record after a card of no column has become a slot card."""
    place = FREECELL if f.rules.freecells > 0 else BOTTOM
    state = put(record.state, one(card), place)
    return Record(state, record.tops, record.slots | one(card))


@inlined
def onto(f, state, card, parent):
    """Return the words after a card has been put on its parent."""
    place = 0
    while place < MOST_TAKERS - 1 and f.rules.takers[card, place] != parent:
        place += 1
    return put(state, one(card), place)


@inlined
def without(record, card, table):
    """Return a record after a slot card, or the last one of a column, has been taken from it."""
    if holds(record.slots, card):
        return Record(record.state, record.tops, record.slots & ~one(card))
    tops, under = record.tops & ~one(card), table.on[card]
    return Record(record.state, tops | one(under) if under >= 0 else tops, record.slots)


@inlined
def carry_out(f, macro, lifted, record, table):
    """Carry out a macro: lift the cards that are in its way, and move its card."""
    tops = record.tops
    rest = lifted
    while rest:
        card, rest = first_of(rest)
        record = to_slot(f, record, card)
        if table.on[card] >= 0:
            tops |= one(table.on[card])
    x = macro[CARD]
    record = Record(record.state, tops & ~lifted, record.slots)
    if macro[WAY] == HOMEWARD:
        record, _ = send_home(f, record, ZERO, x, table)
    else:
        record = put_down(f, without(record, x, table), x, macro[PARENT], table)
        record, _ = with_cards_alone(f, record, table)
    return record


@inlined
def with_cards_alone(f, record, table):
    """Return (a record after the only cards of columns have become slot cards, these cards)."""
    alone, rest = ZERO, record.tops if takes_any_card(f) else ZERO
    while rest:
        card, rest = first_of(rest)
        if table.on[card] == NOTHING:
            record = to_slot(f, record, card)
            alone |= one(card)
    return Record(record.state, record.tops & ~alone, record.slots), alone


@inlined
def put_down(f, record, card, parent, table):
    """Put a card on its parent, or to an empty column if ``parent`` is below 0.

    The parent is the last of its column or a slot card; then both get a column of their own. The
    card is no part of any column, and no slot card any more.
    """
    slots, tops = record.slots & ~one(card), record.tops | one(card)
    table.on[card] = parent
    if parent < 0:
        table.on[card] = NOTHING
        return Record(put(record.state, one(card), BOTTOM), tops, slots)
    if holds(slots, parent):
        table.on[parent] = NOTHING
    return Record(onto(f, record.state, card, parent), tops & ~one(parent), slots & ~one(parent))


@inlined
def normal_form(f, record, fix, table):
    """Reduce a record until nothing can be reduced; return its words.

    The first reduction that applies, then again from the first: a safe card goes home; a slot card
    goes onto a stuck column; two slot cards become a column, or a king goes to an empty one.
    """
    any_card, freecells = takes_any_card(f), f.rules.freecells
    while True:
        slots, spaces = record.slots, f.rules.columns - count_bits(record.tops)
        free = freecells - count_bits(slots) + (spaces if any_card else 0)
        if free > 0 or freecells == 0 or spaces == 0 or not any_card:
            fix = ZERO
        card = forced_card(f.rules, heights_of(record.state), record.tops | slots)
        if card >= 0:
            record, fix = send_home(f, record, fix, card, table)
            continue
        card, parent = find_child(f, slots, record.tops)
        if card < 0 and any_card and spaces > 0:
            pairs = slots if free > 0 or freecells == 0 else slots & fix
            card, parent = find_child(f, slots, pairs)
        if card < 0 and not any_card and spaces > 0 and slots & f.rules.fillers:
            card, parent = first_bit(slots & f.rules.fillers), -1
        if card < 0:
            return put(record.state, fix, BOTTOM)
        record = put_down(f, record, card, parent, table)


@inlined
def send_home(f, record, fix, card, table):
    """Send a card home: (the record, cards of ``fix``)."""
    record = without(record, card, table)
    record = Record(put(record.state, one(card), HOME), record.tops, record.slots)
    record, alone = with_cards_alone(f, record, table)
    return record, (fix & ~one(card)) | alone


@inlined
def find_child(f, cards, parents):
    """Return the lowest of some cards that has a legal parent among others, and that parent.

    Returns (-1, -1) if none has one; the parent is the lowest.
    """
    if not parents:
        return -1, -1
    rest = cards
    while rest:
        card, rest = first_of(rest)
        found = f.rules.takes[card] & parents
        if found:
            return card, first_bit(found)
    return -1, -1


@kernel
def first_record(f, words, table, found):
    """Write the normal form of a deal's record to ``found``; return an error, 0 for none.

    ``words`` (uint64[4]) are the deal's state, in which bottoms of columns have a value of their
    own. ``found`` is an array like it.
    """
    state = state_of(words)
    cells = cards_at(state, FREECELL)
    if takes_any_card(f) and f.rules.freecells > 0:
        state = put(state, cards_at(state, BOTTOM), FREECELL)
    error, laid = take_apart(f, state, table)
    if error:
        return error
    # The cards that lie alone in columns.
    fix = laid.slots & ~cells if takes_any_card(f) else ZERO
    copy(table.board.on, table.on)
    state = normal_form(f, Record(state, laid.tops, laid.slots), fix, table)
    found[0], found[1], found[2] = state.ones, state.twos, state.fours
    return 0
