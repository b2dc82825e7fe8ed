"""Klondike and its relatives: whether words can be states, as kernels take them to be.

:func:`dbmsolver.kits.klondike.moves.take` follows each column from its deepest card upwards, and
trusts what it finds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.kernels.bits import popcount
from dbmsolver.kernels.states import CARDS, ONE, U64
from dbmsolver.kits.klondike.tables import (
    AT_BOTTOM,
    DEALT,
    ELSEWHERE,
    HOME,
    PER_WORD,
    TURNS_SHIFT,
    WASTE_SHIFT,
)

_UNUSED = np.uint64(1 << 63)
"""Bits of the first word, and of the second, that no state has; then those of the third."""
_UNUSED_OF_LAST = np.uint64(3 << 30 | (1 << 64) - (1 << TURNS_SHIFT + 6))
_LOWEST_RANK = np.uint64(0xF)


class Arranging(NamedTuple):
    """The cards of a deal that are dealt to stock and reserve, and the turns of its waste."""

    stock: np.uint64  # a bit for each card of the stock
    reserve: NDArray[np.int64]  # the cards of the reserve, deepest card first
    turns: int  # how often the waste may be turned over, 0 if there is no limit


@kernel
def find_wrong(t, arranging, words, under):
    """Return the index (int64) of the first row of ``words`` that kernels may not see; -1 for none.

    ``t`` are the tables of a deal, ``arranging`` says more of it. A row of ``words`` (uint64[*, 3])
    is a state if each card has one place: home, stock or waste, reserve, or a column. A card of a
    column lies at its bottom, or on one other card, on which nothing else lies, and the way down
    from each card ends at a bottom. Whether moves lead there is not looked at. ``under``
    (int64[52]) is scratch memory.
    """
    for number in range(words.shape[0]):
        if not _can_be(t, arranging, words[number], under):
            return number
    return -1


@inlined
def _can_be(t, arranging, state, under):
    last = state[2]
    if (state[0] | state[1]) & _UNUSED or last & _UNUSED_OF_LAST:
        return False
    home, inside, away = U64(0), U64(0), U64(0)
    bottoms = 0
    for card in range(CARDS):
        bit = ONE << U64(card)
        digit = np.int64(state[card // PER_WORD] >> U64(3 * (card % PER_WORD))) & 7
        under[card] = t.lies_on[card, digit]
        if digit == HOME:
            home |= bit
        elif under[card] != ELSEWHERE:
            inside |= bit
            bottoms += under[card] == AT_BOTTOM
        elif digit == DEALT:
            away |= bit
        else:
            return False
    if home & ~((home << U64(4)) | _LOWEST_RANK):
        return False
    held, covered = U64(0), False
    for place in range(arranging.reserve.size):
        bit = ONE << U64(arranging.reserve[place])
        if away & bit:
            if covered:  # a deeper card has left
                return False
            held |= bit
        else:
            covered = True
    if away & ~(arranging.stock | held):
        return False
    waste = np.int64((last >> U64(WASTE_SHIFT)) & U64(63))
    if waste > popcount(away & arranging.stock):
        return False
    if np.int64(last >> U64(TURNS_SHIFT)) > arranging.turns:
        return False
    if bottoms > t.columns or (held and bottoms < t.columns):
        return False
    return _lie_in_columns(inside, under)


@inlined
def _lie_in_columns(inside, under):
    """Return True if the cards ``inside`` lie in columns, by what is ``under`` each of them."""
    taken = U64(0)
    for card in range(CARDS):
        lower = under[card]
        if (inside >> U64(card)) & ONE and lower != AT_BOTTOM:
            bit = ONE << U64(lower)
            if not inside & bit or taken & bit:
                return False
            taken |= bit
    standing = U64(0)  # cards that are known to lie on the bottom of a column in the end
    for card in range(CARDS):
        at, way = np.int64(card), U64(0)
        while at != AT_BOTTOM and (inside & ~standing) >> U64(at) & ONE:
            if (way >> U64(at)) & ONE:
                return False
            way |= ONE << U64(at)
            at = under[at]
        standing |= way
    return True
