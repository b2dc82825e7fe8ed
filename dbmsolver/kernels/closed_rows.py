"""Counts, digest and codes of the states that a search by cost layers has closed.

They are rows of a shard (:mod:`dbmsolver.kernels.shards`), and need not be in the store for that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import kernel
from dbmsolver.kernels.bits import prefetch
from dbmsolver.kernels.digest import MAX_PUBLIC_WORDS
from dbmsolver.kernels.hashes import hash_state
from dbmsolver.kernels.hooks import as_held, count_of, holds, meta_at
from dbmsolver.kernels.meta import IS_CLOSED, IS_FORCED, code_of
from dbmsolver.kernels.shards import row_of, slot_of
from dbmsolver.kernels.states import HIGH, LOW, OFF, SIGNATURE, U64

_AHEAD = 16
CACHE = 1024
"""Signatures whose part of the public key is remembered; a power of two."""
CACHED_PROGRESS = 1
CACHED_BASE = 2
"""Columns of the cache: signature, progress, then the words of the public key."""


def make_cache() -> NDArray[np.uint64]:
    """Return an empty cache of signatures for :func:`count_rows`."""
    cache = np.zeros((CACHE, CACHED_BASE + MAX_PUBLIC_WORDS), np.uint64)
    cache[:, 0] = ~U64(0)
    return cache


@kernel
def count_rows(t, rows, chosen, locked_in_deal, counts, cache):
    """Count closed states; return the sum (uint64) of the hashes of their public keys.

    ``chosen`` (uint32[*]) are the numbers of their rows. ``counts`` (int64[*, 2]) gets for each
    progress how many there are, and how many of them are forced. ``locked_in_deal`` (int64) is the
    number of locked cards in the deal, ``cache`` comes from :func:`make_cache`.
    """
    total = U64(0)
    for place in range(chosen.size):
        if place + _AHEAD < chosen.size:
            prefetch(rows, rows.shape[1] * np.int64(chosen[place + _AHEAD]))
        index = np.int64(chosen[place])
        stratum, hashed = count_of(t, rows, index, locked_in_deal, cache)
        total += hashed
        counts[stratum, 0] += 1
        if meta_at(t, rows, index) & IS_FORCED:
            counts[stratum, 1] += 1
    return total


@kernel
def closed_code(t, rows, table, wanted):
    """Return the parent-move code (int64) of a closed state; -1 if it is not among the rows.

    Also -1 if it is there and not closed. ``table`` is the shard's, ``wanted`` (uint64[1, ROW]) has
    the state.
    """
    state, slots = wanted[0], table.size
    held = as_held(t, state[SIGNATURE], state[OFF], state[LOW], state[HIGH])
    slot = slot_of(hash_state(held), slots)
    while table[slot]:
        index = row_of(table[slot], slots)
        if holds(t, rows, index, held):
            meta = meta_at(t, rows, index)
            return code_of(meta) if meta & IS_CLOSED else np.int64(-1)
        slot = (slot + 1) & (slots - 1)
    return np.int64(-1)
