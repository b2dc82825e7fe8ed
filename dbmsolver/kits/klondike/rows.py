"""Rows of states of Klondike and its relatives, as shards hold them.

A row is five numbers of 32 bits where a card has four places at most, and seven elsewhere. The
signature is worked out where it is asked for. The last number holds the parent-move code, g, and
whether the state is closed; two numbers before it make a word, the lower half first.

*Seven numbers* are the three words of the position (:mod:`dbmsolver.kits.klondike.tables`). The
lower bound h lies in the upper bits of the third, and the first has whether the state is stored.

*Five numbers.* A card lies where it was dealt, on one of two legal parents or home, and a card
without parents, a king, at the bottom of a column that was empty instead. So its digit needs two
bits: 0 to 2 stay, 6 becomes 3, and 5 becomes 1. The two words hold them for the cards of the
position's first two words, two bits of each three. In the third bits, from the lowest on, lie the
lower and the upper bits of the cards of the third word. From bit 32 on the third bits have room for
eleven more: those of the first word hold h, those of the second the waste and the turns left, whose
last bit is bit 63.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import popcount
from dbmsolver.kernels.digest import hash_words
from dbmsolver.kernels.hashes import mix
from dbmsolver.kernels.meta import (
    BOUND_MASK,
    BOUND_SHIFT,
    CLOSED_SHIFT,
    CODE_AND_G,
    IS_CLOSED,
    STORED_SHIFT,
)
from dbmsolver.kernels.states import CARDS, ONE, U64, Words
from dbmsolver.kits.klondike.bound import Weights, make_weights
from dbmsolver.kits.klondike.class_distances import MOST_SUCCESSORS
from dbmsolver.kits.klondike.strata import LOWEST, cards_gone, is_won, signature_of
from dbmsolver.kits.klondike.tables import (
    PER_WORD,
    TURNS_SHIFT,
    WASTE_SHIFT,
    Found,
    PatienceBoard,
    make_board,
    make_found,
)

NARROW, WIDE = 5, 7
"""The numbers of a row."""
LAST = -1
"""Column of a row's last number."""
CLOSED = np.uint64(1 << 31)
"""In the last number: the state is closed."""
STORED_BIT = np.uint64(63)
STORED = np.uint64(1 << 63)
"""In the first word: the state is stored."""
TWO_BITS = np.uint64(sum(3 << 3 * place for place in range(PER_WORD)))
DIGITS_OF_LAST = np.uint64((1 << 3 * (CARDS - 2 * PER_WORD)) - 1)
"""The bits of the third word that hold digits."""
LOWEST_OF_LAST = LOWEST & DIGITS_OF_LAST
KINGS = np.uint64(sum(1 << 3 * (card - 2 * PER_WORD) for card in range(CARDS - 4, CARDS)))
"""The lowest bits of the kings' digits, in the third word."""
MORE_SHIFT = np.uint64(32)
"""Where the third bits begin that have room for more than cards."""
MORE = 11
"""Their number."""
MORE_MASK = np.uint64((1 << MORE) - 1)
MORE_BITS = np.uint64(sum(1 << 32 + 3 * place for place in range(MORE)))
_OF_MORE = [1 << 32 + 3 * place for place in range(MORE)] + [1 << 63]


def _spread(bits: list[int]) -> Words:
    """Return for each number of six bits the sum of those of ``bits`` that it has."""
    values = range(1 << 6)
    sums = [sum(bits[place] for place in range(6) if value >> place & 1) for value in values]
    return np.array(sums, np.uint64)


_OF_WASTE, _OF_TURNS = _spread(_OF_MORE[:6]), _spread(_OF_MORE[6:])
"""The part of a row's second word for each number of cards in the waste, and of turns."""
FIRST_STATE = ~(MORE_BITS | STORED)
"""The bits of a row of five that tell of the state, in its first word."""
BOUND_OF_WIDE = np.uint64(44)
"""Where the bound begins in the third word of a row of seven."""
THIRD_STATE = np.uint64((1 << 44) - 1)


@struct
class LayerScratch(NamedTuple):
    """Scratch memory of one thread that works on a shard."""

    board: PatienceBoard
    weights: Weights
    found: Found
    words: Words  # [3]
    classes: Words  # [*, 4]: classes that follow from one


def make_row_scratch(t: Any) -> LayerScratch:
    """Return scratch memory of one thread."""
    classes = np.zeros((MOST_SUCCESSORS, 5), np.uint64)
    return LayerScratch(make_board(), make_weights(), make_found(), np.zeros(3, np.uint64), classes)


@inlined
def stratum_of_words(t, off, low, high):
    """Return the stratum (int64) of a state that is not won."""
    return popcount(cards_gone(off, low, high, t.marks))


@inlined
def hash_of_home(t, signature, off, low, high):
    """Return a hash (uint64) of the cards that a state's signature tells of."""
    return mix(cards_gone(off, low, high, t.marks) * U64(0x9E3779B97F4A7C15))


@inlined
def shortened(word):
    """Return a word's digits as two bits of each three."""
    return (word & TWO_BITS) | ((word >> ONE) & (word >> U64(2)) & LOWEST)


@inlined
def lengthened(word):
    """Return the digits that are two bits of each three of a word; the third bits are 0.

    Kings at the bottom of a column are not told from cards on their first parent.
    """
    home = word & (word >> ONE) & LOWEST
    return (word ^ home) | (home << U64(2))


