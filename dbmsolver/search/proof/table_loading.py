"""Reading of the blocks of a large signature that an earlier run began, all in one pass.

A search that is continued knows the closed states of a large signature as blocks, and each block
may hold states of every piece. Read piece by piece, all blocks would be decoded once for each
piece. So the hash tables of all pieces are made at once. Where they do not fit into memory, the
pass finds out what each block may hold.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.search.proof.block_index import read_index
from dbmsolver.search.proof.piece_set import PieceSet
from dbmsolver.search.proof.piece_tables import Table, block_states, piece_words, rebuilt
from dbmsolver.search.proof.pieces import Piece

_SLOTS_PER_STATE = 3
"""Slots of a table for each state in it, at most, but for small tables."""
_SHARE = 0.6
"""The share of the memory for a large signature that tables may take from the start."""


def fits(pieces: PieceSet) -> bool:
    """Return True if the tables of all pieces fit into memory, and there are states for them."""
    closed = sum(piece.closed for piece in pieces.pieces)
    size = closed * _SLOTS_PER_STATE * pieces.shape.slot_bytes
    return closed > 0 and size <= _SHARE * pieces.budget.memory


def load_tables(pieces: PieceSet, pool: Executor) -> Iterator[None]:
    """Cut a signature into pieces and make their tables; yields after each block.

    Nothing else may use the tables meanwhile. Pieces that turn out to be too large are split.
    """
    pieces.cut()
    for piece in pieces.pieces:
        bits = pieces.shape.bits_for(piece.closed, pieces.largest_bits)
        piece.table = Table.empty(pieces.shape, bits)
    ahead: deque[Future[tuple[NDArray[np.uint64], NDArray[Any]]]] = deque()
    for ref in pieces.blocks:
        ahead.append(pool.submit(block_states, pieces.shape, ref.fetch(pieces.recorder.store)))
        if len(ahead) > pieces.budget.threads:
            _insert_routed(pieces, ahead.popleft().result()[0])
            yield
    for decoded in ahead:
        _insert_routed(pieces, decoded.result()[0])
        yield
    for piece in pieces.pieces:
        assert piece.table is not None
        piece.closed = piece.table.held
        piece.full = piece.table.is_full


def find_spans(pieces: PieceSet, pool: Executor) -> Iterator[None]:
    """Learn what each block may hold, then cut the signature into pieces; yields after each block.

    A sample of all blocks tells how to cut.
    """
    recorder, threads = pieces.recorder, pieces.budget.threads
    keys, codes = [], []
    for ref, summary in read_index(pieces.shape, pieces.blocks, recorder.store, pool, threads):
        pieces.index.spans[ref] = summary.span
        keys.append(summary.keys)
        codes.append(summary.codes)
        yield
    pieces.sample = np.concatenate(keys), np.concatenate(codes)
    pieces.cut()


def _insert_routed(pieces: PieceSet, keys: NDArray[np.uint64]) -> None:
    """Insert keys into the tables of their pieces."""
    words = pieces.shape.key_words
    codes = np.zeros(keys.size // words, pieces.shape.codec.code_type)
    targets = list(pieces.pieces)
    keys, _, ends = pieces.tree.routes().sort(keys, codes)
    start = 0
    for piece, end in zip(targets, ends.tolist(), strict=True):
        _insert(pieces, piece, keys[words * start : words * end])
        start = end


def _insert(pieces: PieceSet, piece: Piece, keys: NDArray[np.uint64]) -> None:
    """Insert keys of a piece into its table, which grows, or is divided with the piece."""
    words = pieces.shape.key_words
    table = piece.table
    assert table is not None
    while table.held + keys.size // words > table.capacity:
        bit = None
        if table.bits >= pieces.largest_bits:
            bit = pieces.best_bit(piece)
        tables = rebuilt(table, piece.mask, piece.value, bit)
        if bit is not None:
            sides = (piece_words(words, keys) >> np.uint64(bit)) & np.uint64(1)
            children = pieces.divide(piece, bit, tables)
            for side, child in enumerate(children):
                mine = keys.reshape(-1, words)[sides == side].reshape(-1)
                _insert(pieces, child, mine)
            return
        (table,) = tables
        piece.table = table
    table.load(keys, piece.mask, piece.value)
