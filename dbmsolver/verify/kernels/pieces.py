"""The division of a signature that is too big for memory, by bits of cards, and the sorting."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import kernel
from dbmsolver.verify.kernels.rows import cell_of
from dbmsolver.verify.kernels.words import ONE, U64, ZERO

MOST_BITS = 16


@kernel
def count_ones(width, planes, ones):
    """Count, into ``ones`` (int64[192]), how many states have each bit: plane * 64 + bit."""
    for place in range(0, planes.size, width):
        for plane in range(width):
            word = planes[place + plane]
            for bit in range(64):
                ones[64 * plane + bit] += np.int64((word >> U64(bit)) & ONE)


@kernel
def count_cells(index, split, width, planes, counts):
    """Count states by cell, into ``counts`` (int64[2**16])."""
    high = ZERO
    for place in range(0, planes.size, width):
        if width == 3:
            high = planes[place + 2]
        counts[cell_of(index, split, planes[place], planes[place + 1], high)] += 1


@kernel
def sort_by_piece(index, split, width, planes, codes, pieces, starts, sorted_planes, sorted_codes):
    """Sort states by piece.

    ``pieces`` (int16[states]) is scratch, ``starts`` (int64[pieces + 1]) says where each begins.
    """
    high = ZERO
    starts[:] = 0
    for number in range(codes.size):
        place = width * number
        if width == 3:
            high = planes[place + 2]
        cell = cell_of(index, split, planes[place], planes[place + 1], high)
        piece = index.cells[split, cell]
        pieces[number] = piece
        starts[piece] += 1
    total = 0
    for piece in range(starts.size):
        count = starts[piece]
        starts[piece] = total
        total += count
    for number in range(codes.size):
        piece = pieces[number]
        target = starts[piece]
        starts[piece] += 1
        sorted_codes[target] = codes[number]
        for plane in range(width):
            sorted_planes[width * target + plane] = planes[width * number + plane]
    for piece in range(starts.size - 1, 0, -1):
        starts[piece] = starts[piece - 1]
    starts[0] = 0
