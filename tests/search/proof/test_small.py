"""Batches of small signatures: how far they are, and what comes of them when the search ends."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest

from dbmsolver.core.runs import RunArrays
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


def small(workers: Batches) -> tuple[SmallSignatures, list[BatchResult]]:
    """Return the signatures to be closed by workers, and a list that gets the results."""
    taken: list[BatchResult] = []
    of_all: Any = workers
    codec: Any = None
    return SmallSignatures(codec, groups(), set(), 1, of_all, taken.append), taken


@pytest.mark.parametrize("count", [1, 3])
def test_the_share_that_is_done(count: int) -> None:
    closing, taken = small(Batches(count, SIGNATURES))
    shares = [closing.share]
    while not closing.step():
        shares.append(closing.share)
        assert shares[-1] == sum(one.last - one.first for one in taken) / SIGNATURES
    assert shares == sorted(set(shares))
    assert (shares[0], shares[-1]) == (0, 1)


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