@inlined
def to_every_third(bits):
    """Return eleven bits as every third bit from bit 32 on."""
    bits = (bits | (bits << U64(16))) & U64(0x70000FF)
    bits = (bits | (bits << U64(8))) & U64(0x700F00F)
    bits = (bits | (bits << U64(4))) & U64(0x430C30C3)
    return ((bits | (bits << U64(2))) & U64(0x49249249)) << MORE_SHIFT


@inlined
def from_every_third(word):
    """Return the eleven bits that are every third bit of a word from bit 32 on."""
    bits = (word >> MORE_SHIFT) & U64(0x49249249)
    bits = (bits | (bits >> U64(2))) & U64(0x430C30C3)
    bits = (bits | (bits >> U64(4))) & U64(0x700F00F)
    bits = (bits | (bits >> U64(8))) & U64(0x70000FF)
    return (bits | (bits >> U64(16))) & MORE_MASK


def empty_rows(t: Any, states: int) -> NDArray[Any]:
    """Return memory for this many rows."""
    return np.empty((states, NARROW if t.narrow else WIDE), np.uint32)


@inlined
def as_held(t, signature, off, low, high):
    """Return the words (uint64[4]) that a row has of a state; those it does not need are 0."""
    if not t.narrow:
        return off, low, high, U64(0)
    third = shortened(high & DIGITS_OF_LAST)
    first = shortened(off) | ((third & LOWEST) << U64(2))
    second = shortened(low) | (((third >> ONE) & LOWEST) << U64(2))
    second |= _OF_WASTE[np.int64((high >> U64(WASTE_SHIFT)) & U64(63))]
    second |= _OF_TURNS[np.int64((high >> U64(TURNS_SHIFT)) & U64(63))]
    return first, second, U64(0), U64(0)


@inlined
def word_at(rows, index, column):
    """Return a word of a row, whose lower half is in a column."""
    return U64(rows[index, column]) | (U64(rows[index, column + 1]) << U64(32))


@inlined
def put_word(rows, index, column, word):
    """Write a word to a row, its lower half to a column."""
    rows[index, column] = np.uint32(word & U64(0xFFFFFFFF))
    rows[index, column + 1] = np.uint32(word >> U64(32))


@inlined
def held_at(t, rows, index):
    """Return the words that a row has of its state, as `as_held` does."""
    first, second = word_at(rows, index, 0), word_at(rows, index, 2)
    if t.narrow:
        return first & FIRST_STATE, second, U64(0), U64(0)
    return first & ~STORED, second, word_at(rows, index, 4) & THIRD_STATE, U64(0)


@inlined
def words_at(t, rows, index):
    """Return the three words of the position in a row."""
    first, second, third, _ = held_at(t, rows, index)
    if not t.narrow:
        return first, second, third
    last = ((first >> U64(2)) & LOWEST_OF_LAST) | ((second >> ONE) & (LOWEST_OF_LAST << ONE))
    high = lengthened(last) | ((last & ~(last >> ONE) & KINGS) << U64(2))
    more = from_every_third(second) | ((second >> U64(63)) << U64(MORE))
    high |= more << U64(WASTE_SHIFT)
    return lengthened(first & TWO_BITS), lengthened(second & TWO_BITS), high


@inlined
def state_at(t, rows, index):
    """Return the signature and the words of a row."""
    off, low, high = words_at(t, rows, index)
    return signature_of(t, off, low, high), off, low, high


@inlined
def hold(t, rows, index, held):
    """Write the words of a state to a row whose meta is written next."""
    put_word(rows, index, 0, held[0])
    put_word(rows, index, 2, held[1])
    if not t.narrow:
        put_word(rows, index, 4, held[2])


@inlined
def holds(t, rows, index, held):
    """Return True if a row has the state of some words."""
    first, second, third, _ = held_at(t, rows, index)
    return first == held[0] and second == held[1] and third == held[2]


@inlined
def meta_at(t, rows, index):
    """Return the meta (uint64) of a row."""
    first, last = word_at(rows, index, 0), U64(rows[index, LAST])
    bound = from_every_third(first) if t.narrow else word_at(rows, index, 4) >> BOUND_OF_WIDE
    meta = (last & CODE_AND_G) | (bound << BOUND_SHIFT)
    return (
        meta
        | ((last >> U64(31)) << U64(CLOSED_SHIFT))
        | ((first >> STORED_BIT) << U64(STORED_SHIFT))
    )


@inlined
def put_meta(t, rows, index, meta):
    """Write the meta of a row: no state has a forced move, and no bound is only the cheap part."""
    first = word_at(rows, index, 0)
    stored = (meta >> U64(STORED_SHIFT)) << STORED_BIT
    bound = (meta >> BOUND_SHIFT) & BOUND_MASK
    if t.narrow:
        first = (first & FIRST_STATE) | to_every_third(bound)
    else:
        first &= ~STORED
        third = word_at(rows, index, 4) & THIRD_STATE
        put_word(rows, index, 4, third | (bound << BOUND_OF_WIDE))
    put_word(rows, index, 0, first | stored)
    closed = CLOSED if meta & IS_CLOSED else U64(0)
    rows[index, LAST] = np.uint32((meta & CODE_AND_G) | closed)


@inlined
def close_row(rows, index):
    """Mark a row as closed, and not stored as such."""
    rows[index, LAST] |= np.uint32(CLOSED)
    rows[index, 1] &= np.uint32(0x7FFFFFFF)


@inlined
def count_row(t, rows, index, locked_in_deal, cache):
    """Return the progress (int64) of a row's state, and the hash (uint64) of its public key."""
    off, low, high = words_at(t, rows, index)
    is_goal = is_won((off, low, high))
    stratum = np.int64(t.last) if is_goal else stratum_of_words(t, off, low, high)
    return stratum, hash_words(off, low, high, 3)
