"""Kernels of a sweep by depth: the positions after g moves, and how many ways lead to each.

A *level* holds the states after an equal number of moves, a row for each, found by a hash table,
with the number of move sequences that lead there: a number of several words, lowest first. A sweep
takes states that are g moves from the deal and puts into the next level those that are one move
further and can be part of a solution of a given length: the moves made and the lower bound of those
to come do not exceed it. Every legal move is made; none is forced.

Below, ``t`` and ``b`` are the deal's :class:`~dbmsolver.kits.cards.tables.Tables`, made without
forced moves, and :class:`~dbmsolver.kits.cards.bound.BoundTables`; ``locked_in_deal`` is the number
of locked cards in the deal (int64).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.hashes import hash_state
from dbmsolver.kernels.shards import LOW_32, put_state
from dbmsolver.kernels.states import HIGH, LOW, MAX_MOVES, OFF, SIGNATURE, U64, ZERO
from dbmsolver.kits.cards.bound import lower_bound, make_scratch
from dbmsolver.kits.cards.expand import (
    apply_move,
    list_moves,
    only_skipping,
    place_of,
    signature_sets,
)
from dbmsolver.kits.cards.rows import (
    CACHE,
    CACHE_WORDS,
    bounds_of,
    cached_signature,
    is_same_state,
    sets_of,
)

STATE = 4
"""Words of a row: columns SIGNATURE, OFF, LOW and HIGH."""
ROWS, EVALUATED = range(2)
"""Columns of ``Level.state``: rows in use, and states whose bound was worked out."""
PART_SHIFT = np.uint64(44)
MOST_PARTS = 1 << 16
"""The parts that states can be divided into, by bits of their hash."""


@struct
class Level(NamedTuple):
    """The states of one level, and scratch memory of the thread that makes it."""

    state: NDArray[np.int64]  # [2]
    rows: NDArray[np.uint64]  # [states, STATE]
    ways: NDArray[np.uint64]  # [states, words]: how many sequences lead to each, lowest word first
    table: NDArray[np.uint64]  # [slots]: upper half of the hash, row plus one; 0 if free
    cache: NDArray[np.uint64]  # [CACHE, CACHE_WORDS]: facts about a signature
    over: NDArray[np.uint64]  # [CACHE, 52]: see bound_sets
    work: NDArray[np.uint64]  # see make_scratch of the bound
    moves: NDArray[np.uint16]  # [MAX_MOVES]


def empty_level(states: int, words: int) -> Level:
    """Return an empty level with room for ``states`` rows.

    The ways of each are a number of ``words`` words.
    """
    over, work = make_scratch(CACHE)
    cache = np.zeros((CACHE, CACHE_WORDS), np.uint64)
    cache[:, 0] = ~U64(0)
    return Level(
        state=np.zeros(2, np.int64),
        rows=np.empty((states, STATE), np.uint64),
        ways=np.zeros((states, words), np.uint64),
        table=np.zeros(slots_for(states), np.uint64),
        cache=cache,
        over=over,
        work=work,
        moves=np.zeros(MAX_MOVES, np.uint16),
    )


@struct
class Index(NamedTuple):
    """Some states at one depth, to be looked up."""

    rows: NDArray[np.uint64]  # [states, STATE]
    table: NDArray[np.uint64]  # [slots]: as of a Level
    moves: NDArray[np.uint16]  # [MAX_MOVES]


def make_index(rows: NDArray[np.uint64]) -> Index:
    """Return an index of different states (uint64[*, STATE])."""
    index = Index(
        rows=rows,
        table=np.zeros(slots_for(rows.shape[0]), np.uint64),
        moves=np.zeros(MAX_MOVES, np.uint16),
    )
    enter_all(index)
    return index


def slots_for(states: int) -> int:
    """Return the number of slots for ``states`` states: a power of two, at most half full."""
    return 1 << max(4, (2 * states - 1).bit_length())


@inlined
def find_state(level, hashed, state):
    """Return the table slot of a state (four words) with this hash, or a free one.

    ``level`` is a Level or an Index.
    """
    mask = np.int64(level.table.size - 1)
    slot = np.int64(hashed) & mask
    tag = hashed >> U64(32)
    while level.table[slot]:
        seen = level.table[slot]
        if seen >> U64(32) == tag:
            index = np.int64(seen & LOW_32) - 1
            if is_same_state(level.rows, index, state):
                break
        slot = (slot + 1) & mask
    return slot


@inlined
def add_ways(ways, index, more, source):
    """Add the number in row ``source`` of ``more`` to that in row ``index`` of ``ways``."""
    carry = ZERO
    for word in range(ways.shape[1]):
        old = ways[index, word]
        part = old + more[source, word]
        total = part + carry
        carry = U64(part < old) | U64(total < part)
        ways[index, word] = total


@kernel
def remember(known, rows):
    """Put states (uint64[*, STATE]) into ``known``, in the place of others; zeros are passed over.

    ``known`` (uint64[slots, STATE], slots a power of two) has a place for each state, which it may
    have to leave to another one. A row of zeros is free: no state is zero, as a king that is not
    home or locked lies on no card.
    """
    for number in range(rows.shape[0]):
        row = rows[number]
        if not row[SIGNATURE] | row[OFF]:
            continue
        hashed = hash_state((row[SIGNATURE], row[OFF], row[LOW], row[HIGH]))
        slot = np.int64(hashed) & (known.shape[0] - 1)
        for word in range(STATE):
            known[slot, word] = row[word]


@kernel
def sweep(t, b, level, known, locked_in_deal, sources, ways, first, left, share):
    """Put the successors of states into a level, from number ``first`` on, while there is room.

    ``sources`` (uint64[*, STATE]) are states, and ``ways`` (uint64[*, words]) how many sequences
    lead to each. ``left`` is how many moves a successor may have to come. Of the successors only
    those are put there that belong to ``share``, (part, parts) with a power of two of parts, and
    are not in ``known`` (:func:`remember`). Returns the first source whose successors are not in
    it.
    """
    part, parts = share
    while first < sources.shape[0] and level.state[ROWS] + MAX_MOVES <= level.rows.shape[0]:
        source = sources[first]
        off, low, high = source[OFF], source[LOW], source[HIGH]
        place = cached_signature(t, b, level, source[SIGNATURE], locked_in_deal)
        sets = sets_of(level.cache, place)
        count, _ = list_moves(t, sets, off, low, high, only_skipping(ZERO), level.moves)
        for number in range(count):
            card, new = np.int64(level.moves[number]) >> 3, np.int64(level.moves[number]) & 7
            old = place_of(t, sets.locked, off, low, high, card)
            moved = apply_move(t, sets.signature, off, low, high, card, old, new)
            hashed = hash_state(moved)
            if np.int64(hashed >> PART_SHIFT) & (parts - 1) != part:
                continue
            slot = find_state(level, hashed, moved)
            if level.table[slot]:
                add_ways(level.ways, np.int64(level.table[slot] & LOW_32) - 1, ways, first)
                continue
            if is_same_state(known, np.int64(hashed) & (known.shape[0] - 1), moved):
                continue
            at = cached_signature(t, b, level, moved[0], locked_in_deal)
            bounds = bounds_of(level.cache, at)
            over = level.over[at]
            level.state[EVALUATED] += 1
            h = lower_bound(b, t, bounds, moved[1], moved[2], moved[3], over, level.work, left)
            if h > left:
                continue
            index = level.state[ROWS]
            put_state(level.rows, index, moved)
            for word in range(ways.shape[1]):
                level.ways[index, word] = ways[first, word]
            level.table[slot] = (hashed & ~LOW_32) | U64(index + 1)
            level.state[ROWS] = index + 1
        first += 1
    return first


@kernel
def enter_all(index):
    """Enter all rows of an Index, which are different, into its table."""
    for number in range(index.rows.shape[0]):
        row = index.rows[number]
        state = row[SIGNATURE], row[OFF], row[LOW], row[HIGH]
        hashed = hash_state(state)
        index.table[find_state(index, hashed, state)] = (hashed & ~LOW_32) | U64(number + 1)


@kernel
def leading_moves(t, index, source, found, made):
    """Find the moves of a state (uint64[STATE]) that lead to states of an Index.

    Writes the numbers of these states to ``found`` (int64[MAX_MOVES]) and the moves, each ``8 *
    card + new place value``, to ``made`` (uint16[MAX_MOVES]); returns how many there are.
    """
    sets = signature_sets(t, source[SIGNATURE])
    off, low, high = source[OFF], source[LOW], source[HIGH]
    count, _ = list_moves(t, sets, off, low, high, only_skipping(ZERO), index.moves)
    leading = 0
    for number in range(count):
        card, new = np.int64(index.moves[number]) >> 3, np.int64(index.moves[number]) & 7
        old = place_of(t, sets.locked, off, low, high, card)
        moved = apply_move(t, sets.signature, off, low, high, card, old, new)
        slot = find_state(index, hash_state(moved), moved)
        if index.table[slot]:
            found[leading] = np.int64(index.table[slot] & LOW_32) - 1
            made[leading] = index.moves[number]
            leading += 1
    return leading


@kernel
def mark_leading(t, index, sources, found, made, marks):
    """Write to ``marks`` (bool[*]) which of ``sources`` (uint64[*, STATE]) lead to an Index.

    ``found`` and ``made`` are scratch memory, as of :func:`leading_moves`.
    """
    for number in range(sources.shape[0]):
        marks[number] = leading_moves(t, index, sources[number], found, made) > 0
