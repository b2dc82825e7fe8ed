"""Batches of small signatures: how far they are, and what comes of them when the search ends."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dbmsolver.kernels.runs import RunArrays
from dbmsolver.search.proof import small as smalls
from dbmsolver.search.proof.small import SmallSignatures
from dbmsolver.search.proof.worker import BatchResult, WorkResult

SIGNATURES = 10


def groups() -> RunArrays:
    """Return signatures of one candidate each."""
    places = np.arange(SIGNATURES)
    keys = places.astype(np.uint64)
    return RunArrays(keys, np.ones(SIGNATURES, np.int64), places, places, keys, keys)


class Batches:
    """Workers that close the first `at_once` batches at once; each signature is worth a batch."""

    least = 1
    waiting = 0

    def __init__(self, count: int, at_once: int) -> None:
        self.count = count
        self.at_once = at_once
        self.given: list[tuple[int, int]] = []
        self.futures: list[Future[BatchResult]] = []

    def close_batch(
        self, groups: RunArrays, first: int, last: int, stratum: int
    ) -> Future[BatchResult]:
        self.given.append((first, last))
        self.futures.append(Future())
        if len(self.given) <= self.at_once:
            self.finish(-1)
        return self.futures[-1]

    def finish(self, number: int) -> None:
        self.futures[number].set_result(BatchResult(*self.given[number], WorkResult(), []))


def small(
    workers: Batches, unfinished: Sequence[int] = ()
) -> tuple[SmallSignatures, list[BatchResult]]:
    """Return the signatures to be closed by workers, and a list that gets the results."""
    taken: list[BatchResult] = []
    of_all: Any = workers
    codec: Any = SimpleNamespace(tables=None)
    return SmallSignatures(codec, groups(), unfinished, 1, of_all, taken.append), taken


@pytest.mark.parametrize("count", [1, 3])
def test_the_share_that_is_done(count: int) -> None:
    closing, taken = small(Batches(count, SIGNATURES))
    shares = [closing.share]
    while not closing.step():
        shares.append(closing.share)
        assert shares[-1] == sum(one.last - one.first for one in taken) / SIGNATURES
    assert shares == sorted(set(shares))
    assert (shares[0], shares[-1]) == (0, 1)


@pytest.mark.parametrize(
    ("count", "least", "largest", "unfinished", "ranges"),
    [
        (1, 1, 50, [], [(0, 5), (5, 10)]),
        (2, 1, 50, [], [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10)]),
        (2, 1, 1, [7], [*((n, n + 1) for n in range(10) if n != 7)]),
        (2, 3, 50, [], [(0, 3), (3, 6), (6, 9), (9, 10)]),
        (2, 3, 50, [4], [(0, 3), (3, 4), (5, 8), (8, 10)]),
        (2, 3, 50, [0, 3, 4, 9], [(1, 3), (5, 8), (8, 9)]),
    ],
)
def test_batches_are_alike_and_leave_out_what_was_begun(
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    least: int,
    largest: int,
    unfinished: list[int],
    ranges: list[tuple[int, int]],
) -> None:
    """Each worker gets two, of some size. Large signatures of a run before are handed over."""
    monkeypatch.setattr(smalls, "_BATCHES_FOR_EACH", 2)
    monkeypatch.setattr(smalls, "_LARGEST_BATCH", largest)
    monkeypatch.setattr(smalls, "widths_of", lambda *_: [1])
    monkeypatch.setattr(smalls, "start_of", lambda stratum, signature, *_: (stratum, signature))
    workers = Batches(count, SIGNATURES)
    workers.least = least
    closing, _ = small(workers, unfinished)
    while not closing.step():
        pass
    assert workers.given == ranges
    assert closing.resumed == [(1, signature) for signature in unfinished]


def test_an_end_takes_what_is_closed_and_leaves_what_failed() -> None:
    """The error of a batch is raised by a step, and not again while the search ends."""
    workers = Batches(3, 1)
    closing, taken = small(workers)
    assert not closing.step()
    assert len(taken) == 1 and len(workers.given) == 4
    workers.finish(1)
    workers.futures[2].set_exception(MemoryError())
    workers.finish(3)
    closing.end()
    assert sorted(one.first for one in taken) == [workers.given[n][0] for n in (0, 1, 3)]
    closing.end()
    assert len(taken) == 3


def test_batches_that_wait_for_a_worker() -> None:
    """Each worker has its next batch at once, whatever becomes of the last one's result."""
    workers = Batches(2, 1)
    workers.waiting = 1
    closing, taken = small(workers)
    assert not closing.step()
    assert (len(taken), len(workers.given)) == (1, 4)
    workers.finish(2)
    assert not closing.step()
    assert (len(taken), len(workers.given)) == (2, 5)
