"""A record of dominating positions laid out: its stuck columns card by card, and its slot cards.

The words are those of docs/dominance.md, from which the kernels of records are written. A *slot* is
a freecell, and an empty column too if it takes any card; *stuck* columns are those of two cards or
more (of one or more, if empty columns take kings only, or nothing); all other cards in play are
*slot cards*. A column is told by its first card.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels import errors as e
from dbmsolver.verify.kernels.board import Board, has_ring, make_board
from dbmsolver.verify.kernels.positions import Tables, cards_at, put_on_others
from dbmsolver.verify.kernels.rules import BOTTOM, FREECELL, HOME
from dbmsolver.verify.kernels.words import ALL, ZERO, Ints, Words, count_bits, first_of, one

MOST_MACROS = 8192
"""Macros that one record may have."""
IN_SLOT = -1


@struct
class RecordTables(NamedTuple):
    """The tables of a deal, in a class of their own: by it the kernels of records are chosen."""

    cards: Tables


@struct
class RecordTable(NamedTuple):
    """A record taken apart, and its macros: scratch memory of one thread."""

    board: Board  # the stuck columns
    column: Ints  # [52]: the first card of the column that a card lies in, or IN_SLOT
    over: Words  # [52]: the cards that lie above a card in its column
    on: Ints  # [52]: what cards of columns lie on while a macro is carried out
    macros: Ints  # [MOST_MACROS, 3]: see kernels.record_macros
    lifted: Words  # [MOST_MACROS]
    fixes: Words  # [MOST_MACROS]


class LaidRecord(NamedTuple):
    """All of a record that is not on the table."""

    tops: np.uint64  # last cards of stuck columns
    bottoms: np.uint64  # first cards of stuck columns
    slots: np.uint64  # slot cards
    fix: np.uint64  # slot cards that are known to lie in columns
    free: int  # slots that are free
    spaces: int  # columns that are not stuck


def make_table() -> RecordTable:
    """Return scratch memory."""
    return RecordTable(
        board=make_board(),
        column=np.zeros(52, np.int64),
        over=np.zeros(52, np.uint64),
        on=np.zeros(52, np.int64),
        macros=np.zeros((MOST_MACROS, 3), np.int64),
        lifted=np.zeros(MOST_MACROS, np.uint64),
        fixes=np.zeros(MOST_MACROS, np.uint64),
    )


@inlined
def takes_any_card(f):
    """Return True if empty columns take any card."""
    return f.rules.fillers == ALL


@inlined
def no_record(error):
    """Return an error, and a record with nothing in it."""
    return error, LaidRecord(ZERO, ZERO, ZERO, ZERO, 0, 0)


@inlined_kernel
def take_apart(f, state, table):
    """Lay a record out: (error, the record).

    Return an error for words that are no record, or no record in the form that is stored.
    """
    any_card, freecells, board = takes_any_card(f), f.rules.freecells, table.board
    in_play = ALL & ~cards_at(state, HOME)
    slots, bottoms, fix = cards_at(state, FREECELL), cards_at(state, BOTTOM), ZERO
    if any_card:
        # Slot cards are written as bottoms of columns are, and are those with nothing on them.
        if freecells > 0:
            fix = bottoms
        elif slots:
            return no_record(e.BAD_FIELDS)
        error, bottoms, covered = put_on_others(f, state, in_play, slots | bottoms, board)
        slots = bottoms & ~covered
        bottoms &= ~slots
    else:
        if bottoms & ~f.rules.fillers:
            return no_record(e.BAD_FIELDS)
        error, bottoms, covered = put_on_others(f, state, in_play & ~slots, bottoms, board)
    if error:
        return no_record(error)
    lying = in_play & ~slots
    stuck, tops = count_bits(bottoms), lying & ~covered
    if stuck > f.rules.columns:
        return no_record(e.TOO_MANY_COLUMNS)
    if has_ring(board, bottoms, tops, lying):
        return no_record(e.RING)
    measure_columns(bottoms, slots, table)
    spaces = f.rules.columns - stuck
    room = freecells + (spaces if any_card else 0)
    free = room - count_bits(slots)
    if fix & ~slots or (fix and (free != 0 or count_bits(fix) > spaces)):
        return no_record(e.BAD_FIX)
    if free < 0:
        return no_record(e.TOO_MANY_CELLS)
    return e.FINE, LaidRecord(tops, bottoms, slots, fix, free, spaces)


@inlined
def measure_columns(bottoms, slots, table):
    """Write the column of each card, and the cards above it."""
    while slots:
        card, slots = first_of(slots)
        table.column[card], table.over[card] = IN_SLOT, ZERO
    while bottoms:
        bottom, bottoms = first_of(bottoms)
        above, card = ZERO, table.board.load[bottom]
        while card >= 0:
            above |= one(card)
            card = table.board.load[card]
        card = bottom
        while card >= 0:
            table.column[card], table.over[card] = bottom, above
            card = table.board.load[card]
            if card >= 0:
                above &= ~one(card)
