"""The tables of one deal of Klondike for the kernels of classes, and how a class is written.

*Signature.* For each column the number of its cards that lie where they were dealt, in as many bits
as that number needs; a free king at the bottom is none. A won class has the signature ``WON`` and
the key 0.

*Key*, the plane *off* of a state; the planes *low* and *high* are 0:

====================== =====================================================================
bits                   field
====================== =====================================================================
one for each card      of the stock and waste of the deal, in order: 1 while it is there
four for each suit     height of the foundation
six                    how many of the cards that are left lie in the waste
those that are needed  how often the waste may still be turned over; none without a limit
====================== =====================================================================

The number in the waste is in normal form: 0 for each number from which the same cards can be turned
up as from 0, where turning the waste over has no limit. With no card left, the last two fields are
0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.structs import struct
from dbmsolver.kernels.states import Words

WON = np.uint64(1 << 63)
"""The signature of won classes: the highest bit, which no other signature has."""
HEIGHT_BITS = 4
WASTE_BITS = 6
SAFE_HOME, NO_SAFE_RETURN, USEFUL_SPACE = 1, 2, 4
"""Bits of ``ClassTables.left_out``, for :class:`dbmsolver.game.classes.LeftOut`."""


@struct
class ClassTables(NamedTuple):
    """Constants of one deal; sets of cards have a bit for each card, ``4 * (rank - 1) + suit``."""

    columns: int
    varying: Words  # [3]: bits that each plane may have: those of the key, none, none
    column_shift: Words  # [columns]: where the column's count starts in the signature
    column_mask: Words  # [columns]: the count's mask after shifting
    locked: Words  # [columns, counts]: the cards that lie where they were dealt
    covered: Words  # [columns, counts]: all of them but the last
    held: Words  # [columns, counts]: the last of them
    release: Words  # [52]: what to subtract from the signature when this card leaves
    home: Words  # [4, 14]: cards of a suit that are home at that height
    stock_bit: Words  # [52]: the card's bit in the key, 0 if it is not of the stock
    stock_sets: Words  # [bytes, 256]: cards that a byte of the key's first field stands for
    turned: Words  # [64, 64]: by number in the waste and number left, a bit for each number that
    # the waste can have in this pass when its last card is played
    stock_mask: np.uint64  # the key's first field
    height_shift: np.uint64
    waste_shift: np.uint64
    turns_shift: np.uint64
    draw: int
    free_stock: bool  # whether every card left can be turned up at any time
    limited: bool  # whether the waste may be turned over only so often
    returning: np.uint64  # the cards that come back from the foundations
    left_out: int  # which rules leave out moves
    policy: int  # which moves home are safe: POLICY_NONE, POLICY_HORNE or POLICY_WKR
    build: int  # BUILD_SUIT or BUILD_ALTERNATE


class ClassSets(NamedTuple):
    """Facts that all classes of a signature share."""

    signature: np.uint64
    held: np.uint64
    covered: np.uint64
    last: np.uint64  # held cards with nothing under them
    loose: np.uint64  # bits of the key
    unoccupied: int  # columns that are empty or have a free king at the bottom
