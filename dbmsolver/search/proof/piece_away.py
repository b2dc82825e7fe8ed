"""The expansion of a piece of a large signature for another process, which gets all results."""

from __future__ import annotations

import time

import numpy as np

from dbmsolver.search.candidates import sorted_by_stratum
from dbmsolver.search.commits import Packed
from dbmsolver.search.proof.piece_tables import KeyShape, Table, block_states, piece_words, rebuilt
from dbmsolver.search.proof.piece_worker import PieceExpansion, PieceResult
from dbmsolver.search.proof.worker import ProofWorker

WHOLE_SECONDS = 6.0
"""Seconds after which an expansion ends: the result has to be sent, and the table, too."""


def expand_whole(
    shape: KeyShape,
    done: PieceResult,
    worker: ProofWorker,
    blocks: list[Packed],
    table: Table | None,
) -> Table | None:
    """Close what follows, within the piece, from its candidates and opened states.

    Without a table one is made of the ``blocks``. It grows up to ``largest_bits``. Returns the
    table, or None if it would have to be larger. Candidates for others are sorted, each once.
    """
    table = table or _table_of(shape, done, blocks)
    if table is None:
        done.full = True
        return None
    until = time.monotonic() + WHOLE_SECONDS
    left = WHOLE_SECONDS
    while left > 0:
        PieceExpansion(shape, done, table, worker).work(left)
        if not done.full or table.bits >= done.largest_bits:
            break
        (table,) = rebuilt(table, done.piece.mask, done.piece.value, None)
        done.full = False
        left = until - time.monotonic()
    done.closed = table.held - sum(one.states for one in done.opened)
    done.divide(shape)
    for _, one in done.routed:
        one.sort()
    done.result.candidates = sorted_by_stratum(done.result.candidates)
    return table


def _table_of(shape: KeyShape, done: PieceResult, blocks: list[Packed]) -> Table | None:
    """Return a table of a piece's states in the blocks; None if it would be too large."""
    piece = done.piece
    waiting = min(sum(one.states for one in done.rest), 1 << 20)
    table = Table.empty(shape, shape.bits_for(piece.closed + waiting, done.largest_bits))
    mask, value = np.uint64(piece.mask), np.uint64(piece.value)
    for block in blocks:
        keys = block_states(shape, block)[0]
        words = piece_words(shape.key_words, keys)
        done.closed += int(np.count_nonzero((words & mask) == value))
        while done.closed > table.capacity:
            if table.bits >= done.largest_bits:
                return None
            (table,) = rebuilt(table, piece.mask, piece.value, None)
        table.load(keys, piece.mask, piece.value)
    return table
