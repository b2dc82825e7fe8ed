"""Shelves: closed states in memory, found by hash.

A *row* is a state to be looked up: signature, planes off, low and high, then two words of its
origin: ``source | want << 32 | kind << 48`` and ``run | shelf << 32``.  ``source`` is the number of
the state it came from, in its shelf. ``want`` is, where costs count, the number of moves made to
it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dbmsolver.verify.kernels.arrange import arrange, key_bits, key_words, take_signature
from dbmsolver.verify.kernels.bound import lower_bound
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, fetch, first_bit, hash_state

ROW = 6
SUCCESSOR, PARENT = 0, 1
AHEAD = 12
BAD_WIDTH = 7  # of a local key
BAD_KEY = 8  # more bits than the loose cards have
TWICE = 9  # the same state again
HALF = np.uint64(0xFFFFFFFF)
NO_DEST = np.uint64(0xFFFFFFFFFFFFFFFF)


class Index(NamedTuple):
    """All signatures of a store, ascending: a *run* is one of them."""

    signatures: NDArray[np.uint64]
    shelf: NDArray[np.int64]  # the (first) shelf of the run
    pieces: NDArray[np.int64]  # shelves that the run takes: 1, or more for a run too big for one
    first: NDArray[np.int64]  # number of its first state in the shelf
    count: NDArray[np.int64]  # states (in all pieces)


class Block(NamedTuple):
    """A block of the store, decoded."""

    layer: int
    words: int
    keys: NDArray[np.uint64]
    codes: NDArray[np.uint16]


class Shelf(NamedTuple):
    """States by run: planes interleaved (two or three words for each), codes, layers, moves made,
    and a hash table.
    """

    planes: NDArray[np.uint64]
    codes: NDArray[np.uint16]
    layers: NDArray[np.uint16]
    made: NDArray[np.int16]  # g, where costs count
    slots: NDArray[np.uint32]  # number of a state plus one


@njit(nogil=True, cache=True, _nrt=False)
def find_run(index, signature):  # type: ignore[no-untyped-def]
    """The run of a signature, -1 if there is none."""
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


@njit(nogil=True, cache=True, inline="always", _nrt=False)
def piece_of(hashed, pieces):  # type: ignore[no-untyped-def]
    """Which piece of its run a state is in."""
    return np.int64((hashed >> U64(40)) % U64(pieces))


@njit(nogil=True, cache=True, _nrt=False)
def unpack_run(f, signature, block, start, count, pieces, piece, shelf, at, bit_words):  # type: ignore[no-untyped-def]
    """Write ``count`` states of a block, from number ``start`` on, to the shelf from number ``at``
    on.

    With several pieces, only those of one piece, and only as many as there is room for.  Returns
    (error, how many); on an error, the number of the state in the block.
    """
    error, home, locked = take_signature(f, signature)
    if error:
        return error, start
    loose = ALL & ~(home | locked)
    if key_words(f, loose) != block.words:
        return BAD_WIDTH, start
    bits = key_bits(f, loose, bit_words)
    written = 0
    for number in range(start, start + count):
        off, low, high = f.fixed[0] & loose, f.fixed[1] & loose, ZERO
        if block.words == 3:
            first = block.keys[3 * number]
            second = block.keys[3 * number + 1]
            high = block.keys[3 * number + 2]
            strange = (first & ~f.varying[0]) | (second & ~f.varying[1]) | (high & ~f.varying[2])
            if strange or (first | second | high) & ~loose:
                return BAD_KEY, number
            off, low = off | first, low | second
        else:
            key = block.keys[number]
            while key:
                bit = first_bit(key)
                key &= key - ONE
                if bit >= bits:
                    return BAD_KEY, number
                off |= bit_words[0, bit]
                low |= bit_words[1, bit]
                high |= bit_words[2, bit]
        if pieces > 1 and piece_of(hash_state(signature, off, low, high), pieces) != piece:
            continue
        place = at + written
        written += 1
        if place < shelf.codes.size:
            shelf.planes[f.planes * place] = off
            shelf.planes[f.planes * place + 1] = low
            if f.planes == 3:
                shelf.planes[f.planes * place + 2] = high
            shelf.codes[place] = block.codes[number]
            shelf.layers[place] = block.layer
    return 0, written


@njit(nogil=True, cache=True, _nrt=False)
def unpack_block(f, signatures, block, records, pieces, piece, shelf, at, bit_words):  # type: ignore[no-untyped-def]
    """Unpack records of a block (int64[*, 5]: run, first state in the block, count, number in the
    shelf, written).

    The last two columns are filled in if the run has several pieces: its states are written one
    after the other, from number ``at`` on.  ``bit_words`` is scratch memory (uint64[3, 160]).
    Returns (error, record, states written, or number of the wrong one).
    """
    total = 0
    for index in range(records.shape[0]):
        run, start, count = records[index, 0], records[index, 1], records[index, 2]
        if pieces > 1:
            records[index, 3] = at + total
        error, written = unpack_run(
            f, signatures[run], block, start, count, pieces, piece, shelf, records[index, 3],
            bit_words,
        )  # fmt: skip
        if error:
            return error, index, written
        records[index, 4] = written
        total += written
    return 0, 0, total


@njit(nogil=True, cache=True, _nrt=False)
def build_table(width, signatures, firsts, counts, planes, slots):  # type: ignore[no-untyped-def]
    """Enter all states of a shelf's runs into its hash table: (error, number of a state that is
    there twice).
    """
    mask = U64(slots.size - 1)
    high = ZERO
    for run in range(signatures.size):
        signature = signatures[run]
        first, last = firsts[run], firsts[run] + counts[run]
        for number in range(first, last):
            off, low = planes[width * number], planes[width * number + 1]
            if width == 3:
                high = planes[width * number + 2]
            slot = hash_state(signature, off, low, high) & mask
            while slots[slot]:
                other = np.int64(slots[slot]) - 1
                if (
                    first <= other < last
                    and planes[width * other] == off
                    and planes[width * other + 1] == low
                    and (width == 2 or planes[width * other + 2] == high)
                ):
                    return TWICE, number
                slot = (slot + ONE) & mask
            slots[slot] = np.uint32(number + 1)
    return 0, 0


@njit(nogil=True, cache=True, _nrt=False)
def moves_made(f, signatures, firsts, counts, planes, layers, made, board):  # type: ignore[no-untyped-def]
    """g = f - h of all states of a shelf's runs: (error, number of the state)."""
    width = f.planes
    high = ZERO
    for run in range(signatures.size):
        error, home, locked = take_signature(f, signatures[run])
        if error:
            return error, firsts[run]
        for number in range(firsts[run], firsts[run] + counts[run]):
            off, low = planes[width * number], planes[width * number + 1]
            if width == 3:
                high = planes[width * number + 2]
            error, used = arrange(f, home, locked, off, low, high, board)
            if error:
                return error, number
            made[number] = np.int64(layers[number]) - lower_bound(home, used, board)
    return 0, 0


