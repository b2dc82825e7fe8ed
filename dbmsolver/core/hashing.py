"""Hash tables of local keys: open addressing, plain or compact.

A plain table holds whole keys, of one word or three.  A compact one holds the low 64 bits of keys that have a few more,
and how far each lies from its home slot: the home slot then gives the bits above.  That is the hashing scheme of the
source documents, in which a bucket's own number stands in for part of the key: ten bytes for a key of up to 80 bits, where
the plain table takes 24.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.core.bits import pack_bits
from dbmsolver.core.layout import WIDE_WORDS
from dbmsolver.jit.decorators import inlined, inner

U64 = np.uint64
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
"""Marks a free table slot.  As a key it would put every loose card at the bottom of a column of its own."""
HASH = np.uint64(0x9E3779B97F4A7C15)


@inlined
def hash_slot(first, second, third, shift):
    """Table slot of a local key (multiplicative hashing; ``shift`` = 64 - log2 of the slots)."""
    word = first ^ (first >> U64(32)) ^ (second * U64(0xD6E8FEB86659FD93))
    word ^= third * U64(0xA0761D6478BD642F)
    return np.int64((word * HASH) >> shift)


@inlined
def insert(table, mask, slot, wide, first, second, third):
    """Put a key into the table from ``slot`` on; whether it was new."""
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
    """A wide key of two planes packed: its low 64 bits, and the few above."""
    upper = pack_bits(second, nets[1])
    return (
        pack_bits(first, nets[0]) | (upper << layout.low_shift),
        upper >> (U64(64) - layout.low_shift) if layout.low_shift else U64(0),
    )


@inlined
def home_slot(low, high, shift):
    """Where a compact table wants a key: the high bits can be had back from this and the low ones."""
    return np.int64(((low * HASH) >> shift) ^ high)


@inlined
def insert_compact(table, steps, mask, home, low):
    """Put a key into a compact table; whether it was new."""
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


@inner
def rebuild_table(table, bits, order, count, wide):
    """Clear ``2**bits`` slots of the table and insert the first ``count`` states of ``order``."""
    words = WIDE_WORDS if wide else 1
    table[: words << bits] = EMPTY
    mask = (1 << bits) - 1
    shift = U64(64 - bits)
    for index in range(count):
        base = words * index
        first = order[base]
        second = third = U64(0)
        if wide:
            second, third = order[base + 1], order[base + 2]
        insert(table, mask, hash_slot(first, second, third, shift), wide, first, second, third)
