"""Searches depth first for any solution of a game of one pile, or of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.hooks import is_won_key, next_move
from dbmsolver.kernels.states import ONE, U64, ZERO, Words

EXHAUSTED, GIVEN_UP = -1, -2
"""The values that :func:`dive` returns where it has found no solution."""
MOST_FOUND = 64
"""More successors than a state of pairs has: nine free cards make fewer pairs."""


@struct
class LeavingDiving(NamedTuple):
    """The state of a search depth first; :func:`make_diving` begins one."""

    slots: Words  # [2**n]: a hash table of the states met, plus one, 0 where it is free
    keys: Words  # [moves + 2]: the public keys of the states on the way, the deal first
    tried: Words  # [moves + 2]: for each of them what has been tried
    path: NDArray[np.int64]  # [moves + 1]: the cards put on the pile on the way, or codes of moves
    state: NDArray[np.int64]  # [2]: depth, and how many states were met
    order: NDArray[np.int64]  # [places]: decides which moves are tried first
    found: Words  # [64, 4]: the successors of a state of pairs


def make_diving(root: int, most: int, moves: int, order: Sequence[int]) -> LeavingDiving:
    """Return the beginning of a search that meets at most ``most`` states.

    No way to a state has more than ``moves`` moves. ``order`` has a number for each place that
    cards leave; by these it is decided which moves are tried first.
    """
    diving = LeavingDiving(
        slots=np.zeros(1 << (2 * most - 1).bit_length(), np.uint64),
        keys=np.zeros(moves + 2, np.uint64),
        tried=np.zeros(moves + 2, np.uint64),
        path=np.zeros(moves + 1, np.int64),
        state=np.array([0, 1], np.int64),
        order=np.array(order, np.int64),
        found=np.zeros((MOST_FOUND, 5), np.uint64),
    )
    diving.keys[0] = root
    return diving


@inlined
def _is_new(slots, mask, alike):
    """Return True if a word is not in the hash table yet; write it there."""
    slot = (alike * U64(0x9E3779B97F4A7C15)) >> U64(20)
    while slots[slot & mask] and slots[slot & mask] != alike:
        slot += ONE
    if slots[slot & mask]:
        return False
    slots[slot & mask] = alike
    return True


@kernel
def dive(t, diving, limit):
    """Search depth first for any solution, until ``limit`` states are met in all.

    Returns the length of the solution, which is in ``diving.path``; EXHAUSTED where no state is
    left; GIVEN_UP where the limit came first. Then another call with a higher limit goes on, if
    the hash table has twice as many slots.
    """
    slots, keys, tried = diving.slots, diving.keys, diving.tried
    mask = U64(slots.size - 1)
    depth, met = diving.state[0], diving.state[1]
    if is_won_key(t, keys[0]):
        return np.int64(0)
    while depth >= 0 and met < limit:
        number, moved, alike, code = next_move(t, diving, depth)
        if number < 0:
            depth -= 1
            continue
        tried[depth] |= ONE << U64(number)
        diving.path[depth] = code
        if is_won_key(t, moved):
            diving.state[1] = met
            return depth + 1
        if not _is_new(slots, mask, alike):
            continue
        met += 1
        depth += 1
        keys[depth] = moved
        tried[depth] = ZERO
    diving.state[0], diving.state[1] = depth, met
    return np.int64(EXHAUSTED if depth < 0 else GIVEN_UP)
