"""States of Klondike and its relatives as digits: laid out on a board, and a move made in them.

The keys are described in :mod:`dbmsolver.verify.patience_format`. A state is its signature and the
three words of its key: a digit for each card, the cards of the waste, and the turns of it that are
left. No card is home or locked by the signature alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.cards import CARDS
from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels.board import (
    CARD,
    NOTHING,
    NOWHERE,
    PLACE,
    TURNS,
    WASTE,
    Laid,
    end_columns,
    is_in_columns,
    nothing_laid,
)
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.distance_table import Distances, no_distances
from dbmsolver.verify.kernels.errors import FINE, NO_POSITION, OTHER_SIGNATURE
from dbmsolver.verify.kernels.planes import State
from dbmsolver.verify.kernels.rules import Rules, holds, is_as_none, one
from dbmsolver.verify.kernels.words import (
    ONE,
    U64,
    ZERO,
    bits_in,
    count_bits,
    first_bit,
    height_of,
)
from dbmsolver.verify.places import BOTTOM, HOME

AS_DEALT, AT_BOTTOM, AT_HOME = 0, 5, 6
"""Digits of cards; 1 to 4 stand for the first to fourth card that takes one."""
PER_WORD = 21
WASTE_SHIFT, TURNS_SHIFT = 32, 38
STOCK_SHIFT = 52
"""Where waste and turns begin in a signature."""
DEAL = 63
"""The code of the deal, which has no parent."""
_CARDS_BITS = np.uint64((1 << 30) - 1)
_SIX_BITS = np.uint64(63)
_SEVEN = np.uint64(7)

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


class DigitFormat(NamedTuple):
    """The rules, how cards were dealt, and what signatures say."""

    rules: Rules
    dealt_on: Ints  # [52]: the card below, NOTHING or NOWHERE
    face_down: np.uint64  # the cards dealt face down
    marks: Words  # [52]: the bit that a card has in signatures once it has moved, 0 for none
    bottoms: np.uint64  # the cards that can come to lie at the bottom of a column
    distances: Distances = no_distances()


def progress(signatures: Words) -> Ints:
    """Return the progress of each signature: its bits that stand for cards."""
    return bits_in(signatures & np.uint64((1 << STOCK_SHIFT) - 1))


@inlined
def sets_of_digits(d, signature):
    """Return (error, home cards, locked cards) of a signature: it tells of none."""
    return FINE, ZERO, ZERO


@inlined
def word_of(state, number):
    """Return one of the three words of a state."""
    return state.off if number == 0 else state.low if number == 1 else state.high


@inlined
def digit_in(state, card):
    """Return the digit of a card."""
    return (word_of(state, card // PER_WORD) >> U64(3 * (card % PER_WORD))) & _SEVEN


@inlined
def with_digit(d, state, card, digit):
    """Return a state in which a card has another digit, with the signature of that."""
    place, word = U64(3 * (card % PER_WORD)), card // PER_WORD
    gone, put = ~(_SEVEN << place), U64(digit) << place
    off, low, high = state.off, state.low, state.high
    if word == 0:
        off = (off & gone) | put
    elif word == 1:
        low = (low & gone) | put
    else:
        high = (high & gone) | put
    signature = state.signature & ~d.marks[card]
    if digit != AS_DEALT:
        signature |= d.marks[card]
    return State(signature, state.home, state.locked, off, low, high)


@inlined
def with_stock(state, waste, turns):
    """Return a state with another number of cards in the waste, and of turns."""
    stock = U64(waste) | (U64(turns) << U64(TURNS_SHIFT - WASTE_SHIFT))
    signature = (state.signature & ((ONE << U64(STOCK_SHIFT)) - ONE)) | stock << U64(STOCK_SHIFT)
    high = (state.high & _CARDS_BITS) | stock << U64(WASTE_SHIFT)
    return State(signature, state.home, state.locked, state.off, state.low, high)


@inlined
def lay_digits(d, state, board):
    """Lay a state out on ``board``: (error, the rest of the position)."""
    good, signature, laid = lay_key(d, state, board)
    if good and signature != state.signature:
        return OTHER_SIGNATURE, laid
    return FINE if good else NO_POSITION, laid


@inlined
def lay_key(d, state, board):
    """Lay out the key of a state, whatever its signature.

    Returns (False if there is no such position, its signature, the rest of the position).
    """
    spare = (state.off | state.low) >> U64(63) or state.high & ~_CARDS_BITS & U64(0xFFFFFFFF)
    if spare or state.high >> U64(TURNS_SHIFT + 6):
        return False, ZERO, nothing_laid()
    good, signature, heights, lying, bottoms = place_cards(d, state, board)
    if not good:
        return False, ZERO, nothing_laid()
    covered = ZERO
    rest = lying & ~bottoms
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        under = board.on[card]
        good &= holds(lying, under) and not holds(covered, under)
        covered |= one(under)
        board.load[under] = card
    if not good or count_bits(bottoms) > d.rules.columns:
        return False, ZERO, nothing_laid()
    tops = lying & ~covered
    end_columns(board, bottoms, tops)
    good = is_in_columns(board, bottoms, lying)
    down = ZERO
    rest = d.face_down & covered
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        if board.digit[board.load[card]] == AS_DEALT:
            down |= one(card)
    whole, hand, reserve = lay_stock(d.rules, board)
    home = height_of(heights, 0) + height_of(heights, 1) + height_of(heights, 2)
    home += height_of(heights, 3)
    good &= whole and CARDS - count_bits(lying) - hand - reserve == home
    used = count_bits(bottoms)
    waste = np.int64((state.high >> U64(WASTE_SHIFT)) & _SIX_BITS)
    turns = np.int64((state.high >> U64(TURNS_SHIFT)) & _SIX_BITS)
    good &= waste <= hand and turns <= max(d.rules.turns, 0)
    good &= not reserve or used == d.rules.columns
    if d.rules.all_reached and waste:
        good &= not is_as_none(waste, hand, d.rules.draw)
    laid = Laid(
        heights, tops, bottoms, lying, ZERO, down, used, hand, waste, turns, reserve
    )  # fmt: skip
    return good, signature, laid


@inlined
def place_cards(d, state, board):
    """Write what each card lies on, by its digit.

    Returns (False if it cannot, the signature, heights, lying, bottoms).
    """
    heights = lying = bottoms = ZERO
    signature = state.high >> U64(WASTE_SHIFT) << U64(STOCK_SHIFT)
    rest = ZERO
    for card in range(CARDS):
        if card % PER_WORD == 0:
            rest = word_of(state, card // PER_WORD)
        digit = np.int64(rest & _SEVEN)
        rest >>= U64(3)
        under = np.int64(NOWHERE)
        if digit == AS_DEALT:
            under = d.dealt_on[card]
        else:
            signature |= d.marks[card]
            if digit == AT_BOTTOM:
                under = NOTHING
                if not holds(d.bottoms, card) or d.dealt_on[card] == NOTHING:
                    return False, signature, heights, lying, bottoms
            elif digit < AT_BOTTOM:
                under = d.rules.takers[card, digit - 1]
                if under < 0 or is_as_dealt(d, card, under):
                    return False, signature, heights, lying, bottoms
            else:
                if digit != AT_HOME or height_of(heights, card & 3) != card >> 2:
                    return False, signature, heights, lying, bottoms
                heights += ONE << U64(4 * (card & 3))
        board.digit[card], board.on[card] = digit, under
        if under != NOWHERE:
            lying |= one(card)
        if under == NOTHING:
            bottoms |= one(card)
    return True, signature, heights, lying, bottoms


@inlined
def lay_stock(r, board):
    """Write waste and stock to ``board.hand``: (False if they cannot be, cards, of the reserve)."""
    hand, reserve, whole = np.int64(0), np.int64(0), True
    for place in range(r.pack.size):
        if board.digit[r.pack[place]] == AS_DEALT:
            board.hand[hand] = r.pack[place]
            hand += 1
    for place in range(r.reserve.size):
        if board.digit[r.reserve[place]] == AS_DEALT:
            whole &= reserve == place  # they leave from the top
            reserve += 1
    return whole, hand, reserve


@inlined
def is_as_dealt(d, card, taker):
    """Return True if a card that has been put on ``taker`` lies as it was dealt.

    Where ``taker`` was dealt face down, it does not: in the deal it lay on a card face down.
    """
    return d.dealt_on[card] == taker and not holds(d.face_down, taker)


@inlined
def digit_of(d, card, place):
    """Return the digit of a card that has been put in a place."""
    if place == HOME:
        return AT_HOME
    if place == BOTTOM:
        return AS_DEALT if d.dealt_on[card] == NOTHING else AT_BOTTOM
    return AS_DEALT if is_as_dealt(d, card, d.rules.takers[card, place]) else place + 1


@inlined
def make_move(d, state, board, laid, move):
    """Return the state that a move leads to.

    If it leaves a column empty, the last card of the reserve goes there.
    """
    card = move[CARD]
    after = with_digit(d, state, card, digit_of(d, card, move[PLACE]))
    if board.on[card] == NOTHING and laid.reserve:
        after = with_digit(d, after, d.rules.reserve[laid.reserve - 1], AT_BOTTOM)
    return with_stock(after, move[WASTE], move[TURNS])


@inlined
def code_of_play(d, state, board, laid, move):
    """Return the parent-move code of a move from a state.

    Its last bit says, of a card of waste and stock, that the waste was turned over where that is
    limited, and of any other that the reserve loses a card to the column that becomes empty.
    """
    card = move[CARD]
    filled = board.on[card] == NOTHING and laid.reserve > 0
    last = np.int64(filled or move[TURNS] != laid.turns)
    digit = np.int64(digit_in(state, card))
    return card | digit << 6 | laid.waste << 9 | last << 15


@inlined
def hash_digits(d, state):
    """Hash the public key of a state: its three words."""
    return hash_key(state.off, state.low, state.high, 3)
