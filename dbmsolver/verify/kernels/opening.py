"""Local keys, as blocks have them, made into states; each kind of keys has its own way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.families import ByType
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels import errors as e
from dbmsolver.verify.kernels.classes import ClassRules
from dbmsolver.verify.kernels.leaving import LeavingKeys
from dbmsolver.verify.kernels.positions import WASTE_SHIFT
from dbmsolver.verify.kernels.rules import AS_DEALT, BOTTOM, HOME
from dbmsolver.verify.kernels.words import (
    ALL,
    ONE,
    U64,
    ZERO,
    Ints,
    Words,
    bits_in,
    cards_home,
    count_bits,
    height_of,
    one,
)


@struct
class PlaneKeys(NamedTuple):
    """The form of keys of signature and planes: see :mod:`dbmsolver.verify.format`."""

    column_shift: Ints  # [columns]: the place of a column's count in the signature
    column_mask: Ints  # [columns]
    locked: Ints  # [columns, most]: locked cards of a column from the bottom up, -1 beyond
    can_be_loose: np.uint64
    varying: Words  # [3]: the cards with a bit in each plane
    fixed: Words  # [2]: the cards whose bit in ``off`` and ``low`` is 1 whatever their place
    kept: int  # the cards of each suit that never come back from the foundations

    def progress(self, signatures: Words) -> Ints:
        """Return the progress of each signature: cards home by it, and locked cards released."""
        words = signatures.astype(np.int64)
        total = np.full(words.size, (self.locked >= 0).sum(), np.int64)
        for suit in range(4):
            total += (words >> (4 * suit)) & 15
        for shift, mask in zip(self.column_shift, self.column_mask, strict=True):
            total -= (words >> shift) & mask
        return total


PER_WORD = 21
"""The cards that have their digits in one word of a key."""
STOCK_IN_KEY, STOCK_IN_SIGNATURE = 32, 52
"""The bits from which on waste and turns stand."""
PLACES_OF_DIGITS = np.array([AS_DEALT, 0, 1, 2, 3, BOTTOM, HOME], np.uint64)
"""The place value that each digit stands for."""


@struct
class DigitKeys(NamedTuple):
    """The form of keys of digits: see :mod:`dbmsolver.verify.patience_format`."""

    marks: Words  # [52]: the bit that a card has in signatures once it has moved, 0 for none

    def progress(self, signatures: Words) -> Ints:
        """Return the progress of each signature: its bits that stand for cards."""
        return bits_in(signatures & np.uint64((1 << STOCK_IN_SIGNATURE) - 1))


@inner
def take_signature(k, signature):
    """Return (error, home cards, locked cards) of a signature."""
    locked, home = ZERO, cards_home(signature)
    for suit in range(4):
        if height_of(signature, suit) > 13:
            return e.BAD_SIGNATURE, home, locked
    rest = signature >> U64(16)
    for column in range(k.locked.shape[0]):
        count = np.int64(signature >> U64(k.column_shift[column])) & k.column_mask[column]
        rest &= ~(U64(k.column_mask[column]) << U64(k.column_shift[column] - 16))
        if count > k.locked.shape[1]:
            return e.BAD_SIGNATURE, home, locked
        for index in range(count):
            card = k.locked[column, index]
            if card < 0:
                return e.BAD_SIGNATURE, home, locked
            locked |= one(card)
    if k.kept < 13 and home not in (cards_home(U64(0x1111) * U64(k.kept)), ALL):
        return e.BAD_SIGNATURE, home, locked
    # An ace that was dealt to a freecell can be loose there, and nowhere else.
    if rest or (home & locked) or ALL & ~(home | locked | k.can_be_loose):
        return e.BAD_SIGNATURE, home, locked
    return e.FINE, home, locked


@inlined
def spread(word, cards):
    """Return the set of those of some cards that have a 1 in a word, which has a bit for each."""
    found = ZERO
    while cards:
        if word & ONE:
            found |= cards & (~cards + ONE)
        word >>= ONE
        cards &= cards - ONE
    return found


@inner
def open_planes(k, words, layer, row):
    """Make a state of signature and planes."""
    # Planes are the bits of place values: off 4, high 2, low 1. So 0 to 3 (0xx) are the takers, 4
    # (100) is a freecell, 5 (101) a bottom. Locked cards get 6 (110), those home 7 (111). A loose
    # card that is home has off and high alone in its key, and low is added here.
    error, home, locked = take_signature(k, row[0])
    if error:
        return error
    loose = ALL & ~(home | locked)
    in_off, in_low, in_high = loose & k.varying[0], loose & k.varying[1], loose & k.varying[2]
    low_at, high_at = count_bits(in_off), count_bits(in_off) + count_bits(in_low)
    bits = high_at + count_bits(in_high)
    if words != (1 if bits <= 64 else 3):
        return e.BAD_WIDTH
    off, low, high = row[1], row[2], row[3]
    if words == 1:
        key = row[1]
        if bits < 64 and key >> U64(bits):
            return e.BAD_KEY
        off, low = spread(key, in_off), spread(key >> U64(low_at), in_low)
        high = spread(key >> U64(high_at), in_high) if high_at < 64 else ZERO
    elif off & ~in_off or low & ~in_low or high & ~in_high:
        return e.BAD_KEY
    off |= k.fixed[0] & loose
    low |= k.fixed[1] & loose
    back = off & high  # from the foundations
    if back & low or (back and k.kept == 13):
        return e.BAD_FIELDS
    row[0] = low | back | home
    row[1] = high | home | locked
    row[2] = off | home | locked
    row[3] = ZERO
    return e.FINE


@inner
def open_digits(k, words, layer, row):
    """Make a state of digits, if the signature is that of the key."""
    if words != 3:
        return e.BAD_WIDTH
    stock = row[3] >> U64(STOCK_IN_KEY)
    signature, ones, twos, fours = stock << U64(STOCK_IN_SIGNATURE), ZERO, ZERO, ZERO
    rest = ZERO
    for card in range(CARDS):
        if card % PER_WORD == 0:
            if rest:
                return e.NO_POSITION
            rest = row[1 + card // PER_WORD]
            if card // PER_WORD == 2:
                rest &= (ONE << U64(STOCK_IN_KEY)) - ONE
        digit = np.int64(rest & U64(7))
        rest >>= U64(3)
        if digit >= PLACES_OF_DIGITS.size:
            return e.NO_POSITION
        if digit:
            signature |= k.marks[card]
        place = PLACES_OF_DIGITS[digit]
        ones |= (place & ONE) << U64(card)
        twos |= (place >> ONE & ONE) << U64(card)
        fours |= (place >> U64(2)) << U64(card)
    if rest or stock >> U64(12):
        return e.NO_POSITION
    if signature != row[0]:
        return e.OTHER_SIGNATURE
    row[0], row[1], row[2], row[3] = ones, twos, fours | stock << U64(WASTE_SHIFT), ZERO
    return e.FINE


@inner
def open_classes(game, words, layer, row):
    """Leave keys of classes as they are."""
    return e.FINE if words == 1 else e.BAD_WIDTH


@inner
def open_leaving(k, words, layer, row):
    """Make public keys of games whose cards only leave, with the layer where it is part of them.

    A signature stands between the bits of a local key below bit ``cut`` and the others.
    """
    if words != 1:
        return e.BAD_WIDTH
    signature, key, below = row[0], row[1], (ONE << U64(k.cut)) - ONE
    with_layer = U64(layer) if k.tells_layer else ZERO
    if signature >> U64(k.signature_bits) != with_layer or key >> U64(k.local_bits):
        return e.TOO_WIDE
    inside = (signature & ((ONE << U64(k.signature_bits)) - ONE)) << U64(k.cut)
    row[0] = (key & below) | inside | (key & ~below) << U64(k.signature_bits)
    row[1] = with_layer
    return e.FINE


open_key = ByType(
    {
        PlaneKeys: open_planes,
        DigitKeys: open_digits,
        ClassRules: open_classes,
        LeavingKeys: open_leaving,
    }
)
"""Make a state of a row, which has a signature and a local key of so many words.

Return an error, 0 if there is none.
"""


@kernel
def open_states(keys, words, layer, states, count):
    """Make states of the first rows: (error, the number of the row that is wrong).

    ``keys`` is the form of signatures and local keys, which the rows have.
    """
    for number in range(count):
        error = open_key(keys, words, layer, states.rows[number])
        if error:
            return error, number
    return e.FINE, count
