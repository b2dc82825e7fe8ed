"""Records of dominating positions: which cards lie where, and the normal form.

A *record* stands for all positions that parking leads to from it. The words *slot*, *stuck column*,
*slot card*, *free*, *fix* and *lift* are those of ``docs/dominance.md``, and so are the reductions.

A record is written like a state (:mod:`dbmsolver.kits.cards.tables`): a signature and two planes.
The place values of loose cards are those of a state, with these exceptions:

======================================= ====================== ======================
card                                    with freecells         without
======================================= ====================== ======================
at the bottom of a stuck column         freecell               bottom
slot card                               freecell               bottom
slot card of ``fix``                    bottom                 bottom
======================================= ====================== ======================

Where empty columns take kings only or nothing, no column is a slot; only a king may lie at a bottom
without being locked, and then it has the place value bottom.

Sets of cards are uint64, card numbers int64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.bits import lowest_bit, popcount
from dbmsolver.kernels.states import CARDS, ONE, U64, ZERO
from dbmsolver.kits.cards.expand import is_safe, parent_of, permute_suits
from dbmsolver.kits.cards.tables import ALL_CARDS

NOBODY = 255
"""No card, or no column."""


class Form(NamedTuple):
    """A record while it is worked on, ``fix`` apart.

    Where columns are slots, ``low`` of a card that lies on no parent says nothing.
    """

    signature: np.uint64
    wanted: np.uint64  # cards that the foundations wait for
    locked: np.uint64
    off: np.uint64
    low: np.uint64
    tops: np.uint64  # top cards of stuck columns
    slots: np.uint64  # slot cards


@inlined
def columns_are_slots(t):
    """Return True if empty columns take any card."""
    return t.fillers == U64(ALL_CARDS)


@inlined
def covered_cards(t, under_locked, stacked, low):
    """Return the cards that something lies on.

    They are those that locked cards lie on, and the parents of the ``stacked`` cards: loose cards
    that lie on a parent.
    """
    covered = under_locked
    for kind in range(t.kinds.size):
        children = stacked & (low if kind & 1 else ~low)
        covered |= permute_suits(children, t.kinds[kind]) << U64(4)
    return covered


@inlined
def children_of(t, parents):
    """Return the cards that can lie on one of ``parents``."""
    cards = ZERO
    parents >>= U64(4)
    for kind in range(t.kinds.size):
        cards |= permute_suits(parents, t.kinds[kind])
    return cards


@inlined
def card_below(t, locked, off, low, card):
    """Return the card that a card of a stuck column lies on; NOBODY for the bottom card."""
    bit = ONE << U64(card)
    if locked & bit:
        return np.int64(t.dealt_below[card])
    if off & bit:
        return np.int64(NOBODY)
    return parent_of(t, card, 1 if low & bit else 0)


@inlined
def choose_parent(t, parents, card):
    """Return the place value of a card on that of its ``parents`` which has the lowest suit."""
    best = 0
    suit = 4
    for kind in range(t.kinds.size):
        parent = parent_of(t, card, kind)
        if (parents >> U64(parent)) & ONE and (parent & 3) < suit:
            best = kind
            suit = parent & 3
    return best


@inlined
def make_form(t, signature, wanted, locked, loose, under_locked, off, low):
    """Return the form of a record whose planes may still tell ``fix`` from other slot cards.

    ``under_locked`` are the cards that locked cards lie on.
    """
    covered = covered_cards(t, under_locked, loose & ~off, low)
    exposed = (loose | locked) & ~covered
    slots = exposed & off
    if not columns_are_slots(t):
        slots &= ~low
    return Form(signature, wanted, locked, off, low, exposed & ~slots, slots)


@inlined
def safe_card(t, form):
    """Return the lowest card that can go home safely, -1 for none."""
    homing = (form.tops | form.slots) & form.wanted
    while homing:
        card = lowest_bit(homing)
        if is_safe(t, form.signature, card):
            return card
        homing &= homing - ONE
    return np.int64(-1)


@inlined
def send_home(t, form, fix, card):
    """Make the first reduction: a top or slot card goes home; return (form, fix).

    When a slot card goes home a slot is free, so that ``fix`` is emptied next, whatever is in it.
    """
    signature, wanted, locked, off, low, tops, slots = form
    bit = ONE << U64(card)
    if tops & bit:
        tops &= ~bit
        under = card_below(t, locked, off, low, card)
        if under != NOBODY:
            under_bit = ONE << U64(under)
            if columns_are_slots(t) and card_below(t, locked, off, low, under) == NOBODY:
                slots |= under_bit
                fix |= under_bit
            else:
                tops |= under_bit
    else:
        slots &= ~bit
    if locked & bit:
        signature -= t.release[card]
        locked &= ~bit
    signature += ONE << U64(4 * (card & 3))
    wanted &= ~bit
    if card < CARDS - 4:
        wanted |= bit << U64(4)
    return Form(signature, wanted, locked, off & ~bit, low & ~bit, tops, slots), fix


@inlined
def stack_card(t, form, parents, card):
    """Make the second or third reduction: a slot card goes onto a parent; return the form."""
    signature, wanted, locked, off, low, tops, slots = form
    bit = ONE << U64(card)
    kind = choose_parent(t, parents, card)
    parent = ONE << U64(parent_of(t, card, kind))
    slots &= ~(bit | parent)
    tops = (tops & ~parent) | bit
    off &= ~bit
    low &= ~bit
    if kind & 1:
        low |= bit
    return Form(signature, wanted, locked, off, low, tops, slots)


@inlined
def put_king_down(form, kings):
    """Put the lowest king down where only kings go to empty columns; return the form.

    That is the third reduction.
    """
    signature, wanted, locked, off, low, tops, slots = form
    king = kings & (~kings + ONE)
    return Form(signature, wanted, locked, off, low | king, tops | king, slots & ~king)


@inlined
def normalise(t, form, fix):
    """Return a record's normal form: (signature, off, low, free slots), the planes as stored."""
    in_slots = columns_are_slots(t)
    while True:
        empty = t.columns - popcount(form.tops)
        free = t.freecells - popcount(form.slots) + (empty if in_slots else 0)
        if free > 0 or t.freecells == 0 or not in_slots:
            fix = ZERO
        card = safe_card(t, form)
        if card >= 0:
            form, fix = send_home(t, form, fix, card)
            continue
        parents = form.tops
        children = children_of(t, parents) & form.slots
        if children == ZERO:
            if empty == 0:
                break
            if not in_slots:
                kings = form.slots & t.fillers
                if kings == ZERO:
                    break
                form = put_king_down(form, kings)
                continue
            parents = form.slots
            if free == 0 and t.freecells > 0:
                parents &= fix
            children = children_of(t, parents) & form.slots
            if children == ZERO:
                break
        form = stack_card(t, form, parents, lowest_bit(children))
    low = form.low
    if in_slots:
        low &= ~form.off
        low |= form.off if t.freecells == 0 else fix
    return form.signature, form.off, low, free