@njit(nogil=True, cache=True, _nrt=False)
def look_up(
    index, width, shelf, rows, order, costs, source_first, shelf_first, parents, hashes, missing
):  # type: ignore[no-untyped-def]
    """Look rows up that belong to one shelf (``order`` are their numbers).

    ``parents`` has, for each state of the stratum that the rows come from, -2 if its parent has the
    same signature; the parent's number takes its place (none is written where it is empty).
    ``source_first`` and ``shelf_first`` are the numbers that the states of the rows' shelf, and of
    this one, begin with.  Numbers of rows that are not there, or not with the moves made that they
    want, go to ``missing``; returns how many.
    """
    count = order.size
    mask = U64(shelf.slots.size - 1)
    for place in range(count):
        row = order[place]
        hashes[place] = hash_state(rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3]) & mask
    gone = 0
    for place in range(count):
        if place + 2 * AHEAD < count:
            fetch(shelf.slots, np.int64(hashes[place + 2 * AHEAD]))
        if place + AHEAD < count:
            soon = shelf.slots[hashes[place + AHEAD]]
            if soon:
                fetch(shelf.planes, width * (np.int64(soon) - 1))
        row = order[place]
        off, low, high, origin = rows[row, 1], rows[row, 2], rows[row, 3], rows[row, 4]
        run = np.int64(rows[row, 5] & HALF)
        first, last = index.first[run], index.first[run] + index.count[run]
        slot = hashes[place]
        found = -1
        while shelf.slots[slot]:
            other = np.int64(shelf.slots[slot]) - 1
            if (
                first <= other < last
                and shelf.planes[width * other] == off
                and shelf.planes[width * other + 1] == low
                and (width == 2 or shelf.planes[width * other + 2] == high)
            ):
                found = other
                break
            slot = (slot + ONE) & mask
        kind = np.int64(origin >> U64(48))
        good = found >= 0
        if good and costs:
            want = np.int64((origin >> U64(32)) & U64(0xFFFF))
            made = np.int64(shelf.made[found])
            good = made == want if kind == PARENT else made <= want
        if not good:
            missing[gone] = order[place]
            gone += 1
        elif kind == PARENT and parents.size:
            source = source_first + np.int64(origin & HALF)
            if parents[source] == -2:
                parents[source] = shelf_first + found
    return gone


