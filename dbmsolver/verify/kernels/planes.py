"""States as planes: laid out on a board, and a move made in them.

The keys are described in :mod:`dbmsolver.verify.format`. A state is its signature, which cards that
makes locked, and the place of each loose card in three planes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel, kernel
from dbmsolver.verify.kernels.board import (
    ALL_HOME,
    CARD,
    PLACE,
    Laid,
    cards_home,
    end_columns,
    is_in_columns,
    nothing_laid,
)
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.errors import (
    BAD_FIELDS,
    BAD_SIGNATURE,
    COLLISION,
    FINE,
    RING,
    TOO_MANY_CELLS,
    TOO_MANY_COLUMNS,
)
from dbmsolver.verify.kernels.rules import holds, one
from dbmsolver.verify.kernels.words import (
    ALL,
    ONE,
    SUIT,
    U64,
    ZERO,
    count_bits,
    first_bit,
    height_of,
)
from dbmsolver.verify.places import BOTTOM, FREECELL, HOME, LOCKED


class State(NamedTuple):
    """A state, and what its signature says: the cards that are home for good or locked."""

    signature: np.uint64
    home: np.uint64
    locked: np.uint64
    off: np.uint64
    low: np.uint64
    high: np.uint64


@kernel
def take_signature(f, signature):
    """Return (error, home cards, locked cards) of a signature."""
    locked = ZERO
    home = cards_home(signature)
    for suit in range(4):
        if height_of(signature, suit) > 13:
            return BAD_SIGNATURE, home, locked
    rest = signature >> U64(16)
    for column in range(f.rules.columns):
        count = np.int64(signature >> U64(f.column_shift[column])) & f.column_mask[column]
        rest &= ~(U64(f.column_mask[column]) << U64(f.column_shift[column] - 16))
        if count > f.locked.shape[1]:
            return BAD_SIGNATURE, home, locked
        for index in range(count):
            card = f.locked[column, index]
            if card < 0:
                return BAD_SIGNATURE, home, locked
            locked |= one(card)
    kept = cards_home(U64(0x1111) * U64(f.rules.kept))
    if f.rules.kept < 13 and home not in (kept, ALL):
        return BAD_SIGNATURE, home, locked
    loose = ALL & ~(home | locked)
    # An ace that was dealt to a freecell has no values: it never lies anywhere else.
    if rest or (home & locked) or (loose & ~f.has_values & ~f.fixed[0]):
        return BAD_SIGNATURE, home, locked
    return FINE, home, locked


@inlined
def back_home(state):
    """Return the cards that are home, and may come back from there."""
    return state.off & state.high


@inlined
def heights_of(f, state):
    """Return the heights of the foundations."""
    heights = state.signature & U64(0xFFFF)
    if f.rules.kept < 13:
        for suit in range(4):
            back = count_bits(back_home(state) & (SUIT << U64(suit)))
            heights += U64(back) << U64(4 * suit)
    return heights


@inlined
def fits(f, state):
    """Return True if keys give each loose card that lies on no other one its place value."""
    loose = ALL & ~(state.home | state.locked)
    back = back_home(state)
    cells, bottoms = state.off & ~state.low & ~back, state.off & state.low
    if (state.off | state.low | state.high) & ~loose or back & bottoms:
        return False
    if back:
        kept = cards_home(U64(0x1111) * U64(f.rules.kept))
        # Each lies on the next lower one of its suit.
        if f.rules.kept == 13 or back & ~((back << U64(4)) | (kept << U64(4)) | U64(15)):
            return False
    return not (bottoms & ~f.rules.fillers or cells & ~f.holds)


@inlined
def put_on_others(f, state, lying, bottoms, board):
    """Lay cards on each other: (error, cards at the bottom, cards that others lie on).

    The cards ``lying`` are in columns. ``bottoms`` are those of them that planes put there.
    """
    covered = ZERO
    rest = lying & ~bottoms
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        if holds(state.locked, card):
            under = f.dealt_under[card]
            if under < 0:
                bottoms |= one(card)
                continue
        else:
            place = np.int64(holds(state.low, card)) + 2 * np.int64(holds(state.high, card))
            under = f.rules.takers[card, place]
            if under < 0:
                return BAD_FIELDS, bottoms, covered
        if holds(covered | ~lying, under):
            return COLLISION, bottoms, covered
        covered |= one(under)
        board.on[card] = under
        board.load[under] = card
    return FINE, bottoms, covered


@inlined_kernel
def lay_out(f, state, board):
    """Lay a state out on ``board``: (error, the rest of the position)."""
    if not fits(f, state):
        return BAD_FIELDS, nothing_laid()
    back, r = back_home(state), f.rules
    in_play = ALL & ~(state.home | back)
    cells, bottoms = state.off & ~state.low & ~back, state.off & state.low
    if count_bits(cells) > r.freecells:
        return TOO_MANY_CELLS, nothing_laid()
    lying = in_play & ~cells
    error, bottoms, covered = put_on_others(f, state, lying, bottoms, board)
    if error:
        return error, nothing_laid()
    used = count_bits(bottoms)
    if used > r.columns:
        return TOO_MANY_COLUMNS, nothing_laid()
    tops = lying & ~covered
    end_columns(board, bottoms, tops)
    if not is_in_columns(board, bottoms, lying):
        return RING, nothing_laid()
    heights = heights_of(f, state)
    return FINE, Laid(heights, tops, bottoms, lying, cells, ZERO, used, 0, 0, 0, 0)


@inlined
def place_of(state, card):
    """Return the place value of a card that is not home for good."""
    if holds(state.locked, card):
        return LOCKED
    low, high = holds(state.low, card), holds(state.high, card)
    if holds(state.off, card):
        if high:
            return HOME
        return BOTTOM if low else FREECELL
    return np.int64(low) + 2 * np.int64(high)


@inlined
def with_place(f, state, card, place):
    """Return the planes with a card in another place."""
    bit, shift = one(card), U64(card)
    off = (state.off & ~bit) | (f.off[place] << shift)
    low = (state.low & ~bit) | (f.low[place] << shift)
    high = (state.high & ~bit) | (f.high[place] << shift)
    return off, low, high


@inlined
def moved(f, state, card, place):
    """Return the state after a card has gone to another place."""
    bit = one(card)
    signature, home, locked = state.signature, state.home, state.locked
    off, low, high = with_place(f, state, card, place)
    if locked & bit:
        signature -= ONE << U64(f.column_shift[f.dealt_column[card]])
        locked &= ~bit
    if place == HOME:
        suit = U64(4 * (card & 3))
        if f.rules.kept < 13:
            if home | (off & high) == ALL:
                return State(ALL_HOME, ALL, ZERO, ZERO, ZERO, ZERO)
        elif f.rules.whole_suits:
            signature = (signature & ~(U64(15) << suit)) | (U64(13) << suit)
            home |= SUIT << U64(card & 3)
        else:
            signature += ONE << suit
            home |= bit
    return State(signature, home, locked, off, low, high)


@inlined
def after_move(f, state, board, laid, move):
    """Return the state that a move leads to."""
    return moved(f, state, move[CARD], move[PLACE])


@inlined
def code_of_move(f, state, board, laid, move):
    """Return the parent-move code of a move from a state."""
    card = move[CARD]
    return f.code_of[card, place_of(state, card)]


@inlined
def hash_public(f, state):
    """Hash the public key of a state; cards that are home for good or locked have the digit 0."""
    first = second = third = ZERO
    for suit in range(4):
        height = height_of(state.signature, suit)
        first += f.heights[suit, height, 0]
        second += f.heights[suit, height, 1]
        third += f.heights[suit, height, 2]
    rest = f.has_values & ~(state.home | state.locked)
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        entry = 8 * card + place_of(state, card)
        first += f.digits[entry, 0]
        second += f.digits[entry, 1]
        if f.words == 3:
            third += f.digits[entry, 2]
    return hash_key(first, second, third, f.words)


@inlined
def same_state(first, second):
    """Return True if two states are the same."""
    return (
        first.signature == second.signature
        and first.off == second.off
        and first.low == second.low
        and first.high == second.high
    )


@kernel
def key_bits(f, loose, words):
    """Write the meaning of each bit of a local key in the planes; return the number of bits.

    It goes into ``words`` (uint64[3, 160]).
    """
    count = 0
    for plane in range(f.planes):
        rest = loose & f.varying[plane]
        while rest:
            words[0, count] = words[1, count] = words[2, count] = ZERO
            words[plane, count] = rest & (~rest + ONE)
            rest &= rest - ONE
            count += 1
    return count


@kernel
def key_words(f, loose):
    """Return how many words the local keys of a signature with these loose cards have."""
    bits = 0
    for plane in range(f.planes):
        bits += count_bits(loose & f.varying[plane])
    return 1 if bits <= 64 else 3
