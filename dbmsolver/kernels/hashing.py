"""Hash tables of local keys: open addressing, plain or compact.

A plain table (uint64[slots] or, for wide keys, uint64[3 * slots]) holds whole keys. A compact one
holds the low 64 bits of keys that have a few more (``table``, uint64[slots]), and how far each lies
from its home slot (``steps``, uint16[slots]). The home slot then gives the bits above, so a
bucket's own number stands in for part of the key: ten bytes for a key of up to 80 bits, where the
plain table takes 24.

The number of slots is a power of two; ``mask`` is that number minus one, ``shift`` 64 minus its
log2 (uint64). The caller sees to it that a table never fills.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.bits import pack_bits
from dbmsolver.kernels.layout import WIDE_WORDS, key_at
from dbmsolver.kernels.states import U64

EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
"""Marks a free slot. As a key it would put every loose card at the bottom of a column of its
own."""
HASH = np.uint64(0x9E3779B97F4A7C15)
"""Multiplier of hashes: 2**64 divided by the golden ratio."""


@inlined
def hash_slot(first, second, third, shift):
    """Return the slot (int64) of a local key of three words in a plain table.

    The hash is multiplicative.
    """
    word = first ^ (first >> U64(32)) ^ (second * U64(0xD6E8FEB86659FD93))
    word ^= third * U64(0xA0761D6478BD642F)
    return np.int64((word * HASH) >> shift)


@inlined
def insert(table, mask, slot, wide, first, second, third):
    """Put a key of three words into a plain table, from ``slot`` on; return True if it was new."""
    if not wide:
        while True:
            seen = table[slot]
            if seen == EMPTY:
                table[slot] = first
                return True
            if seen == first:
                return False
            slot = (slot + 1) & mask
    while True:
        base = WIDE_WORDS * slot
        if table[base] == EMPTY:
            table[base] = first
            table[base + 1] = second
            table[base + 2] = third
            return True
        if table[base] == first and table[base + 1] == second and table[base + 2] == third:
            return False
        slot = (slot + 1) & mask


@inlined
def compact_key(layout, nets, first, second):
    """Return a wide key of two planes (uint64) packed: (its low 64 bits, the few above)."""
    upper = pack_bits(second, nets[1])
    return (
        pack_bits(first, nets[0]) | (upper << layout.low_shift),
        upper >> (U64(64) - layout.low_shift) if layout.low_shift else U64(0),
    )


@inlined
def home_slot(low, high, shift):
    """Return the home slot (int64) of a packed key in a compact table.

    With ``low`` it gives ``high`` back (:func:`high_bits`).
    """
    return np.int64(((low * HASH) >> shift) ^ high)


@inlined
def high_bits(low, home, shift):
    """Return the bits of a packed key (uint64) above ``low``, which its home slot gives back."""
    return U64(home) ^ ((low * HASH) >> shift)


@inlined
def packed_second(layout, low, high):
    """Return the second word of a packed key, its bits packed: part of :func:`compact_key`."""
    upper = low >> layout.low_shift
    if layout.low_shift:
        upper |= high << (U64(64) - layout.low_shift)
    return upper


@inlined
def insert_compact(table, steps, mask, home, low):
    """Put a key into a compact table, by its home slot and low bits; return True if it was new."""
    slot = home
    step = 0
    while True:
        seen = table[slot]
        if seen == EMPTY:
            table[slot] = low
            steps[slot] = step
            return True
        if seen == low and steps[slot] == step:
            return False
        slot = (slot + 1) & mask
        step += 1


@inlined
def rebuild_table(table, bits, order, count, wide):
    """Clear ``2**bits`` slots of a plain table and insert the first ``count`` keys of ``order``.

    ``order`` (uint64) holds keys of three words if ``wide``, of one otherwise. Writes ``table``.
    """
    table[: (WIDE_WORDS if wide else 1) << bits] = EMPTY
    mask = (1 << bits) - 1
    shift = U64(64 - bits)
    for index in range(count):
        first, second, third = key_at(order, index, wide)
        insert(table, mask, hash_slot(first, second, third, shift), wide, first, second, third)
