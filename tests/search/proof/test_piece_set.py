"""All pieces of a large signature: their tables fit into memory, and blocks go to their pieces."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.made_up_pieces import CODEC, SHAPE, SIGNATURE, count_no_flips

from dbmsolver.kernels.workspace import BUFFER
from dbmsolver.search.candidates import Candidates, pack_together
from dbmsolver.search.commits import BlockRef, CommitBatch
from dbmsolver.search.proof import pieces
from dbmsolver.search.proof.block_index import Span
from dbmsolver.search.proof.piece_set import Budget, PieceSet
from dbmsolver.search.proof.piece_tables import LARGEST_BITS, Table
from dbmsolver.search.proof.pieces import Piece
from dbmsolver.search.proof.worker import LargeStart
from dbmsolver.storage.records import Closed

ALL_BITS = (1 << 64) - 1
LARGEST = 17


def some(*keys: int) -> Candidates:
    return SHAPE.candidates(np.array(keys, np.uint64), np.zeros(len(keys), CODEC.code_type))


def block(states: int = 1) -> BlockRef:
    """Return a block of so many closed states."""
    return BlockRef(Closed(0, 0, SIGNATURE, SIGNATURE, states, b""))


def pieces_of(
    *blocks: BlockRef, keys: tuple[int, ...] = (), memory: int = 1 << 30, others: int = 0
) -> tuple[PieceSet, CommitBatch]:
    """Return the pieces of a signature with these closed states, and what they delete.

    The sample by which they are cut are ``keys``.
    """
    batch = CommitBatch()
    recorder: Any = SimpleNamespace(batch=batch, store=None, threads=1, in_parallel=map)
    start = LargeStart.of(some(), some(*keys).load())
    start.blocks = list(blocks)
    budget = Budget(memory, 8 << LARGEST, 1, lambda: others)
    return PieceSet(SHAPE, recorder, start, budget), batch


@pytest.fixture(autouse=True)
def no_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no bit change along a move: the sample's keys are no positions."""
    monkeypatch.setattr(pieces, "count_flips", count_no_flips)


def masks(of: PieceSet) -> list[tuple[int, int]]:
    return sorted((piece.mask, piece.value) for piece in of.pieces)


def test_a_new_signature_is_cut_and_one_that_goes_on_is_whole() -> None:
    """The blocks of the latter are to be read first."""
    of, _ = pieces_of(keys=tuple(range(8)))
    assert masks(of) == [(7, value) for value in range(8)]
    assert of.largest_bits == LARGEST
    blocks = block(30), block(12)
    of, _ = pieces_of(*blocks, keys=tuple(range(8)))
    (piece,) = of.pieces
    assert (piece.closed, of.blocks) == (42, list(blocks))


def test_a_signature_is_cut_until_a_table_for_each_piece_can_be_made() -> None:
    """A bit that no block has both values of cuts best, and a block goes to its own piece only."""
    blocks = block(160_000), block(40_000)
    of, _ = pieces_of(*blocks, keys=tuple(range(1024)))
    for side, ref in enumerate(blocks):
        zeros, ones = ~(side << 6) & ALL_BITS, ~((1 - side) << 6) & ALL_BITS
        of.index.spans[ref] = Span(ones, zeros)
    of.cut()
    assert len(of.pieces) == 8
    assert all(piece.mask & 1 << 6 for piece in of.pieces)
    for piece in of.pieces:
        side = piece.value >> 6 & 1
        assert piece.blocks == [blocks[side]]
        both = piece.mask.bit_count() - 1
        assert piece.closed == blocks[side].block.states >> both <= 98_304


def test_tables_that_were_not_used_for_long_make_room() -> None:
    """None of a piece that is being expanded; memory is what others and candidates leave."""
    table = Table.empty(SHAPE, 16).nbytes
    assert table == 8 << 16
    of, _ = pieces_of(keys=tuple(range(8)), memory=5 * table + 100, others=100)
    first, second, third, *_ = of.pieces
    for used, piece in ((3, first), (1, second), (2, third)):
        piece.table, piece.used = Table.empty(SHAPE, 16), used
    second.busy = True
    of.make_room(2 * table)
    assert all(piece.table is not None for piece in (first, second, third))
    of.make_room(2 * table + 1)
    assert [piece.table is None for piece in (first, second, third)] == [False, False, True]
    of.make_room(9 * table)
    assert [piece.table is None for piece in (first, second, third)] == [True, False, True]


def test_a_table_is_as_large_as_what_is_closed_and_waits() -> None:
    of, _ = pieces_of(keys=tuple(range(8)))
    piece = of.pieces[0]
    piece.blocks, piece.closed = [block(60_000)], 60_000
    assert of.add_table(piece) == piece.blocks
    assert piece.table is not None and piece.table.bits == 17
    assert of.add_table(piece) == []
    other = of.pieces[1]
    other.closed = (3 << 14) - 2 * BUFFER - 1
    other.queue = [some(1)]
    of.add_table(other)
    assert other.table is not None and other.table.bits == 16
    other.evict()
    other.queue = [some(1, 2)]
    of.add_table(other)
    assert other.table is not None and other.table.bits == 17


