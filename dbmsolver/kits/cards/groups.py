"""Expanding positions of cards, some at a time, while their signature is closed.

:mod:`dbmsolver.kernels.exhaust` calls these functions, and says what they do. A move stays within
the signature, or it releases a locked card, or a suit's next card goes home: so each signature that
moves lead to has a number that is known before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.hooks import (
    apply_move,
    list_moves,
    make_layout,
    pack_key,
    place_of,
    signature_sets,
    unpack_key,
)
from dbmsolver.kernels.insertion import is_in_piece, put_buffered
from dbmsolver.kernels.layout import LAYOUT_WORDS, NETS, WIDE_WORDS, get_layout, key_at, put_layout
from dbmsolver.kernels.outgoing import OTHER_PIECES, Totals, put_outgoing
from dbmsolver.kernels.states import CARDS, MAX_MOVES, ONE, U64, ZERO
from dbmsolver.kernels.workspace import BUFFER, TARGETS
from dbmsolver.kits.cards.expand import put_card, skip_last
from dbmsolver.kits.cards.tables import PLACE_HOME, PLACE_LOCKED


@struct
class PositionSpace(NamedTuple):
    """Scratch memory of one thread that closes positions, beside its workspace."""

    outgoing_targets: NDArray[np.uint16]  # [candidates]: number of the target signature
    signatures: NDArray[np.uint64]  # [TARGETS]: the target's
    counts: NDArray[np.int64]  # [TARGETS]: candidates for it
    nets: NDArray[np.uint64]  # [TARGETS, 3, 7]: its packing networks
    layouts: NDArray[np.uint64]  # [TARGETS, 4]: its layout
    fields: NDArray[np.uint64]  # [52 * 8]: key bits of (loose card, place value)
    keeps: NDArray[np.uint64]  # [52]: mask of the key without that card's bits
    moves: NDArray[np.uint16]  # [MAX_MOVES]


def make_position_space(candidates: int) -> PositionSpace:
    """Return scratch memory for ``candidates`` candidates that leave the signature."""
    return PositionSpace(
        outgoing_targets=np.empty(candidates, np.uint16),
        signatures=np.zeros(TARGETS, np.uint64),
        counts=np.zeros(TARGETS, np.int64),
        nets=np.zeros((TARGETS, *NETS), np.uint64),
        layouts=np.zeros((TARGETS, LAYOUT_WORDS), np.uint64),
        fields=np.zeros(CARDS * 8, np.uint64),
        keeps=np.zeros(CARDS, np.uint64),
        moves=np.zeros(MAX_MOVES, np.uint16),
    )


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
def prepare_positions(space, t, ws, signature):
    """Make the scratch memory ready for a signature: its (Sets, layout)."""
    sets = signature_sets(t, signature)
    layout = make_layout(t, sets.loose, ws.nets)
    if not layout.wide:
        make_fields(t, layout, ws.nets, space.fields, space.keeps)
    return sets, layout


@inlined
def forget_position_targets(space):
    """Start without candidates for any target."""
    space.counts[:] = 0


@inlined
def number_of_targets(space):
    """Return how many numbers targets have (int64)."""
    return np.int64(TARGETS)


@inlined
def add_target(t, space, signature, target):
    """Write down a signature that a move leads to from this one, and its layout."""
    space.signatures[target] = signature
    layout = make_layout(t, signature_sets(t, signature).loose, space.nets[target])
    put_layout(space.layouts, target, layout)


@inlined
def key_after_move(t, ws, space, layout, key, off, low, high, card, old, new):
    """Return the key, of three words, after a move from place ``old`` to ``new``.

    The move stays within the signature.
    """
    if not layout.wide:
        return (key[0] & space.keeps[card]) | space.fields[8 * card + new], ZERO, ZERO
    moved = apply_move(t, ZERO, off, low, high, card, old, new)
    return pack_key(t, layout, ws.nets, moved[1], moved[2], moved[3])


@inlined
def expand_positions(space, t, ws, layout, sets, piece, bits, head, end, totals):
    """Expand the positions ``ws.order[head:end]``, if there is room for whatever follows."""
    outgoing, outgoing_words, forced_states = totals.outgoing, totals.words, totals.forced
    buffered = np.int64(0)
    if outgoing + BUFFER > min(ws.outgoing.size // WIDE_WORDS, space.outgoing_targets.size):
        end = head
    for index in range(head, end):
        key = key_at(ws.order, index, layout.wide)
        off, low, high = unpack_key(t, layout, ws.nets, key[0], key[1], key[2])
        before = skip_last(t, sets, off, low, high, ws.order_codes[index])
        moves, forced = list_moves(t, sets, off, low, high, before, space.moves)
        forced_states += forced
        for number in range(moves):
            card, new = np.int64(space.moves[number]) >> 3, np.int64(space.moves[number]) & 7
            old = place_of(t, sets.locked, off, low, high, card)
            code = t.codes[8 * card + old]
            if new != PLACE_HOME and old != PLACE_LOCKED:
                after = key_after_move(t, ws, space, layout, key, off, low, high, card, old, new)
                if is_in_piece(layout, piece, after):
                    put_buffered(ws, layout, bits, buffered, after, code)
                    buffered += 1
                    continue
                target = OTHER_PIECES
                wide = layout.wide
            else:
                target = CARDS + (card & 3) if new == PLACE_HOME else card
                moved = apply_move(t, sets.signature, off, low, high, card, old, new)
                if not space.counts[target]:
                    add_target(t, space, moved[0], target)
                space.counts[target] += 1
                goal = get_layout(space.layouts, target)
                after = pack_key(t, goal, space.nets[target], moved[1], moved[2], moved[3])
                wide = goal.wide
            outgoing_words += put_outgoing(
                ws, space.outgoing_targets, outgoing, outgoing_words, wide, after, code, target
            )
            outgoing += 1
    return end, buffered, Totals(outgoing, outgoing_words, forced_states)
