"""Rows of states made of single cards, runs, or cards that go both ways, and what they share.

A row is five words: signature, planes *off*, *low*, *high*, and meta
(:mod:`dbmsolver.kernels.meta`). What all states of a signature share is remembered.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.hashes import mix
from dbmsolver.kernels.hooks import bound_sets
from dbmsolver.kernels.meta import META
from dbmsolver.kernels.states import HIGH, LOW, MAX_MOVES, OFF, SIGNATURE, U64
from dbmsolver.kits.cards.bound import BoundSets
from dbmsolver.kits.cards.bound import make_scratch as make_bound_scratch
from dbmsolver.kits.cards.expand import Sets, progress, signature_sets

WORDS = 5
CACHE = 4096
"""Signatures whose sets are remembered; a power of two."""
CACHE_WORDS = 16
(
    CACHED_SIGNATURE,
    CACHED_HOME,
    CACHED_LOCKED,
    CACHED_LOOSE,
    CACHED_UNDER,
    CACHED_BOTTOMS,
    CACHED_BASE,
    CACHED_CHAINED,
    CACHED_VERTICES,
    CACHED_EDGED,
    CACHED_COVER,
    CACHED_PROGRESS,
) = range(12)
"""Columns of ``cache``: a signature's Sets, then its BoundSets, then its progress."""


@struct
class CardScratch(NamedTuple):
    """Scratch memory of one thread that works on a shard."""

    cache: NDArray[np.uint64]  # [CACHE, CACHE_WORDS]: facts about a signature
    over: NDArray[np.uint64]  # [CACHE, 52]: see bound_sets
    work: NDArray[np.uint64]  # see make_scratch of the bound
    moves: NDArray[np.uint16]  # [MAX_MOVES]


def make_row_scratch(t: Any) -> CardScratch:
    """Return scratch memory of one thread, in which no signature is remembered."""
    over, work = make_bound_scratch(CACHE)
    cache = np.zeros((CACHE, CACHE_WORDS), np.uint64)
    cache[:, 0] = ~U64(0)
    return CardScratch(cache, over, work, np.zeros(MAX_MOVES, np.uint16))


def empty_rows(t: Any, states: int) -> NDArray[Any]:
    """Return memory for this many rows."""
    return np.empty((states, WORDS), np.uint64)


@inlined
def as_held(t, signature, off, low, high):
    """Return the words (uint64[4]) that a row has of a state."""
    return signature, off, low, high


@inlined
def hash_of_home(t, signature, off, low, high):
    """Return the hash (uint64) of a state's signature."""
    return mix(signature * U64(0x9E3779B97F4A7C15))


@inlined
def state_at(t, rows, index):
    """Return the signature and the planes of a row."""
    row = rows[index]
    return row[SIGNATURE], row[OFF], row[LOW], row[HIGH]


@inlined
def hold(t, rows, index, held):
    """Write the words of a state to a row."""
    rows[index, SIGNATURE] = held[0]
    rows[index, OFF] = held[1]
    rows[index, LOW] = held[2]
    rows[index, HIGH] = held[3]


@inlined
def holds(t, rows, index, held):
    """Return True if a row has the state of some words."""
    return is_same_state(rows, index, held)


@inlined
def is_same_state(rows, index, state):
    """Return True if a row has these four words."""
    return (
        rows[index, SIGNATURE] == state[0]
        and rows[index, OFF] == state[1]
        and rows[index, LOW] == state[2]
        and rows[index, HIGH] == state[3]
    )


@inlined
def meta_at(t, rows, index):
    """Return the meta (uint64) of a row."""
    return rows[index, META]


@inlined
def put_meta(t, rows, index, meta):
    """Write the meta of a row."""
    rows[index, META] = meta


@inlined
def cached_signature(t, b, scratch, signature, locked_in_deal):
    """Return the row of a signature in ``scratch.cache``, which is written if need be.

    So is that of ``scratch.over``.
    """
    place = np.int64(mix(signature) & U64(CACHE - 1))
    if scratch.cache[place, CACHED_SIGNATURE] != signature:
        sets = signature_sets(t, signature)
        bound = bound_sets(b, t, sets, scratch.over[place], scratch.work)
        row = scratch.cache[place]
        row[CACHED_SIGNATURE] = signature
        row[CACHED_HOME] = sets.home
        row[CACHED_LOCKED] = sets.locked
        row[CACHED_LOOSE] = sets.loose
        row[CACHED_UNDER] = sets.under
        row[CACHED_BOTTOMS] = U64(sets.bottoms)
        row[CACHED_BASE] = U64(bound.base)
        row[CACHED_CHAINED] = bound.chained
        row[CACHED_VERTICES] = bound.vertices
        row[CACHED_EDGED] = bound.edged
        row[CACHED_COVER] = U64(bound.cover)
        row[CACHED_PROGRESS] = U64(progress(t, signature, locked_in_deal))
    return place


@inlined
def sets_of(cache, place):
    """Return the Sets in a row of the cache."""
    return Sets(
        cache[place, CACHED_SIGNATURE],
        cache[place, CACHED_HOME],
        cache[place, CACHED_LOCKED],
        cache[place, CACHED_LOOSE],
        cache[place, CACHED_UNDER],
        np.int64(cache[place, CACHED_BOTTOMS]),
    )


@inlined
def bounds_of(cache, place):
    """Return the BoundSets in a row of the cache."""
    return BoundSets(
        np.int64(cache[place, CACHED_BASE]),
        cache[place, CACHED_CHAINED],
        cache[place, CACHED_VERTICES],
        cache[place, CACHED_EDGED],
        np.int64(cache[place, CACHED_COVER]),
    )
