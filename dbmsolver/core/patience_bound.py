"""Klondike and its relatives: the lower bound of a state, its signature, and whether it is won."""

from __future__ import annotations

import numpy as np

from dbmsolver.core.patience import take
from dbmsolver.core.patience_tables import (
    DEALT,
    IN_WASTE,
    LEFT,
    OVER,
    PER_WORD,
    USED,
    WASTE_SHIFT,
    of_canfield,
)
from dbmsolver.core.tables import CARDS
from dbmsolver.jit.decorators import inlined, inner, kernel

U64 = np.uint64


@inlined
def is_won(words):
    """Whether all cards are home."""
    full = U64(0x6DB6DB6DB6DB6DB6)  # 21 times the digit 6
    return (
        words[0] == full
        and words[1] == full
        and (words[2] & U64((1 << 30) - 1)) == (full & U64((1 << 30) - 1))
    )


@inner
def lower_bound(t, board):
    """Moves (int64) that a solution has at least: admissible and consistent.

    A move home for each card that is not home. For each column in which a card lies on a lower one
    of its suit, a move that is none home: all such cards have to leave the lower one before it can
    go home. A move that is none home takes cards from one column only, and changes no other but the
    one it goes to, which it cannot free; a move home takes a card whose lower ones are all home, so
    it frees no column. Where turning counts, a turn for every ``draw`` cards of the stock that are
    not in the waste: each has to come to the waste, and no turn brings more. A card that comes back
    adds one to the first of the three. So the bound falls by one move's cost at most.

    A whole column that moves to another one takes what blocks it along: then the other one is
    blocked after the move, and at most one column less is. A card of the reserve that fills a
    column is alone there, which blocks nothing; it was not home before, and is not after. So fills,
    which cost nothing, leave the bound as it is. The reserve itself is not looked at: its cards
    may leave it without a move.
    """
    total = np.int64(CARDS)
    for suit in range(4):
        total -= board.heights[suit]
    for column in range(board.numbers[USED]):
        lowest = board.above  # free for use once the columns are known
        for suit in range(4):
            lowest[suit] = CARDS
        for depth in range(board.lengths[column]):
            card = board.stacks[column, depth]
            if lowest[card & 3] < card:
                total += 1
                break
            lowest[card & 3] = card
    if t.counted:
        total += (board.numbers[LEFT] - board.numbers[IN_WASTE] + t.draw - 1) // t.draw
    return total


@inlined
def rises(t, code):
    """Whether a parent-move code leads to the next stratum.

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


@kernel
def bound_of(t, words, board):
    """`lower_bound` of a state; to be called from Python."""
    take(t, words[0], words[1], words[2], board)
    return lower_bound(t, board)
