"""Closing signatures: the kernel of a proof over every position.

A signature's states can only have each other as duplicates, so each signature is closed on its own,
in a small hash table of local keys. Candidates that leave the signature come out as runs, by target
signature. Nothing is looked up outside the signature, so threads share nothing.

``t`` is the deal's :class:`~dbmsolver.core.tables.Tables`, ``ws`` a thread's workspace, ``out`` its
output. ``bits`` is the log2 of the table's slots. States ``ws.order[:head]`` are expanded, those in
``ws.order[head:count]`` are not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
from dbmsolver.core.expand import put_card, signature_sets, skipping_last
from dbmsolver.core.families import apply_move, home_signature, list_moves, place_of, set_home
from dbmsolver.core.layout import (
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
    target_width,
)
from dbmsolver.core.tables import CARDS, PLACE_HOME, PLACE_LOCKED
from dbmsolver.core.workspace import (
    BURST,
    GROUP,
    OTHER_PIECES,
    TARGETS,
    USED_SIGNATURES,
    USED_WIDTH,
)
from dbmsolver.jit.decorators import allocating, inlined, inner, kernel

U64 = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)


class Totals(NamedTuple):
    """Counts of the results of expanding states so far."""

    outgoing: int  # candidates that left the signature
    outgoing_words: int  # words of their keys
    forced: int  # states with a forced move
    ready: np.uint64  # set of targets whose layout is known


@inner
def make_fields(t, layout, nets, fields, keeps):
    """Write the key bits of each (loose card, place value): a move then replaces one field.

    For narrow layouts only. Writes ``fields`` (uint64[52 * 8]): the bits, and ``keeps``
    (uint64[52]): masks of the key without that card's bits. ``nets`` (uint64[3, 7]) are the
    layout's.
    """
    rest = layout.loose
    for card in range(CARDS):
        bit = ONE << U64(card)
        if not rest & bit:
            continue
        field = pack_key(t, layout, nets, bit, bit, bit)[0]
        keeps[card] = ~field
        for place in range(PLACE_HOME):
            placed = put_card(t, ZERO, ZERO, ZERO, card, place)
            fields[8 * card + place] = pack_key(t, layout, nets, *placed)[0]


@inner
def prepare(t, ws, signature):
    """Make the workspace ready for a signature: its (Sets, Layout).

    Writes ``ws.nets`` and, if the signature is not wide, ``ws.fields`` and ``ws.keeps``.
    """
    sets = signature_sets(t, signature)
    layout = make_layout(t, sets.loose, ws.nets)
    if not layout.wide:
        make_fields(t, layout, ws.nets, ws.fields, ws.keeps)
    return sets, layout


@inlined
def prepare_target(t, ws, loose, card, target):
    """Work out the layout of the signature that ``card`` leads to when it leaves this one.

    ``loose`` are this signature's loose cards. Writes row ``target`` of ``ws.target_layouts`` and
    ``ws.target_nets``.
    """
    loose = loose & ~set_home(t, card) if target >= CARDS else loose | (ONE << U64(card))
    put_layout(ws.target_layouts, target, make_layout(t, loose, ws.target_nets[target]))


@inlined
def key_after_move(t, ws, layout, key, off, low, high, card, old, new):
    """Return the key, of three words, after a move from place ``old`` to ``new``.

    The move stays within the signature.
    """
    if not layout.wide:
        return (key[0] & ws.keeps[card]) | ws.fields[8 * card + new], ZERO, ZERO
    moved = apply_move(t, ZERO, off, low, high, card, old, new)
    return pack_key(t, layout, ws.nets, moved[1], moved[2], moved[3])


@inlined
def expand_group(t, ws, layout, sets, piece, bits, head, end, totals):
    """Expand the states ``ws.order[head:end]``; returns (candidates staged, the new totals).

    Candidates of the piece are staged in ``ws.burst``, all others go to ``ws.outgoing``. Also
    writes ``ws.moves`` and the layouts of targets.
    """
    outgoing, outgoing_words = totals.outgoing, totals.outgoing_words
    forced_states, ready = totals.forced, totals.ready
    burst = 0
    for index in range(head, end):
        key = key_at(ws.order, index, layout.wide)
        off, low, high = unpack_key(t, layout, ws.nets, key[0], key[1], key[2])
        before = skipping_last(t, ws.order_codes[index])
        moves, forced = list_moves(t, sets, off, low, high, before, ws.moves)
        forced_states += forced
        for number in range(moves):
            card, new = np.int64(ws.moves[number]) >> 3, np.int64(ws.moves[number]) & 7
            old = place_of(t, sets.locked, off, low, high, card)
            code = t.codes[8 * card + old]
            if new != PLACE_HOME and old != PLACE_LOCKED:
                after = key_after_move(t, ws, layout, key, off, low, high, card, old, new)
                if is_in_piece(layout, piece, after):
                    stage(ws, layout, bits, burst, after, code)
                    burst += 1
                    continue
                target = OTHER_PIECES
                wide = layout.wide
            else:
                target = CARDS + (card & 3) if new == PLACE_HOME else card
                if not (ready >> U64(target)) & ONE:
                    ready |= ONE << U64(target)
                    prepare_target(t, ws, sets.loose, card, target)
                moved = apply_move(t, ZERO, off, low, high, card, old, new)
                goal = get_layout(ws.target_layouts, target)
                after = pack_key(t, goal, ws.target_nets[target], moved[1], moved[2], moved[3])
                wide = goal.wide
            outgoing_words += put_outgoing(
                ws, ws.outgoing_targets, outgoing, outgoing_words, wide, after, code, target
            )
            outgoing += 1
    return burst, Totals(outgoing, outgoing_words, forced_states, ready)


@inner
def close(t, ws, layout, sets, piece, bits, head, count, room):
    """Expand the states ``ws.order[head:count]``, and all states of this signature that follow.

    In a workspace that ``grows`` the table holds ``order[:count]`` and is enlarged when it fills.
    In others it may hold other closed states too, may be compact, and the caller chooses ``room``
    so that it does not fill. Candidates for other pieces of the signature leave it under the target
    number OTHER_PIECES.

    Stops when nothing is left to expand, or when another group could exceed ``room`` states or the
    scratch memory of candidates. Writes to the workspace only; returns (bits, head, count,
    :class:`Totals`).
    """
    totals = Totals(np.int64(0), np.int64(0), np.int64(0), ZERO)
    most = ws.outgoing.size // WIDE_WORDS
    while head < count:
        if count + BURST > room or totals.outgoing + BURST > most:
            break
        end = min(head + GROUP, count)
        burst, totals = expand_group(t, ws, layout, sets, piece, bits, head, end, totals)
        head = end
        bits, count = admit_burst(ws, layout, bits, count, burst)
    return bits, head, count, totals


@kernel
def close_piece(t, ws, signature, bits, head, count, room, piece_mask, piece):
    """Close the piece with this mask and value (uint64) of a signature, as :func:`close` does.

    Returns (head, count, candidates that left, words of their keys, states with a forced move).
    """
    sets, layout = prepare(t, ws, signature)
    _, head, count, totals = close(
        t, ws, layout, sets, PieceBits(piece_mask, piece), bits, head, count, room
    )
    return head, count, totals.outgoing, totals.outgoing_words, totals.forced


@inlined
def target_signature(t, sets, target):
    """Return the signature that a target number stands for."""
    if target < CARDS:
        return sets.signature - t.release[target]
    return home_signature(t, sets, target - CARDS)


@allocating
def write_runs(t, ws, out, signature, outgoing):
    """Append the ``outgoing`` candidates that left a signature to the output, as runs by target.

    Writes the ``run_`` arrays of ``out`` and ``out.used``.
    """
    sets = signature_sets(t, signature)
    counts = np.zeros(OTHER_PIECES + 1, np.int64)
    for index in range(outgoing):
        counts[ws.outgoing_targets[index]] += 1
    offsets = np.zeros(TARGETS, np.int64)
    words = np.zeros(TARGETS, np.int64)
    widths = np.ones(TARGETS, np.int64)
    for target in range(TARGETS):
        if counts[target] == 0:
            continue
        widths[target] = target_width(ws.target_layouts, target)
        offsets[target], words[target] = put_run(
            out, target_signature(t, sets, target), counts[target], widths[target]
        )
    fill_runs(ws, out, ws.outgoing_targets, outgoing, offsets, words, widths)


@kernel
def exhaust_batch(t, ws, out, runs, first, last, limit):
    """Close the signatures ``first:last``, each with its candidates, and append the results.

    These are ``runs`` (:class:`dbmsolver.core.runs.RunArrays`), duplicates included. Writes to
    ``ws`` and ``out`` only.

    Returns the index of the first signature that is not closed: ``last``, or one whose keys are
    wide where those in ``out`` are not (or the reverse), or one for which there is no room or that
    has more than about ``limit`` states. If ``out`` holds nothing then, that signature is too big:
    ``out.partial`` says how far its closure, which is left in the workspace, has come.
    """
    for index in range(first, last):
        signature = runs.signatures[index]
        sets, layout = prepare(t, ws, signature)
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
            t, ws, layout, sets, PieceBits(ZERO, ZERO), bits, head, count, room
        )
        outgoing, outgoing_words = totals.outgoing, totals.outgoing_words
        note_partial(out, bits, head, count, outgoing, outgoing_words, totals.forced)
        if (
            head < count
            or not has_room_for_closed(out, width, count)
            or not has_room_for_runs(out, outgoing, outgoing_words, TARGETS)
        ):
            return index
        write_runs(t, ws, out, signature, outgoing)
        put_closed(ws, out, signature, width, count, totals.forced)
    return last
