"""States of Klondike and its relatives as three words: laid out, a move made, a move undone.

The keys are described in :mod:`dbmsolver.verify.patience_format`: a digit for each card, the cards
of the waste, and the turns of it that are left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.verify.kernels.blocks import difference
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
from dbmsolver.verify.kernels.rules import Rules, holds, one
from dbmsolver.verify.kernels.words import ONE, U64, ZERO, count_bits, first_bit, height_of
from dbmsolver.verify.places import BOTTOM, HOME

CARDS = 52
AS_DEALT, AT_BOTTOM, AT_HOME = 0, 5, 6
"""Digits of cards; 1 to 4 stand for the first to fourth card that takes one."""
PER_WORD = 21
WASTE_SHIFT, TURNS_SHIFT = 32, 38
_CARDS_BITS = np.uint64((1 << 30) - 1)
_SIX_BITS = np.uint64(63)

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


class DigitFormat(NamedTuple):
    """The rules, and how cards were dealt."""

    rules: Rules
    dealt_on: Ints  # [52]: the card below, NOTHING or NOWHERE
    face_down: np.uint64  # the cards dealt face down


@inlined
def with_digit(words, card, digit):
    """Give a card another digit."""
    shift = U64(3 * (card % PER_WORD))
    word = card // PER_WORD
    words[word] = (words[word] & ~(U64(7) << shift)) | (U64(digit) << shift)


@inlined
def with_stock(words, waste, turns):
    """Give a state another number of cards in the waste, and of turns."""
    words[2] &= _CARDS_BITS
    words[2] |= (U64(waste) << U64(WASTE_SHIFT)) | (U64(turns) << U64(TURNS_SHIFT))


@inner
def lay_digits(d, words, board):
    """Lay a state out: (False if it is none, the rest of the position)."""
    spare = (words[0] | words[1]) >> U64(63) or words[2] & ~_CARDS_BITS & U64(0xFFFFFFFF)
    if spare or words[2] >> U64(TURNS_SHIFT + 6):
        return False, nothing_laid()
    good, heights, lying, bottoms = place_cards(d, words, board)
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
        return False, nothing_laid()
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
    waste = np.int64((words[2] >> U64(WASTE_SHIFT)) & _SIX_BITS)
    turns = np.int64((words[2] >> U64(TURNS_SHIFT)) & _SIX_BITS)
    good &= waste <= hand and turns <= max(d.rules.turns, 0)
    good &= not reserve or used == d.rules.columns
    if d.rules.all_reached and waste:
        good &= waste != hand and waste % d.rules.draw != 0
    laid = Laid(
        heights, tops, bottoms, lying, ZERO, down, used, hand, waste, turns, reserve
    )  # fmt: skip
    return good, laid


@inlined
def place_cards(d, words, board):
    """Write what each card lies on, by its digit: (False if it cannot, heights, lying, bottoms)."""
    heights = lying = bottoms = ZERO
    for card in range(CARDS):
        digit = np.int64((words[card // PER_WORD] >> U64(3 * (card % PER_WORD))) & U64(7))
        under = np.int64(NOWHERE)
        if digit == AS_DEALT:
            under = d.dealt_on[card]
        elif digit == AT_BOTTOM:
            under = NOTHING
        elif digit < AT_BOTTOM:
            under = d.rules.takers[card, digit - 1]
            if under < 0:
                return False, heights, lying, bottoms
        else:
            if digit != AT_HOME or height_of(heights, card & 3) != card >> 2:
                return False, heights, lying, bottoms
            heights += ONE << U64(4 * (card & 3))
        board.digit[card], board.on[card] = digit, under
        if under != NOWHERE:
            lying |= one(card)
        if under == NOTHING:
            bottoms |= one(card)
    return True, heights, lying, bottoms


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
def digit_of(d, card, place):
    """Return the digit of a card that has been put in a place."""
    if place == HOME:
        return AT_HOME
    if place == BOTTOM:
        return AS_DEALT if d.dealt_on[card] == NOTHING else AT_BOTTOM
    taker = d.rules.takers[card, place]
    back = d.dealt_on[card] == taker and not holds(d.face_down, taker)
    return AS_DEALT if back else place + 1


@inlined
def make_move(d, words, board, laid, move, after):
    """Write to ``after`` the state that a move leads to.

    If it leaves a column empty, the last card of the reserve goes there.
    """
    card = move[CARD]
    for word in range(3):
        after[word] = words[word]
    with_digit(after, card, digit_of(d, card, move[PLACE]))
    with_stock(after, move[WASTE], move[TURNS])
    if board.on[card] == NOTHING and laid.reserve:
        with_digit(after, d.rules.reserve[laid.reserve - 1], AT_BOTTOM)


@inner
def undo_move(d, words, code, before):
    """Write the state before the move of a parent-move code; it may be none.

    Its last bit says, of a card of the waste, that the waste was turned over, and of any other that
    the reserve lost a card: the one that is out, and lies deepest in it.
    """
    card, digit, over = code & 63, (code >> 6) & 7, code >> 15
    from_waste = False
    for place in range(d.rules.pack.size):
        from_waste |= d.rules.pack[place] == card and digit == AS_DEALT
    for word in range(3):
        before[word] = words[word]
    with_digit(before, card, digit)
    if over and not from_waste:
        over = 0
        for place in range(d.rules.reserve.size):
            top = d.rules.reserve[place]
            if (before[top // PER_WORD] >> U64(3 * (top % PER_WORD))) & U64(7):
                with_digit(before, top, AS_DEALT)
                break
    turns = ((before[2] >> U64(TURNS_SHIFT)) & _SIX_BITS) + U64(over)
    with_stock(before, (code >> 9) & 63, turns)


@inner
def stratum_of(d, laid):
    """Count cards that have left waste, stock and reserve, and those that were turned up."""
    left = d.rules.pack.size - laid.hand + d.rules.reserve.size - laid.reserve
    return left + count_bits(d.face_down & ~laid.down)


@kernel
def unpack(signatures, counts, body, words):
    """Write the states of a block to ``words`` (uint64[states, 3]).

    Returns whether the highest bits of each signature, from bit 52 on, are those of word 2 from bit
    32 on, as they have to be.
    """
    number, good = 0, True
    for run in range(signatures.size):
        first = second = third = ZERO
        for _ in range(counts[run]):
            first += difference(body, 0, number)
            second += difference(body, 1, number)
            third += difference(body, 2, number)
            words[number, 0], words[number, 1], words[number, 2] = first, second, third
            good &= signatures[run] >> U64(52) == third >> U64(32)
            number += 1
    return good


@kernel
def hash_sum(words):
    """Return the sum modulo 2**64 of the hashes of states, which are words of 24 bytes."""
    total = ZERO
    for number in range(words.shape[0]):
        total += hash_key(words[number, 0], words[number, 1], words[number, 2], 3)
    return total


@kernel
def laid_digits(d, words, board):
    """Lay a state out, for callers from Python: as :func:`lay_digits`."""
    return lay_digits(d, words, board)
