"""Shards: the states that a search by cost layers has looked at, in rows found through a hash table.

A *shard* holds the states of those signatures that hash to it, a row for each.  A row is five words: signature, planes
*off*, *low*, *high*, and *meta*: from the lowest bit on parent-move code (16), g (15), whether the state turned out to
have a forced move (1), h (16), closed (1), h is only its cheap part (1), written to the store as it is (1; the caller's).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bound import BoundSets, bound_sets, make_scratch
from dbmsolver.core.expand import MAX_MOVES, Sets, progress, signature_sets
from dbmsolver.jit.decorators import allocating, inlined, kernel

U64 = np.uint64
ONE = np.uint64(1)
ROW = 5
GROUP = 16
BURST = GROUP * MAX_MOVES
CACHE = 4096
"""Signatures whose sets are remembered; a power of two."""
CACHE_WORDS = 16
LOW_32 = np.uint64(0xFFFFFFFF)
GOAL = np.uint64(0xDDDD)
IS_FORCED = np.uint64(1 << 31)
IS_CLOSED = np.uint64(1 << 48)
IS_CHEAP = np.uint64(1 << 49)
IS_STORED = np.uint64(1 << 50)
CODE_AND_G = np.uint64(0x7FFFFFFF)
BOUND_SHIFT = np.uint64(32)

COUNT, TODO, DONE, EVALUATED, LATER, OUTGOING, GOAL_ROW = range(7)
"""Places in a shard's ``state`` array."""


class Shard(NamedTuple):
    """The states of one part of the signatures, and scratch memory of the thread that works on it."""

    state: NDArray[np.int64]  # [8]
    rows: NDArray[np.uint64]  # [states, ROW]
    flat: NDArray[np.uint64]  # the same memory, one-dimensional
    table: NDArray[np.uint64]  # slot: upper half of the hash, index of the row plus one
    todo: NDArray[np.uint32]  # rows to expand in this layer, last in first out
    done: NDArray[np.uint32]  # rows expanded, in that order
    later: NDArray[np.uint32]  # rows that wait for a higher layer
    later_layer: NDArray[np.uint16]
    outgoing: NDArray[np.uint64]  # [*, ROW]: candidates of other shards
    burst: NDArray[np.uint64]  # [BURST, ROW + 1]
    cache: NDArray[np.uint64]  # [CACHE, CACHE_WORDS]: what is known of a signature
    over: NDArray[np.uint64]  # [CACHE, 52]: see bound_sets
    work: NDArray[np.uint64]
    moves: NDArray[np.uint16]


def make_shard(states: int, slots: int, outgoing: int) -> Shard:
    """An empty shard with room for ``states`` rows, ``slots`` table slots (a power of two) and outgoing candidates."""
    over, work = make_scratch(CACHE)
    cache = np.zeros((CACHE, CACHE_WORDS), np.uint64)
    cache[:, 0] = ~U64(0)
    flat = np.empty(states * ROW, np.uint64)
    return Shard(
        state=np.zeros(8, np.int64),
        rows=flat.reshape(states, ROW),
        flat=flat,
        table=np.zeros(slots, np.uint64),
        todo=np.empty(states, np.uint32),
        done=np.empty(states, np.uint32),
        later=np.empty(outgoing, np.uint32),
        later_layer=np.empty(outgoing, np.uint16),
        outgoing=np.empty((outgoing, ROW), np.uint64),
        burst=np.empty((BURST, ROW + 1), np.uint64),
        cache=cache,
        over=over,
        work=work,
        moves=np.zeros(MAX_MOVES, np.uint16),
    )


@inlined
def mix(word):
    """A well-mixed hash of one word (the finalizer of SplitMix64)."""
    word = (word ^ (word >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> U64(27))) * U64(0x94D049BB133111EB)
    return word ^ (word >> U64(31))


@inlined
def hash_row(signature, off, low, high):
    """Hash of a state."""
    word = signature * U64(0x9E3779B97F4A7C15) + off * U64(0xD6E8FEB86659FD93)
    word ^= word >> U64(32)
    word = (word + low) * U64(0xA0761D6478BD642F) + high * U64(0xE7037ED1A0B428DB)
    return mix(word)


@inlined
def shard_of(signature, shards):
    """Which of ``shards`` shards (a power of two) a signature belongs to."""
    return np.int64(mix(signature * U64(0x9E3779B97F4A7C15)) >> U64(40)) & (shards - 1)


@allocating
def shards_of(rows, shards):
    """The shard of each row (int64)."""
    result = np.empty(rows.shape[0], np.int64)
    for index in range(rows.shape[0]):
        result[index] = shard_of(rows[index, 0], shards)
    return result


@inlined
def g_of(meta):
    """Moves made, of a row's last word (int64)."""
    return np.int64((meta >> U64(16)) & U64(0x7FFF))


@inlined
def cached_signature(t, b, shard, signature, locked_in_deal):
    """The cache slot of a signature, filled with its sets."""
    slot = np.int64(mix(signature) & U64(CACHE - 1))
    if shard.cache[slot, 0] != signature:
        sets = signature_sets(t, signature)
        bound = bound_sets(b, t, sets, shard.over[slot], shard.work)
        line = shard.cache[slot]
        line[0], line[1], line[2] = signature, sets.home, sets.locked
        line[3], line[4], line[5] = sets.loose, sets.under, U64(sets.bottoms)
        line[6], line[7], line[8] = U64(bound.base), bound.chained, bound.vertices
        line[9], line[10] = bound.edged, U64(bound.cover)
        line[11] = U64(progress(t, signature, locked_in_deal))
    return slot


@inlined
def sets_of(cache, slot):
    """The Sets in a cache line."""
    return Sets(
        cache[slot, 0],
        cache[slot, 1],
        cache[slot, 2],
        cache[slot, 3],
        cache[slot, 4],
        np.int64(cache[slot, 5]),
    )


@inlined
def bounds_of(cache, slot):
    """The BoundSets in a cache line."""
    return BoundSets(
        np.int64(cache[slot, 6]),
        cache[slot, 7],
        cache[slot, 8],
        cache[slot, 9],
        np.int64(cache[slot, 10]),
    )


@kernel
def rehash(rows, count, table):
    """Enter the first ``count`` rows, all different, into an empty table."""
    mask = U64(table.size - 1)
    for index in range(count):
        hashed = hash_row(rows[index, 0], rows[index, 1], rows[index, 2], rows[index, 3])
        slot = np.int64(hashed & mask)
        while table[slot]:
            slot = (slot + 1) & np.int64(mask)
        table[slot] = ((hashed >> U64(32)) << U64(32)) | U64(index + 1)


def take_outgoing(shard: Shard) -> tuple[Any, Any, Any]:
    """Take what left a shard: (rows that wait, their layers, candidates of other shards)."""
    later, outgoing = int(shard.state[LATER]), int(shard.state[OUTGOING])
    shard.state[LATER] = shard.state[OUTGOING] = 0
    return (
        shard.later[:later].copy(),
        shard.later_layer[:later].copy(),
        shard.outgoing[:outgoing].copy(),
    )
