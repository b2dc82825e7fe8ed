"""Klondike and its relatives: the stratum of a state, its signature, and whether it is won."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.kernels.bits import lowest_bit
from dbmsolver.kernels.states import CARDS
from dbmsolver.kits.klondike.tables import PER_WORD, WASTE_SHIFT

U64 = np.uint64
LOWEST = np.uint64(sum(1 << 3 * place for place in range(PER_WORD)))
"""The lowest bit of each digit of a word."""
ONE = np.uint64(1)
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
def marked(t, word):
    """Return the lowest bits of the digits of the cards that have a bit in signatures.

    The cards are those whose digits the word with this number holds.
    """
    bits = U64(0)
    for card in range(word * PER_WORD, min(CARDS, (word + 1) * PER_WORD)):
        if t.bits[card] >= 0:
            bits |= U64(1) << U64(3 * (card % PER_WORD))
    return bits


@inlined
def with_stock(signature, words):
    """Return a signature that has bits for cards only, with those for the stock of a state."""
    return signature | ((words[2] >> U64(WASTE_SHIFT)) << U64(STOCK_SHIFT))


@inlined
def with_card(t, signature, words, card):
    """Return a signature with the bit of a card, if it has one and left its place in a state."""
    if t.bits[card] >= 0 and (words[card // PER_WORD] >> U64(3 * (card % PER_WORD))) & U64(7):
        signature |= ONE << U64(t.bits[card])
    return signature


@kernel
def signatures(t, words, found):
    """Write the signatures (uint64[states]) of states (uint64[states, 3]).

    A bit for each card of stock, waste and reserve that has left it, and for each that was dealt
    face down and has been turned up; from bit 52 on, the upper bits of word 2.
    """
    for state in range(words.shape[0]):
        found[state] = with_stock(U64(0), words[state])
    for word in range(3):
        some = marked(t, word)
        for state in range(words.shape[0]):
            signature = U64(0)
            left = digits_not_zero(words[state, word]) & some
            while left:
                place = lowest_bit(left)
                left &= left - U64(1)
                signature |= U64(1) << U64(t.bits[word * PER_WORD + place // 3])
            found[state] |= signature
