"""The results of macros: columns cut, the card moved, and the normal form of the rest.

A macro is carried out on the table's columns, and taken back afterwards. The words of the key
follow card by card.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels.planes import State, moved
from dbmsolver.verify.kernels.record_macros import (
    CARD,
    HOMEWARD,
    HOST,
    OWN,
    PARENT,
    STRIPPED,
    WAY,
)
from dbmsolver.verify.kernels.rules import MOST_TAKERS, forced_card, holds, one
from dbmsolver.verify.kernels.words import ALL, U64, ZERO, count_bits, first_bit
from dbmsolver.verify.places import BOTTOM, FREECELL, HOME


class Record(NamedTuple):
    """A record while it changes; its columns are on the table."""

    state: State  # the words of its key, but for ``fix``
    steps: int  # changes that have been noted, to be taken back
    used: int  # columns of the table, stuck ones and others
    stuck: int
    slots: np.uint64
    tops: np.uint64  # last cards of stuck columns


@inlined
def push(table, steps, number, card):
    """Put a card on a column, and note the change; return the number of noted changes."""
    length = table.lengths[number]
    row = table.undo[steps]
    row[0], row[1] = card, table.column[card]
    row[2], row[3], row[4] = number, length, table.stacks[number, length]
    table.column[card] = number
    table.stacks[number, length] = card
    table.lengths[number] = length + 1
    return steps + 1


@inlined
def take_back(table, steps, stuck):
    """Restore the columns as they were before a macro."""
    while steps > 0:
        steps -= 1
        row = table.undo[steps]
        table.column[row[0]] = row[1]
        table.stacks[row[2], row[3]] = row[4]
    for number in range(stuck):
        table.lengths[number] = table.whole[number]


@inlined
def fewest(f):
    """Return the cards that a stuck column has at least."""
    return 2 if f.rules.fillers == ALL else 1


@inlined
def to_slot(f, state, card):
    """Return the words after a card has become a slot card."""
    return moved(f, state, card, FREECELL if f.rules.freecells > 0 else BOTTOM)


@inlined
def onto(f, state, card, parent):
    """Return the words after a card has been put on its parent."""
    place = 0
    while place < MOST_TAKERS - 1 and f.rules.takers[card, place] != parent:
        place += 1
    return moved(f, state, card, place)


@inlined
def top_of(table, number):
    """Return the last card of a column as a set, which is empty if the column is."""
    length = table.lengths[number]
    return one(table.stacks[number, length - 1]) if length > 0 else ZERO


@inlined
def carry_out(f, macro, record, table):
    """Carry out a macro: lift the cards that are in its way, and move its card."""
    before = record.stuck
    record = lift_cards(f, macro, record, table)
    record = move_card(f, macro, record, table)
    return free_short_columns(f, record, before, table)


@inlined
def lift_cards(f, macro, record, table):
    """Lift the cards that columns do not keep into slots."""
    stripped, number = macro[STRIPPED], OWN
    state, slots, tops = record.state, record.slots, record.tops
    while number <= HOST or stripped:
        if number <= HOST:
            cut, kept = macro[number], macro[number + 1]
            number += 2
            if cut < 0:
                continue
        else:
            cut, kept = first_bit(U64(stripped)), 1
            stripped &= stripped - 1
        length = table.lengths[cut]
        if length <= kept:
            continue
        tops &= ~top_of(table, cut)
        while length > kept:
            length -= 1
            card = table.stacks[cut, length]
            slots |= one(card)
            state = to_slot(f, state, card)
        table.lengths[cut] = length
        tops |= top_of(table, cut)
    return Record(state, record.steps, record.used, record.stuck, slots, tops)


@inlined
def put_down(f, record, card, parent, table):
    """Put a card on its parent, or to an empty column if ``parent`` is below 0.

    The parent is the last of its column or a slot card; then both get a column of their own. The
    card is no part of any column, and no slot card any more.
    """
    state, slots, tops = record.state, record.slots & ~one(card), record.tops | one(card)
    steps, used, stuck = record.steps, record.used, record.stuck
    if parent >= 0 and holds(tops, parent):
        tops &= ~one(parent)
        steps = push(table, steps, table.column[parent], card)
        return Record(onto(f, state, card, parent), steps, used, stuck, slots, tops)
    table.lengths[used] = 0
    if parent >= 0:
        slots &= ~one(parent)
        steps = push(table, steps, used, parent)
        state = onto(f, state, card, parent)
    else:
        state = moved(f, state, card, BOTTOM)
    steps = push(table, steps, used, card)
    return Record(state, steps, used + 1, stuck + 1, slots, tops)


@inlined
def move_card(f, macro, record, table):
    """Move the card of a macro from where it is to where it goes."""
    x, p, way = macro[CARD], macro[PARENT], macro[WAY]
    state, slots, tops = record.state, record.slots, record.tops
    steps, used, stuck = record.steps, record.used, record.stuck
    if holds(slots, x):
        slots &= ~one(x)
    else:
        own = table.column[x]
        table.lengths[own] -= 1
        tops = (tops & ~one(x)) | top_of(table, own)
    if way == HOMEWARD:
        return Record(moved(f, state, x, HOME), steps, used, stuck, slots, tops)
    return put_down(f, Record(state, steps, used, stuck, slots, tops), x, p, table)


@inlined
def free_short_columns(f, record, before, table):
    """Make slot cards of columns that are too short, of as many as there were before."""
    state, slots, tops, stuck = record.state, record.slots, record.tops, record.stuck
    for number in range(before):
        length = table.lengths[number]
        if length >= fewest(f) or table.whole[number] == 0:
            continue
        if length == 1:
            card = table.stacks[number, 0]
            slots |= one(card)
            tops &= ~one(card)
            state = to_slot(f, state, card)
            table.lengths[number] = 0
        stuck -= 1
    return Record(state, record.steps, record.used, stuck, slots, tops)


@inlined
def normal_form(f, record, fix, table):
    """Reduce a record until nothing can be reduced: (its words, the changes of the table).

    The first reduction that applies, then again from the first: a safe card goes home; a slot card
    goes onto a stuck column; two slot cards become a column, or a king goes to an empty one.
    """
    any_card, freecells = f.rules.fillers == ALL, f.rules.freecells
    while True:
        slots = record.slots
        spaces = f.rules.columns - record.stuck
        free = freecells - count_bits(slots) + (spaces if any_card else 0)
        if free > 0 or freecells == 0 or spaces == 0 or not any_card:
            fix = ZERO
        card = forced_card(f.rules, record.state.signature, record.tops | slots)
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
            return with_fix(record.state, fix), record.steps
        record = put_down(f, record, card, parent, table)


@inlined
def with_fix(state, fix):
    """Return the words of a record, with the slot cards that lie in columns."""
    return State(
        state.signature, state.home, state.locked, state.off, state.low | fix, state.high
    )  # fmt: skip


@inlined
def send_home(f, record, fix, card, table):
    """Send a card home: (the record, cards of ``fix``)."""
    state, slots, tops, stuck = record.state, record.slots, record.tops, record.stuck
    if holds(slots, card):
        slots &= ~one(card)
        fix &= ~one(card)
    else:
        number = table.column[card]
        table.lengths[number] -= 1
        tops &= ~one(card)
        if table.lengths[number] >= fewest(f):
            tops |= top_of(table, number)
        else:
            stuck -= 1
            if table.lengths[number] == 1:
                table.lengths[number] = 0
                left = table.stacks[number, 0]
                slots |= one(left)
                fix |= one(left)
                state = to_slot(f, state, left)
    state = moved(f, state, card, HOME)
    return Record(state, record.steps, record.used, stuck, slots, tops), fix


@inlined
def find_child(f, cards, parents):
    """Return the lowest of some cards that has a legal parent among others, and that parent.

    Returns (-1, -1) if none has one; the parent is the lowest.
    """
    if not parents:
        return -1, -1
    rest = cards
    while rest:
        card = first_bit(rest)
        rest &= rest - U64(1)
        found = f.rules.takes[card] & parents
        if found:
            return card, first_bit(found)
    return -1, -1
