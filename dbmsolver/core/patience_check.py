"""Klondike and its relatives: whether the cards of states lie in columns, as kernels take them to.

:func:`dbmsolver.core.patience.take` follows each column from its deepest card upwards, and trusts
what it finds.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.core.tables import CARDS
from dbmsolver.jit.decorators import kernel

U64 = np.uint64
ONE = np.uint64(1)


@kernel
def look_for_columns(under, inside, good):
    """Clear ``good`` (bool[states]) for states whose cards lie on what they cannot, or in rings.

    ``inside`` (bool[states, 52]) says which cards are in columns, ``under`` (int64[states, 52])
    what lies under each of these, negative for nothing. That has to be in a column, too, and no two
    cards lie on the same one.
    """
    for state in range(under.shape[0]):
        taken, sound = U64(0), good[state]
        for card in range(CARDS):
            if inside[state, card] and under[state, card] >= 0:
                lower = under[state, card]
                bit = ONE << U64(lower)
                if not inside[state, lower] or taken & bit:
                    sound = False
                taken |= bit
        if sound:
            standing = U64(0)  # cards that are known to lie on the bottom of a column in the end
            for card in range(CARDS):
                at, way = card, U64(0)
                while at >= 0 and inside[state, at] and not standing & (ONE << U64(at)):
                    if way & (ONE << U64(at)):
                        sound = False
                        break
                    way |= ONE << U64(at)
                    at = under[state, at]
                standing |= way
        good[state] = sound
