"""The macros of a record, as docs/dominance.md has them (sections 4 and 6), and nothing else.

A macro moves card x, in one of several ways, after other cards have been lifted into slots. The
cards that are lifted, and those of ``fix`` after it, are sets.
"""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.jit.decorators import inlined, inner
from dbmsolver.verify.kernels.record_layout import IN_SLOT, MOST_MACROS, takes_any_card
from dbmsolver.verify.kernels.rules import MOST_TAKERS
from dbmsolver.verify.kernels.words import ONE, ZERO, count_bits, first_of, height_of, holds, one

HOMEWARD, IN_PLACE, MOVED, TO_COLUMN = range(4)
"""Ways to move x: home; onto p where p lies; onto p, which has gone to an empty column; a king to
an empty column.
"""
CARD, PARENT, WAY = range(3)
"""Numbers of a macro's row: x, p (-1 for none), the way."""


class Attempt(NamedTuple):
    """A move that parking cannot make; the host is a column that is emptied for it, or -1."""

    card: int
    parent: int
    way: int
    host: int


@inner
def list_macros(f, signature, record, table):
    """List all macros of a record; return how many there are.

    A number above MOST_MACROS says that the table is too small for all of them.
    """
    any_card, free, spaces = takes_any_card(f), record.free, record.spaces
    near = cards_within(record, table, free)
    count = 0
    rest = near
    while rest:
        x, rest = first_of(rest)
        own = table.column[x]
        if height_of(signature, x & 3) == x >> 2:
            count = add(f, record, table, count, Attempt(x, -1, HOMEWARD, -1))
        if not any_card and holds(f.rules.fillers, x) and own != x:
            if spaces > 0:
                count = add(f, record, table, count, Attempt(x, -1, TO_COLUMN, -1))
            else:
                hosts = stripped_by(record, table, ZERO, 0, free - 1)
                count = add_hosts(f, record, table, count, Attempt(x, -1, TO_COLUMN, -1), hosts)
        for kind in range(MOST_TAKERS):
            p = f.rules.takers[x, kind]
            if p < 0 or not holds(near, p):
                continue
            other = table.column[p]
            if other != IN_SLOT:
                # Not where x lies on p, nor where p is above x in one column.
                if own != other or (holds(table.over[p], x) and table.board.on[x] != p):
                    count = add(f, record, table, count, Attempt(x, p, IN_PLACE, -1))
                if other == p:
                    continue
            if not any_card:
                continue
            moved = Attempt(x, p, MOVED, -1)
            if spaces > 0:
                if free > 0 or holds(record.fix, p) or spaces > count_bits(record.fix):
                    count = add(f, record, table, count, moved)
            elif own == x:
                count = add(f, record, table, count, Attempt(x, p, MOVED, own))
            else:
                hosts = stripped_by(record, table, ZERO, 0, free)
                count = add_hosts(f, record, table, count, moved, hosts)
    return count


@inlined
def cards_within(record, table, most):
    """Return the slot cards, and those of columns with at most ``most`` cards above them."""
    cards, rest = record.slots, record.tops
    while rest:
        card, rest = first_of(rest)
        above = 0
        while card >= 0 and above <= most:
            cards |= one(card)
            card, above = table.board.on[card], above + 1
    return cards


@inner
def add_hosts(f, record, table, count, attempt, hosts):
    """Add the macros of an attempt with each of some hosts; return how many there are then."""
    while hosts:
        host, hosts = first_of(hosts)
        hosted = Attempt(attempt.card, attempt.parent, attempt.way, host)
        count = add(f, record, table, count, hosted)
    return count


@inlined
def note(table, count, attempt, lifted, fix):
    """Note a macro; return how many there are then."""
    if count < MOST_MACROS:
        row = table.macros[count]
        row[CARD], row[PARENT], row[WAY] = attempt.card, attempt.parent, attempt.way
        table.lifted[count], table.fixes[count] = lifted, fix
    return count + 1


