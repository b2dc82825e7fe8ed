"""Dives for many deals of one game, one deal after the other, without Python in between.

A dive that wins takes some tens of records; making a deal's tables in Python takes a thousand times
as long. Here a kernel fills in those parts of the tables that expanding records reads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.kernels.states import CARDS, LOW, OFF, ONE, SIGNATURE, U64, ZERO
from dbmsolver.kits.cards.expand import parent_of
from dbmsolver.kits.cards.tables import (
    FOUNDATION_BITS,
    PLACE_BOTTOM,
    PLACE_FREECELL,
    PLACE_HOME,
    PLACE_LOCKED,
    POLICY_NONE,
    Tables,
)
from dbmsolver.kits.records.dive import EXHAUSTED, FULL, WON, dive
from dbmsolver.kits.records.dominance import normal_record
from dbmsolver.kits.records.form import columns_are_slots

NOBODY = 255

OUTCOME, FOUND, EXPANDED, STEPS = range(4)
"""Columns of the results: how the last dive ends, records it has found, records that all dives have
expanded, records on the way to the win."""


class LaidDeal(NamedTuple):
    """Deals as kernels read them: cards that are not listed are home."""

    cards: NDArray[np.uint8]  # [deals, 52]: column after column, deepest first; then the freecells
    lengths: NDArray[np.uint8]  # [deals, columns + 1]: of the columns; cards in freecells


def own_tables(t: Tables) -> Tables:
    """Return tables of the same rules, with arrays of their own for :func:`dive_deals`.

    They suit deals of any shape.
    """
    shape = (t.columns, CARDS + 1)
    return t._replace(
        column_shift=np.zeros(t.columns, np.uint64),
        column_mask=np.zeros(t.columns, np.uint64),
        locked=np.zeros(shape, np.uint64),
        prefix=np.zeros(shape, np.uint64),
        under_locked=np.zeros(shape, np.uint64),
        locked_bottom=np.zeros(shape, np.uint64),
        lock_top=np.full(shape, -1, np.int64),
        release=np.zeros(CARDS, np.uint64),
        dealt_place=np.zeros(CARDS, np.uint8),
        dealt_below=np.full(CARDS, NOBODY, np.uint8),
    )


@inlined
def dealt_place(t, card, under):
    """Return the place value of a card dealt on ``under``, NOBODY for a bottom card.

    PLACE_LOCKED where no move could put it back.
    """
    if card < 4 and t.policy != POLICY_NONE:
        return PLACE_LOCKED
    if under == NOBODY:
        return PLACE_BOTTOM if (t.fillers >> U64(card)) & ONE else PLACE_LOCKED
    for kind in range(t.kinds.size):
        if parent_of(t, card, kind) == under:
            return kind
    return PLACE_LOCKED


@inner
def lay_columns(t, cards, lengths):
    """Fill in what the tables say of a deal's columns; (signature without foundations, locked).

    Writes ``t.dealt_place``, ``dealt_below``, ``release``, ``locked``, ``under_locked``,
    ``locked_bottom``, ``column_shift`` and ``column_mask``.
    """
    signature = ZERO
    shift = FOUNDATION_BITS
    first = 0
    all_locked = 0
    for column in range(t.columns):
        locked = under_locked = bottom = ZERO
        count = 0
        under = NOBODY
        for place in range(first, first + np.int64(lengths[column])):
            card = np.int64(cards[place])
            t.dealt_below[card] = under
            value = dealt_place(t, card, under)
            t.dealt_place[card] = value
            if value == PLACE_LOCKED:
                locked |= ONE << U64(card)
                if under == NOBODY:
                    bottom = ONE
                else:
                    under_locked |= ONE << U64(under)
                count += 1
                t.release[card] = ONE << U64(shift)
                t.locked[column, count] = locked
                t.under_locked[column, count] = under_locked
                t.locked_bottom[column, count] = bottom
            under = card
        bits = 0
        while count >> bits:
            bits += 1
        t.column_shift[column] = U64(shift)
        t.column_mask[column] = U64((1 << bits) - 1)
        signature |= U64(count) << U64(shift)
        shift += bits
        first += np.int64(lengths[column])
        all_locked += count
    for place in range(first, first + np.int64(lengths[t.columns])):
        t.dealt_place[cards[place]] = PLACE_FREECELL
    return signature, all_locked


@inner
def lay_out(t, root, cards, lengths):
    """Fill in the tables for a deal; returns the number of its locked cards (int64).

    Writes to ``t`` (:func:`own_tables`), and the deal's record to ``root`` (uint64[4], columns as
    in ``Scratch.found``).
    """
    t.dealt_place[:] = PLACE_HOME
    t.dealt_below[:] = NOBODY
    t.release[:] = ZERO
    signature, locked = lay_columns(t, cards, lengths)
    off = low = ZERO
    # As a record has it: at the bottom of a stuck column, where that may be any card.
    as_cell = columns_are_slots(t) and t.freecells > 0
    for card in range(CARDS):
        place = np.int64(t.dealt_place[card])
        if place == PLACE_HOME:
            signature += ONE << U64(4 * (card & 3))
        elif place != PLACE_LOCKED:
            if place == PLACE_BOTTOM and as_cell:
                place = PLACE_FREECELL
            off |= t.place_planes[0, place] << U64(card)
            low |= t.place_planes[1, place] << U64(card)
    normal_record(t, signature, off, low, ZERO, root)
    return locked


@inner
def way_to(d, number, rows):
    """Write records of a dive to ``rows``, from the first to record ``number``; return how many.

    ``rows`` (uint64[*, 3]) are written as far as there is room.
    """
    steps = 0
    one = number
    while one >= 0:
        steps += 1
        one = np.int64(d.parents[one])
    place = steps
    one = number
    while one >= 0:
        place -= 1
        if place < rows.shape[0]:
            rows[place, SIGNATURE] = d.rows[one, SIGNATURE]
            rows[place, OFF] = d.rows[one, OFF]
            rows[place, LOW] = d.rows[one, LOW]
        one = np.int64(d.parents[one])
    return steps


@kernel
def dive_deals(t, d, root, laid, first, schedule, results, ways, to_exhausted):
    """Dive for each of the deals from number ``first`` on until a dive decides it.

    ``schedule`` (int64[dives, 5]) has for each dive its limit of records and the four weights of
    :func:`dbmsolver.kits.records.dive.dive`. Writes to ``t``, ``d`` and ``root`` (uint64[4]); to
    ``results`` (int64[deals, 4]) the rows of these deals, whose records expanded add up; to
    ``ways`` (uint64[deals, steps, 3]) the records on the way to a win, as far as there is room.
    Returns the number of the first deal it is not done with. There is one if it was stopped; with
    ``to_exhausted`` also after a deal whose records are exhausted, which then are those of ``d``.
    """
    for deal in range(first, results.shape[0]):
        locked = lay_out(t, root, laid.cards[deal], laid.lengths[deal])
        outcome, count = np.int64(FULL), np.int64(0)
        for step in range(schedule.shape[0]):
            limit, one, two, three, four = schedule[step]
            weights = one, two, three, four
            outcome, count, expanded = dive(
                t, d, root[SIGNATURE], root[OFF], root[LOW], locked, limit, weights, 1
            )
            results[deal, EXPANDED] += expanded
            if outcome == WON:
                results[deal, STEPS] = way_to(d, count - 1, ways[deal])
            if outcome != FULL:
                break
        if d.stop[0]:
            return deal
        results[deal, OUTCOME] = outcome
        results[deal, FOUND] = count
        if to_exhausted and outcome == EXHAUSTED:
            return deal + 1
    return results.shape[0]
