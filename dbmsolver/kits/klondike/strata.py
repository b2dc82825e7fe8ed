"""Klondike and its relatives: the stratum of a state, its signature, and whether it is won."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.kernels.states import U64
from dbmsolver.kits.klondike.tables import PER_WORD, WASTE_SHIFT

LOWEST = np.uint64(sum(1 << 3 * place for place in range(PER_WORD)))
"""The lowest bit of each digit of a word."""
STOCK_SHIFT = 52
"""Where the waste and the turns left begin in a signature."""
CARD_BITS = np.uint64((1 << STOCK_SHIFT) - 1)
"""The bits of a signature that stand for cards."""
WON = np.uint64((1 << 64) - 1)
"""The signature of won states. No other state has it: no waste has 63 cards."""


@inlined
def is_won(words):
    """Return True if all cards are home."""
    full = U64(0x6DB6DB6DB6DB6DB6)  # 21 times the digit 6
    return (
        words[0] == full
        and words[1] == full
        and (words[2] & U64((1 << 30) - 1)) == (full & U64((1 << 30) - 1))
    )


@inlined
def digits_not_zero(word):
    """Return a bit for each digit of a word that is not 0: the lowest of its three."""
    return (word | (word >> U64(1)) | (word >> U64(2))) & LOWEST


@inlined
def cards_gone(off, low, high, marks):
    """Return a bit for each card that has left its place in stock, waste, reserve, or face down.

    Cards are those that ``marks`` (uint64[3]) has a bit for: the lowest one of their digits.
    """
    first = digits_not_zero(off) & marks[0]
    second = digits_not_zero(low) & marks[1]
    return first | (second << U64(1)) | ((digits_not_zero(high) & marks[2]) << U64(2))


@inlined
def signature_of(t, off, low, high):
    """Return the signature (uint64) of a state.

    A bit for each card of stock, waste and reserve that has left it, and for each that was dealt
    face down and has been turned up; from bit 52 on, the upper bits of word 2.
    """
    if is_won((off, low, high)):
        return WON
    signature = (high >> U64(WASTE_SHIFT)) << U64(STOCK_SHIFT)
    gone = cards_gone(off, low, high, t.marks)
    for byte in range(8):
        signature |= t.bits[byte, np.int64((gone >> U64(8 * byte)) & U64(255))]
    return signature


@kernel
def signatures(t, words, found):
    """Write the signatures (uint64[states]) of states (uint64[states, 3])."""
    for state in range(words.shape[0]):
        found[state] = signature_of(t, words[state, 0], words[state, 1], words[state, 2])
