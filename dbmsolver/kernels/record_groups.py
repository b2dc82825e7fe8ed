"""Expanding records, some at a time, while their signature is closed.

:mod:`dbmsolver.kernels.exhaust` calls these functions, and says what they do. A macro may release
several locked cards and send several cards home, so it may lead to any later signature: those that
the records of a signature lead to get numbers as they are found.

The code of a record (uint8) is a fingerprint of the record it comes from: eight bits of a hash.
They are enough to find the parent again among the closed records. Classes, positions of games of
one pile and of pairs, and those of Klondike and its relatives are closed by the same kernels, and
called records here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner
from dbmsolver.jit.structs import struct
from dbmsolver.kernels import hooks
from dbmsolver.kernels.hashes import fingerprint
from dbmsolver.kernels.hashing import HASH
from dbmsolver.kernels.hooks import (
    code_of_child,
    expand_state,
    make_found,
    make_layout,
    pack_key,
    signature_sets,
    unpack_key,
)
from dbmsolver.kernels.insertion import is_in_piece, put_buffered
from dbmsolver.kernels.layout import LAYOUT_WORDS, NETS, WIDE_WORDS, get_layout, key_at, put_layout
from dbmsolver.kernels.outgoing import OTHER_PIECES, Totals, put_outgoing
from dbmsolver.kernels.states import HIGH, LOW, OFF, SIGNATURE, U64
from dbmsolver.kernels.workspace import BUFFER

MOST_TARGETS = 4096
"""Signatures that the records of one signature may lead to before the closure pauses."""
TARGET_BITS = 14
TARGET_SLOTS = 1 << TARGET_BITS
RECENT_BITS = 12

ROUND, TARGETS_IN_USE = range(2)
"""Columns of ``RecordSpace.counters``: how often targets were forgotten; the targets since then."""
RECENT_KEY, RECENT_MARK = range(2)
"""Columns of ``RecordSpace.recent``: a narrow key, and its round and target."""


@struct
class RecordSpace(NamedTuple):
    """Scratch memory of one thread that closes records, beside its workspace."""

    scratch: Any  # as the hook `make_found` returns it for the tables
    outgoing_targets: NDArray[np.uint16]  # [candidates]: number of the target signature
    slots: NDArray[np.int32]  # [TARGET_SLOTS]: target number + 1 by hash of its signature, or 0
    signatures: NDArray[np.uint64]  # [MOST_TARGETS]: the target's
    places: NDArray[np.int32]  # [MOST_TARGETS]: its slot
    counts: NDArray[np.int64]  # [MOST_TARGETS]: candidates for it
    nets: NDArray[np.uint64]  # [MOST_TARGETS, 3, 7]: its packing networks
    layouts: NDArray[np.uint64]  # [MOST_TARGETS, 4]: its layout
    recent: NDArray[np.uint64]  # [2**RECENT_BITS, 2]: candidates that have just left
    counters: NDArray[np.int64]  # [2]


def make_record_space(t: Any, candidates: int) -> RecordSpace:
    """Return scratch memory for ``candidates`` candidates that leave the signature.

    ``t`` are the tables that it is used with.
    """
    return RecordSpace(
        scratch=make_found(t),
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
def fingerprint_of(t, sets, off, low, found, index):
    """Return the fingerprint of a state, as the code of those that follow from it."""
    return fingerprint(sets.signature, off, low)


@inlined
def prepare_records(space, t, ws, signature):
    """Make the workspace ready for a signature: its (Sets, layout)."""
    sets = signature_sets(t, signature)
    return sets, make_layout(t, sets.loose, ws.nets)


@inner
def forget_record_targets(space):
    """Start a new round without targets: writes ``space.slots`` and ``counters``."""
    for target in range(space.counters[TARGETS_IN_USE]):
        space.slots[space.places[target]] = 0
    space.counters[TARGETS_IN_USE] = 0
    space.counters[ROUND] += 1


@inlined
def number_of_targets(space):
    """Return how many targets have a number (int64)."""
    return space.counters[TARGETS_IN_USE]


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
def expand_records(space, t, ws, layout, sets, piece, bits, head, end, totals):
    """Expand the records ``ws.order[head:end]`` while there is room for their successors."""
    outgoing, outgoing_words = totals.outgoing, totals.words
    most = min(ws.outgoing.size // WIDE_WORDS, space.outgoing_targets.size)
    found = space.scratch.found
    buffered = np.int64(0)
    while head < end:
        key = key_at(ws.order, head, layout.wide)
        parent = unpack_key(t, layout, ws.nets, key[0], key[1], key[2])
        successors = expand_state(t, sets, parent[0], parent[1], parent[2], space.scratch)
        if successors < 0:
            head = np.int64(-1)
            break
        if (
            buffered + successors > BUFFER
            or outgoing + successors > most
            or space.counters[TARGETS_IN_USE] + successors > MOST_TARGETS
        ):
            break
        head += 1
        for index in range(successors):
            code = code_of_child(t, sets, parent[0], parent[1], found, index)
            signature, off, low = found[index, SIGNATURE], found[index, OFF], found[index, LOW]
            high = found[index, HIGH]
            if signature == sets.signature:
                after = pack_key(t, layout, ws.nets, off, low, high)
                if is_in_piece(layout, piece, after):
                    put_buffered(ws, layout, bits, buffered, after, code)
                    buffered += 1
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
    return head, buffered, Totals(outgoing, outgoing_words, totals.forced)


hooks.add(
    RecordSpace,
    {
        hooks.prepare: prepare_records,
        hooks.forget_targets: forget_record_targets,
        hooks.targets_of: number_of_targets,
        hooks.expand_group: expand_records,
    },
)
