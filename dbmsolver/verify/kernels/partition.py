"""Partitions: closed states in memory, found by hash."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inlined_kernel, kernel
from dbmsolver.verify.kernels.planes import State
from dbmsolver.verify.kernels.rows import CHAIN, KIND, SOURCE, SUCCESSOR, WANT
from dbmsolver.verify.kernels.states import bound_of, lay_out, take_signature
from dbmsolver.verify.kernels.words import AHEAD, HALF, U64, ZERO, fetch, hash_state

TWICE = 9  # the same state again
UNKNOWN_CLASS = 22  # it does not follow from the deal
MOST_STATES = (1 << 24) - 2
"""States that a partition can have: a slot has 24 bits for their numbers, and 8 of their hash."""
_NUMBER = np.int64((1 << 24) - 1)


class RunIndex(NamedTuple):
    """All signatures of a store, ascending: a *run* is one of them.

     Some are divided into pieces by a few bits of their states, which tell the *cell* that a state
    is in.
    """

    signatures: NDArray[np.uint64]
    partition: NDArray[np.int64]  # the (first) partition of the run
    place: NDArray[np.int64]  # its place among the partition's runs
    split: NDArray[np.int64]  # number of its division, -1 if it is not divided
    pieces: NDArray[np.int64]  # [divisions]
    cards: NDArray[np.uint64]  # [divisions]: the cards that tell cells apart
    bits: NDArray[np.int64]  # [divisions, 17]: how many, and these: 64 * plane + card
    cells: NDArray[np.int16]  # [divisions, 2**16]: the piece of each cell


class RecentRuns(NamedTuple):
    """Signatures that were looked for of late."""

    runs: NDArray[np.int64]  # [1024]: their runs, plus two; 0 for none
    signatures: NDArray[np.uint64]  # [1024]


class PartitionStates(NamedTuple):
    """States by run, with a hash table.

    Planes are interleaved (two or three words for each state); beside them are codes, moves made,
    and where the runs begin.
    """

    planes: NDArray[np.uint64]
    codes: NDArray[np.uint16]
    made: NDArray[np.int16]  # g, where costs count
    firsts: NDArray[np.int64]  # [runs + 1]
    slots: NDArray[np.uint32]  # hash << 24 | number of a state plus one


@inlined_kernel
def find_run(index, signature):
    """Return the run of a signature, -1 if there is none."""
    low, high = 0, index.signatures.size
    while low < high:
        middle = (low + high) >> 1
        if index.signatures[middle] < signature:
            low = middle + 1
        else:
            high = middle
    if low < index.signatures.size and index.signatures[low] == signature:
        return low
    return -1


@inlined
def known_run(index, signature, recent):
    """Return the run of a signature, -1 if there is none; remember those looked for of late."""
    slot = np.int64((signature * U64(0x9E3779B97F4A7C15)) >> U64(54))
    if recent.runs[slot] != 0 and recent.signatures[slot] == signature:
        return recent.runs[slot] - 2
    run = find_run(index, signature)
    recent.runs[slot] = run + 2
    recent.signatures[slot] = signature
    return run


@inlined
def slot_of(hashed, slots):
    """Return the slot to look in first for a hash."""
    return np.int64(((hashed & HALF) * U64(slots.size)) >> U64(32))


@inlined
def is_state(width, planes, number, off, low, high):
    """Return True if a partition's state has these planes."""
    place = width * number
    return (
        planes[place] == off
        and planes[place + 1] == low
        and (width == 2 or planes[place + 2] == high)
    )


@kernel
def build_table(width, signatures, partition, hashes):
    """Enter all states of a partition's runs, which have these signatures, into its hash table.

    ``hashes`` is scratch memory.  Returns (error, number of a state that is there twice).
    """
    planes, slots = partition.planes, partition.slots
    high = ZERO
    for run in range(signatures.size):
        signature = signatures[run]
        first, last = partition.firsts[run], partition.firsts[run + 1]
        for begin in range(first, last, hashes.size):
            end = min(begin + hashes.size, last)
            for number in range(begin, end):
                place = width * number
                if width == 3:
                    high = planes[place + 2]
                hashed = hash_state(signature, planes[place], planes[place + 1], high)
                hashes[number - begin] = hashed
                fetch(slots, slot_of(hashed, slots))
            for number in range(begin, end):
                hashed = hashes[number - begin]
                slot = slot_of(hashed, slots)
                tag = hashed >> U64(56)
                while slots[slot]:
                    other = (np.int64(slots[slot]) & _NUMBER) - 1
                    if U64(slots[slot]) >> U64(24) == tag and first <= other:
                        place = width * number
                        if width == 3:
                            high = planes[place + 2]
                        if is_state(width, planes, other, planes[place], planes[place + 1], high):
                            return TWICE, number
                    slot += 1
                    if slot == slots.size:
                        slot = 0
                slots[slot] = np.uint32((tag << U64(24)) | U64(number + 1))
    return 0, 0


