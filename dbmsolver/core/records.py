"""Closing the records of a signature: the kernel of a proof over dominating positions.

A signature's records can only have each other as duplicates, so each signature is closed on its
own, as in :mod:`dbmsolver.core.exhaust`, whose words are used here. A macro may release several
locked cards and send several cards home, so it may lead to any later signature. The targets of a
signature are found while it is closed.

The code of a record (uint8) is a fingerprint of the record it comes from: eight bits of a hash.
They are enough to find the parent again among the closed records. Classes, positions of games of
one pile and of pairs, and those of Klondike and its relatives are closed by the same kernels, and
called records here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.admission import (
    PieceBits,
    admit_burst,
    admit_run,
    has_room_for_closed,
    is_in_piece,
    note_partial,
    put_closed,
    room_for_states,
    stage,
    start_table,
)
from dbmsolver.core.covering import (
    childrens_code,
    code_of_child,
    expand_state,
    high_of_child,
    make_scratch,
)
from dbmsolver.core.hashing import HASH
from dbmsolver.core.layout import (
    LAYOUT_WORDS,
    NETS,
    WIDE_WORDS,
    get_layout,
    key_at,
    make_layout,
    pack_key,
    put_layout,
    unpack_key,
    width_of,
)
from dbmsolver.core.outgoing import (
    fill_runs,
    has_room_for_runs,
    put_outgoing,
    put_run,
    take_other_pieces,
    target_width,
)
from dbmsolver.core.signatures import signature_sets
from dbmsolver.core.tables import LOW, OFF, SIGNATURE
from dbmsolver.core.workspace import BURST, GROUP, USED_SIGNATURES, USED_WIDTH
from dbmsolver.jit.decorators import allocating, inlined, inner, kernel

U64 = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)
MOST_TARGETS = 4096
"""Signatures that the records of one signature may lead to before the closure pauses."""
TARGET_BITS = 14
TARGET_SLOTS = 1 << TARGET_BITS
OTHER_PIECES = 0xFFFF
"""Target number of candidates for other pieces of the same signature."""
RECENT_BITS = 12

ROUND, TARGETS_IN_USE = range(2)
"""Columns of ``RecordSpace.counters``: number of the call of :func:`close`; targets found in it."""
RECENT_KEY, RECENT_MARK = range(2)
"""Columns of ``RecordSpace.recent``: a narrow key, and its round and target."""


class RecordSpace(NamedTuple):
    """Scratch memory of one thread that closes records, beside its workspace."""

    scratch: Any  # as make_scratch returns it for the tables
    outgoing_targets: NDArray[np.uint16]  # [candidates]: number of the target signature
    slots: NDArray[np.int32]  # [TARGET_SLOTS]: target number + 1 by hash of its signature, or 0
    signatures: NDArray[np.uint64]  # [MOST_TARGETS]: the target's
    places: NDArray[np.int32]  # [MOST_TARGETS]: its slot
    counts: NDArray[np.int64]  # [MOST_TARGETS]: candidates for it
    nets: NDArray[np.uint64]  # [MOST_TARGETS, 3, 7]: its packing networks
    layouts: NDArray[np.uint64]  # [MOST_TARGETS, 4]: its layout
    recent: NDArray[np.uint64]  # [2**RECENT_BITS, 2]: candidates that have just left
    counters: NDArray[np.int64]  # [2]


class RecordTotals(NamedTuple):
    """Counts of the results of expanding records so far."""

    outgoing: int  # candidates that left the signature
    outgoing_words: int  # words of their keys


def make_record_space(t: Any, candidates: int) -> RecordSpace:
    """Return scratch memory for ``candidates`` candidates that leave the signature.

    ``t`` are the tables that it is used with. The workspace has room for that number, too.
    """
    return RecordSpace(
        scratch=make_scratch(t),
        outgoing_targets=np.empty(candidates, np.uint16),
        slots=np.zeros(TARGET_SLOTS, np.int32),
        signatures=np.zeros(MOST_TARGETS, np.uint64),
        places=np.zeros(MOST_TARGETS, np.int32),
        counts=np.zeros(MOST_TARGETS, np.int64),
        nets=np.zeros((MOST_TARGETS, *NETS), np.uint64),
        layouts=np.zeros((MOST_TARGETS, LAYOUT_WORDS), np.uint64),
        recent=np.zeros((1 << RECENT_BITS, 2), np.uint64),
        counters=np.zeros(2, np.int64),
    )


@inlined
def add_target(t, space, signature, slot):
    """Give a signature, which ``slot`` is free for, the next target number and return that.

    Writes the target's row of ``space.layouts``, ``nets``, ``signatures``, ``counts``, ``places``,
    and ``space.slots`` and ``counters``.
    """
    target = space.counters[TARGETS_IN_USE]
    layout = make_layout(t, signature_sets(t, signature).loose, space.nets[target])
    put_layout(space.layouts, target, layout)
    space.signatures[target] = signature
    space.counts[target] = 0
    space.places[target] = slot
    space.slots[slot] = target + 1
    space.counters[TARGETS_IN_USE] = target + 1
    return target


@inlined
def target_number(t, space, signature):
    """Return the number of a target signature (int64); a new signature is added first."""
    slot = np.int64((signature * HASH) >> U64(64 - TARGET_BITS))
    while True:
        number = np.int64(space.slots[slot])
        if number == 0:
            return add_target(t, space, signature, slot)
        if space.signatures[number - 1] == signature:
            return number - 1
        slot = (slot + 1) & (TARGET_SLOTS - 1)


@inner
def forget_targets(space):
    """Start a new round without targets: writes ``space.slots`` and ``counters``."""
    for target in range(space.counters[TARGETS_IN_USE]):
        space.slots[space.places[target]] = 0
    space.counters[TARGETS_IN_USE] = 0
    space.counters[ROUND] += 1


@inlined
def left_just_now(space, key, target):
    """Return True if a narrow key (uint64) has just left for the same target; write it down.

    Writes ``space.recent``. It drops many duplicates, not all.
    """
    mark = (U64(space.counters[ROUND]) << U64(16)) | U64(target)
    place = np.int64(((key ^ (mark << U64(40))) * HASH) >> U64(64 - RECENT_BITS))
    if space.recent[place, RECENT_KEY] == key and space.recent[place, RECENT_MARK] == mark:
        return True
    space.recent[place, RECENT_KEY] = key
    space.recent[place, RECENT_MARK] = mark
    return False


@inlined
def expand_group(t, ws, space, layout, sets, piece, bits, head, end, totals):
    """Expand the records ``ws.order[head:end]`` while there is room for their successors.

    Candidates of the piece are staged in ``ws.burst``, all others go to ``ws.outgoing``. Also
    writes ``space``. Returns (the first record not expanded, or -1 if a record cannot be expanded,
    candidates staged, the new totals).
    """
    outgoing, outgoing_words = totals.outgoing, totals.outgoing_words
    most = min(ws.outgoing.size // WIDE_WORDS, space.outgoing_targets.size)
    found = space.scratch.found
    burst = 0
    while head < end:
        key = key_at(ws.order, head, layout.wide)
        off, low, high = unpack_key(t, layout, ws.nets, key[0], key[1], key[2])
        successors = expand_state(t, sets, off, low, high, space.scratch)
        if successors < 0:
            head = np.int64(-1)
            break
        if (
            burst + successors > BURST
            or outgoing + successors > most
            or space.counters[TARGETS_IN_USE] + successors > MOST_TARGETS
        ):
            break
        head += 1
        common = childrens_code(t, sets, off, low)
        for index in range(successors):
            code = code_of_child(t, found, index, common)
            signature, off, low = found[index, SIGNATURE], found[index, OFF], found[index, LOW]
            high = high_of_child(t, found, index)
            if signature == sets.signature:
                after = pack_key(t, layout, ws.nets, off, low, high)
                if is_in_piece(layout, piece, after):
                    stage(ws, layout, bits, burst, after, code)
                    burst += 1
                    continue
                target = np.int64(OTHER_PIECES)
                wide = layout.wide
            else:
                target = target_number(t, space, signature)
                goal = get_layout(space.layouts, target)
                after = pack_key(t, goal, space.nets[target], off, low, high)
                wide = goal.wide
            if not wide and left_just_now(space, after[0], target):
                continue
            outgoing_words += put_outgoing(
                ws, space.outgoing_targets, outgoing, outgoing_words, wide, after, code, target
            )
            if target != OTHER_PIECES:
                space.counts[target] += 1
            outgoing += 1
    return head, burst, RecordTotals(outgoing, outgoing_words)


@inner
def close(t, ws, space, layout, sets, piece, bits, head, count, room):
    """Expand the records ``ws.order[head:count]`` and whatever of this signature follows from them.

    As :func:`dbmsolver.core.exhaust.close`, but the target numbers of candidates that leave are in
    ``space.outgoing_targets``. Returns (bits, head, count, :class:`RecordTotals`); ``head`` is -1
    if a record cannot be, or has more successors than there is room for.
    """
    forget_targets(space)
    totals = RecordTotals(np.int64(0), np.int64(0))
    while head < count:
        if count + BURST > room:
            break
        before = head
        end = min(head + GROUP, count)
        head, burst, totals = expand_group(
            t, ws, space, layout, sets, piece, bits, head, end, totals
        )
        if head < 0 or head == before:
            break
        bits, count = admit_burst(ws, layout, bits, count, burst)
    return bits, head, count, totals


@kernel
def close_piece(t, ws, space, signature, bits, head, count, room, piece_mask, piece):
    """Close the piece of a signature that has this mask and value (uint64), as :func:`close` does.

    Writes to ``ws`` and ``space``; returns (head, count, candidates that left, words of their
    keys).
    """
    sets = signature_sets(t, signature)
    layout = make_layout(t, sets.loose, ws.nets)
    _, head, count, totals = close(
        t, ws, space, layout, sets, PieceBits(piece_mask, piece), bits, head, count, room
    )
    return head, count, totals.outgoing, totals.outgoing_words


@allocating
def write_runs(ws, space, out, outgoing):
    """Append the ``outgoing`` candidates that left a signature to the output, as runs by target.

    Writes the ``run_`` arrays of ``out`` and ``out.used``.
    """
    targets = space.counters[TARGETS_IN_USE]
    offsets = np.zeros(targets, np.int64)
    words = np.zeros(targets, np.int64)
    widths = np.ones(targets, np.int64)
    for target in range(targets):
        if space.counts[target] == 0:
            continue
        widths[target] = target_width(space.layouts, target)
        offsets[target], words[target] = put_run(
            out, space.signatures[target], space.counts[target], widths[target]
        )
    fill_runs(ws, out, space.outgoing_targets, outgoing, offsets, words, widths)


@allocating
def split_other_pieces(ws, space, outgoing, words, keys, codes):
    """Move the candidates for other pieces of the signature to ``keys`` (uint64) and ``codes``.

    Their keys have ``words`` words; the other candidates close up in ``ws`` and ``space``. Returns
    (how many were moved, how many are left).
    """
    targets = space.outgoing_targets
    return take_other_pieces(ws, targets, space.layouts, OTHER_PIECES, outgoing, words, keys, codes)


@kernel
def exhaust_batch(t, ws, space, out, runs, first, last, limit):
    """Close the signatures ``first:last``, each with its candidates, and append the results.

    As :func:`dbmsolver.core.exhaust.exhaust_batch`, for records; writes to ``space``, too. Returns
    the index of the first signature not closed, or -1 if a record cannot be, or has too many
    successors.
    """
    for index in range(first, last):
        signature = runs.signatures[index]
        sets = signature_sets(t, signature)
        layout = make_layout(t, sets.loose, ws.nets)
        width = width_of(layout)
        if out.used[USED_SIGNATURES] > 0 and width != out.used[USED_WIDTH]:
            return index
        out.used[USED_WIDTH] = width
        room = room_for_states(ws, out, width, limit)
        if runs.counts[index] + BURST > room:
            out.partial[:] = 0
            return index
        bits = start_table(ws, width, runs.counts[index])
        head = np.int64(0)
        count = admit_run(ws, layout.wide, bits, runs, index)
        bits, head, count, totals = close(
            t, ws, space, layout, sets, PieceBits(ZERO, ZERO), bits, head, count, room
        )
        if head < 0:
            return -1
        outgoing, outgoing_words = totals.outgoing, totals.outgoing_words
        note_partial(out, bits, head, count, outgoing, outgoing_words, 0)
        targets = space.counters[TARGETS_IN_USE]
        if (
            head < count
            or not has_room_for_closed(out, width, count)
            or not has_room_for_runs(out, outgoing, outgoing_words, targets)
        ):
            return index
        write_runs(ws, space, out, outgoing)
        put_closed(ws, out, signature, width, count, 0)
    return last


@allocating
def count_flips(t, space, signature, keys, words, ones, flips):
    """Count, for each bit of the piece word, how often it is set and how often a macro changes it.

    ``keys`` (uint64, ``words`` words each) are those of a signature's records. Adds to ``ones``
    (int64[64]) the keys in which the bit is set, to ``flips`` (int64[64]) the successors in which
    it differs. Writes ``space.scratch``.
    """
    nets = np.zeros(NETS, np.uint64)
    sets = signature_sets(t, signature)
    layout = make_layout(t, sets.loose, nets)
    wide = words == WIDE_WORDS
    for index in range(keys.size // words):
        first, second, third = key_at(keys, index, wide)
        key = second if wide else first
        off, low, high = unpack_key(t, layout, nets, first, second, third)
        for number in range(expand_state(t, sets, off, low, high, space.scratch)):
            found = space.scratch.found[number]
            if found[SIGNATURE] != signature:
                continue
            above = high_of_child(t, space.scratch.found, number)
            packed = pack_key(t, layout, nets, found[OFF], found[LOW], above)
            changed = key ^ (packed[1] if wide else packed[0])
            for bit in range(64):
                flips[bit] += np.int64((changed >> U64(bit)) & ONE)
        for bit in range(64):
            ones[bit] += np.int64((key >> U64(bit)) & ONE)
