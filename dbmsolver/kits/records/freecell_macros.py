"""Macros where only freecells are slots: empty columns take kings, or nothing.

``r`` is the record, ``count`` the number of macros noted so far; each function returns the new one.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.states import ZERO
from dbmsolver.kits.records.form import NOBODY
from dbmsolver.kits.records.macros import FAR, HOMEWARD, TO_COLUMN, look_up, note_macro


@inlined
def home_from_column(r, scratch, count, card):
    """Note the move of a card home."""
    x = look_up(scratch, card)
    if x.depth <= r.free:
        count = note_macro(scratch, count, ZERO, x.above, 8 * card + HOMEWARD)
    return count


@inlined
def onto_card(r, scratch, count, card, parent, kind):
    """Note the move of ``card`` onto ``parent``, its legal parent of this kind."""
    if np.int64(scratch.column[parent]) == NOBODY:
        return count
    x = look_up(scratch, card)
    p = look_up(scratch, parent)
    lifts = p.depth
    if x.column != p.column:
        lifts += x.depth
    elif x.depth > p.depth or x.under == parent:
        return count
    if lifts <= r.free:
        lifted = (x.above | p.above) & ~x.bit
        count = note_macro(scratch, count, ZERO, lifted, 8 * card + kind)
    return count


@inlined
def king_to_column(r, scratch, count, card):
    """Note the moves of a king to an empty column, or to a column that is cleared for it.

    Not of one at the bottom of a column.
    """
    x = look_up(scratch, card)
    if x.column != NOBODY and x.under == NOBODY:
        return count
    move = 8 * card + TO_COLUMN
    if r.empty > 0:
        if x.depth <= r.free:
            count = note_macro(scratch, count, ZERO, x.above, move)
        return count
    for host in range(r.stuck):
        length = scratch.lengths[host]
        lifts = length if host == x.column else length + x.depth
        if length != FAR and lifts <= r.free:
            lifted = (scratch.masks[host] | x.above) & ~x.bit
            count = note_macro(scratch, count, ZERO, lifted, move)
    return count
