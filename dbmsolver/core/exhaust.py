"""Closing signatures: the kernel of a proof.

A signature's states can only have each other as duplicates, so each is closed on its own in a small hash table of local
keys.  Candidates that leave the signature are collected by target and come out as *runs*: all candidates of one target
signature from one source, side by side.  Nothing is looked up outside the signature, so threads share nothing.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.core.bits import prefetch
from dbmsolver.core.expand import apply_move, height, list_moves, place_of, signature_sets
from dbmsolver.core.hashing import (
    EMPTY,
    compact_key,
    hash_slot,
    home_slot,
    insert,
    insert_compact,
    rebuild_table,
)
from dbmsolver.core.layout import WIDE_WORDS, Layout, make_layout, pack_key, unpack_key
from dbmsolver.core.sorting import sort_states
from dbmsolver.core.tables import CARDS, PLACE_HOME, PLACE_LOCKED
from dbmsolver.core.workspace import BURST, GROUP, SIBLINGS, TARGETS
from dbmsolver.jit.decorators import allocating, inner, kernel

U64 = np.uint64
ONE = np.uint64(1)


@inner
def make_fields(t, layout, nets, fields, keeps):
    """Key bits of each (loose card, place value): a move then replaces one field.  Narrow layouts only."""
    rest = layout.loose
    for card in range(CARDS):
        bit = ONE << U64(card)
        if not rest & bit:
            continue
        field = pack_key(t, layout, nets, bit, bit, bit)[0]
        keeps[card] = ~field
        for place in range(6):
            fields[8 * card + place] = pack_key(
                t,
                layout,
                nets,
                t.place_planes[0, place] << U64(card),
                t.place_planes[1, place] << U64(card),
                t.place_planes[2, place] << U64(card),
            )[0]


@inner
def prepare_target(t, ws, loose, card, target):
    """Work out the layout of the signature that ``card`` leads to when it leaves this one as ``target``."""
    bit = ONE << U64(card)
    loose = loose & ~bit if target >= CARDS else loose | bit
    layout = make_layout(t, loose, ws.target_nets[target])
    ws.target_layouts[target, 0] = layout.loose
    ws.target_layouts[target, 1] = layout.low_shift
    ws.target_layouts[target, 2] = layout.high_shift
    ws.target_layouts[target, 3] = U64(layout.wide)


@inner
def close(t, ws, layout, sets, bits, head, count, room, piece_mask, piece):
    """Expand the states ``ws.order[head:count]`` and whatever of this signature follows from them.

    The table has ``2**bits`` slots.  In a workspace that ``grows`` it holds ``order[:count]`` and is enlarged when it
    fills; in others it may hold other closed states too, be compact (then ``ws.steps`` has room), and the caller chooses
    ``room`` so that it does not fill.  Keys with ``piece word & piece_mask != piece`` (the first word, the second of wide
    keys) belong to other pieces of the signature and leave it like candidates for other signatures, under target number
    SIBLINGS.  Stops when nothing is left to expand, or when another group could exceed ``room`` states or the scratch
    memory of candidates.  Returns (bits, head, count, candidates left, their words, forced states expanded).
    """
    wide = layout.wide
    compact = ws.steps.size > 0
    words = WIDE_WORDS if wide else 1
    outgoing = outgoing_words = forced_states = 0
    mask = (1 << bits) - 1
    shift = U64(64 - bits)
    ready_targets = U64(0)
    zero = U64(0)
    while head < count:
        if count + BURST > room or outgoing + BURST > ws.outgoing.size // WIDE_WORDS:
            break
        burst = 0
        end = min(head + GROUP, count)
        while head < end:
            base = words * head
            first = ws.order[base]
            second = third = zero
            if wide:
                second, third = ws.order[base + 1], ws.order[base + 2]
            off, low, high = unpack_key(t, layout, ws.nets, first, second, third)
            skip = ONE << U64(t.code_card[ws.order_codes[head]])
            moves, forced = list_moves(t, sets, off, low, high, skip, ws.moves)
            forced_states += forced
            head += 1
            for index in range(moves):
                card, new = np.int64(ws.moves[index]) >> 3, np.int64(ws.moves[index]) & 7
                old = place_of(sets.locked, off, low, high, card)
                code = t.codes[8 * card + old]
                if new != PLACE_HOME and old != PLACE_LOCKED:
                    if not wide:
                        key = (first & ws.keeps[card]) | ws.fields[8 * card + new]
                        key2 = key3 = zero
                    else:
                        moved = apply_move(t, zero, off, low, high, card, old, new)
                        key, key2, key3 = pack_key(t, layout, ws.nets, moved[1], moved[2], moved[3])
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
                    target = SIBLINGS
                    key_words = words
                else:
                    target = CARDS + (card & 3) if new == PLACE_HOME else card
                    if not (ready_targets >> U64(target)) & ONE:
                        ready_targets |= ONE << U64(target)
                        prepare_target(t, ws, sets.loose, card, target)
                    moved = apply_move(t, zero, off, low, high, card, old, new)
                    goal = Layout(
                        ws.target_layouts[target, 0],
                        0,
                        ws.target_layouts[target, 1],
                        ws.target_layouts[target, 2],
                        ws.target_layouts[target, 3] != zero,
                    )
                    key, key2, key3 = pack_key(
                        t, goal, ws.target_nets[target], moved[1], moved[2], moved[3]
                    )
                    key_words = WIDE_WORDS if goal.wide else 1
                ws.outgoing[outgoing_words] = key
                if key_words > 1:
                    ws.outgoing[outgoing_words + 1] = key2
                    ws.outgoing[outgoing_words + 2] = key3
                outgoing_words += key_words
                ws.outgoing_codes[outgoing] = code
                ws.outgoing_targets[outgoing] = target
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
    return bits, head, count, outgoing, outgoing_words, forced_states


@kernel
def close_piece(t, ws, signature, bits, head, count, room, piece_mask, piece):
    """:func:`close` for a piece of a signature.

    Returns (head, count, candidates left, their words, forced states expanded).
    """
    sets, layout = prepare(t, ws, signature)
    return close(t, ws, layout, sets, bits, head, count, room, piece_mask, piece)[1:]


@kernel
def admit(ws, wide, bits, count, keys, codes, first, first_word, candidates):
    """Put those of the candidates ``first:first+candidates`` that are new into the table and behind ``order[:count]``.

    Returns the new count.
    """
    words = WIDE_WORDS if wide else 1
    mask = (1 << bits) - 1
    shift = U64(64 - bits)
    second = third = U64(0)
    for index in range(candidates):
        base = first_word + words * index
        key = keys[base]
        if wide:
            second, third = keys[base + 1], keys[base + 2]
        slot = hash_slot(key, second, third, shift)
        if insert(ws.table, mask, slot, wide, key, second, third):
            for word in range(words):
                ws.order[words * count + word] = keys[base + word]
            ws.order_codes[count] = codes[first + index]
            count += 1
    return count


@inner
def prepare(t, ws, signature):
    """Make the workspace ready for a signature; returns its (Sets, Layout)."""
    sets = signature_sets(t, signature)
    layout = make_layout(t, sets.loose, ws.nets)
    if not layout.wide:
        make_fields(t, layout, ws.nets, ws.fields, ws.keeps)
    return sets, layout


@kernel
def admit_piece(t, ws, signature, bits, count, keys, codes, candidates):
    """:func:`admit` for a piece: the first ``candidates`` of ``keys`` and ``codes``."""
    _, layout = prepare(t, ws, signature)
    start = np.int64(0)  # a literal 0 would be a type of its own, and compiled apart
    if not ws.steps.size:
        return admit(ws, layout.wide, bits, count, keys, codes, start, start, candidates)
    mask = (1 << bits) - 1
    shift = U64(64 - bits)
    for index in range(candidates):
        base = WIDE_WORDS * index
        low, high = compact_key(layout, ws.nets, keys[base], keys[base + 1])
        if insert_compact(ws.table, ws.steps, mask, home_slot(low, high, shift), low):
            for word in range(WIDE_WORDS):
                ws.order[WIDE_WORDS * count + word] = keys[base + word]
            ws.order_codes[count] = codes[index]
            count += 1
    return count


@allocating
def write_runs(t, ws, out, signature, outgoing):
    """Sort the ``outgoing`` candidates that left a signature by target and append them to the output as runs."""
    sets = signature_sets(t, signature)
    counts = np.zeros(SIBLINGS + 1, np.int64)
    for index in range(outgoing):
        counts[ws.outgoing_targets[index]] += 1
    place = out.used[3]
    word = out.used[4]
    run = out.used[5]
    places = np.zeros(SIBLINGS + 1, np.int64)
    words = np.zeros(SIBLINGS + 1, np.int64)
    widths = np.ones(SIBLINGS + 1, np.int64)
    for target in range(SIBLINGS):
        if counts[target] == 0:
            continue
        if ws.target_layouts[target, 3]:
            widths[target] = WIDE_WORDS
        goal = sets.signature
        if target < CARDS:
            goal -= t.release[target]
        else:
            suit = target - CARDS
            card = 4 * height(sets.signature, suit) + suit
            goal += ONE << U64(4 * suit)
            if (sets.locked >> U64(card)) & ONE:
                goal -= t.release[card]
        out.run_signatures[run] = goal
        out.run_counts[run] = counts[target]
        out.run_offsets[run] = place
        out.run_words[run] = word
        run += 1
        places[target], words[target] = place, word
        place += counts[target]
        word += counts[target] * widths[target]
    source = 0
    for index in range(outgoing):
        target = ws.outgoing_targets[index]
        out.run_codes[places[target]] = ws.outgoing_codes[index]
        places[target] += 1
        for _ in range(widths[target]):
            out.run_keys[words[target]] = ws.outgoing[source]
            words[target] += 1
            source += 1
    out.used[3], out.used[4], out.used[5] = place, word, run


@kernel
def exhaust_batch(t, ws, out, signatures, counts, offsets, words, keys, codes, first, last, limit):
    """Close the signatures ``first:last``, each with its candidates, and append what comes of them to ``out``.

    Candidates of signature i are ``keys[words[i]:]`` and ``codes[offsets[i]:]``, ``counts[i]`` of them, duplicates
    included.  Returns the index of the first signature not closed: ``last``, or one whose keys are wide where those in
    ``out`` are not (or the reverse), or one for which there was no room or that has more
    than about ``limit`` states.  If ``out`` holds nothing then, that
    signature is too big: ``out.partial`` says how far its closure, left in the workspace, has come.
    """
    for index in range(first, last):
        signature = signatures[index]
        sets, layout = prepare(t, ws, signature)
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
        bits, head, count, outgoing, outgoing_words, forced = close(
            t, ws, layout, sets, bits, np.int64(0), count, room, U64(0), U64(0)
        )
        out.partial[0], out.partial[1], out.partial[2] = bits, head, count
        out.partial[3], out.partial[4], out.partial[5] = outgoing, outgoing_words, forced
        if (
            head < count
            or out.used[1] + key_words * count > out.keys.size
            or out.used[3] + outgoing > out.run_codes.size
            or out.used[4] + outgoing_words > out.run_keys.size
            or out.used[2] == out.signatures.size
            or out.used[5] + TARGETS > out.run_counts.size
        ):
            return index
        write_runs(t, ws, out, signature, outgoing)
        sort_states(
            ws.order,
            ws.order_codes,
            out.keys[out.used[1] :],
            out.codes[out.used[0] :],
            count,
            key_words,
        )
        out.signatures[out.used[2]] = signature
        out.closed[out.used[2], 0] = count
        out.closed[out.used[2], 1] = forced
        out.used[0] += count
        out.used[1] += key_words * count
        out.used[2] += 1
    return last
