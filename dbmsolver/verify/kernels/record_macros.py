"""The macros of a record, as docs/dominance.md has them (sections 4 and 6), and nothing else.

An *attempt* is a move that parking cannot make: card x, what it goes to (p), in which way, and the
host. Its cost and its results come next: a *macro* is an attempt with the number
of cards that each column keeps at most (three pairs of column and number) and the set J of columns
that are stripped besides. Both are rows of numbers in the table's scratch memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels.record_table import IN_SLOT, MOST_MACROS
from dbmsolver.verify.kernels.rules import MOST_TAKERS
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, count_bits, first_bit, height_of

HOMEWARD, IN_PLACE, MOVED, TO_COLUMN, NO_ATTEMPT = 0, 1, 2, 3, 4
"""Ways to move x: home; onto p where p lies; onto p, which has gone to an empty column; a king to
an empty column; and no move at all.
"""
CARD, PARENT, WAY, OWN, OWN_KEPT, OTHER, OTHER_KEPT, HOST, HOST_KEPT, STRIPPED = range(10)
"""Numbers of a macro's row: x, p, the way; the columns of x and p and the host, -1 for none, each
with what it keeps; J as a bit set.
"""


@inlined
def attempt(table, count, card, parent, way, host):
    """Note an attempt; return how many there are then."""
    place = min(count, MOST_MACROS - 1)
    table.attempts[place, 0], table.attempts[place, 1] = card, parent
    table.attempts[place, 2], table.attempts[place, 3] = way, host
    return count + 1


@inlined
def list_attempts(f, signature, stuck, slots, fix, table):
    """List all attempts whose cards are not too deep; return how many there are."""
    column, depth, lengths, stacks = table.column, table.depth, table.lengths, table.stacks
    any_card = f.rules.fillers == ALL
    spaces = f.rules.columns - stuck
    free = f.rules.freecells - count_bits(slots)
    if any_card:
        free += spaces
    near = slots
    for number in range(stuck):
        length = lengths[number]
        for place in range(max(0, length - 1 - free), length):
            near |= ONE << U64(stacks[number, place])
    count = 0
    rest = near
    while rest:
        x = first_bit(rest)
        rest &= rest - ONE
        own = column[x]
        if height_of(signature, x & 3) == x >> 2:
            count = attempt(table, count, x, -1, HOMEWARD, -1)
        if not any_card and (f.rules.fillers >> U64(x)) & ONE and (own == IN_SLOT or depth[x] > 0):
            if spaces > 0:
                count = attempt(table, count, x, -1, TO_COLUMN, -1)
            else:
                for host in range(stuck):
                    if lengths[host] <= free:
                        count = attempt(table, count, x, -1, TO_COLUMN, host)
        for kind in range(MOST_TAKERS):
            p = f.rules.takers[x, kind]
            if p < 0 or not (near >> U64(p)) & ONE:
                continue
            other = column[p]
            if other >= 0:
                # Not where x lies on p, nor where p is above x in one column.
                if own != other or depth[x] > depth[p] + 1:
                    count = attempt(table, count, x, p, IN_PLACE, -1)
                if depth[p] == 0:
                    continue
            if not any_card:
                continue
            if spaces > 0:
                certain = free > 0 or (fix >> U64(p)) & ONE or spaces > count_bits(fix)
                if certain:
                    count = attempt(table, count, x, p, MOVED, -1)
                continue
            if own >= 0 and depth[x] == 0:
                count = attempt(table, count, x, p, MOVED, own)
                continue
            for host in range(stuck):
                if lengths[host] - 1 <= free:
                    count = attempt(table, count, x, p, MOVED, host)
    return count


@inlined
def note(table, count, source, stripped, fix):
    """Note another macro, like row ``source`` but for the stripped columns and ``fix``."""
    place = min(count, MOST_MACROS - 1)
    for number in range(STRIPPED):
        table.macros[place, number] = table.macros[source, number]
    table.macros[place, STRIPPED] = stripped
    table.fixes[place] = fix
    return count + 1


class Limits(NamedTuple):
    """The columns of a macro, what they keep, and the cards that are lifted from them."""

    own: int  # the column of x, -1 for none
    own_kept: int
    other: int  # the column of p
    other_kept: int
    lifts: int
    late: int  # columns, as a bit set, that lose cards and are not the host


@inlined
def list_macros(f, stuck, slots, fix, attempts, table):
    """List the macros of the attempts; return the number of rows in use.

    Row 0 moves nothing; row 1 and so on are macros. A number above MOST_MACROS says that the table
    is too small for all of them.
    """
    any_card = f.rules.fillers == ALL
    free = f.rules.freecells - count_bits(slots)
    if any_card:
        free += f.rules.columns - stuck
    last = 1 if any_card else 0  # what a host keeps
    table.macros[0, :] = -1
    table.macros[0, WAY] = NO_ATTEMPT
    table.macros[0, STRIPPED] = 0
    table.fixes[0] = fix
    count = 1
    for number in range(min(attempts, MOST_MACROS)):
        tried = table.attempts[number]
        host = tried[3]
        limits = limits_of(tried, last, table)
        if limits.lifts > free:
            continue
        if any_card and host >= 0 and limits.lifts == free and limits.late == 0:
            continue
        source = min(count, MOST_MACROS - 1)
        row = table.macros[source]
        row[CARD], row[PARENT], row[WAY] = tried[0], tried[1], tried[2]
        row[OWN], row[OWN_KEPT] = limits.own, limits.own_kept
        row[OTHER], row[OTHER_KEPT] = limits.other, limits.other_kept
        row[HOST], row[HOST_KEPT] = host, last
        depth = table.depth[tried[0]]
        if not any_card or limits.own < 0 or depth == 0 or limits.own_kept <= depth:
            # x comes from a slot, or the macro has no other variant.
            count = note(table, count, source, 0, ZERO)
        else:
            count = list_variants(f, stuck, fix, (free, count, source), limits, table)
    if attempts > MOST_MACROS:
        return np.int64(MOST_MACROS + 1)
    return np.int64(count)


@inlined
def limits_of(tried, last, table):
    """Return what the columns of an attempt keep, if its host keeps ``last`` cards."""
    column, depth, lengths = table.column, table.depth, table.lengths
    x, p, way, host = tried[0], tried[1], tried[2], tried[3]
    own, other = column[x], np.int64(-1)
    own_kept = other_kept = np.int64(0)
    if own >= 0:
        own_kept = depth[x] + 1
    if p >= 0 and column[p] >= 0:
        other = column[p]
        other_kept = depth[p] + 1 if way == IN_PLACE else depth[p]
    # Of two limits for one column the lower one holds.
    if other >= 0 and other == own:
        own_kept = other_kept = min(own_kept, other_kept)
    if host >= 0 and host == own:
        own_kept = min(own_kept, last)
    if host >= 0 and host == other:
        other_kept = min(other_kept, last)
    own_lifts = other_lifts = host_lifts = late = np.int64(0)
    if own >= 0:
        own_lifts = lengths[own] - own_kept
    if other >= 0 and other != own:
        other_lifts = lengths[other] - other_kept
    if host >= 0 and host != own and host != other:
        host_lifts = lengths[host] - last
    if own_lifts > 0 and own != host:
        late |= 1 << own
    if other_lifts > 0 and other != host:
        late |= 1 << other
    lifts = own_lifts + other_lifts + host_lifts
    return Limits(own, own_kept, other, other_kept, lifts, late)


@inlined
def list_variants(f, stuck, fix, numbers, limits, table):
    """List the variants of the macro in row ``source``; return the number of rows in use.

    ``numbers`` are the free slots, the rows in use, and ``source``.
    """
    free, count, source = numbers
    row = table.macros[source]
    x, p, way, host = row[CARD], row[PARENT], row[WAY], row[HOST]
    own, other, late = limits.own, limits.other, limits.late
    y = z = ZERO
    if table.depth[x] == 1:
        y = ONE << U64(table.stacks[own, 0])
    if way == MOVED and other >= 0 and other != own and table.depth[p] == 1:
        z = ONE << U64(table.stacks[other, 0])
    if free == 0:
        y |= fix & ~(ONE << U64(p)) if p >= 0 else fix
        return note(table, count, source, 0, y)
    left = free - limits.lifts
    only_other = other >= 0 and late == 1 << other
    count = note(table, count, source, 0, y | z if only_other else y)
    if left == 0 or late == 0 or f.rules.freecells == 0:
        return count
    usable = 0
    for number in range(stuck):
        length = limits.other_kept if number == other else table.lengths[number]
        under_x = number == own or (number == other and way == IN_PLACE)
        if not under_x and number != host and 2 <= length <= left + 1:
            usable |= 1 << number
    chosen = usable
    while chosen:
        taken = size = 0
        for number in range(stuck):
            if (chosen >> number) & 1:
                size += 1
                taken += (limits.other_kept if number == other else table.lengths[number]) - 1
        still = late & ~chosen
        if taken == left and size <= f.rules.freecells and still:
            only = other >= 0 and still == 1 << other
            count = note(table, count, source, chosen, y | z if only else y)
        chosen = (chosen - 1) & usable
    return count
