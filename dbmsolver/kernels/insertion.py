"""Insertion of candidates into the table of a signature that is closed.

States of a signature are kept twice: in ``ws.table``, to find duplicates, and in ``ws.order``, in
order of arrival, to expand them one after the other. Candidates are *buffered* first, and their
table slots are prefetched; once the buffer is full those that are new are inserted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inner
from dbmsolver.kernels.bits import prefetch
from dbmsolver.kernels.hashing import (
    EMPTY,
    compact_key,
    hash_slot,
    home_slot,
    insert,
    insert_compact,
    rebuild_table,
)
from dbmsolver.kernels.layout import WIDE_WORDS, key_at, put_key, width_of
from dbmsolver.kernels.sorting import sort_states
from dbmsolver.kernels.states import U64
from dbmsolver.kernels.workspace import (
    BUFFER_KEY,
    BUFFER_PACKED,
    BUFFER_SLOT,
    CLOSED_FORCED,
    CLOSED_STATES,
    PARTIAL_BITS,
    PARTIAL_COUNT,
    PARTIAL_FORCED,
    PARTIAL_HEAD,
    PARTIAL_OUTGOING,
    PARTIAL_OUTGOING_WORDS,
    USED_SIGNATURES,
    USED_STATE_WORDS,
    USED_STATES,
)

LEAST_BITS = 6


class PieceBits(NamedTuple):
    """The keys with ``piece word & mask == value``: all of the signature if ``mask`` is 0.

    The piece word is the first of a key, the second if it is wide.
    """

    mask: np.uint64
    value: np.uint64


@inlined
def is_in_piece(layout, piece, key):
    """Return True if a key of the signature, of three words, belongs to the piece."""
    return (key[1] if layout.wide else key[0]) & piece.mask == piece.value


@inlined
def start_table(ws, width, candidates):
    """Empty a table of at least twice as many slots as candidates; log2 of its slots.

    Writes ``ws.table``.
    """
    bits = LEAST_BITS
    while (1 << bits) < 2 * candidates:
        bits += 1
    ws.table[: width << bits] = EMPTY
    return bits


@inlined
def put_buffered(ws, layout, bits, buffered, key, code):
    """Append a candidate to the buffer, and prefetch its slot in the hash table.

    Writes ``key`` (three words) to row ``buffered`` of ``ws.buffer``, and ``code`` to the same
    place of ``ws.buffer_codes``.
    """
    shift = U64(64 - bits)
    if ws.steps.size > 0:
        packed, upper = compact_key(layout, ws.nets, key[0], key[1])
        slot = home_slot(packed, upper, shift)
        prefetch(ws.table, slot)
        prefetch(ws.steps, slot)
        ws.buffer[buffered, BUFFER_PACKED] = packed
    else:
        slot = hash_slot(key[0], key[1], key[2], shift)
        prefetch(ws.table, width_of(layout) * slot)
    ws.buffer[buffered, BUFFER_KEY] = key[0]
    ws.buffer[buffered, BUFFER_KEY + 1] = key[1]
    ws.buffer[buffered, BUFFER_KEY + 2] = key[2]
    ws.buffer[buffered, BUFFER_SLOT] = U64(slot)
    ws.buffer_codes[buffered] = code


@inlined
def append(ws, count, wide, key, code):
    """Make a state number ``count`` in order of arrival.

    Writes ``ws.order`` and ``ws.order_codes``.
    """
    put_key(ws.order, (WIDE_WORDS if wide else 1) * count, wide, key)
    ws.order_codes[count] = code


@inlined
def enlarge_table(ws, wide, bits, count, buffered):
    """Make the table anew with more slots if ``buffered`` more states would fill it.

    Returns log2 of its slots. It stays at most half full with the ``count`` states it has, and
    three quarters with them. Writes ``ws.table``.
    """
    before = bits
    mask = (1 << bits) - 1
    while 2 * count > mask or 4 * (count + buffered) > 3 * mask:
        bits += 1
        mask = (1 << bits) - 1
    if bits != before:
        rebuild_table(ws.table, bits, ws.order, count, wide)
    return bits


@inlined
def insert_buffered(ws, layout, bits, count, buffered):
    """Put the buffered candidates that are new into the table and behind ``order[:count]``.

    There are ``buffered`` of them. A table that grows is enlarged first if need be. Writes the
    table, ``ws.order`` and ``ws.order_codes``; returns the new (log2 of slots, count).
    """
    wide = layout.wide
    before = bits
    if ws.grows:
        bits = enlarge_table(ws, wide, bits, count, buffered)
    grown = bits != before
    mask = (1 << bits) - 1
    shift = U64(64 - bits)
    for index in range(buffered):
        key = (
            ws.buffer[index, BUFFER_KEY],
            ws.buffer[index, BUFFER_KEY + 1],
            ws.buffer[index, BUFFER_KEY + 2],
        )
        slot = np.int64(ws.buffer[index, BUFFER_SLOT])
        if grown:
            slot = hash_slot(key[0], key[1], key[2], shift)
        if ws.steps.size > 0:
            is_new = insert_compact(ws.table, ws.steps, mask, slot, ws.buffer[index, BUFFER_PACKED])
        else:
            is_new = insert(ws.table, mask, slot, wide, key[0], key[1], key[2])
        if is_new:
            append(ws, count, wide, key, ws.buffer_codes[index])
            count += 1
    return bits, count


@inner
def insert_new(ws, layout, bits, count, keys, codes, candidates):
    """Insert those of some candidates that are new, and append them to ``ws.order``.

    The candidates are the first ``candidates`` of ``keys`` (uint64) and ``codes``. One is new if
    its key is not in the hash table ``ws.table``, which has two to the power ``bits`` slots.
    ``ws.order`` has ``count`` states before; returns how many it has then. Writes ``ws.table``,
    ``ws.steps``, ``ws.order`` and ``ws.order_codes``.
    """
    wide = layout.wide
    mask = (1 << bits) - 1
    shift = U64(64 - bits)
    for index in range(candidates):
        key = key_at(keys, index, wide)
        if ws.steps.size > 0:
            low, high = compact_key(layout, ws.nets, key[0], key[1])
            is_new = insert_compact(ws.table, ws.steps, mask, home_slot(low, high, shift), low)
        else:
            slot = hash_slot(key[0], key[1], key[2], shift)
            is_new = insert(ws.table, mask, slot, wide, key[0], key[1], key[2])
        if is_new:
            append(ws, count, wide, key, codes[index])
            count += 1
    return count


@inlined
def room_for_states(ws, out, width, limit):
    """Return the states of a signature that fit into workspace and output, at most ``limit``."""
    return min(limit, ws.order.size // width, out.codes.size - out.used[USED_STATES])


@inlined
def has_room_for_closed(out, width, count):
    """Return True if the output can take ``count`` closed states of one more signature."""
    return (
        out.used[USED_STATE_WORDS] + width * count <= out.keys.size
        and out.used[USED_SIGNATURES] < out.signatures.size
    )


@inner
def put_closed(ws, out, signature, width, count, forced):
    """Sort ``ws.order[:count]`` by key and append it to the output as a closed signature.

    ``forced`` of the states have a forced move. Writes ``out.keys``, ``out.codes``,
    ``out.signatures``, ``out.closed`` and ``out.used``; ``ws.order`` is scratch afterwards.
    """
    number = out.used[USED_SIGNATURES]
    sort_states(
        ws.order,
        ws.order_codes,
        out.keys[out.used[USED_STATE_WORDS] :],
        out.codes[out.used[USED_STATES] :],
        count,
        width,
    )
    out.signatures[number] = signature
    out.closed[number, CLOSED_STATES] = count
    out.closed[number, CLOSED_FORCED] = forced
    out.used[USED_STATES] += count
    out.used[USED_STATE_WORDS] += width * count
    out.used[USED_SIGNATURES] += 1


@inlined
def note_partial(out, bits, head, count, totals):
    """Write to ``out.partial`` how far a closure has come."""
    out.partial[PARTIAL_BITS] = bits
    out.partial[PARTIAL_HEAD] = head
    out.partial[PARTIAL_COUNT] = count
    out.partial[PARTIAL_OUTGOING] = totals.outgoing
    out.partial[PARTIAL_OUTGOING_WORDS] = totals.words
    out.partial[PARTIAL_FORCED] = totals.forced
