"""Candidates of a large signature on their way to its pieces: counted, and none forgotten."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.results import Method
from dbmsolver.search.candidates import Candidates, pack_together
from dbmsolver.search.commits import CommitBatch
from dbmsolver.search.proof.orders import Proof
from dbmsolver.search.proof.piece_set import Budget, PieceSet
from dbmsolver.search.proof.piece_tables import KeyShape
from dbmsolver.search.proof.worker import LargeStart

CODEC = Proof(Deal.from_number(11982), "wkr", Method.EVERY_POSITION).keys()
SHAPE = KeyShape.of(CODEC, 0, int(CODEC.root[0]), 1)


def some(keys: list[int], record: bytes | None = None) -> Candidates:
    """Return candidates in memory, which may have a record in the store, too."""
    codes = np.zeros(len(keys), CODEC.code_type)
    found = SHAPE.candidates(np.array(keys, np.uint64), codes)
    found.record = record
    return found


def queues(*sources: Candidates) -> tuple[PieceSet, CommitBatch]:
    """Return a set of one piece, and the batch that gets what it deletes."""
    batch = CommitBatch()
    recorder: Any = SimpleNamespace(batch=batch, store=None, threads=2, in_parallel=map)
    start = LargeStart.of(some([]), some([]).load())
    start.sources = list(sources)
    return PieceSet(SHAPE, recorder, start, Budget(1 << 30, 8 << 17, 1, lambda: 0)), batch


def test_what_is_left_or_lost_is_told() -> None:
    of, _ = queues()
    of.check_none_lost()
    of.deliver(some([1, 2, 3]).load())
    assert (of.pending, of.outstanding) == (3, 3)
    (piece,) = of.pieces
    waiting, piece.queue = piece.queue, []
    with pytest.raises(InternalError, match="3 states of a large signature were lost"):
        of.check_none_lost()
    of.outstanding, piece.queue = 0, waiting
    with pytest.raises(InternalError, match="of a large signature were lost"):
        of.check_none_lost()


def test_what_waits_for_room_is_pending_until_it_is_delivered() -> None:
    """Its record goes with the next commit: what it becomes gets another."""
    source = some([4, 5], b"P1")
    of, batch = queues(some([1, 2, 3], b"P2"), source)
    size = of.candidate_bytes
    load, others = of.take_sources(0), of.take_sources(0)
    assert (of.pending, of.candidate_bytes) == (5, size)
    assert of.stored.states == 0
    of.deliver_sources(load())
    assert of.pending == 5
    assert batch.deletions == [b"P1"]
    of.deliver_sources(others())
    assert of.pending == 5 == sum(one.states for piece in of.pieces for one in piece.queue)
    assert batch.deletions == [b"P1", b"P2"]


def test_duplicates_that_packing_drops_are_not_missed() -> None:
    of, batch = queues()
    of.deliver(some([1, 2, 2, 2, 3]).load())
    (piece,) = of.pieces
    loose = piece.loose
    for number, one in enumerate(loose):
        one.record = b"P%d" % number
    packed = pack_together(loose)
    of.replace(piece, loose, packed)
    assert piece.queue == packed
    assert of.outstanding == of.pending == 3
    assert batch.deletions == [b"P%d" % number for number in range(len(loose))]


def test_a_selection_is_where_the_whole_is() -> None:
    """It has no record of its own, and its states are given to pieces for the first time."""
    whole = some([1, 2, 3])
    of, _ = queues(whole.select(whole.signatures))
    assert (of.pending, of.outstanding, of.stored.states) == (3, 0, 0)
    assert list(of.packed()) == []
    of.deliver_sources(of.take_sources(0)())
    assert (of.pending, of.outstanding) == (3, 3)
    assert [record.entry.states for record in of.packed()] == [3]


def test_small_records_are_divided_together() -> None:
    """They are as many as there is room for; a selection is not counted yet, so it is apart."""
    whole = some([7, 8, 9])
    chosen = [whole.select(whole.signatures) for _ in range(2)]
    small = [some([3 * number, 3 * number + 1], b"P%d" % number) for number in range(4)]
    of, batch = queues(*chosen, *small)
    room = 6 * whole.state_bytes
    of.deliver_sources(of.take_sources(room)())
    assert batch.deletions == [b"P3", b"P2", b"P1"]
    assert [queued.states for queued in of.pieces[0].queue] == [6]
    assert (of.outstanding, of.pending) == (0, 6 + 2 + 2 * 3)
    loads = [of.take_sources(room) for _ in range(2)]
    assert of.sources == [] and of.delivering == [small[0], *reversed(chosen)]
    for load in loads:
        of.deliver_sources(load())
    assert [queued.states for queued in of.pieces[0].queue] == [6, 2, 6]
    assert (of.delivering, of.outstanding, of.pending) == ([], 6, 14)


def test_a_commit_merges_what_has_come_to_an_idle_piece() -> None:
    """Duplicates are in one list then, and not missed; records and busy pieces stay as they are."""
    of, batch = queues()
    (piece,) = of.pieces
    stored = some([1, 9], b"P1")
    piece.queue = [some([1, 2]), stored, some([2, 3]), some([2, 4])]
    of.outstanding = of.pending
    piece.busy = True
    assert [record.entry.states for record in of.packed()] == [2, 2, 2]
    assert len(piece.queue) == 4
    piece.busy = False
    (record,) = of.packed()
    assert record.entry.states == 4
    first, merged = piece.queue
    assert first is stored and record.candidates is merged
    assert merged.load().keys.tolist() == [1, 2, 3, 4]
    assert of.outstanding == of.pending == 6
    assert batch.deletions == []
