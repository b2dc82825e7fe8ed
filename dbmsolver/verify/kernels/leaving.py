"""States of games whose cards only leave, one by one: what they are, and what moves lead to.

A *state* of such a game is int64[fields], made of its key: how many cards each column has left, and
whatever else :mod:`dbmsolver.verify.pile_format` and :mod:`dbmsolver.verify.pair_format` say.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel
from dbmsolver.verify.kernels.words import U64, ZERO, Ints


class LeavingKeys(NamedTuple):
    """The form of the keys of a deal."""

    shifts: Ints  # [fields]: the lowest bit of each field of a state in its key
    masks: Ints  # [fields]: the bits of each field
    first: Ints  # [fields]: the state that is dealt
    cut: int  # the bits of a local key below those of the signature
    signature_bits: int
    local_bits: int
    tells_layer: bool  # True if signatures tell the layer: the same cards may be closed in several


class LeavingTable(NamedTuple):
    """Scratch memory of one thread."""

    state: Ints  # [fields]
    after: Ints  # [fields]: the state that a move leads to
    free: Ints  # [columns + 2]
    ranks: Ints  # [13]


def make_table(fields: int) -> LeavingTable:
    """Return scratch memory for states with this many fields."""
    state, after, free = (np.zeros(fields, np.int64) for _ in range(3))
    return LeavingTable(state, after, free, np.zeros(13, np.int64))


@inlined
def copy_state(state, target):
    """Copy the fields of a state."""
    for field in range(state.size):
        target[field] = state[field]


@inlined_kernel
def key_of(k, state):
    """Return the public key of a state."""
    key = ZERO
    for field in range(state.size):
        key |= U64(state[field]) << U64(k.shifts[field])
    return key


@inlined
def take_apart(k, key, state):
    """Write the state of a key; return False if the key has bits above those of its fields."""
    for field in range(state.size):
        state[field] = np.int64(key >> U64(k.shifts[field])) & k.masks[field]
    return key >> U64(k.local_bits + k.signature_bits) == ZERO


@inlined
def write_after(k, table, layer, code, layers, after, end):
    """Write the state ``table.after`` as one that a move leads to; return the end of the list.

    The move has a parent-move code, and leads up some layers; ``layer`` is that of the state before
    where signatures tell it, else 0.
    """
    row = after.rows[end]
    row[0], row[1] = key_of(k, table.after), layer
    row[2] = row[3] = ZERO
    if k.tells_layer:
        row[1] += U64(layers)
    after.codes[end], after.made[end] = code, layers
    return end + 1
