"""The rules applied to a position: the places of its cards, and the forced move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.families import inlined_by_type
from dbmsolver.verify.format import (
    BOTTOM,
    FREECELL,
    HOME,
    LOCKED,
    Format,
    RunFormat,
    TwoWayFormat,
)
from dbmsolver.verify.kernels.words import ONE, U64, height_of


class LaidState(NamedTuple):
    """A state laid out: the words of its key, and sets of its cards."""

    signature: np.uint64
    home: np.uint64
    locked: np.uint64
    off: np.uint64
    low: np.uint64
    high: np.uint64
    used: int  # columns
    tops: np.uint64  # last cards of columns
    cells: np.uint64


@inlined
def never(f, card):
    """Return what :func:`is_base` does where columns do not go round."""
    return False


@inlined
def holds_kings(f, card):
    """Return what :func:`is_base` does where columns may go round."""
    return (f.bases >> U64(card)) & ONE != U64(0)


is_base = inlined_by_type({Format: never, RunFormat: holds_kings, TwoWayFormat: never})
"""Return True if kings may be put on a card: then its move home is not safe."""


@inlined
def safe_card(f, signature, movable):
    """Return the card of the lowest suit that can go home and is safe there; -1 without one.

    The rule, and why it holds, is at :func:`dbmsolver.game.safe_moves.is_safe_home`. Where a
    program makes these moves, they are those of :func:`dbmsolver.game.automoves.goes_home`.
    """
    if f.policy == 0:
        return -1
    for suit in range(4):
        height = height_of(signature, suit)
        card = 4 * height + suit
        if height == 13 or not (movable >> U64(card)) & ONE or is_base(f, card):
            continue
        if f.build == 1 or f.policy == 4:
            return card
        rank = height + 1
        across = min(height_of(signature, suit ^ 1), height_of(signature, suit ^ 3))
        beside = height_of(signature, suit ^ 2)
        if f.policy == 1 or f.policy == 3:
            if rank <= 2:
                return card
            least = across if f.build == 0 else min(across, beside)
            if least >= rank - 1:
                return card
        if f.policy == 1:
            continue
        if f.build == 0:
            if across >= rank - 2 and beside >= rank - 3:
                return card
        elif min(across, beside) >= rank - 2:
            return card
    return -1


@inlined
def place_away(f, locked, off, low, high, card):
    """Return :func:`place_in` where no card comes back from home."""
    shift = U64(card)
    if (locked >> shift) & ONE:
        return LOCKED
    if (off >> shift) & ONE:
        return BOTTOM if (low >> shift) & ONE else FREECELL
    return np.int64((low >> shift) & ONE) + 2 * np.int64((high >> shift) & ONE)


@inlined
def place_or_home(f, locked, off, low, high, card):
    """Return :func:`place_in` where cards may come back from home."""
    if ((off & high) >> U64(card)) & ONE and not (locked >> U64(card)) & ONE:
        return HOME
    return place_away(f, locked, off, low, high, card)


place_in = inlined_by_type({Format: place_away, RunFormat: place_away, TwoWayFormat: place_or_home})
"""Place value of a card that is not home for good."""


@inlined
def has_room(f, cells):
    """Return True if a freecell is empty that a card may be put into."""
    count = 0
    while cells:
        cells &= cells - ONE
        count += 1
    return count < f.room


@inlined
def holds_together(f, card, under):
    """Return True if ``card``, on ``under``, moves with it as a run."""
    if card >= 48 and not (f.bases >> U64(under)) & ONE:
        return False
    if card < 48 and under >> 2 != (card >> 2) + 1:
        return False
    found = False
    for number in range(f.runs):
        found |= (card ^ f.kinds[number]) & 3 == under & 3
    return found
