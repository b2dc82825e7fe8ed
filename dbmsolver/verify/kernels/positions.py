"""Positions of games of columns: laid out on a board, a move made in them, their public keys.

Whatever the form of the keys in a store is, a position is here a *state*: the place value of each
card, and how the stock has been turned. :mod:`dbmsolver.verify.kernels.rules` has the place values,
:mod:`dbmsolver.verify.kernels.opening` makes states of keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels import errors as e
from dbmsolver.verify.kernels.board import CARD, PLACE, TURNS, WASTE, Laid, has_ring, nothing_laid
from dbmsolver.verify.kernels.class_distances import Distances, NoDistances
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.rules import AS_DEALT, BOTTOM, FREECELL, HOME, Rules, is_as_none
from dbmsolver.verify.kernels.words import (
    ALL,
    SUIT,
    U64,
    ZERO,
    Ints,
    Words,
    cards_home,
    count_bits,
    first_of,
    holds,
    one,
)

WASTE_SHIFT, TURNS_SHIFT = 52, 58
"""The bits of ``fours`` from which on the cards of the waste, and the turns, stand."""
_SIX_BITS = U64(63)


@struct
class Tables(NamedTuple):
    """The rules of a deal, how cards were dealt, and all that place values stand for."""

    rules: Rules
    dealt_on: Ints  # [52]: the card beneath in the deal, NOTHING or NOWHERE
    face_down: np.uint64  # the cards dealt face down
    aside: np.uint64  # the cards dealt to stock, waste and reserve
    can_be: Words  # [8]: the cards that can be in a place
    lands: Ints  # [52, 8]: the place value of a card that goes to a place
    codes: Ints  # [52, 8]: of the parent-move code, the bits for a card that was in a place
    digits: Words  # [52, 8, 3]: what a card in a place adds to the words of the public key
    words: int  # of the public key
    distances: Distances | NoDistances = NoDistances()


class State(NamedTuple):
    """The place value of each card, a bit in each of three words.

    Above the cards, ``fours`` has how many cards lie in the waste, and how often that may still be
    turned over, six bits for each.
    """

    ones: np.uint64
    twos: np.uint64
    fours: np.uint64


def state_in(words: Sequence[int]) -> State:
    """Return the state that has these words."""
    return State(np.uint64(words[0]), np.uint64(words[1]), np.uint64(words[2]))


@inlined
def state_of(row):
    """Return the state in a row."""
    return State(row[0], row[1], row[2])


@inlined
def cards_at(state, place):
    """Return the cards in a place."""
    ones = state.ones if place & 1 else ~state.ones
    twos = state.twos if place & 2 else ~state.twos
    fours = state.fours if place & 4 else ~state.fours
    return ALL & ones & twos & fours


@inlined
def place_of(state, card):
    """Return the place value of a card."""
    low = np.int64(holds(state.ones, card)) + 2 * np.int64(holds(state.twos, card))
    return low + 4 * np.int64(holds(state.fours, card))


@inlined
def put(state, cards, place):
    """Return a state with cards in another place."""
    ones = state.ones | cards if place & 1 else state.ones & ~cards
    twos = state.twos | cards if place & 2 else state.twos & ~cards
    fours = state.fours | cards if place & 4 else state.fours & ~cards
    return State(ones, twos, fours)


@inlined
def heights_of(state):
    """Return the heights of the foundations."""
    heights, home = ZERO, cards_at(state, HOME)
    for suit in range(4):
        heights |= U64(count_bits(home & (SUIT << U64(suit)))) << U64(4 * suit)
    return heights


@inlined
def put_on_others(f, state, lying, bottoms, board):
    """Lay cards on each other: (error, cards at the bottom, cards that others lie on).

    The cards ``lying`` are in columns. ``bottoms`` are those that the state puts there.
    """
    covered, dealt = ZERO, cards_at(state, AS_DEALT)
    rest = lying & ~bottoms
    while rest:
        card, rest = first_of(rest)
        if holds(dealt, card):
            under = f.dealt_on[card]
            if under < 0:
                bottoms |= one(card)
                continue
        else:
            under = f.rules.takers[card, place_of(state, card)]
            if under < 0:
                return e.BAD_FIELDS, bottoms, covered
        if holds(covered | ~lying, under):
            return e.COLLISION, bottoms, covered
        covered |= one(under)
        board.on[card] = under
        board.load[under] = card
    return e.FINE, bottoms, covered


@inlined
def lay_stock(r, dealt, board):
    """Write waste and stock to ``board.hand``: (False if they cannot be, cards, of the reserve)."""
    hand, reserve, whole = np.int64(0), np.int64(0), True
    for place in range(r.pack.size):
        if holds(dealt, r.pack[place]):
            board.hand[hand] = r.pack[place]
            hand += 1
    for place in range(r.reserve.size):
        if holds(dealt, r.reserve[place]):
            whole &= reserve == place  # they leave from the top
            reserve += 1
    return whole, hand, reserve


@inlined_kernel
def lay_out(f, state, board):
    """Lay a state out on ``board``: (error, the rest of the position)."""
    r, heights = f.rules, heights_of(state)
    strange = cards_at(state, HOME) ^ cards_home(heights)
    for place in range(f.can_be.size):
        strange |= cards_at(state, place) & ~f.can_be[place]
    if strange:
        return e.BAD_FIELDS, nothing_laid()
    cells, dealt = cards_at(state, FREECELL), cards_at(state, AS_DEALT)
    if count_bits(cells) > r.freecells:
        return e.TOO_MANY_CELLS, nothing_laid()
    lying = ALL & ~(cards_at(state, HOME) | cells | (dealt & f.aside))
    bottoms = cards_at(state, BOTTOM)
    error, bottoms, covered = put_on_others(f, state, lying, bottoms, board)
    if error:
        return error, nothing_laid()
    used, tops = count_bits(bottoms), lying & ~covered
    if used > r.columns:
        return e.TOO_MANY_COLUMNS, nothing_laid()
    if has_ring(board, bottoms, tops, lying):
        return e.RING, nothing_laid()
    down, rest = ZERO, f.face_down & covered
    while rest:
        card, rest = first_of(rest)
        if holds(dealt, board.load[card]):
            down |= one(card)
    good, hand, reserve = lay_stock(r, dealt, board)
    waste = np.int64((state.fours >> U64(WASTE_SHIFT)) & _SIX_BITS)
    turns = np.int64(state.fours >> U64(TURNS_SHIFT))
    good &= waste <= hand and turns <= max(r.turns, 0)
    good &= not reserve or used == r.columns
    if r.all_reached and waste:
        good &= not is_as_none(waste, hand, r.draw)
    laid = Laid(
        heights, tops, bottoms, lying, cells, dealt, down, used, hand, waste, turns, reserve
    )  # fmt: skip
    return e.FINE if good else e.NO_POSITION, laid


@inlined
def after_move(f, state, laid, move):
    """Return the state that a move leads to.

    If it leaves a column empty, the last card of the reserve goes there.
    """
    card, place = move[CARD], move[PLACE]
    cards = SUIT << U64(card & 3) if f.rules.whole_suits and place == HOME else one(card)
    after = put(state, cards, f.lands[card, place])
    if laid.reserve and holds(laid.bottoms, card):
        after = put(after, one(f.rules.reserve[laid.reserve - 1]), BOTTOM)
    stock = U64(move[WASTE]) << U64(WASTE_SHIFT) | U64(move[TURNS]) << U64(TURNS_SHIFT)
    return State(after.ones, after.twos, (after.fours & ALL) | stock)


@inlined
def code_of(f, state, laid, move):
    """Return the parent-move code of a move from a state.

    It has the card, the place that the card leaves, how many cards the waste has then, and a flag.
    For a card of the waste or the stock, the flag says that the waste was turned over, where that
    is limited. For any other card, it says that a card of the reserve fills the column left empty.
    """
    card = move[CARD]
    filled = laid.reserve > 0 and holds(laid.bottoms, card)
    last = np.int64(filled or move[TURNS] != laid.turns)
    return f.codes[card, place_of(state, card)] | laid.waste << 9 | last << 15


@inlined
def hash_public(f, state):
    """Return the hash of the public key of a state."""
    first = second = ZERO
    third = state.fours >> U64(WASTE_SHIFT) << U64(32)
    for card in range(f.digits.shape[0]):
        digits = f.digits[card, place_of(state, card)]
        first += digits[0]
        second += digits[1]
        third += digits[2]
    return hash_key(first, second, third, f.words)