@njit(nogil=True, cache=True, _nrt=False)
def too_short(f, rows, order, board, limit):  # type: ignore[no-untyped-def]
    """The first of these rows, successors that are not closed, whose moves made + h are below the
    limit; -1 if none.
    """
    for place in range(order.size):
        number = order[place]
        origin = rows[number, 4]
        if np.int64(origin >> U64(48)) == PARENT:
            return number
        error, home, locked = take_signature(f, rows[number, 0])
        if error:
            return number
        error, used = arrange(
            f, home, locked, rows[number, 1], rows[number, 2], rows[number, 3], board
        )
        want = np.int64((origin >> U64(32)) & U64(0xFFFF))
        if error or want + lower_bound(home, used, board) < limit:
            return number
    return -1


@njit(nogil=True, cache=True, _nrt=False)
def follow_chains(parents):  # type: ignore[no-untyped-def]
    """Follow every chain of parents to its end (-1): the number of a state that never gets there,
    -1 if all do.
    """
    for start in range(parents.size):
        number = start
        while parents[number] >= 0:
            following = parents[number]
            parents[number] = -following - 10
            number = following
        if parents[number] != -1:
            return number
        number = start
        while parents[number] <= -10:
            following = -parents[number] - 10
            parents[number] = -1
            number = following
    return -1


@njit(nogil=True, cache=True, _nrt=False)
def by_shelf(rows, count, order, starts):  # type: ignore[no-untyped-def]
    """Sort the numbers of the rows by their shelves into ``order``; ``starts`` (int64[shelves + 2])
    says where each begins.

    Rows that are to be looked up nowhere come last.
    """
    shelves = starts.size - 2
    starts[:] = 0
    for number in range(count):
        dest = rows[number, 5]
        shelf = shelves if dest == NO_DEST else np.int64(dest >> U64(32))
        starts[shelf + 1] += 1
    for shelf in range(shelves + 1):
        starts[shelf + 1] += starts[shelf]
    # Each start moves to its end, which is the next one's start.
    for number in range(count):
        dest = rows[number, 5]
        shelf = shelves if dest == NO_DEST else np.int64(dest >> U64(32))
        order[starts[shelf]] = number
        starts[shelf] += 1
    for shelf in range(shelves + 1, 0, -1):
        starts[shelf] = starts[shelf - 1]
    starts[0] = 0
