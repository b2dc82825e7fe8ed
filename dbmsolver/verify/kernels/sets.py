"""Sets of cards, words with a bit for each card; and the heights of foundations."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels.words import ONE, U64, ZERO, count_bits, first_bit

ALL = np.uint64((1 << 52) - 1)
SUIT = np.uint64(0x1111111111111)
"""The cards of the first suit; shifted by its number, those of another one."""


@inlined
def holds(cards, card):
    """Return True if a set of cards has this card."""
    return (cards >> U64(card)) & ONE != U64(0)


@inlined
def one(card):
    """Return the set of this card alone."""
    return ONE << U64(card)


@inlined
def first_of(cards):
    """Return the lowest card of a set that is not empty, and the set of the others."""
    return first_bit(cards), cards & (cards - ONE)


@inlined
def higher_than(card):
    """Return the cards of a card's suit that are higher than it."""
    return (SUIT << U64(card)) & ALL & ~one(card)


@inlined
def height_of(signature, suit):
    """Return the foundation height of a suit, as int64."""
    return np.int64((signature >> U64(4 * suit)) & U64(15))


@inlined
def cards_home(heights):
    """Return the set of the cards on foundations of these heights."""
    home = ZERO
    for suit in range(4):
        home |= (SUIT & (one(4 * height_of(heights, suit)) - ONE)) << U64(suit)
    return home


@inlined
def count_left(heights):
    """Return how many cards are not on foundations of these heights."""
    return count_bits(ALL & ~cards_home(heights))
