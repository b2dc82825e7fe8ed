"""Pieces of a signature that is too big to be closed at once.

A piece holds the local keys with ``piece word & mask == value``: the keys that agree in a few
chosen bits of their first word, or of the second (plane *low*) where they are wide. Pieces are the
leaves of a binary tree; splitting one tests one more bit. Good bits belong to cards that seldom
move, so that few moves lead from piece to piece.

Arrays of keys are uint64 with ``words`` (1 or 3) words for each state. ``table`` and ``steps`` are
a hash table of ``2**bits`` slots (:mod:`dbmsolver.kernels.hashing`), compact if ``steps`` is not
empty.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import allocating, kernel
from dbmsolver.kernels.bits import NETWORK_STAGES, pack_bits
from dbmsolver.kernels.hashing import (
    EMPTY,
    compact_key,
    hash_slot,
    high_bits,
    home_slot,
    insert,
    insert_compact,
    packed_second,
)
from dbmsolver.kernels.hooks import make_layout, signature_sets
from dbmsolver.kernels.insertion import insert_new
from dbmsolver.kernels.layout import NETS, WIDE_WORDS, key_at
from dbmsolver.kernels.states import ONE, U64

BIT, CHILD = range(2)
"""Columns of a tree of pieces: the bit that a node tests, and its first child or the piece."""


@allocating
def load_table(t, signature, table, steps, bits, keys, words, mask, value, room):
    """Insert those of ``keys`` that belong to the piece of this mask and value (uint64).

    Writes ``table`` and ``steps``. Returns how many keys were new, or -1 as soon as that is more
    than ``room``.
    """
    nets = np.zeros(NETS, np.uint64)
    layout = make_layout(t, signature_sets(t, signature).loose, nets)
    slots = (1 << bits) - 1
    shift = U64(64 - bits)
    wide = words == WIDE_WORDS
    loaded = 0
    for index in range(keys.size // words):
        first, second, third = key_at(keys, index, wide)
        if (second if wide else first) & mask != value:
            continue
        if steps.size:
            low, high = compact_key(layout, nets, first, second)
            loaded += insert_compact(table, steps, slots, home_slot(low, high, shift), low)
        else:
            slot = hash_slot(first, second, third, shift)
            loaded += insert(table, slots, slot, wide, first, second, third)
        if loaded > room:
            return -1
    return loaded


@allocating
def copy_keys(t, signature, table, steps, bits, words, mask, value, to_table, to_steps, to_bits):
    """Copy the keys of one piece from a table to another, and return how many they are.

    The piece is that of ``mask`` and ``value`` (uint64). The other table is ``to_table`` and
    ``to_steps``, which are written: ``2**to_bits`` slots. It has room for these keys, and has none
    of them before. If ``to_bits`` is 0, keys are counted and not copied.
    """
    nets = np.zeros(NETS, np.uint64)
    layout = make_layout(t, signature_sets(t, signature).loose, nets)
    slots = (1 << to_bits) - 1
    shift = U64(64 - to_bits)
    found = 0
    if steps.size:
        # The piece word is not unpacked: its bits are compared where they are packed.
        if value & ~nets[1, NETWORK_STAGES]:
            return found
        mask, value = pack_bits(mask, nets[1]), pack_bits(value, nets[1])
        home_shift = U64(64 - bits)
        for slot in range(1 << bits):
            low = table[slot]
            if low == EMPTY:
                continue
            home = (slot - np.int64(steps[slot])) & ((1 << bits) - 1)
            high = high_bits(low, home, home_shift)
            if packed_second(layout, low, high) & mask != value:
                continue
            found += 1
            if to_bits:
                insert_compact(to_table, to_steps, slots, home_slot(low, high, shift), low)
        return found
    wide = words == WIDE_WORDS
    for slot in range(1 << bits):
        if table[words * slot] == EMPTY:
            continue
        first, second, third = key_at(table, slot, wide)
        if (second if wide else first) & mask != value:
            continue
        found += 1
        if to_bits:
            place = hash_slot(first, second, third, shift)
            insert(to_table, slots, place, wide, first, second, third)
    return found


@allocating
def route(keys, codes, words, piece_word, tree, leaves):
    """Sort candidates by piece, of which there are ``leaves``.

    ``tree`` (int64[nodes, 3]) has a row for each node, the root first: a bit number and the rows of
    the children for 0 and 1; or, for a piece, -1, its number, 0 (columns BIT, CHILD). It tests bits
    of the keys' word number ``piece_word``. Returns new arrays (keys, codes, ends): the candidates
    of piece p are ``ends[p-1]:ends[p]`` (int64).
    """
    count = codes.size
    piece = np.empty(count, np.int64)
    ends = np.zeros(leaves + 1, np.int64)
    for index in range(count):
        key = keys[words * index + piece_word]
        node = 0
        while tree[node, BIT] >= 0:
            node = tree[node, CHILD + np.int64((key >> U64(tree[node, BIT])) & ONE)]
        piece[index] = tree[node, CHILD]
        ends[piece[index] + 1] += 1
    for leaf in range(leaves):
        ends[leaf + 1] += ends[leaf]
    places = ends.copy()
    new_keys = np.empty_like(keys)
    new_codes = np.empty_like(codes)
    for index in range(count):
        place = places[piece[index]]
        places[piece[index]] += 1
        new_codes[place] = codes[index]
        for word in range(words):
            new_keys[words * place + word] = keys[words * index + word]
    return new_keys, new_codes, ends[1:]


@kernel
def insert_into_piece(t, ws, signature, bits, count, keys, codes, candidates):
    """Put candidates of a piece that are new into the table and behind ``ws.order[:count]``.

    They are the first ``candidates`` of ``keys`` (uint64) and ``codes``. Writes the table,
    ``ws.order``, ``ws.order_codes`` and ``ws.nets``; returns the new count.
    """
    layout = make_layout(t, signature_sets(t, signature).loose, ws.nets)
    return insert_new(ws, layout, bits, count, keys, codes, candidates)
