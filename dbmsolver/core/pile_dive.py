"""Searches depth first for any solution of a game of one pile."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.pile import ONE, TOP, U64, ZERO, after, left_in
from dbmsolver.core.tables import CARDS, Words
from dbmsolver.jit.decorators import kernel

EXHAUSTED, GIVEN_UP = -1, -2
"""The values that :func:`dive` returns where it has found no solution."""
MOST_MOVES = CARDS


class Diving(NamedTuple):
    """The state of a search depth first; :func:`make_diving` begins one."""

    slots: Words  # [2**n]: a hash table of the states met, plus one, 0 where it is free
    keys: Words  # [54]: the public keys of the states on the way, the deal first
    tried: Words  # [54]: for each of them a set of the places that have been tried
    path: NDArray[np.int64]  # [53]: the cards put on the pile on the way
    state: NDArray[np.int64]  # [2]: depth, and how many states were met


def make_diving(root: int, most: int) -> Diving:
    """Return the beginning of a search that meets at most ``most`` states."""
    diving = Diving(
        slots=np.zeros(1 << (2 * most - 1).bit_length(), np.uint64),
        keys=np.zeros(MOST_MOVES + 2, np.uint64),
        tried=np.zeros(MOST_MOVES + 2, np.uint64),
        path=np.zeros(MOST_MOVES + 1, np.int64),
        state=np.array([0, 1], np.int64),
    )
    diving.keys[0] = root
    return diving


@kernel
def dive(t, diving, order, limit):
    """Search depth first for any solution, until ``limit`` states are met in all.

    Of the cards that may be played next, those of the columns that come first in ``order``
    (int64[columns]) are tried first, the stock last. States whose cards on top differ in their
    suit only have the same solutions, and count once.

    Returns the length of the solution, which is in ``diving.path``; EXHAUSTED where no state is
    left; GIVEN_UP where the limit came first. Then another call with a higher limit goes on, if
    the hash table has twice as many slots.
    """
    columns_from = t.shifts[0]
    slots, keys, tried = diving.slots, diving.keys, diving.tried
    mask = U64(slots.size - 1)
    depth, met = diving.state[0], diving.state[1]
    if not keys[0] >> columns_from:
        return np.int64(0)
    while depth >= 0 and met < limit:
        key = keys[depth]
        fits = t.follows[key & U64(TOP)]
        place = np.int64(-1)
        for column in order:
            left = left_in(t, key, column)
            if (
                left
                and not (tried[depth] >> U64(column)) & ONE
                and (fits >> U64(t.cards[column, left])) & ONE
            ):
                place = np.int64(column)
                break
        if place < 0 and left_in(t, key, t.columns) and not (tried[depth] >> U64(t.columns)) & ONE:
            place = np.int64(t.columns)
        if place < 0:
            depth -= 1
            continue
        tried[depth] |= ONE << U64(place)
        card = t.cards[place, left_in(t, key, place)]
        moved = after(t, key, card)
        diving.path[depth] = card
        if not moved >> columns_from:
            diving.state[1] = met
            return depth + 1
        alike = ((moved & ~U64(TOP)) | U64(card >> 2)) + ONE
        slot = (alike * U64(0x9E3779B97F4A7C15)) >> U64(20)
        while slots[slot & mask] and slots[slot & mask] != alike:
            slot += ONE
        if slots[slot & mask]:
            continue
        slots[slot & mask] = alike
        met += 1
        depth += 1
        keys[depth] = moved
        tried[depth] = ZERO
    diving.state[0], diving.state[1] = depth, met
    return np.int64(EXHAUSTED if depth < 0 else GIVEN_UP)
