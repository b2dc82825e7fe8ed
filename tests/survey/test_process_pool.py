"""Worker processes of this machine: what they answer, and what becomes of those that die."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.fake_search import nearly_done
from helpers.fake_worker import compile_only, end_when_asked, end_when_killed

from dbmsolver.errors import InputError
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limits, Question, Verdict
from dbmsolver.survey import process_pool
from dbmsolver.survey.jobs import Finding, JobKind, Order
from dbmsolver.survey.pool import Answer, Job, JobEnd
from dbmsolver.survey.process_pool import ProcessPool
from dbmsolver.survey.ranges import Subject, one_line

RULES = rules_for("freecell")
WON = Subject(None, one_line(nearly_done()[0]), RULES)
MEMORY = 600 << 20


def job(*subjects: Subject) -> Job:
    return Job(Order(JobKind.SEARCH, Question.PROVE, subjects, Limits(), 1, True), alone=False)


def children() -> set[int]:
    """Return the processes that this one has started."""
    pid = os.getpid()
    return {int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


@contextmanager
def pool_of(
    workers: int, compiles: Callable[[], None] | None = None
) -> Iterator[tuple[ProcessPool, set[int]]]:
    """Yield a pool, and the processes that were there before it; it leaves none, and no file."""
    before = children()
    with warnings.catch_warnings(record=True) as said:  # of what is left to the collector
        warnings.simplefilter("always", ResourceWarning)
        pool = ProcessPool(workers, 3, MEMORY, compiles)
        try:
            yield pool, before
        finally:
            pool.close()
    assert [str(one.message) for one in said] == []
    assert children() == before


def events_of(pool: ProcessPool, ends: int = 1) -> list[Answer | JobEnd]:
    """Return all events up to so many ends of jobs."""
    events: list[Answer | JobEnd] = []
    while sum(isinstance(event, JobEnd) for event in events) < ends:
        events += pool.wait(60)
    return events


def check_answered(events: list[Answer | JobEnd], asked: Job) -> None:
    *answers, end = (event for event in events if event.job is asked)
    assert end == JobEnd(asked)
    assert len(answers) == len(asked.order.subjects)
    for number, answer in enumerate(answers):
        assert isinstance(answer, Answer) and answer.number == number
        assert (answer.finding.verdict, answer.finding.length) == (Verdict.SOLVED, 2)


def test_a_worker_is_used_again() -> None:
    """Each has its part of the memory, and is started when no other is idle."""
    with pool_of(2) as (pool, before):
        assert (pool.workers, pool.machines) == (2, 1)
        assert (pool.memory, pool.whole) == (MEMORY // 2, (3, MEMORY))
        assert children() == before
        first, second = job(WON), job(WON, WON)
        pool.submit(first)
        pool.submit(second)
        started = children() - before
        assert len(started) == 2
        assert {os.getpgid(worker) for worker in started} == started  # Ctrl-C is for the driver
        events = events_of(pool, 2)
        check_answered(events, first)
        check_answered(events, second)
        third = job(WON)
        pool.submit(third)
        check_answered(events_of(pool), third)
        assert children() - before == started


def test_workers_that_die_are_replaced() -> None:
    """The job of one is lost; one without a job is missed by nobody."""
    with pool_of(1) as (pool, before):
        lost = job(WON)
        pool.submit(lost)
        (worker,) = children() - before
        os.kill(worker, signal.SIGKILL)
        assert events_of(pool) == [JobEnd(lost, lost=True)]
        assert children() == before
        for _ in range(2):
            again = job(WON)
            pool.submit(again)
            check_answered(events_of(pool), again)
            (worker,) = children() - before
            os.kill(worker, signal.SIGKILL)
            os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)


def test_that_kernels_are_compiled_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool, "serve", compile_only)
    told: list[int] = []
    with pool_of(1, lambda: told.append(len(told))) as (pool, _):
        for asked in (job(WON), job(WON)):
            pool.submit(asked)
            assert events_of(pool) == [JobEnd(asked)]
            assert told == [0]


def test_workers_that_are_busy_are_asked_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their searches commit what they have found before they end."""
    monkeypatch.setattr(process_pool, "serve", end_when_asked)
    asked = job(WON)
    asked.order = replace(asked.order, store=tmp_path / "committed")
    with pool_of(1) as (pool, _):
        pool.submit(asked)
        assert pool.wait(60) == [Answer(asked, 0, Finding(None))]
        assert not (tmp_path / "committed").exists()
    assert (tmp_path / "committed").exists()


def test_a_worker_that_does_not_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_pool, "serve", end_when_killed)
    monkeypatch.setattr(process_pool, "_TIME_TO_END", 0.01)
    asked = job(WON)
    asked.order = replace(asked.order, store=tmp_path / "not killed")
    with pool_of(1) as (pool, _):
        pool.submit(asked)
        assert pool.wait(60) == [Answer(asked, 0, Finding(None))]
    assert not (tmp_path / "not killed").exists()


def test_an_error_of_a_worker_is_raised() -> None:
    with pool_of(1) as (pool, _):
        pool.submit(job(Subject(None, "KS / KS", RULES)))
        with pytest.raises(InputError, match="already at line 1"):
            events_of(pool)
