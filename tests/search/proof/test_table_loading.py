"""Tables of a large signature that goes on: each closed state is in one, and in one only."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.made_up_pieces import CODEC, SHAPE, SIGNATURE, count_no_flips, keys_in, some
from numpy.typing import NDArray

from dbmsolver.search.commits import BlockRef, CommitBatch
from dbmsolver.search.proof import piece_set, piece_tables, pieces
from dbmsolver.search.proof.piece_set import Budget, PieceSet
from dbmsolver.search.proof.table_loading import find_spans, fits, load_tables
from dbmsolver.search.proof.worker import LargeStart
from dbmsolver.storage.blocks import encode_block
from dbmsolver.storage.records import Closed


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a table of 14 bits, for 8,192 states, be the smallest, and two pieces the fewest."""
    monkeypatch.setattr(pieces, "count_flips", count_no_flips)
    monkeypatch.setattr(piece_tables, "SMALLEST_BITS", 14)
    monkeypatch.setattr(piece_set, "FIRST_PIECES", 1)


def pieces_of(
    *blocks: NDArray[np.uint64], told: int | None = None, memory: int = 1 << 30, bits: int = 14
) -> PieceSet:
    """Return the pieces of a signature with these closed states, in tables of so many bits.

    The blocks say that they hold ``told`` states each.
    """
    recorder: Any = SimpleNamespace(batch=CommitBatch(), store=None, threads=1, in_parallel=map)
    start = LargeStart.of(some([]), some(range(1 << 16)).load())
    for keys in blocks:
        data = encode_block(some(keys.tolist()).load())
        size = keys.size if told is None else told
        closed = Closed(0, 0, SIGNATURE, SIGNATURE, size, data)
        start.blocks.append(BlockRef(closed))
    return PieceSet(SHAPE, recorder, start, Budget(memory, 8 << bits, 2, lambda: 0))


def parts(states: int, blocks: int) -> list[NDArray[np.uint64]]:
    """Return some numbers from 0 on, in blocks of neighbours."""
    return np.array_split(np.arange(states, dtype=np.uint64), blocks)


@pytest.mark.parametrize(
    ("states", "memory", "expected"), [(1000, 40_000, True), (1001, 40_000, False), (0, 1, False)]
)
def test_tables_fit_that_take_six_tenths_of_the_memory(
    states: int, memory: int, expected: bool
) -> None:
    """A state takes three slots of eight bytes."""
    assert fits(pieces_of(*parts(states, 1)[:states], memory=memory)) == expected


@pytest.mark.parametrize(
    ("states", "blocks", "told", "bits"),
    [
        (100, 1, None, 14),
        (100, 1, None, 15),
        (7000, 5, None, 14),
        (30_000, 7, None, 14),
        (30_000, 7, 10, 14),
        (30_000, 3, 10, 15),
        (30_000, 1, 10, 14),
        (16_384, 4, None, 14),
    ],
)
def test_each_state_is_in_the_table_of_its_piece(
    states: int, blocks: int, told: int | None, bits: int
) -> None:
    """Blocks that hold more than they told of let tables grow, and pieces be split.

    In the last case each of two tables is full.
    """
    of = pieces_of(*parts(states, blocks), told=told, bits=bits)
    with ThreadPoolExecutor(2) as pool:
        steps = sum(1 for _ in load_tables(of, pool))
    assert steps == blocks
    found: list[int] = []
    for piece in of.pieces:
        assert piece.table is not None and piece.table.bits <= bits
        assert states > 100 or piece.table.bits == 14  # which is enough
        mine = keys_in(piece.table)
        assert (mine & np.uint64(piece.mask) == np.uint64(piece.value)).all()
        assert piece.closed == piece.table.held == mine.size
        assert piece.full == (mine.size >= piece.table.capacity)
        found += mine.tolist()
    assert sorted(found) == list(range(states))
    assert len(of.blocks) == blocks


def test_pieces_are_cut_by_what_the_blocks_hold() -> None:
    """All of them are looked at before; each piece gets the blocks with states of it."""
    of = pieces_of(*parts(1 << 15, 8))
    with ThreadPoolExecutor(2) as pool:
        steps = sum(1 for _ in find_spans(of, pool))
    assert steps == 8
    keys, codes = of.sample
    assert keys.tolist() == list(range(1 << 15))
    assert codes.tolist() == [key % 7 for key in range(1 << 15)]
    assert [(span.ones & span.zeros) for span in of.index.spans.values()] == [(1 << 12) - 1] * 8
    assert sorted((piece.mask, piece.closed) for piece in of.pieces) == [(3 << 12, 1 << 13)] * 4
    assert all(len(piece.blocks) == 2 for piece in of.pieces)
    assert CODEC.code_type == codes.dtype
