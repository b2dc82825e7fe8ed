"""The macros of a record, as they are listed: what a kernel knows of a record and notes of them.

A *macro* lifts some cards and then moves one card x home, onto a card p, or, if x is a king, to an
empty column (``docs/dominance.md``). It is noted as its *move*, ``8 * x + kind``, the set of cards
that are slot cards or bottom cards afterwards and were not before (*lifted*), and ``fix`` of what
comes of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import lowest_bit
from dbmsolver.kernels.states import CARDS, MAX_SUCCESSORS, ONE, U64, ZERO
from dbmsolver.kits.records.form import NOBODY, card_below

FAR = 99
"""Length of a column whose bottom card no macro can reach."""

TO_COLUMN, HOMEWARD = 6, 7
"""Kinds of moves beside the place values 0 to 3: onto the first, second ... legal parent."""

FREE = 4
"""Column of ``Scratch.found`` after signature and planes: free slots."""


@struct
class Scratch(NamedTuple):
    """Scratch memory of one thread for a record, its macros and its successors."""

    # Of cards that can be reached by lifting.
    depth: NDArray[np.uint8]  # [52]: number of cards above it in its column
    column: NDArray[np.uint8]  # [52]: number of its stuck column, NOBODY for a slot card
    above: NDArray[np.uint64]  # [52]: these cards
    under: NDArray[np.uint8]  # [52]: the card it lies on, NOBODY for a bottom card or slot card
    # Of stuck columns, [CARDS].
    lengths: NDArray[np.int64]  # number of cards, FAR if the bottom is out of reach
    masks: NDArray[np.uint64]  # its cards, as far as they can be reached and one more
    # Of macros, [MAX_SUCCESSORS].
    lifted: NDArray[np.uint64]  # the cards to lift; x, if it is among them, is not lifted
    fixed: NDArray[np.uint64]  # fix afterwards
    moved: NDArray[np.int64]  # the move
    # Of successors.
    found: NDArray[np.uint64]  # [MAX_SUCCESSORS, 4]: normal form and free slots


class ExpandedRecord(NamedTuple):
    """A record whose macros are listed, and how full it is."""

    locked: np.uint64
    off: np.uint64
    low: np.uint64
    stuck: int  # stuck columns
    empty: int  # other columns
    free: int  # free slots
    fix: np.uint64
    fixed: int  # cards in fix


class Lying(NamedTuple):
    """The place of a card in a record."""

    bit: np.uint64  # the card as a set
    column: int  # number of its stuck column, NOBODY for a slot card
    depth: int  # cards above it
    above: np.uint64  # these cards
    under: int  # the card it lies on, NOBODY for a bottom card or slot card


class MacroWay(NamedTuple):
    """One way to make room for a move and make it."""

    move: int
    lifted: np.uint64
    lifts: int  # how many cards are lifted to make room
    from_slot: bool  # whether x comes from a slot: it leaves one that is free
    late: bool  # whether a column is lifted from that is not the host: it can give the last lift
    alone: np.uint64  # cards left alone in their columns by the move, or by the last lift
    kept: int  # numbers of columns, as a bit set, that cannot be stripped besides


def make_scratch() -> Scratch:
    """Return scratch memory of one thread."""
    return Scratch(
        depth=np.zeros(CARDS, np.uint8),
        column=np.zeros(CARDS, np.uint8),
        above=np.zeros(CARDS, np.uint64),
        under=np.zeros(CARDS, np.uint8),
        lengths=np.zeros(CARDS, np.int64),
        masks=np.zeros(CARDS, np.uint64),
        lifted=np.zeros(MAX_SUCCESSORS, np.uint64),
        fixed=np.zeros(MAX_SUCCESSORS, np.uint64),
        moved=np.zeros(MAX_SUCCESSORS, np.int64),
        found=np.zeros((MAX_SUCCESSORS, 5), np.uint64),
    )


@inlined
def walk_columns(t, r, scratch, slots, tops):
    """Assign numbers to stuck columns, and note their cards as far as lifting can reach.

    ``slots`` are the slot cards, ``tops`` the top cards of stuck columns. Writes ``scratch.depth``,
    ``column``, ``above``, ``under``, ``lengths`` and ``masks``. Returns the cards that can be
    reached: slot cards, and those with at most ``free`` cards above them.
    """
    reachable = slots
    rest = slots
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        scratch.depth[card] = 0
        scratch.column[card] = NOBODY
        scratch.above[card] = ZERO
        scratch.under[card] = NOBODY
    column = 0
    while tops:
        card = lowest_bit(tops)
        tops &= tops - ONE
        length = FAR
        mask = ZERO
        for depth in range(r.free + 2):
            scratch.depth[card] = depth
            scratch.column[card] = column
            scratch.above[card] = mask
            under = card_below(t, r.locked, r.off, r.low, card)
            scratch.under[card] = under
            mask |= ONE << U64(card)
            if depth <= r.free:
                reachable |= ONE << U64(card)
            card = under
            if card == NOBODY:
                length = depth + 1
                break
        scratch.lengths[column] = length
        scratch.masks[column] = mask
        column += 1
    return reachable


@inlined
def look_up(scratch, card):
    """Return the place of a card that can be reached (:class:`Lying`)."""
    return Lying(
        ONE << U64(card),
        np.int64(scratch.column[card]),
        np.int64(scratch.depth[card]),
        scratch.above[card],
        np.int64(scratch.under[card]),
    )


@inlined
def note_macro(scratch, count, fix, lifted, move):
    """Note macro number ``count``; return the new count, which may exceed MAX_SUCCESSORS.

    Writes ``scratch.lifted``, ``fixed`` and ``moved``.
    """
    place = count & (MAX_SUCCESSORS - 1)
    scratch.lifted[place] = lifted
    scratch.fixed[place] = fix
    scratch.moved[place] = move
    return count + 1
