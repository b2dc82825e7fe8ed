"""Threads that close signatures: what they share, and what an error leaves of them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from helpers.made_up_pieces import CODEC, SHAPE, result_for, some

from dbmsolver.kernels.runs import RunArrays
from dbmsolver.search.proof import workers
from dbmsolver.search.proof.pieces import Piece
from dbmsolver.search.proof.worker import BatchResult, ProofWorker, WorkResult
from dbmsolver.search.proof.workers import Threads


def test_each_thread_has_room_for_three_tables() -> None:
    of = Threads(CODEC, 4)
    assert (of.count, of.least, of.keeps_tables) == (4, CODEC.worth_a_batch, True)
    assert of.table_bytes(24_000) == 2_000
    of.close()


def test_a_thread_goes_on_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its scratch memory is not lost with the work that failed."""

    def fail(*_: Any) -> None:
        raise MemoryError

    of, done = Threads(CODEC, 2), result_for(Piece(0, 0, 0, []), some([1]))
    monkeypatch.setattr(workers, "expand_piece", fail)
    for _ in range(3):
        with pytest.raises(MemoryError):
            of.expand_piece(SHAPE, done, []).result()
    monkeypatch.setattr(workers, "expand_piece", lambda *_: None)
    assert of.expand_piece(SHAPE, done, []).result() is done
    of.close()


def test_the_only_batch_of_a_stratum_is_closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread takes each of several; what fails is raised by the Future alike."""
    places = np.arange(3)
    keys = places.astype(np.uint64)
    groups = RunArrays(keys, np.ones(3, np.int64), places, places, keys, keys)
    closing: list[threading.Thread] = []

    def close(_: ProofWorker, groups: RunArrays, first: int, last: int, stratum: int) -> Any:
        closing.append(threading.current_thread())
        if stratum:
            raise MemoryError
        return BatchResult(first, last, WorkResult(), [])

    monkeypatch.setattr(ProofWorker, "close_batch", close)
    of = Threads(CODEC, 1)
    for first, last in ((0, 3), (0, 2), (2, 3)):
        done = of.close_batch(groups, first, last, 0).result()
        assert (done.first, done.last) == (first, last)
        with pytest.raises(MemoryError):
            of.close_batch(groups, first, last, 1).result()
    here = threading.current_thread()
    assert [thread is here for thread in closing] == [True] * 2 + [False] * 4
    of.close()


def test_the_end_waits_for_the_work_that_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    of, done = Threads(CODEC, 1), result_for(Piece(0, 0, 0, []), some([1]))
    monkeypatch.setattr(workers, "expand_piece", lambda *_: None)
    futures = [of.expand_piece(SHAPE, done, []) for _ in range(50)]
    of.close()
    assert all(future.done() for future in futures)
    with pytest.raises(RuntimeError, match="after shutdown"):
        of.expand_piece(SHAPE, done, [])
