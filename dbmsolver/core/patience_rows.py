"""Rows of states of Klondike and its relatives, as shards hold them.

A row is four words: the three of the position (:mod:`dbmsolver.core.patience_tables`), and meta
(:mod:`dbmsolver.core.shards`). The signature is worked out where it is asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.core.bits import lowest_bit, popcount
from dbmsolver.core.card_rows import hash_row, mix
from dbmsolver.core.patience_bound import Weights, make_weights
from dbmsolver.core.patience_strata import STOCK_SHIFT, WON, digits_not_zero, is_won
from dbmsolver.core.patience_tables import (
    PER_WORD,
    WASTE_SHIFT,
    Board,
    Found,
    Words,
    make_board,
    make_found,
)
from dbmsolver.core.tables import HIGH, LOW, OFF
from dbmsolver.jit.decorators import inlined

U64 = np.uint64
ONE = np.uint64(1)
WORDS = 4


class LayerScratch(NamedTuple):
    """Scratch memory of one thread that works on a shard."""

    board: Board
    weights: Weights
    found: Found
    words: Words  # [3]


def make_scratch() -> LayerScratch:
    """Return scratch memory of one thread."""
    return LayerScratch(make_board(), make_weights(), make_found(), np.zeros(3, np.uint64))


@inlined
def cards_gone(off, low, high, marks):
    """Return a bit for each card that has left its place in stock, waste, reserve, or face down.

    Cards are those that ``marks`` (uint64[3]) has a bit for: the lowest one of their digits.
    """
    first = digits_not_zero(off) & marks[0]
    second = digits_not_zero(low) & marks[1]
    return first | (second << U64(1)) | ((digits_not_zero(high) & marks[2]) << U64(2))


@inlined
def stratum_of_words(t, off, low, high):
    """Return the stratum (int64) of a state that is not won."""
    return popcount(cards_gone(off, low, high, t.marks))


@inlined
def signature_of(t, off, low, high):
    """Return the signature (uint64) of a state."""
    if is_won((off, low, high)):
        return WON
    signature = (high >> U64(WASTE_SHIFT)) << U64(STOCK_SHIFT)
    gone = cards_gone(off, low, high, t.marks)
    while gone:
        place = lowest_bit(gone)
        gone &= gone - ONE
        card = PER_WORD * (place % 3) + place // 3
        signature |= ONE << U64(t.game.bits[card])
    return signature


@inlined
def hash_state(t, signature, off, low, high):
    """Return the hash (uint64) of a state."""
    return hash_row(U64(0), off, low, high)


@inlined
def hash_of_home(t, signature, off, low, high):
    """Return a hash (uint64) of the cards that a state's signature tells of."""
    return mix(cards_gone(off, low, high, t.marks) * U64(0x9E3779B97F4A7C15))


@inlined
def state_at(t, rows, index):
    """Return the signature and the words of a row."""
    off, low, high = rows[index, 0], rows[index, 1], rows[index, 2]
    return signature_of(t, off, low, high), off, low, high


@inlined
def hold(t, rows, index, signature, off, low, high):
    """Write a state to a row."""
    rows[index, 0] = off
    rows[index, 1] = low
    rows[index, 2] = high


@inlined
def holds(t, rows, index, candidates, candidate):
    """Return True if a row has the state of a candidate."""
    return (
        rows[index, 0] == candidates[candidate, OFF]
        and rows[index, 1] == candidates[candidate, LOW]
        and rows[index, 2] == candidates[candidate, HIGH]
    )


@inlined
def hash_at(t, rows, index):
    """Return the hash (uint64) of a row's state."""
    return hash_row(U64(0), rows[index, 0], rows[index, 1], rows[index, 2])


@inlined
def hash_of_home_at(t, rows, index):
    """Return the hash (uint64) of the cards that the signature of a row's state tells of."""
    return hash_of_home(t, U64(0), rows[index, 0], rows[index, 1], rows[index, 2])


@inlined
def stratum_at(t, rows, index, locked_in_deal):
    """Return the stratum (int64) of a row's state."""
    off, low, high = rows[index, 0], rows[index, 1], rows[index, 2]
    if is_won((off, low, high)):
        return np.int64(t.last)
    return stratum_of_words(t, off, low, high)
