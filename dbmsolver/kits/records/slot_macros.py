"""Macros where empty columns take any card, and so are slots.

``r`` is the record, ``count`` the number of macros noted so far; each function that notes some
returns the new one. As in ``docs/dominance.md``, x is the card that moves and p the card it goes
onto; y is the card left alone under x, z the card left alone when p is moved away; a *host* is a
column that is stripped to make room for p.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.bits import highest_bit
from dbmsolver.kernels.states import ONE, U64, ZERO
from dbmsolver.kits.records.form import NOBODY
from dbmsolver.kits.records.macros import FAR, HOMEWARD, MacroWay, look_up, note_macro


@inlined
def own_column(x):
    """Return the stuck column that a card lies in, as a bit set of column numbers."""
    return 0 if x.column == NOBODY else 1 << x.column


@inlined
def left_alone(r, under):
    """Return the card ``under`` another, as a set, if it is a bottom card and is left alone."""
    return ZERO if under == NOBODY else r.off & (ONE << U64(under))


@inlined
def note_stripped(t, r, scratch, count, left, way):
    """Note the full records that come of stripping columns before the last lift of a macro.

    That is one for each set of columns, at most as many as freecells and none of ``way.kept``,
    whose stripping takes just the ``left`` slots that the macro leaves free.
    """
    usable = 0
    for column in range(r.stuck):
        if not (way.kept >> column) & 1 and scratch.lengths[column] - 1 <= left:
            usable |= 1 << column
    chosen = usable
    while chosen:
        total = number = column = 0
        cards = ZERO
        rest = chosen
        while rest and total <= left:
            column = highest_bit(U64(rest))
            rest ^= 1 << column
            total += scratch.lengths[column] - 1
            number += 1
            cards |= scratch.masks[column]
        if total > left:
            # Sets that differ only in columns below this one take too many slots, too.
            chosen = (((chosen >> column) << column) - 1) & usable
            continue
        if total == left and number <= t.freecells:
            count = note_macro(scratch, count, way.alone, way.lifted | cards, way.move)
        chosen = (chosen - 1) & usable
    return count


@inlined
def note_outcomes(t, r, scratch, count, fix, way):
    """Note the results of a way to make a move, if there is room for its lifts.

    ``fix`` is that of the record without the cards that the move takes away.
    """
    if way.lifts > r.free:
        return count
    left = r.free - way.lifts
    if way.from_slot or left > 0:
        count = note_macro(scratch, count, ZERO, way.lifted, way.move)
        if not way.from_slot and way.lifts > 0 and way.late and t.freecells > 0:
            count = note_stripped(t, r, scratch, count, left, way)
    elif way.lifts == 0:
        count = note_macro(scratch, count, fix | way.alone, way.lifted, way.move)
    elif way.late:
        count = note_macro(scratch, count, way.alone, way.lifted, way.move)
    return count


@inlined
def note_with_rest(t, r, scratch, count, p, way):
    """Note outcomes where the rest of p's column is a column that may be stripped.

    Otherwise as :func:`note_outcomes`.
    """
    if way.lifts > r.free:
        return count
    length = scratch.lengths[p.column]
    mask = scratch.masks[p.column]
    if not (way.kept >> p.column) & 1:
        scratch.lengths[p.column] = length - p.depth - 1
        scratch.masks[p.column] = mask & ~(p.above | p.bit)
    count = note_outcomes(t, r, scratch, count, ZERO, way)
    scratch.lengths[p.column] = length
    scratch.masks[p.column] = mask
    return count


@inlined
def home_macros(t, r, scratch, count, card):
    """Note the ways to move a card home."""
    x = look_up(scratch, card)
    way = MacroWay(
        8 * card + HOMEWARD,
        x.above,
        x.depth,
        x.under == NOBODY,
        True,
        left_alone(r, x.under),
        own_column(x),
    )
    return note_outcomes(t, r, scratch, count, r.fix, way)


@inlined
def onto_slot_card(t, r, scratch, count, card, parent, kind):
    """Note the ways to move ``card`` onto a slot card, which goes to an empty column first."""
    move = 8 * card + kind
    parent_bit = ONE << U64(parent)
    x = look_up(scratch, card)
    from_slot = x.under == NOBODY
    alone = left_alone(r, x.under)
    if r.empty > 0:
        if r.free > 0 or t.freecells == 0 or r.fix & parent_bit or r.empty > r.fixed:
            way = MacroWay(move, x.above, x.depth, from_slot, x.depth > 0, alone, own_column(x))
            count = note_outcomes(t, r, scratch, count, r.fix & ~parent_bit, way)
        return count
    for host in range(r.stuck):
        # The host's cards but its bottom are lifted. The bottom changes places with p, which needs
        # one slot more for the moment, unless something is lifted afterwards.
        length = scratch.lengths[host]
        mask = scratch.masks[host]
        if host == x.column:
            if length <= r.free:
                count = note_macro(scratch, count, ZERO, mask, move)
            continue
        is_bottom = from_slot and x.column != NOBODY
        lifts = length - 1 + x.depth
        if not is_bottom and (length <= r.free or x.depth > 0):
            kept = own_column(x) | (1 << host)
            way = MacroWay(move, x.above | mask, lifts, from_slot, x.depth > 0, alone, kept)
            count = note_outcomes(t, r, scratch, count, ZERO, way)
    return count


@inlined
def onto_column_card(t, r, scratch, count, card, parent, kind):
    """Note the ways to move ``card`` onto a card of a stuck column."""
    lifts = np.int64(scratch.depth[card]) + np.int64(scratch.depth[parent])
    if scratch.column[card] != scratch.column[parent] and lifts > r.free:
        return count
    x = look_up(scratch, card)
    p = look_up(scratch, parent)
    move = 8 * card + kind
    if x.column != p.column:
        alone = left_alone(r, x.under)
        kept = own_column(x) | own_column(p)
        way = MacroWay(move, x.above | p.above, lifts, x.under == NOBODY, True, alone, kept)
        count = note_outcomes(t, r, scratch, count, r.fix, way)
    elif x.depth < p.depth and x.under != parent:
        count = note_macro(scratch, count, ZERO, p.above, move)
    if p.under != NOBODY:
        count = onto_moved_card(t, r, scratch, count, x, p, move)
    return count


@inlined
def onto_moved_card(t, r, scratch, count, x, p, move):
    """Note the ways to move x onto p, which leaves its stuck column for an empty one first."""
    same = x.column == p.column
    is_above = same and x.depth < p.depth
    from_slot = x.under == NOBODY
    alone = left_alone(r, x.under)
    behind = ZERO  # z, if no other column can give the last lift
    if not same and x.depth == 0:
        behind = left_alone(r, p.under)
    # What p leaves may be stripped, if the last lift can come from x's column.
    kept = own_column(x) | own_column(p)
    length = scratch.lengths[p.column]
    kept_moved = kept
    if not same and x.depth > 0 and length != FAR and length - p.depth - 1 >= 2:
        kept_moved &= ~(1 << p.column)
    # The cards lifted in the columns of x and p.
    if is_above:
        lifts, lifted = p.depth + 1, p.above | p.bit
    elif same:
        lifts, lifted = x.depth, x.above
    else:
        lifts, lifted = x.depth + p.depth + 1, x.above | p.above | p.bit
    if r.empty > 0:
        way = MacroWay(move, lifted, lifts, from_slot or is_above, True, alone | behind, kept_moved)
        return note_with_rest(t, r, scratch, count, p, way)
    for host in range(r.stuck):
        length = scratch.lengths[host]
        mask = scratch.masks[host]
        if length > r.free + 1:
            continue
        if host == p.column:
            # Its cards but the bottom and p are lifted; these two change places.
            late = not same and x.depth > 0
            if (not same and from_slot and x.column != NOBODY) or (not late and length > r.free):
                continue
            lifts_here = length - 1 + (x.depth if late else 0)
            lifted_here = mask | x.above
            way = MacroWay(move, lifted_here, lifts_here, from_slot or same, late, alone, kept)
            count = note_outcomes(t, r, scratch, count, ZERO, way)
        elif host == x.column:
            lifted_here = mask | p.above | p.bit
            way = MacroWay(move, lifted_here, length + p.depth, True, True, ZERO, kept)
            count = note_outcomes(t, r, scratch, count, ZERO, way)
        elif x.column == NOBODY or is_above or not from_slot:
            way = MacroWay(
                move,
                mask | lifted,
                length - 1 + lifts,
                from_slot or is_above,
                True,
                alone | behind,
                kept_moved | (1 << host),
            )
            count = note_with_rest(t, r, scratch, count, p, way)
    return count


@inlined
def onto_card(t, r, scratch, count, card, parent, kind):
    """Note the ways to move ``card`` onto ``parent``, its legal parent of this kind."""
    if np.int64(scratch.column[parent]) == NOBODY:
        return onto_slot_card(t, r, scratch, count, card, parent, kind)
    return onto_column_card(t, r, scratch, count, card, parent, kind)
