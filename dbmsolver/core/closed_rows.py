"""Counts, digest and codes of the states that a search by cost layers has closed.

They are rows of a shard (:mod:`dbmsolver.core.shards`), and need not be in the store for that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bits import prefetch
from dbmsolver.core.card_rows import mix
from dbmsolver.core.digest import MAX_PUBLIC_WORDS, base_words, hash_state, hash_words
from dbmsolver.core.expand import progress, signature_sets
from dbmsolver.core.held_rows import as_held, by_kind, hash_held, holds, meta_at, stratum_at
from dbmsolver.core.meta import IS_CLOSED, IS_FORCED, code_of
from dbmsolver.core.patience_rows import words_at
from dbmsolver.core.shards import row_of, slot_of
from dbmsolver.core.tables import HIGH, LOW, OFF, SIGNATURE
from dbmsolver.jit.decorators import inlined, kernel

U64 = np.uint64
_AHEAD = 16
_CACHE = 1024
"""Signatures whose part of the public key is remembered; a power of two."""
_PROGRESS = 1
_BASE = 2
"""Columns of the cache: signature, progress, then the words of the public key."""


def make_cache() -> NDArray[np.uint64]:
    """Return an empty cache of signatures for :func:`count_rows`."""
    cache = np.zeros((_CACHE, _BASE + MAX_PUBLIC_WORDS), np.uint64)
    cache[:, 0] = ~U64(0)
    return cache


@inlined
def _count_of_cards(t, rows, index, locked_in_deal, cache):
    """Return the progress (int64) of a row's state, and the hash (uint64) of its public key."""
    row = rows[index]
    signature = row[SIGNATURE]
    known = cache[np.int64(mix(signature) & U64(_CACHE - 1))]
    if known[0] != signature:
        known[0] = signature
        known[_PROGRESS] = U64(progress(t, signature, locked_in_deal))
        base_words(t, signature_sets(t, signature), known[_BASE:])
    base0, base1, base2 = known[_BASE], known[_BASE + 1], known[_BASE + 2]
    hashed = hash_state(t, base0, base1, base2, row[OFF], row[LOW], row[HIGH])
    return np.int64(known[_PROGRESS]), hashed


@inlined
def _count_of_patience(t, rows, index, locked_in_deal, cache):
    off, low, high = words_at(t, rows, index)
    hashed = hash_words(off, low, high, 3)
    return stratum_at(t, rows, index, locked_in_deal), hashed


_count_of = by_kind(_count_of_cards, _count_of_patience)


@kernel
def count_rows(t, rows, flat, chosen, locked_in_deal, counts, cache):
    """Count closed states; return the sum (uint64) of the hashes of their public keys.

    ``chosen`` (uint32[*]) are the numbers of their rows; ``flat`` is the memory of
    ``rows``. ``counts`` (int64[*, 2]) gets for each progress how many there are, and how many of
    them are forced. ``locked_in_deal`` (int64) is the number of locked cards in the deal, ``cache``
    comes from :func:`make_cache`.
    """
    total = U64(0)
    for place in range(chosen.size):
        if place + _AHEAD < chosen.size:
            prefetch(flat, rows.shape[1] * np.int64(chosen[place + _AHEAD]))
        index = np.int64(chosen[place])
        stratum, hashed = _count_of(t, rows, index, locked_in_deal, cache)
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
    slot = slot_of(hash_held(held), slots)
    while table[slot]:
        index = row_of(table[slot], slots)
        if holds(t, rows, index, held):
            meta = meta_at(t, rows, index)
            return code_of(meta) if meta & IS_CLOSED else np.int64(-1)
        slot = (slot + 1) & (slots - 1)
    return np.int64(-1)
