"""Shortest solutions of Klondike's kind: searches that are interrupted, and continued."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from helpers import faults
from helpers.crashes import crash_until_done, die_with_the_goal
from helpers.failing_writes import FailingWrites
from helpers.layered import counts, deck, small_rounds
from helpers.selection import few_fast

from dbmsolver import api
from dbmsolver.errors import InternalError, StoreError
from dbmsolver.results import Limit, Options, Question, Verdict
from dbmsolver.search import inspect, session
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.astar.partitions import Partition, ShardQueue

WANTED = [Verdict.UNSOLVABLE, Verdict.SOLVED]
STEP = 8
"""States that are expanded in a round."""


@pytest.fixture(autouse=True)
def _small_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    small_rounds(monkeypatch, STEP)


@pytest.mark.parametrize(("wanted", "threads"), few_fast(product(WANTED, [2, 1]), 2))
def test_crashes_leave_what_was_committed(wanted: Verdict, threads: int, tmp_path: Path) -> None:
    deal = deck(wanted)
    options = Options(store=tmp_path, threads=threads)
    result, crashes = crash_until_done(lambda: session.run(Question.SOLVE, deal, options))
    assert crashes > 2
    assert counts(result) == counts(api.solve(deal))
    assert faults.check(tmp_path).valid
    assert inspect.status(tmp_path).pending == 0


def test_limits_end_a_search_that_goes_on(tmp_path: Path) -> None:
    deal = deck(Verdict.UNSOLVABLE)
    most, runs = 0, 0
    while True:
        most += 4 * STEP
        result = api.solve(deal, store=tmp_path, max_states=most)
        runs += 1
        if result.limit is None:
            break
        assert (result.verdict, result.limit) == (Verdict.UNDECIDED, Limit.MAX_STATES)
        status = inspect.status(tmp_path)
        assert status.closed == result.states and status.pending
        assert inspect.lookup(tmp_path, deal.position) == []
    assert runs > 2
    assert counts(result) == counts(api.solve(deal))
    assert faults.check(tmp_path).valid
    assert inspect.certificate(tmp_path)
    with pytest.raises(StoreError, match="holds a search with another question"):
        api.prove(deal, method="every-position", store=tmp_path)


@pytest.mark.parametrize("wanted", few_fast(WANTED, 1))
@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_write_errors(
    step: int, wanted: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The n-th write fails, for every n, and the search goes on from what was there before."""
    deal = deck(wanted)
    FailingWrites(monkeypatch).fail_in_turn(
        range(1, 120, step), lambda: api.solve(deal, store=tmp_path)
    )
    assert counts(api.solve(deal, store=tmp_path)) == counts(api.solve(deal))
    assert faults.check(tmp_path).valid


@pytest.mark.parametrize("before", ["played", "committed"])
def test_killed_between_the_goal_and_the_verdict(
    before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The goal is pending in the commit before the verdict: a continued run finds it there."""
    deal = deck(Verdict.SOLVED)
    with monkeypatch.context() as patch:
        die_with_the_goal(patch, before)
        with pytest.raises(KeyboardInterrupt):
            api.solve(deal, store=tmp_path)
    assert counts(api.solve(deal, store=tmp_path)) == counts(api.solve(deal))
    assert faults.check(tmp_path).valid


def lose_incoming_candidates(patch: pytest.MonkeyPatch) -> None:
    real = Partition.distribute

    def distribute(self: Partition, rows: Any, *more: Any) -> None:
        real(self, rows, *more)
        for queue in self.queues or ():
            if more and queue.incoming:
                queue.incoming.pop()

    patch.setattr(Partition, "distribute", distribute)


def lose_what_waits(patch: pytest.MonkeyPatch) -> None:
    real = ShardQueue.sort_later

    def sort(self: ShardQueue, ceiling: int) -> None:
        real(self, ceiling)
        if self.waiting:
            del self.waiting[max(self.waiting)]

    patch.setattr(ShardQueue, "sort_later", sort)


@pytest.mark.parametrize("stored", [True, False], ids=["store", "no store"])
@pytest.mark.parametrize("lose", [lose_incoming_candidates, lose_what_waits])
def test_what_is_lost_ends_without_a_verdict(
    lose: Any, stored: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal, store = deck(Verdict.UNSOLVABLE), tmp_path / "store"
    with monkeypatch.context() as patch:
        lose(patch)
        with pytest.raises(InternalError, match="internal check failed"):
            api.solve(deal, store=store if stored else None, threads=2)
    if stored:  # the last commit stands
        assert counts(api.solve(deal, store=store)) == counts(api.solve(deal))


def test_what_is_lost_before_a_search_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = deck(Verdict.UNSOLVABLE)
    assert api.solve(deal, store=tmp_path, max_states=100).limit == Limit.MAX_STATES
    real = Checkpoint.restore

    def restore(self: Checkpoint) -> None:
        real(self)
        candidates = self.partitions[0].candidates
        for layer in sorted(candidates)[1:]:
            del candidates[layer]

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "restore", restore)
        with pytest.raises(InternalError, match="internal check failed"):
            api.solve(deal, store=tmp_path)
    assert counts(api.solve(deal, store=tmp_path)) == counts(api.solve(deal))
