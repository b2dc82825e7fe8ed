"""Closing the records of a signature: the kernel of a proof over dominating positions.

A signature's records can only have each other as duplicates, so each signature is closed on its own, as in
:mod:`dbmsolver.core.exhaust`.  A macro may release several locked cards and send several cards home, so it may lead to
any later signature: the targets of a signature are found while it is closed.

The code of a record is a fingerprint of the record it comes from: eight bits of a hash.  They are enough to find the
parent again among the closed records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bits import prefetch
from dbmsolver.core.dominance import Scratch, expand_record, make_scratch
from dbmsolver.core.exhaust import admit
from dbmsolver.core.expand import progress, signature_sets
from dbmsolver.core.hashing import (
    EMPTY,
    HASH,
    compact_key,
    hash_slot,
    home_slot,
    insert,
    insert_compact,
    rebuild_table,
)
from dbmsolver.core.layout import NETS, WIDE_WORDS, Layout, make_layout, pack_key, unpack_key
from dbmsolver.core.sorting import sort_states
from dbmsolver.core.workspace import BURST, GROUP
from dbmsolver.jit.decorators import allocating, inlined, inner, kernel

U64 = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)
MOST_TARGETS = 4096
"""Signatures that the records of one signature may lead to before the closure pauses."""
TARGET_SLOTS = 4 * MOST_TARGETS
OWN_PIECES = 0xFFFF
"""Target number of candidates for other pieces of the same signature."""
RECENT_BITS = 12


class RecordSpace(NamedTuple):
    """Scratch memory of one thread that closes records, beside its workspace."""

    scratch: Scratch
    outgoing_targets: NDArray[np.uint16]  # [candidates]: number of the target signature
    slots: NDArray[
        np.int32
    ]  # [TARGET_SLOTS]: target number + 1 by hash of its signature, 0 for none
    signatures: NDArray[np.uint64]  # [MOST_TARGETS]
    places: NDArray[np.int32]  # [MOST_TARGETS]: its slot
    counts: NDArray[np.int64]  # [MOST_TARGETS]: candidates for it
    nets: NDArray[np.uint64]  # [MOST_TARGETS, 3, 7]
    layouts: NDArray[np.uint64]  # [MOST_TARGETS, 4]: loose cards, two shifts, wide
    recent: NDArray[
        np.uint64
    ]  # [2**RECENT_BITS, 2]: narrow keys that left, and their round and target
    rounds: NDArray[np.int64]  # [2]: number of this call; targets in use


def make_record_space(candidates: int) -> RecordSpace:
    """Scratch memory for as many candidates as the workspace has room for."""
    return RecordSpace(
        scratch=make_scratch(),
        outgoing_targets=np.empty(candidates, np.uint16),
        slots=np.zeros(TARGET_SLOTS, np.int32),
        signatures=np.zeros(MOST_TARGETS, np.uint64),
        places=np.zeros(MOST_TARGETS, np.int32),
        counts=np.zeros(MOST_TARGETS, np.int64),
        nets=np.zeros((MOST_TARGETS, *NETS), np.uint64),
        layouts=np.zeros((MOST_TARGETS, 4), np.uint64),
        recent=np.zeros((1 << RECENT_BITS, 2), np.uint64),
        rounds=np.zeros(2, np.int64),
    )


@inlined
def fingerprint(signature, off, low):
    """Eight bits that tell a record from most others, as int64."""
    word = (signature * HASH) ^ (off * U64(0xD6E8FEB86659FD93)) ^ (low * U64(0xA0761D6478BD642F))
    word ^= word >> U64(32)
    return np.int64((word * HASH) >> U64(56))


@inner
def add_target(t, space, signature, slot):
    """Give a signature that leads nowhere yet a number; its layout is worked out."""
    target = space.rounds[1]
    layout = make_layout(t, signature_sets(t, signature).loose, space.nets[target])
    space.layouts[target, 0] = layout.loose
    space.layouts[target, 1] = layout.low_shift
    space.layouts[target, 2] = layout.high_shift
    space.layouts[target, 3] = U64(layout.wide)
    space.signatures[target] = signature
    space.counts[target] = 0
    space.places[target] = slot
    space.slots[slot] = target + 1
    space.rounds[1] = target + 1
    return target


@inlined
def target_number(t, space, signature):
    """The number of a target signature."""
    slot = np.int64((signature * HASH) >> U64(50))
    while True:
        number = np.int64(space.slots[slot])
        if number == 0:
            return add_target(t, space, signature, slot)
        if space.signatures[number - 1] == signature:
            return number - 1
        slot = (slot + 1) & (TARGET_SLOTS - 1)


@inner
def forget_targets(space):
    """Begin a new round: no targets."""
    for target in range(space.rounds[1]):
        space.slots[space.places[target]] = 0
    space.rounds[1] = 0
    space.rounds[0] += 1


@inner
def close(t, ws, space, layout, sets, bits, head, count, room, piece_mask, piece):
    """Expand the records ``ws.order[head:count]`` and whatever of this signature follows from them.

    As :func:`dbmsolver.core.exhaust.close`; candidates that leave are in ``ws.left`` and ``ws.left_codes``, their
    target numbers in ``space.left_targets``.  Returns (bits, head, count, candidates left, their words), or -1 for
    ``head`` if a record has more successors than there is room for.
    """
    forget_targets(space)
    wide = layout.wide
    compact = ws.steps.size > 0
    words = WIDE_WORDS if wide else 1
    outgoing = outgoing_words = 0
    mask = (1 << bits) - 1
    shift = U64(64 - bits)
    most = min(ws.outgoing.size // WIDE_WORDS, space.outgoing_targets.size)
    tag = U64(space.rounds[0]) << U64(16)
    found = space.scratch.found
    paused = False
    while head < count and not paused:
        if count + BURST > room:
            break
        burst = 0
        end = min(head + GROUP, count)
        while head < end:
            base = words * head
            first = ws.order[base]
            second = third = ZERO
            if wide:
                second, third = ws.order[base + 1], ws.order[base + 2]
            off, low, _high = unpack_key(t, layout, ws.nets, first, second, third)
            successors = expand_record(t, sets, off, low, space.scratch)
            if successors < 0:
                return bits, -1, count, outgoing, outgoing_words
            if (
                burst + successors > BURST
                or outgoing + successors > most
                or space.rounds[1] + successors > MOST_TARGETS
            ):
                paused = burst == 0
                break
            head += 1
            code = fingerprint(sets.signature, off, low)
            for index in range(successors):
                signature, off, low = found[index, 0], found[index, 1], found[index, 2]
                if signature == sets.signature:
                    key, key2, key3 = pack_key(t, layout, ws.nets, off, low, ZERO)
                    if (key2 if wide else key) & piece_mask == piece:
                        if compact:
                            packed, high_bits = compact_key(layout, ws.nets, key, key2)
                            slot = home_slot(packed, high_bits, shift)
                            prefetch(ws.table, slot)
                            prefetch(ws.steps, slot)
                            ws.burst[burst, 4] = packed
                        else:
                            slot = hash_slot(key, key2, key3, shift)
                            prefetch(ws.table, words * slot)
                        ws.burst[burst, 0] = key
                        ws.burst[burst, 1] = key2
                        ws.burst[burst, 2] = key3
                        ws.burst[burst, 3] = U64(slot)
                        ws.burst_codes[burst] = code
                        burst += 1
                        continue
                    target = np.int64(OWN_PIECES)
                    key_words = words
                else:
                    target = target_number(t, space, signature)
                    goal = Layout(
                        space.layouts[target, 0],
                        0,
                        space.layouts[target, 1],
                        space.layouts[target, 2],
                        space.layouts[target, 3] != ZERO,
                    )
                    key, key2, key3 = pack_key(t, goal, space.nets[target], off, low, ZERO)
                    key_words = WIDE_WORDS if goal.wide else 1
                if key_words == 1:
                    mark = tag | U64(target)
                    place = np.int64(((key ^ (mark << U64(40))) * HASH) >> U64(64 - RECENT_BITS))
                    if space.recent[place, 0] == key and space.recent[place, 1] == mark:
                        continue
                    space.recent[place, 0] = key
                    space.recent[place, 1] = mark
                ws.outgoing[outgoing_words] = key
                if key_words > 1:
                    ws.outgoing[outgoing_words + 1] = key2
                    ws.outgoing[outgoing_words + 2] = key3
                outgoing_words += key_words
                ws.outgoing_codes[outgoing] = code
                space.outgoing_targets[outgoing] = target
                if target != OWN_PIECES:
                    space.counts[target] += 1
                outgoing += 1
        grown = False
        while ws.grows and (2 * count > mask or 4 * (count + burst) > 3 * mask):
            grown = True
            bits += 1
            mask = (1 << bits) - 1
        if grown:
            shift = U64(64 - bits)
            rebuild_table(ws.table, bits, ws.order, count, wide)
        for index in range(burst):
            key, key2, key3 = ws.burst[index, 0], ws.burst[index, 1], ws.burst[index, 2]
            slot = hash_slot(key, key2, key3, shift) if grown else np.int64(ws.burst[index, 3])
            if compact:
                new_key = insert_compact(ws.table, ws.steps, mask, slot, ws.burst[index, 4])
            else:
                new_key = insert(ws.table, mask, slot, wide, key, key2, key3)
            if new_key:
                base = words * count
                ws.order[base] = key
                if wide:
                    ws.order[base + 1] = key2
                    ws.order[base + 2] = key3
                ws.order_codes[count] = ws.burst_codes[index]
                count += 1
    return bits, head, count, outgoing, outgoing_words


@kernel
def close_piece(t, ws, space, signature, bits, head, count, room, piece_mask, piece):
    """:func:`close` for a piece of a signature: (head, count, candidates left, their words)."""
    sets = signature_sets(t, signature)
    layout = make_layout(t, sets.loose, ws.nets)
    return close(t, ws, space, layout, sets, bits, head, count, room, piece_mask, piece)[1:]


@allocating
def write_runs(ws, space, out, outgoing):
    """Sort the ``outgoing`` candidates that left a signature by target and append them to the output as runs."""
    targets = space.rounds[1]
    places = np.zeros(targets, np.int64)
    words = np.zeros(targets, np.int64)
    widths = np.ones(targets, np.int64)
    place = out.used[3]
    word = out.used[4]
    run = out.used[5]
    for target in range(targets):
        if space.counts[target] == 0:
            continue
        if space.layouts[target, 3]:
            widths[target] = WIDE_WORDS
        out.run_signatures[run] = space.signatures[target]
        out.run_counts[run] = space.counts[target]
        out.run_offsets[run] = place
        out.run_words[run] = word
        run += 1
        places[target], words[target] = place, word
        place += space.counts[target]
        word += space.counts[target] * widths[target]
    source = 0
    for index in range(outgoing):
        target = np.int64(space.outgoing_targets[index])
        out.run_codes[places[target]] = ws.outgoing_codes[index]
        places[target] += 1
        for _ in range(widths[target]):
            out.run_keys[words[target]] = ws.outgoing[source]
            words[target] += 1
            source += 1
    out.used[3], out.used[4], out.used[5] = place, word, run


@allocating
def split_siblings(ws, space, outgoing, words, keys, codes):
    """Move the candidates for other pieces of the signature out of those that left.

    They go to ``keys`` and ``codes``; the rest closes up.  Returns (siblings, rest).
    """
    found = rest = source = place = 0
    for index in range(outgoing):
        target = np.int64(space.outgoing_targets[index])
        width = words
        if target != OWN_PIECES:
            width = WIDE_WORDS if space.layouts[target, 3] else 1
            for word in range(width):
                ws.outgoing[place + word] = ws.outgoing[source + word]
            place += width
            ws.outgoing_codes[rest] = ws.outgoing_codes[index]
            space.outgoing_targets[rest] = target
            rest += 1
        else:
            for word in range(width):
                keys[words * found + word] = ws.outgoing[source + word]
            codes[found] = ws.outgoing_codes[index]
            found += 1
        source += width
    return found, rest


@kernel
def exhaust_batch(
    t, ws, space, out, signatures, counts, offsets, words, keys, codes, first, last, limit
):
    """Close the signatures ``first:last``, each with its candidates, and append what comes of them to ``out``.

    As :func:`dbmsolver.core.exhaust.exhaust_batch`, for records.  Returns the index of the first signature not closed,
    or -1 if a record has too many successors.
    """
    for index in range(first, last):
        sets = signature_sets(t, signatures[index])
        layout = make_layout(t, sets.loose, ws.nets)
        wide = layout.wide
        key_words = WIDE_WORDS if wide else 1
        if out.used[2] > 0 and key_words != out.used[6]:
            return index
        out.used[6] = key_words
        bits = 6
        while (1 << bits) < 2 * counts[index]:
            bits += 1
        room = min(limit, ws.order.size // key_words, out.codes.size - out.used[0])
        if counts[index] + BURST > room:
            out.partial[:] = 0
            return index
        ws.table[: key_words << bits] = EMPTY
        count = admit(
            ws, wide, bits, np.int64(0), keys, codes, offsets[index], words[index], counts[index]
        )
        bits, head, count, outgoing, outgoing_words = close(
            t, ws, space, layout, sets, bits, np.int64(0), count, room, ZERO, ZERO
        )
        if head < 0:
            return -1
        out.partial[0], out.partial[1], out.partial[2] = bits, head, count
        out.partial[3], out.partial[4], out.partial[5] = outgoing, outgoing_words, 0
        if (
            head < count
            or out.used[1] + key_words * count > out.keys.size
            or out.used[3] + outgoing > out.run_codes.size
            or out.used[4] + outgoing_words > out.run_keys.size
            or out.used[2] == out.signatures.size
            or out.used[5] + space.rounds[1] > out.run_counts.size
        ):
            return index
        write_runs(ws, space, out, outgoing)
        sort_states(
            ws.order,
            ws.order_codes,
            out.keys[out.used[1] :],
            out.codes[out.used[0] :],
            count,
            key_words,
        )
        out.signatures[out.used[2]] = signatures[index]
        out.closed[out.used[2], 0] = count
        out.closed[out.used[2], 1] = 0
        out.used[0] += count
        out.used[1] += key_words * count
        out.used[2] += 1
    return last


@allocating
def count_flips(t, space, signature, keys, words, ones, flips):
    """Per bit of the piece word: in how many of the keys it is set, and how many successors change it."""
    nets = np.zeros(NETS, np.uint64)
    sets = signature_sets(t, signature)
    layout = make_layout(t, sets.loose, nets)
    second = third = ZERO
    for index in range(keys.size // words):
        if words == WIDE_WORDS:
            second, third = keys[words * index + 1], keys[words * index + 2]
        key = keys[words * index + (1 if words == WIDE_WORDS else 0)]
        off, low, _high = unpack_key(t, layout, nets, keys[words * index], second, third)
        changed = ZERO
        for number in range(expand_record(t, sets, off, low, space.scratch)):
            found = space.scratch.found[number]
            if found[0] != signature:
                continue
            packed = pack_key(t, layout, nets, found[1], found[2], ZERO)
            changed = key ^ (packed[1] if words == WIDE_WORDS else packed[0])
            for bit in range(64):
                flips[bit] += np.int64((changed >> U64(bit)) & ONE)
        for bit in range(64):
            ones[bit] += np.int64((key >> U64(bit)) & ONE)


@allocating
def find_parent(t, space, runs, words, code, target, locked_in_deal):
    """Index of a record among ``runs`` (signatures, counts, keys, codes) that leads to ``target``; -1 if none does.

    ``runs`` are a closed block's; ``target`` is (signature, off, low), ``code`` its own: only records with that
    fingerprint are expanded.
    """
    signatures, counts, keys = runs
    nets = np.zeros(NETS, np.uint64)
    second = third = ZERO
    place = 0
    latest = progress(t, target[0], locked_in_deal)
    for run in range(signatures.size):
        if progress(t, signatures[run], locked_in_deal) > latest:
            place += counts[run]
            continue
        sets = signature_sets(t, signatures[run])
        layout = make_layout(t, sets.loose, nets)
        for _ in range(counts[run]):
            base = words * place
            if words == WIDE_WORDS:
                second, third = keys[base + 1], keys[base + 2]
            off, low, _high = unpack_key(t, layout, nets, keys[base], second, third)
            place += 1
            if fingerprint(signatures[run], off, low) != code:
                continue
            for number in range(expand_record(t, sets, off, low, space.scratch)):
                found = space.scratch.found[number]
                if found[0] == target[0] and found[1] == target[1] and found[2] == target[2]:
                    return place - 1
    return -1


@allocating
def record_at(t, signature, keys, words, index):
    """The planes (off, low) of the record number ``index`` of one signature's keys."""
    nets = np.zeros(NETS, np.uint64)
    layout = make_layout(t, signature_sets(t, signature).loose, nets)
    second = third = ZERO
    if words == WIDE_WORDS:
        second, third = keys[words * index + 1], keys[words * index + 2]
    off, low, _high = unpack_key(t, layout, nets, keys[words * index], second, third)
    return off, low
