"""Closing signatures: the kernel of a proof.

To close a signature is to expand all of its states, until no new ones follow. Equal states have the
same signature, so each signature is closed on its own, in a small hash table of local keys.
Successors with another signature are *candidates*; they are written as runs, one for each target
signature. Nothing is looked up outside the signature, so threads share nothing.

A state is a position of cards or a record; the two are expanded differently
(:mod:`dbmsolver.kits.cards.groups`, :mod:`dbmsolver.kernels.record_groups`). The type of ``space``,
scratch memory, tells which it is: see `StateCodec.make_space`.

``t`` are the deal's tables, ``ws`` a thread's workspace, ``out`` its output. ``bits`` is the log2
of the table's slots. States ``ws.order[:head]`` are expanded, those in ``ws.order[head:count]`` are
not.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import allocating, inner, kernel
from dbmsolver.kernels.hooks import (
    expand_group,
    forget_targets,
    prepare,
    targets_of,
)
from dbmsolver.kernels.insertion import (
    PieceBits,
    has_room_for_closed,
    insert_buffered,
    insert_new,
    note_partial,
    put_closed,
    room_for_states,
    start_table,
)
from dbmsolver.kernels.layout import width_of
from dbmsolver.kernels.outgoing import (
    OTHER_PIECES,
    Totals,
    fill_runs,
    has_room_for_runs,
    put_run,
    target_width,
)
from dbmsolver.kernels.states import ZERO
from dbmsolver.kernels.workspace import BUFFER, GROUP, USED_SIGNATURES, USED_WIDTH


@inner
def close(t, ws, space, layout, sets, piece, bits, head, count, room):
    """Expand the states ``ws.order[head:count]``, and all of this signature that follow from them.

    If the workspace ``grows``, the table holds ``order[:count]`` and is enlarged when it is full.
    Otherwise the table may hold other closed states, too, and may be compact; the caller chooses
    ``room`` so that it does not fill. Candidates for another piece of this signature are written
    with the target number OTHER_PIECES.

    Stops when no state is left to expand, or when the next group of states might not fit into
    ``room`` or into the scratch memory for candidates. Writes to the workspace and ``space`` only.
    Returns (bits, head, count, :class:`dbmsolver.kernels.outgoing.Totals`). ``head`` is -1 if a
    record is impossible, or has more successors than there is room for.
    """
    forget_targets(space)
    totals = Totals(np.int64(0), np.int64(0), np.int64(0))
    while head < count and count + BUFFER <= room:
        before = head
        end = min(head + GROUP, count)
        head, buffered, totals = expand_group(
            space, t, ws, layout, sets, piece, bits, head, end, totals
        )
        if head < 0 or head == before:
            break
        bits, count = insert_buffered(ws, layout, bits, count, buffered)
    return bits, head, count, totals


@kernel
def close_piece(t, ws, space, signature, bits, head, count, room, piece_mask, piece):
    """Close the piece with this mask and value (uint64) of a signature, as :func:`close` does.

    Returns (head, count, candidates that left, words of their keys, states with a forced move).
    """
    sets, layout = prepare(space, t, ws, signature)
    _, head, count, totals = close(
        t, ws, space, layout, sets, PieceBits(piece_mask, piece), bits, head, count, room
    )
    return head, count, totals.outgoing, totals.words, totals.forced


@allocating
def write_runs(ws, space, out, outgoing):
    """Append the ``outgoing`` candidates that left a signature to the output, as runs by target.

    Writes the ``run_`` arrays of ``out`` and ``out.used``.
    """
    targets = targets_of(space)
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
def split_other_pieces(ws, space, outgoing, width, keys, codes):
    """Move the candidates for other pieces of the signature to ``keys`` (uint64) and ``codes``.

    They are those with the target number OTHER_PIECES, and their keys have ``width`` words. The
    other candidates close up in ``ws.outgoing``, ``ws.outgoing_codes`` and the targets of
    ``space``. Returns (how many were moved, how many are left).
    """
    targets = space.outgoing_targets
    found = rest = source = place = 0
    for index in range(outgoing):
        target = np.int64(targets[index])
        size = width
        if target != OTHER_PIECES:
            size = target_width(space.layouts, target)
            for word in range(size):
                ws.outgoing[place + word] = ws.outgoing[source + word]
            place += size
            ws.outgoing_codes[rest] = ws.outgoing_codes[index]
            targets[rest] = target
            rest += 1
        else:
            for word in range(size):
                keys[width * found + word] = ws.outgoing[source + word]
            codes[found] = ws.outgoing_codes[index]
            found += 1
        source += size
    return found, rest


@kernel
def exhaust_batch(t, ws, space, out, runs, first, last, limit):
    """Close the signatures ``first:last``, each with its candidates, and append the results.

    These are ``runs`` (:class:`dbmsolver.kernels.runs.RunArrays`), duplicates included. Writes to
    ``ws``, ``space`` and ``out`` only.

    Returns the index of the first signature that is not closed: ``last``, or one whose keys are
    wide where those in ``out`` are not (or the reverse), or one for which there is no room or that
    has more than about ``limit`` states. If ``out`` holds nothing then, that signature is too big:
    ``out.partial`` says how far its closure, which is left in the workspace, has come. Returns -1
    if a record cannot be, or has too many successors.
    """
    for index in range(first, last):
        signature = runs.signatures[index]
        sets, layout = prepare(space, t, ws, signature)
        width = width_of(layout)
        if out.used[USED_SIGNATURES] > 0 and width != out.used[USED_WIDTH]:
            return index
        out.used[USED_WIDTH] = width
        room = room_for_states(ws, out, width, limit)
        if runs.counts[index] + BUFFER > room:
            out.partial[:] = 0
            return index
        bits = start_table(ws, width, runs.counts[index])
        head = np.int64(0)
        keys = runs.keys[runs.word_offsets[index] :]
        codes = runs.codes[runs.offsets[index] :]
        count = insert_new(ws, layout, bits, np.int64(0), keys, codes, runs.counts[index])
        bits, head, count, totals = close(
            t, ws, space, layout, sets, PieceBits(ZERO, ZERO), bits, head, count, room
        )
        if head < 0:
            return np.int64(-1)
        note_partial(out, bits, head, count, totals)
        if (
            head < count
            or not has_room_for_closed(out, width, count)
            or not has_room_for_runs(out, totals, targets_of(space))
        ):
            return index
        write_runs(ws, space, out, totals.outgoing)
        put_closed(ws, out, signature, width, count, totals.forced)
    return last
