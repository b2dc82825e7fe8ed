"""All positions of a deal of Klondike, listed by the rules alone."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inner, kernel
from dbmsolver.verify.kernels.board import ALL_HOME
from dbmsolver.verify.kernels.digit_check import moves_of
from dbmsolver.verify.kernels.digits import lay_digits, make_move
from dbmsolver.verify.kernels.words import ALL, U64

ALL_LISTED, MORE, WON, FULL = range(4)
"""Ends of a call of :func:`list_positions`: nothing is left; some are left; a win; no room."""


@inner
def enter(rows, index, count, words):
    """Append a position to ``rows`` unless it is there; returns how many there are."""
    slots = index.size
    mixed = words[0] * U64(0x9E3779B97F4A7C15) ^ words[1] * U64(0xD6E8FEB86659FD93)
    mixed = (mixed ^ (mixed >> U64(29)) ^ words[2]) * U64(0xA0761D6478BD642F)
    slot = np.int64(mixed >> U64(16)) & (slots - 1)
    while index[slot] >= 0:
        other = rows[index[slot]]
        if other[0] == words[0] and other[1] == words[1] and other[2] == words[2]:
            return count
        slot = (slot + 1) & (slots - 1)
    index[slot] = count
    for word in range(3):
        rows[count, word] = words[word]
    return count + 1


@kernel
def list_positions(d, board, rows, index, head, count, steps):
    """Expand at most ``steps`` positions of ``rows`` (uint64[most, 3]) from ``head`` on.

    ``rows[:count]`` are listed, and ``index`` (int32[slots], -1 for none) finds them. Returns
    (how it ended, head, count).
    """
    end = head + steps
    while head < count and head < end:
        if count + board.moves.shape[0] > rows.shape[0]:
            return FULL, head, count
        _, laid = lay_digits(d, rows[head], board)
        if laid.heights == ALL_HOME:
            return WON, head, count
        for move in range(moves_of(d, board, laid, ALL)):
            make_move(d, rows[head], board, laid, board.moves[move], board.after)
            count = enter(rows, index, count, board.after)
        head += 1
    return MORE if head < count else ALL_LISTED, head, count


@kernel
def begin(rows, index, root):
    """Write the deal's position (uint64[3]) to ``rows`` as the first."""
    enter(rows, index, np.int64(0), root)


@kernel
def enter_all(rows, count, larger, index):
    """Enter the first ``count`` positions of ``rows`` into larger arrays, in the same order."""
    for number in range(count):
        enter(larger, index, np.int64(number), rows[number])
