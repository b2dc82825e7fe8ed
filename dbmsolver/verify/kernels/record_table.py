"""A record of dominating positions laid out: its stuck columns card by card, and its slot cards.

The words are those of docs/dominance.md, from which the kernels of records are written. A *slot* is
a freecell, and an empty column too if it takes any card; *stuck* columns are those of two cards or
more (of one or more, if empty columns take kings only, or nothing); all other cards in play are
*slot cards*.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.verify.kernels.errors import (
    BAD_FIELDS,
    BAD_FIX,
    COLLISION,
    FINE,
    RING,
    TOO_MANY_CELLS,
    TOO_MANY_COLUMNS,
)
from dbmsolver.verify.kernels.rules import holds, one
from dbmsolver.verify.kernels.words import ALL, ONE, ZERO, count_bits, first_bit

MOST_MACROS = 8192
"""Macros that one record may have."""
MOST_COLUMNS = 80
"""Columns of a record, and those that normalising a successor may make."""
IN_SLOT, NOWHERE = -1, -2


class RecordTable(NamedTuple):
    """A record taken apart: scratch memory of one thread."""

    stacks: NDArray[np.int64]  # [MOST_COLUMNS, 52]: stuck columns, deepest card first
    lengths: NDArray[np.int64]  # [MOST_COLUMNS]
    whole: NDArray[np.int64]  # [MOST_COLUMNS]: the lengths before a macro
    column: NDArray[np.int64]  # [52]: number of its stuck column, or IN_SLOT, or NOWHERE
    depth: NDArray[np.int64]  # [52]: cards under it, of a card in a stuck column
    above: NDArray[np.int64]  # [52]: the card that lies on it, -1 for none
    attempts: NDArray[np.int64]  # [*, 4]: see kernels.record_macros
    macros: NDArray[np.int64]  # [MOST_MACROS, 10]: see kernels.record_macros
    fixes: NDArray[np.uint64]  # [MOST_MACROS]
    undo: NDArray[np.int64]  # [256, 5]: see kernels.record_results


def make_table() -> RecordTable:
    """Return scratch memory."""
    return RecordTable(
        stacks=np.zeros((MOST_COLUMNS, 52), np.int64),
        lengths=np.zeros(MOST_COLUMNS, np.int64),
        whole=np.zeros(MOST_COLUMNS, np.int64),
        column=np.zeros(52, np.int64),
        depth=np.zeros(52, np.int64),
        above=np.zeros(52, np.int64),
        attempts=np.zeros((MOST_MACROS, 4), np.int64),
        macros=np.zeros((MOST_MACROS, 10), np.int64),
        fixes=np.zeros(MOST_MACROS, np.uint64),
        undo=np.zeros((256, 5), np.int64),
    )


@inlined
def take_apart(f, home, locked, off, low, table):
    """Lay a record out: (error, stuck columns, slot cards, cards of ``fix``).

    Return an error for words that are no record, or no record in the form that is stored.
    """
    any_card, freecells = f.rules.fillers == ALL, f.rules.freecells
    error, bottoms = link_cards(f, home, locked, off, low, table)
    if error:
        return error, 0, ZERO, ZERO
    slots = ZERO if any_card else off & ~low
    error, stuck, placed, slots = stack_columns(f, bottoms, slots, table)
    if error:
        return error, 0, ZERO, ZERO
    rest = slots
    while rest:
        table.column[first_bit(rest)] = IN_SLOT
        rest &= rest - ONE
    if placed + count_bits(slots) != count_bits(ALL & ~home):
        return RING, 0, ZERO, ZERO
    fix = ZERO
    spaces = f.rules.columns - stuck
    room = freecells + (spaces if any_card else 0)
    if any_card and freecells > 0:
        fix = off & low
        full = count_bits(slots) == room
        if fix & ~slots or (fix and (not full or count_bits(fix) > spaces)):
            return BAD_FIX, 0, ZERO, ZERO
    if count_bits(slots) > room:
        return TOO_MANY_CELLS, 0, ZERO, ZERO
    return FINE, stuck, slots, fix


@inlined
def link_cards(f, home, locked, off, low, table):
    """Lay cards on each other: (error, cards on no other one that may be bottoms of columns)."""
    above, any_card = table.above, f.rules.fillers == ALL
    loose = ALL & ~(home | locked)
    if (off | low) & ~loose:
        return BAD_FIELDS, ZERO
    above[:] = -1
    table.column[:] = NOWHERE
    blocked = home
    bottoms = off
    if any_card:
        if f.rules.freecells == 0 and off & ~low:
            return BAD_FIELDS, ZERO
    else:
        blocked |= off & ~low
        bottoms = off & low
        if bottoms & ~f.rules.fillers:
            return BAD_FIELDS, ZERO
    rest = locked | (loose & ~off)
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        if holds(locked, card):
            under = f.dealt_under[card]
            if under < 0:
                bottoms |= one(card)
                continue
        else:
            under = f.rules.takers[card, np.int64(holds(low, card))]
            if under < 0:
                return BAD_FIELDS, ZERO
        if above[under] >= 0 or holds(blocked, under):
            return COLLISION, ZERO
        above[under] = card
    return FINE, bottoms


@inlined
def stack_columns(f, bottoms, slots, table):
    """Write the stuck columns: (error, how many they are, cards in them, slot cards)."""
    stuck = placed = 0
    while bottoms:
        card = first_bit(bottoms)
        bottoms &= bottoms - ONE
        if f.rules.fillers == ALL and table.above[card] < 0:
            slots |= one(card)
            continue
        if stuck == f.rules.columns:
            return TOO_MANY_COLUMNS, 0, 0, slots
        length = 0
        while card >= 0:
            table.stacks[stuck, length] = card
            table.column[card] = stuck
            table.depth[card] = length
            length += 1
            card = table.above[card]
        table.lengths[stuck] = length
        placed += length
        stuck += 1
    return FINE, stuck, placed, slots


@kernel
def apart(f, home, locked, off, low, table):
    """Take a record apart as :func:`take_apart` does, for callers from Python."""
    return take_apart(f, home, locked, off, low, table)
