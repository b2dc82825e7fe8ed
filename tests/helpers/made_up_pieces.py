"""Pieces of a large signature whose states are numbers, and a worker that expands them."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.deals import Deal
from dbmsolver.kernels.hashing import EMPTY
from dbmsolver.results import Method
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.commits import Packed
from dbmsolver.search.proof.orders import Proof
from dbmsolver.search.proof.piece_tables import KeyShape, Table
from dbmsolver.search.proof.piece_worker import PieceResult
from dbmsolver.search.proof.pieces import Piece, Tree
from dbmsolver.search.proof.worker import ProofWorker
from dbmsolver.storage.blocks import decode_block, encode_block

CODEC = Proof(Deal.from_number(11982), "wkr", Method.EVERY_POSITION).keys()
SIGNATURE = int(CODEC.root[0])
SHAPE = KeyShape(CODEC, 0, SIGNATURE, 1, False)
BITS = 14
"""The size of the tables: 12,288 states are a full one, and a full buffer of 4,096 always fits."""
MORE = 20_000
"""States that the scratch memory of a worker has room for, where that is enough for all."""


def worker_of(room: int, words: int = 1, at_once: int = MORE) -> ProofWorker:
    """Return a worker with room for so many states, which closes ``at_once`` of them at a time.

    Each of them counts as one with a forced move.
    """
    worker = ProofWorker(CODEC)
    code_type = worker.workspace.order_codes.dtype
    worker.workspace = worker.workspace._replace(
        order=np.zeros(words * room, np.uint64), order_codes=np.zeros(room, code_type)
    )

    def close_piece(
        _ws: Any, _signature: int, _bits: int, reach: tuple[int, int, int], _piece: Any
    ) -> tuple[int, int, int, int]:
        head, count, _ = reach
        end = min(head + at_once, count)
        return end, count, 0, end - head

    kernels: Any = SimpleNamespace(close_piece=close_piece)
    worker.kernels = kernels
    return worker


def count_no_flips(
    _codec: Any, _signature: int, keys: NDArray[np.uint64], *_: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count how often each bit is set; no bit changes along a move, as the keys are no positions.

    Stands for :func:`dbmsolver.search.proof.closing.count_flips`.
    """
    ones = [int((keys >> np.uint64(bit) & np.uint64(1)).sum()) for bit in range(64)]
    return np.array(ones), np.zeros(64, np.int64)


def some(keys: Iterable[int], words: int = 1) -> Candidates:
    """Return candidates with these numbers in each word of their keys, and codes of their own."""
    of = np.array(list(keys), np.uint64)
    shape = KeyShape(CODEC, 0, SIGNATURE, words, False)
    codes = (of % np.uint64(7)).astype(CODEC.code_type)
    return shape.candidates(np.repeat(of, words), codes)


def closed(done: PieceResult) -> list[int]:
    """Return the numbers of the closed states, sorted; their keys and codes are as they were."""
    found: list[int] = []
    for block in done.result.closed:
        runs = decode_block(block.data, "a block")
        rows = runs.keys.reshape(-1, runs.key_words)
        assert (rows == rows[:, :1]).all()
        assert runs.codes.tolist() == (rows[:, 0] % np.uint64(7)).tolist()
        found += rows[:, 0].tolist()
    assert len(found) == done.result.states
    return sorted(found)


def keys_in(table: Table) -> NDArray[np.uint64]:
    """Return the keys in a table of keys of one word."""
    return table.slots[table.slots != EMPTY]


def packed(keys: range) -> Packed:
    """Return a block of closed states."""
    runs = some(keys).load()
    return Packed(encode_block(runs), "a block", None)


def result_for(piece: Piece, *rest: Candidates, largest_bits: int = 16) -> PieceResult:
    """Return the empty result of work on some candidates of a piece."""
    piece.in_work = list(rest)
    return PieceResult.to(piece, Tree(SHAPE, piece).routes(), largest_bits)
