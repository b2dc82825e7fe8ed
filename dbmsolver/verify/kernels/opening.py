"""Local keys, as blocks have them, made into states; each kind of keys has its own way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inner
from dbmsolver.jit.families import ByType
from dbmsolver.verify.format import Format, RecordFormat
from dbmsolver.verify.kernels.class_layout import ClassRules
from dbmsolver.verify.kernels.closed_set import Words
from dbmsolver.verify.kernels.digits import DigitFormat
from dbmsolver.verify.kernels.errors import BAD_KEY, BAD_WIDTH, TOO_WIDE
from dbmsolver.verify.kernels.pairs import Pairs
from dbmsolver.verify.kernels.piles import Pile
from dbmsolver.verify.kernels.planes import key_bits, key_words, take_signature
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO


class Opening(NamedTuple):
    """Tables that turn a local key into planes, four bits at a time: scratch memory."""

    bits: Words  # [3, 160]: what each bit of the key stands for
    nibbles: Words  # [3, 16, 16]


def make_opening() -> Opening:
    """Return scratch memory."""
    return Opening(np.empty((3, 160), np.uint64), np.empty((3, 16, 16), np.uint64))


@inner
def fill_nibbles(planes, bits, opening):
    """Fill the tables of ``planes`` planes, for keys of ``bits`` bits.

    Return the number of groups of four bits.
    """
    groups = (bits + 3) // 4
    for plane in range(planes):
        for bit in range(bits, 4 * groups):
            opening.bits[plane, bit] = ZERO
        for group in range(groups):
            table = opening.nibbles[plane, group]
            table[0] = ZERO
            for bit in range(4):
                word = opening.bits[plane, 4 * group + bit]
                for value in range(1 << bit):
                    table[value + (1 << bit)] = table[value] | word
    return groups


@inner
def open_planes(f, words, layer, rows, opening):
    """Make planes of the cards of local keys."""
    error, home, locked = take_signature(f, rows[0, 0])
    if error:
        return error
    loose = ALL & ~(home | locked)
    if key_words(f, loose) != words:
        return BAD_WIDTH
    fixed_off, fixed_low = f.fixed[0] & loose, f.fixed[1] & loose
    if words == 3:
        for number in range(rows.shape[0]):
            row = rows[number]
            strange = row[1] & ~f.varying[0] | row[2] & ~f.varying[1] | row[3] & ~f.varying[2]
            if strange or (row[1] | row[2] | row[3]) & ~loose:
                return BAD_KEY
            row[1] |= fixed_off
            row[2] |= fixed_low
        return 0
    bits = key_bits(f, loose, opening.bits)
    groups = fill_nibbles(f.planes, bits, opening)
    for number in range(rows.shape[0]):
        rest = rows[number, 1]
        if bits < 64 and rest >> U64(bits):
            return BAD_KEY
        off, low, high = fixed_off, fixed_low, ZERO
        for group in range(groups):
            value = np.int64(rest & U64(15))
            rest >>= U64(4)
            off |= opening.nibbles[0, group, value]
            low |= opening.nibbles[1, group, value]
            if f.planes == 3:
                high |= opening.nibbles[2, group, value]
        rows[number, 1], rows[number, 2], rows[number, 3] = off, low, high
    return 0


@inner
def open_records(r, words, layer, rows, opening):
    """Make planes of the cards of records' local keys."""
    return open_planes(r.cards, words, layer, rows, opening)


@inner
def open_digits(d, words, layer, rows, opening):
    """Leave keys of digits as they are."""
    return 0 if words == 3 else BAD_WIDTH


@inner
def open_classes(game, words, layer, rows, opening):
    """Leave keys of classes as they are."""
    return 0 if words == 1 else BAD_WIDTH


@inner
def open_leaving(g, words, layer, rows, opening):
    """Make public keys of games whose cards only leave, with the layer where it is part of them.

    A signature stands between the bits of a local key below bit ``cut`` and the others.
    """
    if words != 1:
        return BAD_WIDTH
    k = g.keys
    signature, below = rows[0, 0], (ONE << U64(k.cut)) - ONE
    with_layer = U64(layer) if k.tells_layer else ZERO
    if signature >> U64(k.signature_bits) != with_layer:
        return TOO_WIDE
    inside = (signature & ((ONE << U64(k.signature_bits)) - ONE)) << U64(k.cut)
    for number in range(rows.shape[0]):
        key = rows[number, 1]
        if key >> U64(k.local_bits):
            return TOO_WIDE
        rows[number, 0] = (key & below) | inside | (key & ~below) << U64(k.signature_bits)
        rows[number, 1] = with_layer
    return 0


open_keys = ByType(
    {
        Format: open_planes,
        RecordFormat: open_records,
        DigitFormat: open_digits,
        ClassRules: open_classes,
        Pile: open_leaving,
        Pairs: open_leaving,
    }
)
"""Make states of the rows of a run, which have its signature and local keys of so many words.

Return an error, 0 if there is none.
"""
