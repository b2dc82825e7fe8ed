"""Searches depth first in games of one pile: which move is tried next."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.states import ONE, U64, ZERO
from dbmsolver.kits.pile.moves import TOP, after, left_in


@inlined
def next_move(t, diving, depth):
    """Return the next move onto the pile that is not tried yet: see the hook `next_move`.

    Of the cards that may be played, those of the columns that come first in the order of the dive
    are tried first, the stock last. States whose cards on top differ in their suit only have the
    same solutions, and count once.
    """
    key, tried = diving.keys[depth], diving.tried[depth]
    fits = t.follows[key & U64(TOP)]
    place = np.int64(-1)
    for column in diving.order:
        left = left_in(t, key, column)
        if left and not (tried >> U64(column)) & ONE and (fits >> U64(t.cards[column, left])) & ONE:
            place = np.int64(column)
            break
    if place < 0 and left_in(t, key, t.columns) and not (tried >> U64(t.columns)) & ONE:
        place = np.int64(t.columns)
    if place < 0:
        return place, key, ZERO, place
    card = np.int64(t.cards[place, left_in(t, key, place)])
    moved = after(t, key, card)
    return place, moved, ((moved & ~U64(TOP)) | U64(card >> 2)) + ONE, card


@inlined
def is_won_key(t, key):
    """Return True for the key of a won state."""
    return not key >> t.shifts[0]
