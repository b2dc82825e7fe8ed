"""Dominating positions: the successors of a record.

A record's macros are listed first (:mod:`~dbmsolver.kits.records.slot_macros`,
:mod:`~dbmsolver.kits.records.freecell_macros`); then each is carried out and what comes of it is
normalised (:mod:`~dbmsolver.kits.records.form`). ``docs/dominance.md`` has the theory.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.kernels.bits import lowest_bit, popcount
from dbmsolver.kernels.states import CARDS, LOW, MAX_SUCCESSORS, OFF, ONE, SIGNATURE, U64, ZERO
from dbmsolver.kits.cards.expand import next_home, parent_of, permute_suits, signature_sets
from dbmsolver.kits.records import freecell_macros, slot_macros
from dbmsolver.kits.records.form import (
    NOBODY,
    columns_are_slots,
    covered_cards,
    make_form,
    normalise,
)
from dbmsolver.kits.records.macros import (
    FREE,
    HOMEWARD,
    TO_COLUMN,
    ExpandedRecord,
    walk_columns,
)


@inlined
def list_macros(t, sets, form, scratch):
    """List the macros of a record into ``scratch``; return how many there are.

    -1 if no record of a game is like it: a card lies on one that is home, or two on one, or there
    are more cards than places.
    """
    stacked = sets.loose & ~form.off
    covered = covered_cards(t, sets.under, stacked, form.low)
    if covered & ~(sets.loose | sets.locked) or sets.home & sets.locked:
        return np.int64(-1)
    if popcount(covered) != popcount(sets.under) + popcount(stacked):
        return np.int64(-1)
    stuck = popcount(form.tops)
    empty = t.columns - stuck
    in_slots = columns_are_slots(t)
    free = t.freecells - popcount(form.slots) + (empty if in_slots else 0)
    if empty < 0 or free < 0:
        return np.int64(-1)
    fix = form.slots & form.low if t.freecells > 0 else ZERO
    r = ExpandedRecord(sets.locked, form.off, form.low, stuck, empty, free, fix, popcount(fix))
    reachable = walk_columns(t, r, scratch, form.slots, form.tops)
    count = np.int64(0)
    homing = reachable & form.wanted
    while homing:
        card = lowest_bit(homing)
        homing &= homing - ONE
        if in_slots:
            count = slot_macros.home_macros(t, r, scratch, count, card)
        else:
            count = freecell_macros.home_from_column(r, scratch, count, card)
    for kind in range(t.kinds.size):
        rest = reachable & permute_suits(reachable >> U64(4), t.kinds[kind])
        while rest:
            card = lowest_bit(rest)
            rest &= rest - ONE
            parent = parent_of(t, card, kind)
            if in_slots:
                count = slot_macros.onto_card(t, r, scratch, count, card, parent, kind)
            else:
                count = freecell_macros.onto_card(r, scratch, count, card, parent, kind)
    kings = ZERO if in_slots else reachable & t.fillers & ~(r.off & r.low)
    while kings:
        card = lowest_bit(kings)
        kings &= kings - ONE
        count = freecell_macros.king_to_column(r, scratch, count, card)
    return count


@inlined
def carry_out(t, sets, wanted, off, low, lifted, move):
    """Return the form of a macro's result, not normalised yet.

    ``wanted`` are the cards that the foundations wait for before the move.
    """
    card = (move >> 3) & 63  # the mask as in `parent_of`
    kind = move & 7
    bit = ONE << U64(card)
    signature, under_locked = sets.signature, sets.under
    released = sets.locked & (lifted | bit)
    locked = sets.locked & ~released
    loose = sets.loose | released
    while released:
        one = lowest_bit(released)
        released &= released - ONE
        signature -= t.release[one]
        under = t.dealt_below[one]
        if under != NOBODY:
            under_locked &= ~(ONE << U64(under))
    off = (off | lifted) & ~bit
    low &= ~(lifted | bit)
    if kind == HOMEWARD:
        signature += ONE << U64(4 * (card & 3))
        loose &= ~bit
        wanted &= ~bit
        if card < CARDS - 4:
            wanted |= bit << U64(4)
    elif kind == TO_COLUMN:
        off |= bit
        low |= bit
    elif kind & 1:
        low |= bit
    return make_form(t, signature, wanted, locked, loose, under_locked, off, low)


@inlined
def expand_record(t, sets, off, low, high, scratch):
    """List the successors of a record into ``scratch.found``; return how many there are (int64).

    ``sets`` describes its signature (:func:`dbmsolver.kits.cards.expand.signature_sets`); ``off``
    and ``low`` (uint64) are its planes. The same successor may be listed more than once. Writes all
    of ``scratch``. Returns -1 for what no record of a game is, or if there are more macros than
    there is room for.
    """
    wanted = next_home(sets.signature)
    form = make_form(t, sets.signature, wanted, sets.locked, sets.loose, sets.under, off, low)
    count = list_macros(t, sets, form, scratch)
    if count > MAX_SUCCESSORS:
        return np.int64(-1)
    for index in range(count):
        after = carry_out(t, sets, wanted, off, low, scratch.lifted[index], scratch.moved[index])
        signature, new_off, new_low, free = normalise(t, after, scratch.fixed[index])
        scratch.found[index, SIGNATURE] = signature
        scratch.found[index, OFF] = new_off
        scratch.found[index, LOW] = new_low
        scratch.found[index, FREE] = U64(free)
    return count


@kernel
def successors(t, signature, off, low, scratch):
    """Expand a record as :func:`expand_record` does, for callers from Python."""
    return expand_record(t, signature_sets(t, signature), off, low, ZERO, scratch)


@kernel
def normal_record(t, signature, off, low, fix, found):
    """Write the normal form of a record to ``found`` (uint64[4]: columns as in ``Scratch.found``).

    ``off`` and ``low`` are its planes without ``fix``, which is a set of cards; all are uint64.
    """
    sets = signature_sets(t, signature)
    form = make_form(
        t, signature, next_home(signature), sets.locked, sets.loose, sets.under, off, low
    )
    signature, off, low, free = normalise(t, form, fix)
    found[SIGNATURE], found[OFF], found[LOW], found[FREE] = signature, off, low, U64(free)
