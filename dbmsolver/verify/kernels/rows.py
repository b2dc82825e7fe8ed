"""Rows: states that are to be looked up.

A row is a state and where it came from: ``signature, off, low, high, origin, destination``.
``origin`` is ``source | want << 44 | kind << 60``: the number, in the whole store, of the state
that it came from, and, where costs count, the moves made to it. ``destination`` is ``run |
partition << 32``. Rows that are sent lack the signature (their run tells it) and the partition (all
are of one), and ``high`` where there are two planes only.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel, kernel
from dbmsolver.verify.kernels.words import HALF, ONE, U64, ZERO

ROW = 6
SUCCESSOR, PARENT, CHAIN, ROOT = 0, 1, 2, 3
"""A successor; a parent of another signature; one of the same; the deal, which must be closed."""
WANT = 44
KIND = 60
SOURCE = np.uint64((1 << WANT) - 1)
NO_DEST = np.uint64(0xFFFFFFFFFFFFFFFF)


@inlined
def cell_of(index, split, off, low, high):
    """Return the cell of a divided signature that a state is in, by a few of its bits."""
    cell = ZERO
    for place in range(1, 1 + index.bits[split, 0]):
        bit = index.bits[split, place]
        plane = off if bit < 64 else low if bit < 128 else high
        cell = (cell << ONE) | ((plane >> U64(bit & 63)) & ONE)
    return cell


@inlined_kernel
def write_row(index, task, rows, at, run, moved, words, origin):
    """Write a row; ``run`` is where it is to be looked up, -1 for nowhere.

    The state differs from its source, which is on partition ``task.partition``, by the place of the
    card ``moved``.
    """
    signature, off, low, high = words
    rows[at, 0], rows[at, 1], rows[at, 2], rows[at, 3] = signature, off, low, high
    rows[at, 4] = origin
    if run < 0:
        rows[at, 5] = NO_DEST
        return
    partition = index.partition[run]
    split = index.split[run]
    if split >= 0:
        if (
            partition <= task.partition < partition + index.pieces[split]
            and not moved & index.cards[split]
        ):
            partition = task.partition
        else:
            partition += np.int64(index.cells[split, cell_of(index, split, off, low, high)])
    rows[at, 5] = (U64(partition) << U64(32)) | U64(run)


@kernel
def by_partition(rows, count, order, starts):
    """Sort the numbers of the rows by their partitions into ``order``.

    ``starts`` (int64[partitions + 2]) says where each begins.

    Rows that are to be looked up nowhere come last.
    """
    partitions = starts.size - 2
    starts[:] = 0
    for number in range(count):
        dest = rows[number, 5]
        partition = partitions if dest == NO_DEST else np.int64(dest >> U64(32))
        starts[partition + 1] += 1
    for partition in range(partitions + 1):
        starts[partition + 1] += starts[partition]
    # Each start moves to its end, which is the next one's start.
    for number in range(count):
        dest = rows[number, 5]
        partition = partitions if dest == NO_DEST else np.int64(dest >> U64(32))
        order[starts[partition]] = number
        starts[partition] += 1
    for partition in range(partitions + 1, 0, -1):
        starts[partition] = starts[partition - 1]
    starts[0] = 0


@kernel
def pack_outgoing(rows, order, packed):
    """Write rows as they are sent to ``packed``: uint64[*, 4 or 5]."""
    last = packed.shape[1] - 1
    for place in range(order.size):
        row = rows[order[place]]
        packed[place, 0], packed[place, 1] = row[1], row[2]
        if last == 4:
            packed[place, 2] = row[3]
        packed[place, last - 1] = row[4]
        packed[place, last] = row[5] & HALF


@kernel
def unpack_outgoing(index, packed, rows):
    """Write ``rows``, but for the partition: the inverse of :func:`pack_outgoing`."""
    last = packed.shape[1] - 1
    for place in range(packed.shape[0]):
        run = packed[place, last]
        rows[place, 0] = index.signatures[run]
        rows[place, 1], rows[place, 2] = packed[place, 0], packed[place, 1]
        rows[place, 3] = packed[place, 2] if last == 4 else ZERO
        rows[place, 4] = packed[place, last - 1]
        rows[place, 5] = run