@inlined
def lifted_by(f, table, attempt):
    """Return the cards that are in the way of an attempt: (all of them, those not of the host)."""
    x, p, host = attempt.card, attempt.parent, attempt.host
    lifted, of_host = table.over[x], ZERO
    if p >= 0 and table.column[p] != IN_SLOT:
        lifted |= table.over[p]
        if attempt.way != IN_PLACE:
            lifted |= one(p)
    if host >= 0:
        of_host = table.over[host] | one(host)
        # A host that takes any card keeps its first one.
        lifted |= table.over[host] if takes_any_card(f) else of_host
    return lifted, lifted & ~of_host


@inner
def add(f, record, table, count, attempt):
    """Add the macros of an attempt; return how many there are then."""
    x, host, any_card = attempt.card, attempt.host, takes_any_card(f)
    lifted, late = lifted_by(f, table, attempt)
    left = record.free - count_bits(lifted)
    if left < 0 or (any_card and host >= 0 and left == 0 and not late):
        return count
    own = table.column[x]
    if not any_card or own in (IN_SLOT, x) or holds(lifted, x):
        return note(table, count, attempt, lifted, ZERO)
    return add_variants(f, record, table, count, attempt, lifted, late)


@inlined
def add_variants(f, record, table, count, attempt, lifted, late):
    """Add the variants of a macro by which x leaves a column; return how many there are then.

    They are those of "x from in place" in section 4 of docs/dominance.md, and differ in the set J
    of columns that are stripped to their first cards besides. ``lifted`` are the cards that are in
    its way, ``late`` those of them that are not of the host.
    """
    x, p, way, on = attempt.card, attempt.parent, attempt.way, table.board.on
    own, left = table.column[x], record.free - count_bits(lifted)
    other = table.column[p] if p >= 0 else IN_SLOT
    alone = one(own) if on[x] == own else ZERO  # y, left alone under x
    # free = 0: one record, whose `fix` is the old one without p, and y.
    if record.free == 0:
        fix = record.fix & ~one(p) if p >= 0 else record.fix
        return note(table, count, attempt, lifted, alone | fix)
    # free' = 0: one record, whose `fix` is y, and z, left alone under p, if p's is the only late
    # column. free' >= 1: the same record; its `fix` is dropped where a slot is free.
    of_other = table.over[other] | one(other) if other != IN_SLOT else ZERO
    with_other = alone
    if way == MOVED and other not in (IN_SLOT, own) and on[p] == other:
        with_other |= one(other)
    only_other = late != ZERO and late & ~of_other == ZERO
    count = note(table, count, attempt, lifted, with_other if only_other else alone)
    if left == 0 or not late or f.rules.freecells == 0:
        return count
    # free' >= 1, besides: a record for each J of `usable` columns, as many as there are freecells
    # at most, by which no slot stays free, and with which a late column is left outside J.
    usable = stripped_by(record, table, lifted, 1, left) & ~one(own)
    if attempt.host >= 0:
        usable &= ~one(attempt.host)
    if way == IN_PLACE and other != IN_SLOT:
        usable &= ~one(other)
    chosen = usable
    while chosen:
        stripped, rest = ZERO, chosen
        while rest:
            column, rest = first_of(rest)
            stripped |= table.over[column]
        still = late & ~stripped
        fits = count_bits(stripped & ~lifted) == left and count_bits(chosen) <= f.rules.freecells
        if fits and still:
            fix = with_other if other != IN_SLOT and not still & ~of_other else alone
            count = note(table, count, attempt, lifted | stripped, fix)
        chosen = (chosen - ONE) & usable
    return count


@inlined
def stripped_by(record, table, lifted, least, most):
    """Return the columns from which ``least`` to ``most`` cards have yet to be lifted."""
    columns, rest = ZERO, record.bottoms
    while rest:
        column, rest = first_of(rest)
        more = count_bits(table.over[column] & ~lifted)
        if least <= more <= most:
            columns |= one(column)
    return columns
