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
from dbmsolver.verify.kernels.planes import (
    BAD_FIELDS,
    COLLISION,
    FINE,
    RING,
    TOO_MANY_CELLS,
    TOO_MANY_COLUMNS,
)
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, count_bits, first_bit

MOST_MACROS = 8192
"""Macros that one record may have."""
MOST_COLUMNS = 80
"""Columns of a record, and those that normalising a successor may make."""
IN_SLOT, NOWHERE = -1, -2
BAD_FIX = 14  # cards known to lie in columns, where that cannot be


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
    recent: NDArray[np.uint64]  # [4096, 3]: successors that have been written


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
        recent=np.zeros((4096, 3), np.uint64),
    )


@inlined
def put_on(card, under, blocked, above):
    """Lay a card on another; return whether that was possible."""
    if above[under] >= 0 or (blocked >> U64(under)) & ONE:
        return False
    above[under] = card
    return True


@inlined
def take_apart(f, home, locked, off, low, table):
    """Lay a record out: (error, stuck columns, slot cards, cards of ``fix``).

    Return an error for words that are no record, or no record in the form that is stored.
    """
    above, column, depth = table.above, table.column, table.depth
    stacks, lengths = table.stacks, table.lengths
    any_card = f.rules.fillers == ALL
    loose = ALL & ~(home | locked)
    if (off | low) & ~loose:
        return BAD_FIELDS, 0, ZERO, ZERO
    for card in range(52):
        above[card] = -1
        column[card] = NOWHERE
    blocked = home
    bottoms = off
    if any_card:
        if f.rules.freecells == 0 and off & ~low:
            return BAD_FIELDS, 0, ZERO, ZERO
    else:
        blocked |= off & ~low
        bottoms = off & low
        if bottoms & ~f.rules.fillers:
            return BAD_FIELDS, 0, ZERO, ZERO
    rest = locked
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        under = f.dealt_under[card]
        if under < 0:
            bottoms |= ONE << U64(card)
        elif not put_on(card, under, blocked, above):
            return COLLISION, 0, ZERO, ZERO
    rest = loose & ~off
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        kind = np.int64((low >> U64(card)) & ONE)
        if kind >= f.kinds.size or card >= 48:
            return BAD_FIELDS, 0, ZERO, ZERO
        if not put_on(card, (card ^ f.kinds[kind]) + 4, blocked, above):
            return COLLISION, 0, ZERO, ZERO
    slots = ZERO if any_card else off & ~low
    stuck = placed = 0
    rest = bottoms
    while rest:
        card = first_bit(rest)
        bit = ONE << U64(card)
        rest &= rest - ONE
        if any_card and above[card] < 0:
            slots |= bit
            continue
        if stuck == f.rules.columns:
            return TOO_MANY_COLUMNS, 0, ZERO, ZERO
        length = 0
        while card >= 0:
            stacks[stuck, length] = card
            column[card] = stuck
            depth[card] = length
            length += 1
            card = above[card]
        lengths[stuck] = length
        placed += length
        stuck += 1
    rest = slots
    while rest:
        column[first_bit(rest)] = IN_SLOT
        rest &= rest - ONE
        placed += 1
    if placed != count_bits(ALL & ~home):
        return RING, 0, ZERO, ZERO
    fix = ZERO
    room = f.rules.freecells
    if any_card:
        room += f.rules.columns - stuck
        if f.rules.freecells > 0:
            fix = off & low
            spaces = f.rules.columns - stuck
            full = count_bits(slots) == room
            if fix & ~slots or (fix and (not full or count_bits(fix) > spaces)):
                return BAD_FIX, 0, ZERO, ZERO
    if count_bits(slots) > room:
        return TOO_MANY_CELLS, 0, ZERO, ZERO
    return FINE, stuck, slots, fix


@kernel
def apart(f, home, locked, off, low, table):
    """Take a record apart as :func:`take_apart` does, for callers from Python."""
    return take_apart(f, home, locked, off, low, table)
