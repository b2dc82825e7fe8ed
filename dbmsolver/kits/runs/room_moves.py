"""Runs that move as far as there is room: the twin of `game.room`, and moves that programs make.

With c empty freecells and e empty columns, c + 1 cards move at once, and twice as many for each
empty column that they do not go to, if empty columns take any card.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.bits import lowest_bit, popcount
from dbmsolver.kits.cards.expand import height, is_safe
from dbmsolver.kits.cards.tables import BUILD_ALTERNATE, BUILD_SUIT, POLICY_MAX, POLICY_PLAYED_WKR

ONE = np.uint64(1)


@inlined
def room_for(t, freecell, empty):
    """Return how many cards move at once: (onto a card, to an empty column), int64.

    ``freecell`` are the cards in freecells, ``empty`` is the number of empty columns.
    """
    cells = max(t.freecells - popcount(freecell), 0) + 1
    if not t.doubling or empty == 0:
        return cells, cells
    return cells << empty, cells << (empty - 1)


@inlined
def goes_home(t, signature, card):
    """Return True if a program moves a card home, where it fits, by the policy of the tables."""
    if t.policy == POLICY_MAX:
        return True
    if t.policy == POLICY_PLAYED_WKR and t.build != BUILD_SUIT:
        suit = card & 3
        rank = (card >> 2) + 1
        least = min(height(signature, suit ^ 1), height(signature, suit ^ 3))
        if t.build != BUILD_ALTERNATE:
            least = min(least, height(signature, suit ^ 2))
        if rank <= 2 or least >= rank - 1:
            return True
    return is_safe(t, signature, card)


@inlined
def played_move(t, signature, homing):
    """Return the card of ``homing`` that a program moves home; -1 for none.

    All cards of ``homing`` can go home. The lowest suit comes first.
    """
    best = np.int64(-1)
    while homing:
        card = lowest_bit(homing)
        homing &= homing - ONE
        if (best < 0 or (card & 3) < (best & 3)) and goes_home(t, signature, card):
            best = card
    return best
