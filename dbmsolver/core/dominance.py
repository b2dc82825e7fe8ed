"""Dominating positions: the successors of a record.

A *record* stands for all positions that parking moves reach from it (``docs/dominance.md``).  It is written like a
state (:mod:`dbmsolver.core.tables`): a signature and two planes.  A card at the bottom of a column of two cards or more
(a *stuck* column), and a *slot* card (in a freecell, or alone in its column), have the place value freecell; a slot card
that is known to lie in a column has the place value bottom.  Without freecells all of them have the value bottom.

A *macro* parks some cards (*lifts* them) and then moves one card onto a legal parent or home.  :func:`expand_record`
lists the normalised result of every macro.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bits import lowest_bit, popcount
from dbmsolver.core.expand import is_safe, next_home, permute_suits, signature_sets
from dbmsolver.core.jit import inlined, inner, kernel
from dbmsolver.core.tables import ALL_CARDS, CARDS

U64 = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)
EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)
FAR = 99
"""Depth of a card that cannot be reached, and length of a column whose bottom is too deep to matter."""
NOBODY = 255
MAX_COLUMNS = 16
MAX_SUCCESSORS = 4096


class Scratch(NamedTuple):
    """Scratch memory for one record and its successors."""

    depth: NDArray[np.uint8]  # [52]: cards above it in its column, FAR if too many
    column: NDArray[np.uint8]  # [52]: number of its stuck column, NOBODY for a slot card
    tops: NDArray[np.uint8]  # [16]
    lengths: NDArray[np.int64]  # [16]: of each stuck column, FAR if longer than matters
    masks: NDArray[np.uint64]  # [16]: cards of each column as far as they were looked at
    found: NDArray[np.uint64]  # [MAX_SUCCESSORS, 3]: signature, off, low
    used: NDArray[np.int64]  # [1]


def make_scratch() -> Scratch:
    """Scratch memory of one thread."""
    return Scratch(
        depth=np.zeros(CARDS, np.uint8),
        column=np.zeros(CARDS, np.uint8),
        tops=np.zeros(MAX_COLUMNS, np.uint8),
        lengths=np.zeros(MAX_COLUMNS, np.int64),
        masks=np.zeros(MAX_COLUMNS, np.uint64),
        found=np.zeros((MAX_SUCCESSORS, 3), np.uint64),
        used=np.zeros(1, np.int64),
    )


@inlined
def covered_cards(t, under, stacked, low):
    """Cards that something lies on: ``under`` (by locked cards), and the parents of the ``stacked`` loose cards."""
    for index in range(t.kinds.size):
        children = stacked & (low if index & 1 else ~low)
        under |= permute_suits(children, t.kinds[index]) << U64(4)
    return under


@inlined
def below(t, locked, off, low, card):
    """The card under a card of a column; NOBODY under a bottom card."""
    bit = ONE << U64(card)
    if locked & bit:
        return np.int64(t.dealt_below[card])
    if off & bit:
        return np.int64(NOBODY)
    return np.int64((card ^ np.int64(t.kinds[1 if low & bit else 0])) + 4)


@inlined
def release_locked(t, signature, locked, under, cards):
    """Signature, locked and covered cards after ``cards`` have left their places."""
    rest = cards & locked
    locked &= ~cards
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        signature -= t.release[card]
        beneath = t.dealt_below[card]
        if beneath != NOBODY:
            under &= ~(ONE << U64(beneath))
    return signature, locked, under


@inner
def normalise(t, signature, home, locked, under, off, low, fix):
    """The normal form of a record, with ``fix`` as in its first planes: (signature, off, low).

    Safe cards go home; a slot card goes onto an exposed legal parent in a stuck column; two slot cards become a column.
    """
    previous = EVERY
    while True:
        loose = ~(home | locked) & U64(ALL_CARDS)
        stacked = loose & ~off
        covered = covered_cards(t, under, stacked, low)
        exposed = (loose | locked) & ~covered
        slots = exposed & off
        tops = exposed & ~off
        columns = t.columns - popcount(tops)
        free = t.freecells + columns - popcount(slots)
        if free > 0 or t.freecells == 0:
            fix = ZERO
        else:
            fix = (fix | (slots & ~previous)) & slots
        previous = slots
        # 1. Safe cards go home.
        homing = exposed & next_home(signature)
        safe = False
        while homing:
            card = lowest_bit(homing)
            homing &= homing - ONE
            if is_safe(t, signature, card):
                safe = True
                bit = ONE << U64(card)
                signature, locked, under = release_locked(t, signature, locked, under, bit)
                signature += ONE << U64(4 * (card & 3))
                home |= bit
                off &= ~bit
                low &= ~bit
                break
        if safe:
            continue
        # 2. A slot card goes onto an exposed parent.
        reach = ZERO
        parents = tops >> U64(4)
        for index in range(t.kinds.size):
            reach |= permute_suits(parents, t.kinds[index])
        reach &= slots
        if reach == ZERO and columns > 0:
            # 3. Two slot cards become a column.
            hosts = slots
            if free == 0 and t.freecells > 0:
                hosts &= fix
            parents = hosts >> U64(4)
            for index in range(t.kinds.size):
                reach |= permute_suits(parents, t.kinds[index])
            reach &= slots
        if reach == ZERO:
            break
        card = lowest_bit(reach)
        bit = ONE << U64(card)
        kind = choose_parent(t, parents, card)
        off &= ~bit
        low &= ~bit
        if kind & 1:
            low |= bit
        previous &= ~bit
    low &= ~off
    if t.freecells == 0:
        low |= off
    else:
        low |= fix
    return signature, off, low


@inlined
def choose_parent(t, parents, card):
    """Which kind of parent: the one of the lower suit among ``parents`` (shifted down by a rank)."""
    best = -1
    suit = 4
    for index in range(t.kinds.size):
        other = card ^ np.int64(t.kinds[index])
        if (parents >> U64(other)) & ONE and (other & 3) < suit:
            best = index
            suit = other & 3
    return best


@inlined
def emit(t, sets, scratch, off, low, fix, lifted, card, kind):
    """Add the result of a macro: ``lifted`` cards (and new bottoms) become slot cards, ``card`` goes onto its parent of
    that kind, or home (kind -1)."""
    bit = ONE << U64(card)
    signature, locked, under = release_locked(
        t, sets.signature, sets.locked, sets.under, lifted | bit
    )
    off = (off | lifted) & ~bit
    low &= ~(lifted | bit)
    home = sets.home
    if kind < 0:
        signature += ONE << U64(4 * (card & 3))
        home |= bit
    elif kind & 1:
        low |= bit
    place = scratch.used[0]
    signature, off, low = normalise(t, signature, home, locked, under, off, low, fix)
    scratch.found[place, 0] = signature
    scratch.found[place, 1] = off
    scratch.found[place, 2] = low
    scratch.used[0] = place + 1


@inner
def emit_stripped(t, sets, scratch, off, low, fix, lifted, card, kind, free, stuck, barred):
    """Add, for each set of columns whose stripping takes exactly the ``free`` slots, the full position (J).

    ``barred`` is a bit set of column numbers that cannot be stripped.
    """
    chosen = 0
    usable = 0
    for column in range(stuck):
        if not (barred >> column) & 1 and scratch.lengths[column] - 1 <= free:
            usable |= 1 << column
    if usable == 0:
        return
    chosen = usable
    while chosen:
        total = 0
        number = 0
        cards = ZERO
        for column in range(stuck):
            if (chosen >> column) & 1:
                total += scratch.lengths[column] - 1
                number += 1
                cards |= scratch.masks[column]
        if total == free and number <= t.freecells:
            emit(t, sets, scratch, off, low, fix, lifted | cards, card, kind)
        chosen = (chosen - 1) & usable


@inner
def finish(
    t, sets, scratch, off, low, fix, lifted, card, kind, lifts, free, leaves_slot, last, alone, stuck, barred
):
    """Add what follows from one way of moving ``card``, whatever room it leaves.

    ``lifts`` slots are taken of the ``free`` ones.  ``leaves_slot``: the card was a slot card, a column's bottom, or
    lifted.  ``last``: some lift can come last.  ``alone``: cards that are alone in their columns afterwards and could not
    be moved about.
    """
    if lifts > free:
        return
    if leaves_slot:
        emit(t, sets, scratch, off, low, ZERO, lifted, card, kind)
        return
    left = free - lifts
    if left > 0:
        emit(t, sets, scratch, off, low, ZERO, lifted, card, kind)
        if lifts > 0 and last and t.freecells > 0:
            emit_stripped(
                t, sets, scratch, off, low, alone, lifted, card, kind, left, stuck, barred
            )
    elif lifts == 0:
        emit(t, sets, scratch, off, low, fix | alone, lifted, card, kind)
    elif last:
        emit(t, sets, scratch, off, low, alone, lifted, card, kind)


@inlined
def above(t, sets, off, low, scratch, card):
    """The set of cards above a card that is not too deep in its column."""
    cards = ZERO
    one = np.int64(scratch.tops[scratch.column[card]])
    while one != card:
        cards |= ONE << U64(one)
        one = below(t, sets.locked, off, low, one)
    return cards


@inner
def expand_record(t, sets, off, low, scratch):
    """List the successors of a record into ``scratch.found``; how many there are.

    ``sets`` describes its signature (:func:`dbmsolver.core.expand.signature_sets`).
    """
    scratch.used[0] = 0
    locked = sets.locked
    stacked = sets.loose & ~off
    covered = covered_cards(t, sets.under, stacked, low)
    exposed = (sets.loose | locked) & ~covered
    slots = exposed & off
    tops = exposed & ~off
    stuck = popcount(tops)
    spaces = t.columns - stuck
    free = t.freecells + spaces - popcount(slots)
    fix = ZERO
    if t.freecells > 0:
        fix = slots & low
    fixed = popcount(fix)

    for card in range(CARDS):
        scratch.depth[card] = FAR
    reachable = slots
    rest = slots
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        scratch.depth[card] = 0
        scratch.column[card] = NOBODY
    rest = tops
    column = 0
    while rest:
        top = lowest_bit(rest)
        rest &= rest - ONE
        scratch.tops[column] = top
        scratch.lengths[column] = FAR
        card = top
        mask = ZERO
        for depth in range(free + 2):
            mask |= ONE << U64(card)
            if depth <= free:
                reachable |= ONE << U64(card)
            scratch.depth[card] = depth
            scratch.column[card] = column
            card = below(t, locked, off, low, card)
            if card == NOBODY:
                scratch.lengths[column] = depth + 1
                break
        scratch.masks[column] = mask
        column += 1

    # Cards that can go home.
    rest = reachable & next_home(sets.signature)
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        lifts = np.int64(scratch.depth[card])
        own = np.int64(scratch.column[card])
        if own == NOBODY:
            emit(t, sets, scratch, off, low, ZERO, ZERO, card, -1)
            continue
        lifted = above(t, sets, off, low, scratch, card)
        under = below(t, locked, off, low, card)
        alone = ZERO
        bottom = under == NOBODY
        if not bottom and off & (ONE << U64(under)):
            alone = ONE << U64(under)
        finish(
            t, sets, scratch, off, low, fix, lifted, card, -1, lifts, free, bottom, True, alone, stuck, 1 << own
        )

    # Cards that can go onto a parent.
    parents = reachable
    while parents:
        parent = lowest_bit(parents)
        parents &= parents - ONE
        if parent < 4:
            continue
        for index in range(t.kinds.size):
            card = (parent - 4) ^ np.int64(t.kinds[index])
            if (reachable >> U64(card)) & ONE:
                expand_pair(
                    t, sets, scratch, off, low, fix, fixed, free, spaces, stuck, card, parent, index
                )
    return scratch.used[0]


@inner
def expand_pair(
    t, sets, scratch, off, low, fix, fixed, free, spaces, stuck, card, parent, kind
):
    """Add every way of moving ``card`` onto ``parent``."""
    locked = sets.locked
    card_bit = ONE << U64(card)
    parent_bit = ONE << U64(parent)
    card_depth = np.int64(scratch.depth[card])
    parent_depth = np.int64(scratch.depth[parent])
    card_column = np.int64(scratch.column[card])
    parent_column = np.int64(scratch.column[parent])
    same = card_column == parent_column and card_column != NOBODY

    card_above = ZERO
    alone = ZERO
    leaves_slot = True
    barred = 0
    if card_column != NOBODY:
        barred |= 1 << card_column
        card_above = above(t, sets, off, low, scratch, card)
        under = below(t, locked, off, low, card)
        leaves_slot = under == NOBODY
        if not leaves_slot and off & (ONE << U64(under)):
            alone = ONE << U64(under)

    if parent_column == NOBODY:
        # The parent leaves its slot for an empty column.
        if spaces > 0:
            if free > 0 or t.freecells == 0 or fix & parent_bit or spaces > fixed:
                finish(
                    t, sets, scratch, off, low, fix & ~parent_bit, card_above, card, kind,
                    card_depth, free, leaves_slot, card_depth > 0, alone, stuck, barred,
                )  # fmt: skip
            return
        for host in range(stuck):
            length = scratch.lengths[host]
            if length > free:  # one slot more than its cards but one, for the exchange
                if length - 1 + card_depth > free or card_depth == 0 or host == card_column:
                    continue
            if host == card_column:
                finish(
                    t, sets, scratch, off, low, ZERO, scratch.masks[host] & ~card_bit, card, kind,
                    length, free, True, False, ZERO, stuck, barred,
                )  # fmt: skip
            elif card_column == NOBODY or not leaves_slot:
                finish(
                    t, sets, scratch, off, low, ZERO, card_above | scratch.masks[host], card, kind,
                    length - 1 + card_depth, free, leaves_slot, card_depth > 0, alone, stuck,
                    barred | (1 << host),
                )  # fmt: skip
        return

    parent_above = above(t, sets, off, low, scratch, parent)
    beneath = below(t, locked, off, low, parent)
    parent_barred = barred | (1 << parent_column)
    # The parent stays.
    if same:
        if card_depth < parent_depth:
            if card_depth + 1 < parent_depth or below(t, locked, off, low, card) != parent:
                finish(
                    t, sets, scratch, off, low, fix, parent_above & ~card_bit, card, kind,
                    parent_depth, free, True, True, ZERO, stuck, parent_barred,
                )  # fmt: skip
    else:
        finish(
            t, sets, scratch, off, low, fix, card_above | parent_above, card, kind,
            card_depth + parent_depth, free, leaves_slot, True, alone, stuck, parent_barred,
        )  # fmt: skip
    if beneath == NOBODY:
        return
    # The parent leaves its column.
    left_behind = ZERO  # alone in the parent's column, and not to be moved about
    if not same and card_depth == 0 and off & (ONE << U64(beneath)):
        left_behind = ONE << U64(beneath)
    rest_barred = parent_barred if same or card_depth == 0 else parent_barred
    if spaces > 0:
        if same:
            if card_depth < parent_depth:
                finish(
                    t, sets, scratch, off, low, ZERO, (parent_above | parent_bit) & ~card_bit, card, kind,
                    parent_depth + 1, free, True, True, ZERO, stuck, parent_barred,
                )  # fmt: skip
            else:
                finish(
                    t, sets, scratch, off, low, ZERO, card_above, card, kind,
                    card_depth, free, leaves_slot, True, alone, stuck, parent_barred,
                )  # fmt: skip
        else:
            finish(
                t, sets, scratch, off, low, ZERO, card_above | parent_above | parent_bit, card, kind,
                card_depth + parent_depth + 1, free, leaves_slot, True, alone | left_behind, stuck,
                rest_barred,
            )  # fmt: skip
        return
    for host in range(stuck):
        length = scratch.lengths[host]
        if length == FAR:
            continue
        cards = scratch.masks[host]
        if host == parent_column:
            # Everything in the parent's column is lifted; its bottom card is exchanged for the parent.
            lifts = length - 1
            after = 0
            if not same:
                if leaves_slot and card_column != NOBODY:
                    continue
                lifts += card_depth
                after = card_depth
            if after == 0 and lifts + 1 > free:
                continue
            finish(
                t, sets, scratch, off, low, ZERO, (cards | card_above) & ~card_bit, card, kind,
                lifts, free, leaves_slot or same, after > 0, alone, stuck, parent_barred,
            )  # fmt: skip
        elif host == card_column:
            finish(
                t, sets, scratch, off, low, ZERO, (cards | parent_above | parent_bit) & ~card_bit, card, kind,
                length + parent_depth, free, True, True, ZERO, stuck, parent_barred,
            )  # fmt: skip
        elif card_column == NOBODY or same or not leaves_slot:
            lifts = length
            lifted = cards | parent_above | card_above | parent_bit
            slot = leaves_slot
            if same and card_depth < parent_depth:
                lifts += parent_depth
                slot = True
            elif same:
                # The parent is above the card: it goes straight to the emptied column.
                if leaves_slot:
                    continue
                lifts += card_depth - 1
            else:
                lifts += parent_depth + card_depth
            finish(
                t, sets, scratch, off, low, ZERO, lifted & ~card_bit, card, kind,
                lifts, free, slot, True, alone | left_behind, stuck, parent_barred | (1 << host),
            )  # fmt: skip


@kernel
def successors(t, signature, off, low, scratch):
    """:func:`expand_record`, for callers from Python."""
    return expand_record(t, signature_sets(t, signature), off, low, scratch)


@kernel
def normal_record(t, signature, off, low, fix, found):
    """The normal form of a record in plain planes; ``found`` (uint64[3]) gets signature, off, low."""
    sets = signature_sets(t, signature)
    found[0], found[1], found[2] = normalise(
        t, sets.signature, sets.home, sets.locked, sets.under, off, low, fix
    )


__all__ = ["Scratch", "expand_record", "make_scratch", "normalise"]
