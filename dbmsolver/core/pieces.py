"""Pieces of a signature that is too big to be closed at once.

A piece holds the local keys with ``piece word & mask == value``: the keys that agree in a few chosen bits of their first
word, or of the second (plane *low*) where they are wide.  Pieces are
the leaves of a binary tree; splitting one tests one more bit.  Good bits belong to cards that seldom move, so that few
moves lead from piece to piece; :func:`count_flips` finds out which those are.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.core.bits import unpack_bits
from dbmsolver.core.expand import signature_sets
from dbmsolver.core.hashing import (
    EMPTY,
    HASH,
    compact_key,
    hash_slot,
    home_slot,
    insert,
    insert_compact,
)
from dbmsolver.core.layout import NETS, WIDE_WORDS, make_layout, pack_key
from dbmsolver.jit.decorators import allocating

U64 = np.uint64
ONE = np.uint64(1)


@allocating
def load_table(t, signature, table, steps, bits, keys, words, mask, value, room):
    """Insert those of ``keys`` that belong to a piece; how many were new, or -1 if that is more than ``room``.

    The table is compact if ``steps`` has room for it.
    """
    nets = np.zeros(NETS, np.uint64)
    layout = make_layout(t, signature_sets(t, signature).loose, nets)
    slots = (1 << bits) - 1
    shift = U64(64 - bits)
    second = third = U64(0)
    loaded = 0
    piece_word = 1 if words == WIDE_WORDS else 0
    for place in range(0, keys.size, words):
        if keys[place + piece_word] & mask != value:
            continue
        first = keys[place]
        if words == WIDE_WORDS:
            second, third = keys[place + 1], keys[place + 2]
        if steps.size:
            low, high = compact_key(layout, nets, first, second)
            loaded += insert_compact(table, steps, slots, home_slot(low, high, shift), low)
        else:
            slot = hash_slot(first, second, third, shift)
            loaded += insert(table, slots, slot, words == WIDE_WORDS, first, second, third)
        if loaded > room:
            return -1
    return loaded


@allocating
def table_keys(t, signature, table, steps, bits, words, first, last, keys):
    """Write the keys in the slots ``first:last`` of a table to ``keys``; how many words that were."""
    nets = np.zeros(NETS, np.uint64)
    layout = make_layout(t, signature_sets(t, signature).loose, nets)
    used = 0
    if steps.size:
        mask = (1 << bits) - 1
        shift = U64(64 - bits)
        for slot in range(first, last):
            low = table[slot]
            if low == EMPTY:
                continue
            home = (slot - np.int64(steps[slot])) & mask
            high = U64(home) ^ ((low * HASH) >> shift)
            upper = low >> layout.low_shift
            if layout.low_shift:
                upper |= high << (U64(64) - layout.low_shift)
            keys[used] = unpack_bits(low, nets[0])
            keys[used + 1] = unpack_bits(upper, nets[1])
            keys[used + 2] = 0
            used += words
        return used
    for place in range(words * first, words * last, words):
        if table[place] != EMPTY:
            for word in range(words):
                keys[used + word] = table[place + word]
            used += words
    return used


@allocating
def count_flips(t, signature, keys, codes, words, ones, flips):
    """Per bit of the piece word of the keys: in how many keys it is set, and in how many the last move changed it."""
    nets = np.zeros(NETS, np.uint64)
    layout = make_layout(t, signature_sets(t, signature).loose, nets)
    piece_word = 1 if words == WIDE_WORDS else 0
    for index in range(codes.size):
        key = keys[words * index + piece_word]
        card, place = np.int64(t.code_card[codes[index]]), np.int64(t.code_place[codes[index]])
        changed = U64(0)
        if place < 6:
            bit = ONE << U64(card)
            field = pack_key(t, layout, nets, bit, bit, bit)[piece_word]
            before = pack_key(
                t,
                layout,
                nets,
                t.place_planes[0, place] << U64(card),
                t.place_planes[1, place] << U64(card),
                t.place_planes[2, place] << U64(card),
            )[piece_word]
            changed = (key & field) ^ before
        for number in range(64):
            ones[number] += np.int64((key >> U64(number)) & ONE)
            flips[number] += np.int64((changed >> U64(number)) & ONE)


@allocating
def route(keys, codes, words, tree, leaves):
    """Sort candidates by piece.

    ``tree`` (int64[nodes, 3]) holds a bit number and the children for 0 and 1, or -1, the piece's number, 0.  Returns
    (keys, codes, ends): candidates of piece p are ``ends[p-1]:ends[p]``.
    """
    count = codes.size
    piece_word = 1 if words == WIDE_WORDS else 0
    piece = np.empty(count, np.int64)
    ends = np.zeros(leaves + 1, np.int64)
    for index in range(count):
        key = keys[words * index + piece_word]
        node = 0
        while tree[node, 0] >= 0:
            node = tree[node, 1 + np.int64((key >> U64(tree[node, 0])) & ONE)]
        piece[index] = tree[node, 1]
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


@allocating
def split_siblings(ws, outgoing, siblings, words, keys, codes):
    """Move the candidates for other pieces out of those that left.

    They go to ``keys`` and ``codes``; the rest closes up in the workspace.  Returns (siblings, rest).
    """
    found = rest = source = place = 0
    for index in range(outgoing):
        target = np.int64(ws.outgoing_targets[index])
        width = words
        if target != siblings:
            width = WIDE_WORDS if ws.target_layouts[target, 3] else 1
            for word in range(width):
                ws.outgoing[place + word] = ws.outgoing[source + word]
            place += width
            ws.outgoing_codes[rest] = ws.outgoing_codes[index]
            ws.outgoing_targets[rest] = target
            rest += 1
        else:
            for word in range(width):
                keys[words * found + word] = ws.outgoing[source + word]
            codes[found] = ws.outgoing_codes[index]
            found += 1
        source += width
    return found, rest
