"""Words: counts, lowest bits, a hash, cache prefetch; words as sets of cards, and as heights."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

U64 = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)
HALF = np.uint64(0xFFFFFFFF)
"""The lower half of a word."""
AHEAD = 12
"""The number of look-ups that lie between asking for a line of memory and reading it."""


@intrinsic
def count_bits(typingctx, word):
    """Count the one bits of a uint64."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def first_bit(typingctx, word):
    """Return the index of the lowest one bit of a uint64; 64 for 0."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def fetch(typingctx, array, index):
    """Ask for the cache line of ``array[index]`` ahead of its use."""
    if not isinstance(array, types.Array):
        return None

    def codegen(context, builder, signature, args):
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]).data
        pointer = builder.bitcast(builder.gep(data, [args[1]]), cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen


def bits_in(words: Words) -> Ints:
    """Return how many bits of each word are set. NumPy has a function for it from 2.0 on."""
    as_bytes = np.ascontiguousarray(words).view(np.uint8).reshape(-1, 8)
    return np.unpackbits(as_bytes, axis=1).sum(axis=1, dtype=np.int64)


@inlined
def copy(source, target):
    """Copy an array, or as much of it as the target holds."""
    for place in range(target.size):
        target[place] = source[place]


@inlined
def hash_state(signature, off, low, high):
    """Return the hash of a state; upper and lower bits serve different ends."""
    word = (off + signature * U64(0x9E3779B97F4A7C15)) * U64(0xFF51AFD7ED558CCD)
    word ^= word >> U64(32)
    word = (word + low) * U64(0xC4CEB9FE1A85EC53)
    word ^= word >> U64(29)
    word = (word + high) * U64(0x9FB21C651E98DF25)
    return word ^ (word >> U64(32))


@inlined
def slot_of(hashed, slots):
    """Return the slot, of ``slots``, to look in first for a hash."""
    return np.int64(((hashed & HALF) * U64(slots)) >> U64(32))


ALL = np.uint64((1 << 52) - 1)
KINGS = np.uint64(0xF << 48)
SUIT = np.uint64(0x1111111111111)
"""The cards of the first suit; shifted by its number, those of another one."""


@inlined
def holds(cards, card):
    """Return True if a set of cards has this card."""
    return (cards >> U64(card)) & ONE != U64(0)


@inlined
def one(card):
    """Return the set of this card alone."""
    return ONE << U64(card)


@inlined
def first_of(cards):
    """Return the lowest card of a set that is not empty, and the set of the others."""
    return first_bit(cards), cards & (cards - ONE)


@inlined
def higher_than(card):
    """Return the cards of a card's suit that are higher than it."""
    return (SUIT << U64(card)) & ALL & ~one(card)


@inlined
def height_of(signature, suit):
    """Return the foundation height of a suit, as int64."""
    return np.int64((signature >> U64(4 * suit)) & U64(15))


@inlined
def cards_home(heights):
    """Return the set of the cards on foundations of these heights."""
    home = ZERO
    for suit in range(4):
        home |= (SUIT & (one(4 * height_of(heights, suit)) - ONE)) << U64(suit)
    return home


@inlined
def count_left(heights):
    """Return how many cards are not on foundations of these heights."""
    return count_bits(ALL & ~cards_home(heights))