def test_a_table_that_was_too_small_is_followed_by_a_larger_one() -> None:
    """Opened states wait again. A piece too large for the largest table is split."""
    of, _ = pieces_of(keys=tuple(range(64)))
    piece, opened = of.pieces[0], some(0, 8)
    for bits in (16, LARGEST):
        before = of.pieces.copy()
        piece.table, piece.opened = Table.empty(SHAPE, bits), [opened]
        of.drop_table(piece)
        if bits == 16:
            assert of.pieces == before
            assert (piece.table, piece.queue, piece.opened) == (None, [opened], [])
            assert piece.closed == (3 << 14) - BUFFER + 2 * BUFFER
    assert piece not in of.pieces
    assert len(of.pieces) == 9
    assert of.largest_bits == LARGEST


def test_larger_tables_are_allowed_where_no_bit_cuts_a_piece() -> None:
    of, _ = pieces_of(block(), keys=(5,))
    (piece,) = of.pieces
    for number in range(1, 3):
        of.outgrow(piece)
        assert of.pieces == [piece]
        assert of.largest_bits == LARGEST + number
    assert LARGEST + 2 < LARGEST_BITS


def test_a_larger_table_ends_the_wait_for_it() -> None:
    of, _ = pieces_of(keys=tuple(range(8)))
    piece, table = of.pieces[0], Table.empty(SHAPE, 16)
    piece.busy = piece.full = True
    of.replace_table(piece, None, [table])
    assert (piece.busy, piece.full, piece.table) == (False, False, table)


def test_two_pieces_with_tables_take_the_place_of_one() -> None:
    """States in a table that are not expanded are not closed."""
    of, _ = pieces_of(block(), keys=tuple(range(8)))
    (piece,) = of.pieces
    piece.opened = [some(0, 1, 2, 5)]
    tables = [Table.empty(SHAPE, 16), Table.empty(SHAPE, 16)]
    tables[0].held, tables[1].held = 10, 20
    of.replace_table(piece, 2, tables)
    assert masks(of) == [(4, 0), (4, 4)]
    assert [child.table for child in of.pieces] == tables
    assert [child.closed for child in of.pieces] == [10 - 3, 20 - 1]


def test_the_records_of_a_piece_go_when_it_is_split() -> None:
    """Packed candidates are divided when there is room, and keep their record until then."""
    of, batch = pieces_of(block(), keys=tuple(range(8)))
    (piece,) = of.pieces
    (packed,) = pack_together([some(1, 6)])
    loose, opened = some(2, 7), some(3)
    for one, record in ((packed, b"P1"), (loose, b"P2"), (opened, b"P3")):
        one.record = record
    piece.queue, piece.opened = [packed, loose], [opened]
    assert of.split(piece)
    assert of.sources == [packed]
    assert sorted(batch.deletions) == [b"P2", b"P3"]
    assert sum(child.work for child in of.pieces) == 3
    assert of.pending == 5


def test_blocks_are_known_by_the_bit_that_they_are_divided_by() -> None:
    of, _ = pieces_of(keys=tuple(range(8)))
    piece = Piece(0b0101, 0b0100, 0, [block()], bit=5)
    zeros, ones, more = block(), block(), block()
    of.add_divided(piece, [zeros, ones], [0, 1])
    of.add_divided(piece, [more], [])
    assert piece.blocks[1:] == [zeros, ones, more]
    assert set(of.index.spans) == {zeros, ones}
    for bit, side, held in ((0, 1, []), (2, 0, []), (5, 0, [zeros]), (5, 1, [ones])):
        known = [ref for ref in (zeros, ones) if of.index.may_hold(ref, bit, side)]
        assert known == held
    for bit, side in ((0, 0), (2, 1), (1, 0), (1, 1), (63, 0), (63, 1)):
        assert all(of.index.may_hold(ref, bit, side) for ref in (zeros, ones))


@pytest.mark.parametrize(("closed", "bit"), [((1 << 19) - 1, 0), (1 << 19, 2)])
def test_the_bit_of_a_piece_is_chosen_for_good_once_enough_is_known(closed: int, bit: int) -> None:
    of, _ = pieces_of(block(), keys=tuple(range(8)))
    (piece,) = of.pieces
    piece.closed, piece.bit = closed, 2
    of.plan(piece)
    assert piece.bit == bit
    assert of.best_bit(piece) == bit


def test_the_end_of_an_expansion_elsewhere_is_noted() -> None:
    of, _ = pieces_of(keys=tuple(range(8)))
    piece, opened = of.pieces[0], some(8)
    piece.closed, piece.away, piece.opened = 70, "a process", [opened]
    of.settle(piece, 90, full=False, lost=False)
    assert (piece.closed, piece.away, piece.opened) == (90, "a process", [opened])
    of.settle(piece, 0, full=False, lost=True)
    assert (piece.closed, piece.away, piece.queue, piece.opened) == (90, None, [opened], [])


@pytest.mark.parametrize("away", [None, "a process"])
def test_a_piece_that_is_full_elsewhere_is_split(away: str | None) -> None:
    """Its parts are where its table is; without one, what was opened waits again."""
    of, _ = pieces_of(keys=tuple(range(64)))
    piece = of.pieces[0]
    piece.away, piece.opened = away, [some(0, 8)]
    of.settle(piece, 90, full=True, lost=False)
    children = [one for one in of.pieces if one.mask & ~7]
    assert len(children) == 2 and len(of.pieces) == 9
    for child in children:
        assert child.away == away
        waiting = child.queue if away is None else child.opened
        assert sum(one.states for one in waiting) == child.work
    assert sum(child.work for child in children) == 2
