"""The full check of a proof: all positions of the deal are listed.

It relies on no theorem about records or classes, and on no closed state. Safe moves are made first;
in Klondike's kind, runs stay with twins, and wastes that lead to the same cards count as one.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from dbmsolver.arrays import zeros
from dbmsolver.errors import InternalError
from dbmsolver.verify.kernels import listing as k
from dbmsolver.verify.kernels.board import MOST_MOVES
from dbmsolver.verify.kernels.closed_set import STATE_WORDS
from dbmsolver.verify.kernels.expand import make_successors
from dbmsolver.verify.keys import Keys
from dbmsolver.verify.refutation import Refuted, words_of
from dbmsolver.verify.report import Pace, Progress, TooMany

_FIRST_ROOM = 1 << 12
_STEPS = 1 << 15
"""Positions that are looked at between two reports."""
_STATE_BYTES = 8 * STATE_WORDS + 2 * 4
"""The bytes of a position, with its share of the hash table."""


def list_positions(keys: Keys, memory: int) -> Generator[Progress, None, int]:
    """List all positions that follow from a deal; return their number.

    Where a move is forced, no other one is made. TooMany if they need more than ``memory``
    bytes, Refuted for one that is won.
    """
    listed = _grown(k.Listed(np.empty((0, STATE_WORDS), np.uint64), zeros(0, np.uint32)), 0, memory)
    listed.rows[0] = keys.root
    k.enter_all(listed, 1)
    table, after, pace = keys.make_table(), make_successors(1 << 12), Pace()
    head, count, ended = 0, 1, k.MORE
    while ended in (k.MORE, k.FULL):
        if ended == k.FULL:
            listed = _grown(listed, count, memory)
        ended, head, count = k.list_states(
            keys.tables, listed, head, count, _STEPS, MOST_MOVES, table, after
        )
        if pace.due():
            yield Progress("listing positions", 0, 0, head, count, head / count)
    if ended == k.WON:
        won = words_of(listed.rows[head])
        raise Refuted("the moves of the game lead to a win", keys.position(won))
    if ended == k.NO_STATE:
        raise InternalError("a move of the game leads to no position")
    return int(count)


def _grown(listed: k.Listed, count: int, memory: int) -> k.Listed:
    """Return a list with the same positions, and room for twice as many."""
    room = max(2 * listed.rows.shape[0], _FIRST_ROOM)
    # Old and new positions, but not both tables, are there while the old ones are copied.
    if listed.rows.nbytes + room * _STATE_BYTES > memory:
        raise TooMany(count, "positions", memory)
    rows = np.empty((room, STATE_WORDS), np.uint64)
    rows[:count] = listed.rows[:count]
    larger = k.Listed(rows, zeros(2 * room, np.uint32))
    k.enter_all(larger, count)
    return larger
