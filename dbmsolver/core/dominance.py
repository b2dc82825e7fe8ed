"""Dominating positions: the successors of a record.

A *record* stands for all positions that parking moves reach from it (``docs/dominance.md``).  It is written like a
state (:mod:`dbmsolver.core.tables`): a signature and two planes.  A card at the bottom of a column of two cards or more
(a *stuck* column), and a *slot* card (in a freecell, or alone in its column), have the place value freecell; a slot card
that is known to lie in a column has the place value bottom.  Without freecells all of them have the value bottom.

A *macro* parks some cards (*lifts* them) and then moves one card onto a legal parent or home.  :func:`expand_record`
lists the normalised result of every macro.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bits import lowest_bit, popcount
from dbmsolver.core.expand import is_safe, next_home, permute_suits, signature_sets
from dbmsolver.core.tables import ALL_CARDS, CARDS
from dbmsolver.jit.decorators import inlined, inner, kernel

U64 = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)
EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)
FAR = 99
"""Depth of a card that cannot be reached, and length of a column whose bottom is too deep to matter."""
NOBODY = 255
MAX_COLUMNS = CARDS
HOMEWARD = 7
TO_COLUMN = 6
MAX_SUCCESSORS = 4096
"""Room for the macros of one record."""


class Scratch(NamedTuple):
    """Scratch memory for one record, its macros and its successors."""

    depth: NDArray[np.uint8]  # [52]: cards above it in its column, of cards that can be reached
    column: NDArray[np.uint8]  # [52]: number of its stuck column, NOBODY for a slot card
    tops: NDArray[np.uint8]  # [16]: top card of each stuck column
    lengths: NDArray[np.int64]  # [16]: of each stuck column, FAR if longer than matters
    masks: NDArray[np.uint64]  # [16]: cards of each column as far as they were looked at
    lifted: NDArray[np.uint64]  # [MAX_SUCCESSORS]: cards that become slot cards or bottoms
    fixed: NDArray[np.uint64]  # [MAX_SUCCESSORS]: slot cards known to lie in columns
    moved: NDArray[np.int64]  # [MAX_SUCCESSORS]: 8 * card + kind of parent, or HOMEWARD
    found: NDArray[np.uint64]  # [MAX_SUCCESSORS, 4]: signature, off, low, free slots


def make_scratch() -> Scratch:
    """Scratch memory of one thread."""
    return Scratch(
        depth=np.zeros(CARDS, np.uint8),
        column=np.zeros(CARDS, np.uint8),
        tops=np.zeros(MAX_COLUMNS, np.uint8),
        lengths=np.zeros(MAX_COLUMNS, np.int64),
        masks=np.zeros(MAX_COLUMNS, np.uint64),
        lifted=np.zeros(MAX_SUCCESSORS, np.uint64),
        fixed=np.zeros(MAX_SUCCESSORS, np.uint64),
        moved=np.zeros(MAX_SUCCESSORS, np.int64),
        found=np.zeros((MAX_SUCCESSORS, 4), np.uint64),
    )


@inlined
def covered_cards(t, under, stacked, low):
    """Cards that something lies on: ``under`` (by locked cards), and the parents of the ``stacked`` loose cards."""
    for index in range(t.kinds.size):
        children = stacked & (low if index & 1 else ~low)
        under |= permute_suits(children, t.kinds[index]) << U64(4)
    return under


@inlined
def children_of(t, parents):
    """The cards that can lie on one of ``parents``."""
    cards = ZERO
    parents >>= U64(4)
    for index in range(t.kinds.size):
        cards |= permute_suits(parents, t.kinds[index])
    return cards


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
def slot_cards(t, exposed, off, low):
    """The slot cards among the exposed ones: where only kings or none go to empty columns, cards in freecells."""
    return exposed & off if t.fillers == U64(ALL_CARDS) else exposed & off & ~low


@inlined
def choose_parent(t, parents, card):
    """The place value of a card on the parent of the lower suit among ``parents``."""
    best = 0
    suit = 4
    for index in range(t.kinds.size):
        other = card ^ np.int64(t.kinds[index])
        if (parents >> U64(other + 4)) & ONE and (other & 3) < suit:
            best = index
            suit = other & 3
    return best


@inlined
def normalise(t, signature, wanted, locked, off, low, tops, slots, fix):
    """The normal form of a record: (signature, off, low, free slots), the planes as they are stored.

    ``tops`` are the top cards of stuck columns, ``slots`` the slot cards, ``wanted`` the cards that the foundations wait
    for.  Safe cards go home; a slot card goes onto the top of a stuck column; two slot cards become a column.
    """
    any_card = t.fillers == U64(ALL_CARDS)
    while True:
        columns = t.columns - popcount(tops)
        free = t.freecells + columns - popcount(slots)
        if free > 0 or t.freecells == 0 or not any_card:
            fix = ZERO
        card = -1
        homing = (tops | slots) & wanted
        while homing:
            card = lowest_bit(homing)
            if is_safe(t, signature, card):
                break
            card = -1
            homing &= homing - ONE
        if card >= 0:
            bit = ONE << U64(card)
            if tops & bit:
                under = below(t, locked, off, low, card)
                tops &= ~bit
                beneath = ZERO if under == NOBODY else ONE << U64(under)
                if under == NOBODY:
                    pass
                elif any_card and below(t, locked, off, low, under) == NOBODY:
                    slots |= beneath
                    fix |= beneath
                else:
                    tops |= beneath
            else:
                slots &= ~bit
                fix &= ~bit
            if locked & bit:
                signature -= t.release[card]
                locked &= ~bit
            signature += ONE << U64(4 * (card & 3))
            wanted &= ~bit
            if card < CARDS - 4:
                wanted |= bit << U64(4)
            off &= ~bit
            low &= ~bit
            continue
        parents = tops
        reach = children_of(t, tops) & slots
        if reach == ZERO:
            if columns == 0:
                break
            if not any_card:
                kings = slots & t.fillers
                if kings == ZERO:
                    break
                bit = kings & (~kings + ONE)
                slots &= ~bit
                tops |= bit
                low |= bit
                continue
            parents = slots
            if free == 0 and t.freecells > 0:
                parents &= fix
            reach = children_of(t, parents) & slots
            if reach == ZERO:
                break
        card = lowest_bit(reach)
        bit = ONE << U64(card)
        kind = choose_parent(t, parents, card)
        parent = ONE << U64((card ^ np.int64(t.kinds[kind])) + 4)
        slots &= ~(bit | parent)
        tops = (tops & ~parent) | bit
        off &= ~bit
        low &= ~bit
        if kind & 1:
            low |= bit
    if any_card:
        low &= ~off
        low |= off if t.freecells == 0 else fix
    else:
        free -= columns
    return signature, off, low, free


@inlined
def add(scratch, count, fix, lifted, card, kind):
    """Note a macro; the new count, which may exceed the room."""
    place = min(count, MAX_SUCCESSORS - 1)
    scratch.lifted[place] = lifted
    scratch.fixed[place] = fix
    scratch.moved[place] = 8 * card + kind
    return count + 1


@inner
def add_stripped(
    lengths,
    masks,
    lifted_out,
    fixed_out,
    moved,
    count,
    cells,
    stuck,
    barred,
    free,
    fix,
    lifted,
    move,
):
    """Note, for each set of columns whose stripping takes just the ``free`` slots, the full position; the new count.

    ``barred`` is a bit set of column numbers that cannot be stripped.
    """
    usable = 0
    for column in range(stuck):
        if not (barred >> column) & 1 and lengths[column] - 1 <= free:
            usable |= 1 << column
    chosen = usable
    while chosen:
        total = number = 0
        cards = ZERO
        for column in range(stuck):
            if (chosen >> column) & 1:
                total += lengths[column] - 1
                number += 1
                cards |= masks[column]
        if total == free and number <= cells:
            place = min(count, MAX_SUCCESSORS - 1)
            lifted_out[place] = lifted | cards
            fixed_out[place] = fix
            moved[place] = move
            count += 1
        chosen = (chosen - 1) & usable
    return count


class Room(NamedTuple):
    """How full a record is."""

    stuck: int  # stuck columns
    spaces: int  # other columns
    free: int  # free slots
    fix: np.uint64
    fixed: int  # cards in it


@inlined
def finish(
    t, scratch, room, count, fix, lifted, card, kind, lifts, leaves_slot, last, alone, barred
):
    """Note what follows from one way of moving ``card``, whatever room it leaves; the new count.

    ``lifts`` slots are taken of the free ones.  ``leaves_slot``: the card was a slot card, a column's bottom, or
    lifted.  ``last``: some lift can come last.  ``alone``: cards that are alone in their columns afterwards and could not
    be moved about.
    """
    if lifts > room.free:
        return count
    left = room.free - lifts
    if leaves_slot or left > 0:
        count = add(scratch, count, ZERO, lifted, card, kind)
        if not leaves_slot and lifts > 0 and last and t.freecells > 0:
            count = add_stripped(
                scratch.lengths,
                scratch.masks,
                scratch.lifted,
                scratch.fixed,
                scratch.moved,
                count,
                t.freecells,
                room.stuck,
                barred,
                left,
                alone,
                lifted,
                8 * card + kind,
            )
    elif lifts == 0:
        count = add(scratch, count, fix | alone, lifted, card, kind)
    elif last:
        count = add(scratch, count, alone, lifted, card, kind)
    return count


@inlined
def above(t, locked, off, low, scratch, card):
    """The set of cards above a card that is not too deep in its column."""
    cards = ZERO
    one = np.int64(scratch.tops[scratch.column[card]])
    while one != card:
        cards |= ONE << U64(one)
        one = below(t, locked, off, low, one)
    return cards


@inlined
def walk_columns(t, locked, off, low, scratch, slots, tops, free):
    """Look at the top ``free + 2`` cards of every stuck column; the cards that ``free`` lifts can reach."""
    reachable = slots
    rest = slots
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        scratch.depth[card] = 0
        scratch.column[card] = NOBODY
    column = 0
    while tops:
        card = lowest_bit(tops)
        tops &= tops - ONE
        scratch.tops[column] = card
        length = FAR
        mask = ZERO
        for depth in range(free + 2):
            mask |= ONE << U64(card)
            if depth <= free:
                reachable |= ONE << U64(card)
            scratch.depth[card] = depth
            scratch.column[card] = column
            card = below(t, locked, off, low, card)
            if card == NOBODY:
                length = depth + 1
                break
        scratch.lengths[column] = length
        scratch.masks[column] = mask
        column += 1
    return reachable


@inlined
def list_macros(t, sets, off, low, scratch, slots, tops):
    """List the macros of a record; how many there are."""
    locked = sets.locked
    stuck = popcount(tops)
    spaces = t.columns - stuck
    any_card = t.fillers == U64(ALL_CARDS)
    free = t.freecells - popcount(slots) + (spaces if any_card else 0)
    fix = slots & low if t.freecells > 0 else ZERO
    room = Room(stuck, spaces, free, fix, popcount(fix))
    reachable = walk_columns(t, locked, off, low, scratch, slots, tops, free)
    count = 0
    rest = reachable & next_home(sets.signature)
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        own = np.int64(scratch.column[card])
        if own == NOBODY:
            count = add(scratch, count, ZERO, ZERO, card, HOMEWARD)
            continue
        lifted = above(t, locked, off, low, scratch, card)
        under = below(t, locked, off, low, card)
        lifts = np.int64(scratch.depth[card])
        if not any_card:
            if lifts <= free:
                count = add(scratch, count, ZERO, lifted, card, HOMEWARD)
            continue
        alone = ZERO
        bottom = under == NOBODY
        if not bottom:
            alone = off & (ONE << U64(under))
        count = finish(
            t,
            scratch,
            room,
            count,
            fix,
            lifted,
            card,
            HOMEWARD,
            lifts,
            bottom,
            True,
            alone,
            1 << own,
        )
    for kind in range(t.kinds.size):
        rest = reachable & permute_suits(reachable >> U64(4), t.kinds[kind])
        while rest:
            card = lowest_bit(rest)
            rest &= rest - ONE
            parent = (card ^ np.int64(t.kinds[kind])) + 4
            if not any_card:
                count = onto_card(t, locked, off, low, scratch, free, count, card, parent, kind)
            elif np.int64(scratch.column[parent]) == NOBODY:
                count = onto_slot_card(
                    t, locked, off, low, scratch, room, count, card, parent, kind
                )
            else:
                count = onto_column_card(
                    t, locked, off, low, scratch, room, count, card, parent, kind
                )
    rest = reachable & t.fillers & ~(off & low)
    if any_card:
        rest = ZERO
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        count = king_to_column(t, locked, off, low, scratch, room, count, card)
    return count


@inlined
def leave(t, locked, off, low, scratch, card):
    """What a card leaves: (cards above it, whether it leaves a slot, the card then alone, its column as a bit set)."""
    column = np.int64(scratch.column[card])
    if column == NOBODY:
        return ZERO, True, ZERO, 0
    under = below(t, locked, off, low, card)
    cards = above(t, locked, off, low, scratch, card)
    if under == NOBODY:
        return cards, True, ZERO, 1 << column
    return cards, False, off & (ONE << U64(under)), 1 << column


@inlined
def onto_card(t, locked, off, low, scratch, free, count, card, parent, kind):
    """Note the move of ``card`` onto ``parent`` where only freecells are slots; the new count."""
    column = np.int64(scratch.column[card])
    depth = np.int64(scratch.depth[card])
    parent_column = np.int64(scratch.column[parent])
    if parent_column == NOBODY:
        return count
    lifts = np.int64(scratch.depth[parent])
    if column == parent_column:
        if depth > lifts or below(t, locked, off, low, card) == parent:
            return count
    else:
        lifts += depth
    if lifts > free:
        return count
    cards = above(t, locked, off, low, scratch, parent)
    if column != NOBODY:
        cards |= above(t, locked, off, low, scratch, card)
    return add(scratch, count, ZERO, cards & ~(ONE << U64(card)), card, kind)


@inner
def king_to_column(t, locked, off, low, scratch, room, count, card):
    """Note the moves of a king to an empty column where only kings go there; the new count."""
    bit = ONE << U64(card)
    column = np.int64(scratch.column[card])
    cards = ZERO
    lifts = np.int64(0)
    if column != NOBODY:
        if below(t, locked, off, low, card) == NOBODY:
            return count
        cards = above(t, locked, off, low, scratch, card)
        lifts = np.int64(scratch.depth[card])
    if room.spaces > 0:
        if lifts <= room.free:
            count = add(scratch, count, ZERO, cards, card, TO_COLUMN)
        return count
    for host in range(room.stuck):
        length = scratch.lengths[host]
        needed = length if host == column else length + lifts
        if length != FAR and needed <= room.free:
            lifted = (scratch.masks[host] | cards) & ~bit
            count = add(scratch, count, ZERO, lifted, card, TO_COLUMN)
    return count


@inlined
def onto_slot_card(t, locked, off, low, scratch, room, count, card, parent, kind):
    """Note every way of moving ``card`` onto a slot card, which goes to an empty column first; the new count."""
    bit = ONE << U64(card)
    parent_bit = ONE << U64(parent)
    depth = np.int64(scratch.depth[card])
    column = np.int64(scratch.column[card])
    cards, leaves_slot, alone, barred = leave(t, locked, off, low, scratch, card)
    if room.spaces > 0:
        if room.free > 0 or t.freecells == 0 or room.fix & parent_bit or room.spaces > room.fixed:
            count = finish(
                t, scratch, room, count, room.fix & ~parent_bit, cards, card, kind,
                depth, leaves_slot, depth > 0, alone, barred,
            )  # fmt: skip
        return count
    for host in range(room.stuck):
        # The host's cards but its bottom are lifted; the bottom is exchanged for the parent, which needs one slot more
        # for the moment, unless something is lifted afterwards.
        length = scratch.lengths[host]
        masks = scratch.masks[host]
        if host == column:
            if length <= room.free:
                count = add(scratch, count, ZERO, masks & ~bit, card, kind)
        elif (column == NOBODY or not leaves_slot) and (
            length <= room.free or (depth > 0 and length - 1 + depth <= room.free)
        ):
            count = finish(
                t, scratch, room, count, ZERO, cards | masks, card, kind,
                length - 1 + depth, leaves_slot, depth > 0, alone, barred | (1 << host),
            )  # fmt: skip
    return count


@inner
def onto_column_card(t, locked, off, low, scratch, room, count, card, parent, kind):
    """Note every way of moving ``card`` onto a card of a stuck column; the new count."""
    bit = ONE << U64(card)
    parent_bit = ONE << U64(parent)
    depth = np.int64(scratch.depth[card])
    parent_depth = np.int64(scratch.depth[parent])
    column = np.int64(scratch.column[card])
    parent_column = np.int64(scratch.column[parent])
    same = column == parent_column
    higher = same and depth < parent_depth  # the card is above its parent
    if not same and depth + parent_depth > room.free:
        return count
    cards, leaves_slot, alone, barred = leave(t, locked, off, low, scratch, card)
    parent_cards = above(t, locked, off, low, scratch, parent)
    beneath = below(t, locked, off, low, parent)
    barred |= 1 << parent_column
    # The parent stays where it is.
    if not same:
        count = finish(
            t, scratch, room, count, room.fix, cards | parent_cards, card, kind,
            depth + parent_depth, leaves_slot, True, alone, barred,
        )  # fmt: skip
    elif higher and below(t, locked, off, low, card) != parent:
        count = add(scratch, count, ZERO, parent_cards & ~bit, card, kind)
    if beneath == NOBODY:
        return count
    # The parent leaves its column, for a column that is empty then.
    behind = ZERO  # alone in the parent's column, which could be left last
    if not same and depth == 0:
        behind = off & (ONE << U64(beneath))
    # What it leaves may be stripped like other columns, if the last lift can come from the card's own column.
    whole = scratch.lengths[parent_column]
    whole_mask = scratch.masks[parent_column]
    moved_barred = barred
    if not same and depth > 0 and whole != FAR and whole - parent_depth - 1 >= 2:
        moved_barred &= ~(1 << parent_column)
    if room.spaces > 0:
        if higher:
            lifts, lifted = parent_depth + 1, parent_cards | parent_bit
        elif same:
            lifts, lifted = depth, cards
        else:
            lifts, lifted = depth + parent_depth + 1, cards | parent_cards | parent_bit
        if moved_barred != barred:
            scratch.lengths[parent_column] = whole - parent_depth - 1
            scratch.masks[parent_column] = whole_mask & ~(parent_cards | parent_bit)
        count = finish(
            t, scratch, room, count, ZERO, lifted & ~bit, card, kind,
            lifts, leaves_slot or higher, True, alone | behind, moved_barred,
        )  # fmt: skip
        scratch.lengths[parent_column] = whole
        scratch.masks[parent_column] = whole_mask
        return count
    for host in range(room.stuck):
        length = scratch.lengths[host]
        masks = scratch.masks[host]
        if length > room.free + 1:
            continue
        if host == parent_column:
            # Its cards but the bottom and the parent are lifted; these two change places.
            if not same and leaves_slot and column != NOBODY:
                continue
            after = 0 if same else depth
            if after == 0 and length > room.free:
                continue
            count = finish(
                t, scratch, room, count, ZERO, (masks | cards) & ~bit, card, kind,
                length - 1 + after, leaves_slot or same, after > 0, alone, barred,
            )  # fmt: skip
        elif host == column:
            count = finish(
                t, scratch, room, count, ZERO, (masks | parent_cards | parent_bit) & ~bit, card, kind,
                length + parent_depth, True, True, ZERO, barred,
            )  # fmt: skip
        elif column == NOBODY or higher or not leaves_slot:
            if higher:
                lifts = length + parent_depth
            elif same:
                lifts = length + depth - 1
            else:
                lifts = length + parent_depth + depth
            if moved_barred != barred:
                scratch.lengths[parent_column] = whole - parent_depth - 1
                scratch.masks[parent_column] = whole_mask & ~(parent_cards | parent_bit)
            count = finish(
                t, scratch, room, count, ZERO,
                (masks | parent_cards | cards | parent_bit) & ~bit, card, kind,
                lifts, leaves_slot or higher, True, alone | behind, moved_barred | (1 << host),
            )  # fmt: skip
            scratch.lengths[parent_column] = whole
            scratch.masks[parent_column] = whole_mask
    return count


@inner
def expand_record(t, sets, off, low, scratch):
    """List the successors of a record into ``scratch.found``; how many there are.

    ``sets`` describes its signature (:func:`dbmsolver.core.expand.signature_sets`).  -1 for what no record of a game
    is: a card on one that is home, two cards on one, more cards than places, more successors than there is room for.
    """
    in_play = sets.loose | sets.locked
    stacked = sets.loose & ~off
    covered = covered_cards(t, sets.under, stacked, low)
    if covered & ~in_play or sets.home & sets.locked:
        return np.int64(-1)
    if popcount(covered) != popcount(sets.under) + popcount(stacked):
        return np.int64(-1)
    exposed = in_play & ~covered
    slots = slot_cards(t, exposed, off, low)
    stuck = popcount(exposed & ~slots)
    room = t.freecells
    if t.fillers == U64(ALL_CARDS):
        room += t.columns - stuck
    if stuck > t.columns or popcount(slots) > room:
        return np.int64(-1)
    count = list_macros(t, sets, off, low, scratch, slots, exposed & ~slots)
    if count > MAX_SUCCESSORS:
        return np.int64(-1)
    waiting = next_home(sets.signature)
    for index in range(count):
        lifted = scratch.lifted[index]
        card = scratch.moved[index] >> 3
        kind = scratch.moved[index] & 7
        bit = ONE << U64(card)
        signature, locked, under = sets.signature, sets.locked, sets.under
        rest = locked & (lifted | bit)
        locked &= ~rest
        while rest:
            one = lowest_bit(rest)
            rest &= rest - ONE
            signature -= t.release[one]
            beneath = t.dealt_below[one]
            if beneath != NOBODY:
                under &= ~(ONE << U64(beneath))
        new_off = (off | lifted) & ~bit
        new_low = low & ~(lifted | bit)
        loose = sets.loose | (sets.locked & ~locked)
        wanted = waiting
        if kind == HOMEWARD:
            signature += ONE << U64(4 * (card & 3))
            loose &= ~bit
            wanted &= ~bit
            if card < CARDS - 4:
                wanted |= bit << U64(4)
        elif kind == TO_COLUMN:
            new_off |= bit
            new_low |= bit
        elif kind & 1:
            new_low |= bit
        covered = covered_cards(t, under, loose & ~new_off, new_low)
        exposed = (loose | locked) & ~covered
        slots = slot_cards(t, exposed, new_off, new_low)
        signature, new_off, new_low, free = normalise(
            t,
            signature,
            wanted,
            locked,
            new_off,
            new_low,
            exposed & ~slots,
            slots,
            scratch.fixed[index],
        )
        scratch.found[index, 0] = signature
        scratch.found[index, 1] = new_off
        scratch.found[index, 2] = new_low
        scratch.found[index, 3] = U64(free)
    return count


@kernel
def successors(t, signature, off, low, scratch):
    """:func:`expand_record`, for callers from Python."""
    return expand_record(t, signature_sets(t, signature), off, low, scratch)


@kernel
def normal_record(t, signature, off, low, fix, found):
    """The normal form of a record; ``found`` (uint64[4]) gets signature, off, low, free slots."""
    sets = signature_sets(t, signature)
    covered = covered_cards(t, sets.under, sets.loose & ~off, low)
    exposed = (sets.loose | sets.locked) & ~covered
    slots = slot_cards(t, exposed, off, low)
    signature, off, low, free = normalise(
        t,
        signature,
        next_home(signature),
        sets.locked,
        off,
        low,
        exposed & ~slots,
        slots,
        fix,
    )
    found[0], found[1], found[2], found[3] = signature, off, low, U64(free)


__all__ = ["Scratch", "expand_record", "make_scratch", "normal_record", "successors"]
