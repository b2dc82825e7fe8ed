"""Klondike and its relatives: the stratum of a state, its signature, and whether it is won."""

from __future__ import annotations

import numpy as np

from dbmsolver.core.patience_tables import DEALT, OVER, PER_WORD, WASTE_SHIFT, of_canfield
from dbmsolver.core.tables import CARDS
from dbmsolver.jit.decorators import inlined, kernel

U64 = np.uint64


@inlined
def is_won(words):
    """Return whether all cards are home."""
    full = U64(0x6DB6DB6DB6DB6DB6)  # 21 times the digit 6
    return (
        words[0] == full
        and words[1] == full
        and (words[2] & U64((1 << 30) - 1)) == (full & U64((1 << 30) - 1))
    )


@inlined
def rises(t, code):
    """Return whether a parent-move code leads to the next stratum.

    Its card was in stock, waste or reserve, or lay on one face down; or the reserve filled the
    column that it left, in which it lay at the bottom, where no such card was dealt.
    """
    card, old = np.int64(code & np.uint16(63)), (code >> np.uint16(6)) & np.uint16(7)
    first = old == DEALT and t.bits[card] >= 0
    if of_canfield(t):
        first |= code & np.uint16(OVER) != 0
    return first


@kernel
def signatures(t, words, found):
    """Write the signatures (uint64[states]) of states (uint64[states, 3]).

    A bit for each card of stock, waste and reserve that has left it, and for each that was dealt
    face down and has been turned up; from bit 52 on, the upper bits of word 2.
    """
    for state in range(words.shape[0]):
        signature = (words[state, 2] >> U64(WASTE_SHIFT)) << U64(52)
        for card in range(CARDS):
            if t.bits[card] >= 0:
                digit = (words[state, card // PER_WORD] >> U64(3 * (card % PER_WORD))) & U64(7)
                if digit:
                    signature |= U64(1) << U64(t.bits[card])
        found[state] = signature


@inlined
def stratum_of(t, words):
    """Return how many cards have left stock, waste and reserve, plus how many are turned up."""
    count = np.int64(0)
    for card in range(CARDS):
        digit = (words[card // PER_WORD] >> U64(3 * (card % PER_WORD))) & U64(7)
        if t.bits[card] >= 0 and digit:
            count += 1
    return count


@kernel
def strata_of(t, words, found):
    """Write the stratum of each state (uint64[states, 3]) to ``found`` (int64[states])."""
    for number in range(words.shape[0]):
        found[number] = stratum_of(t, words[number])