@kernel
def moves_made(f, signatures, segments, partition, board, scratch):
    """Set the moves made, g = f - h, of all states of a partition's segments.

    Segments are int64[*, 5]: run, first state, count, layer, block.

    Returns (error, segment, number of the state).
    """
    width = f.planes
    high = ZERO
    for index in range(segments.shape[0]):
        run, first = segments[index, 0], segments[index, 1]
        count, layer = segments[index, 2], segments[index, 3]
        error, home, locked = take_signature(f, signatures[run])
        if error:
            return error, index, first
        for number in range(first, first + count):
            place = width * number
            if width == 3:
                high = partition.planes[place + 2]
            off, low = partition.planes[place], partition.planes[place + 1]
            state = State(signatures[run], home, locked, off, low, high)
            error, laid = lay_out(f, state, board)
            if error:
                return error, index, number
            bound = bound_of(f, board, laid, scratch)
            if bound < 0:
                return UNKNOWN_CLASS, index, number
            partition.made[number] = layer - bound
    return 0, 0, 0


@kernel
def look_up(index, width, partition, base, rows, order, costs, chains, hashes, missing):
    """Look rows up that belong to one partition (``order`` are their numbers).

    ``base`` is the number, in the store, of the partition's first state. For rows of kind CHAIN the
    parent's number is written to ``chains`` (see :mod:`dbmsolver.verify.chains`), unless these are
    empty. Numbers of rows that are not there, or
    not with the moves made that they want, go to ``missing``; returns how many. ``hashes`` is
    scratch memory.
    """
    count = order.size
    slots = partition.slots
    for place in range(count):
        row = order[place]
        hashes[place] = hash_state(rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3])
    gone = 0
    for place in range(count):
        if place + 2 * AHEAD < count:
            fetch(slots, slot_of(hashes[place + 2 * AHEAD], slots))
        if place + AHEAD < count:
            soon = np.int64(slots[slot_of(hashes[place + AHEAD], slots)]) & _NUMBER
            if soon:
                fetch(partition.planes, width * (soon - 1))
        row = order[place]
        off, low, high, origin = rows[row, 1], rows[row, 2], rows[row, 3], rows[row, 4]
        run = index.place[rows[row, 5] & HALF]
        first, last = partition.firsts[run], partition.firsts[run + 1]
        slot = slot_of(hashes[place], slots)
        tag = hashes[place] >> U64(56)
        found = -1
        while slots[slot]:
            if U64(slots[slot]) >> U64(24) == tag:
                other = (np.int64(slots[slot]) & _NUMBER) - 1
                if first <= other < last and is_state(
                    width, partition.planes, other, off, low, high
                ):
                    found = other
                    break
            slot += 1
            if slot == slots.size:
                slot = 0
        kind = np.int64(origin >> U64(KIND))
        good = found >= 0
        if good and costs:
            want = np.int64((origin >> U64(WANT)) & U64(0xFFFF))
            made = np.int64(partition.made[found])
            good = made <= want if kind == SUCCESSOR else made == want
        if not good:
            missing[gone] = row
            gone += 1
        elif kind == CHAIN and chains.parents.size:
            source = np.int64(origin & SOURCE) - chains.base
            chains.parents[source] = base + found + 1 - chains.base
    return gone


@kernel
def too_short(f, rows, order, board, scratch, limit):
    """Return the first of these rows of successors that belies the bound; -1 if none does.

    They are not closed, so their moves made and h must not be below the limit.
    """
    for place in range(order.size):
        number = order[place]
        origin = rows[number, 4]
        if np.int64(origin >> U64(KIND)) != SUCCESSOR:
            return number
        error, home, locked = take_signature(f, rows[number, 0])
        if error:
            return number
        state = State(
            rows[number, 0], home, locked, rows[number, 1], rows[number, 2], rows[number, 3]
        )
        error, laid = lay_out(f, state, board)
        want = np.int64((origin >> U64(WANT)) & U64(0xFFFF))
        if error or want + bound_of(f, board, laid, scratch) < limit:
            return number
    return -1
