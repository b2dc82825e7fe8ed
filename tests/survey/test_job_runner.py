"""Jobs of one worker: stores of searches, kept and taken up again."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.fake_search import nearly_done
from numba.core import event as numba_event

from dbmsolver.errors import StoreError, StoreInUseError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.jit.sharing import WAITING
from dbmsolver.results import Limit, Limits, Method, Options, Question, Result, Verdict
from dbmsolver.search import session
from dbmsolver.storage.environment import take_lock
from dbmsolver.survey import job_runner
from dbmsolver.survey.job_runner import JobRunner, finding_of, run_whole_job
from dbmsolver.survey.jobs import Finding, JobKind, Order
from dbmsolver.survey.ranges import Subject, one_line

SUBJECT = Subject(1, None, rules_for("freecell", 1))


def search(
    store: Path | None,
    question: Question = Question.PROVE,
    subject: Subject = SUBJECT,
    limits: Limits = Limits(),
) -> Finding:
    """Return what a search finds out about a deal, one that is soon decided."""
    order = Order(JobKind.SEARCH, question, (subject,), limits, 1, True, store=store)
    ((number, found),) = (event for event in JobRunner().run(order) if event is not None)
    assert number == 0
    return found


def test_the_store_of_a_search_that_is_done_goes(tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert search(store).verdict == search(None).verdict == Verdict.UNSOLVABLE
    assert not store.exists()


def test_the_store_of_a_search_that_lacks_memory_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keep it for a job with more memory; after any other limit it goes."""
    store = tmp_path / "store"
    assert search(store, limits=Limits(max_states=1)).limit == Limit.MAX_STATES
    assert not store.exists()
    run = session.run

    def lacking(*asked: Any) -> session.Events:
        result = yield from run(*asked)
        return replace(result, verdict=Verdict.UNDECIDED, limit=Limit.MEMORY)

    monkeypatch.setattr(session, "run", lacking)
    assert search(store).limit == Limit.MEMORY
    assert store.exists()


def test_a_search_that_a_limit_ends_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiling does not count for the limit of time, so it is a limit of the search alone."""
    run, begun = session.run, list[bool]()

    def compiling(*asked: Any) -> session.Events:
        begun.append(True)
        numba_event.start_event(WAITING)
        numba_event.end_event(WAITING)
        result = yield from run(*asked)
        return replace(result, limit=Limit.MAX_TIME)

    monkeypatch.setattr(session, "run", compiling)
    assert (search(None).limit, begun) == (Limit.MAX_TIME, [True])


def test_what_is_found_out_about_a_deal() -> None:
    """Give a proof over records its digest, and a solution its length and no digest."""
    lost = search(None)
    assert (lost.verdict, lost.method, lost.length) == (Verdict.UNSOLVABLE, Method.DOMINATING, None)
    assert lost.digest is not None and not lost.shortest
    board = Subject(None, one_line(nearly_done()[0]), rules_for("freecell"))
    won = search(None, subject=board)
    assert (won.verdict, won.length, won.shortest) == (Verdict.SOLVED, 2, False)
    assert won.digest is None
    shortest = search(None, Question.SOLVE, board)
    assert (shortest.verdict, shortest.length, shortest.shortest) == (Verdict.SOLVED, 2, True)
    assert (shortest.method, shortest.digest) == (Method.EVERY_POSITION, None)


def test_a_finding_has_each_fact_of_a_result_in_its_place() -> None:
    """It comes as it was sent; only what the order asks for has a length."""
    deal, moves = nearly_done()
    result = Result(
        Question.SOLVE, deal, "wkr", "cards", Verdict.SOLVED, Limit.MAX_TIME, True, moves,
        11, 12, 13, 1.5, 14, 15, "16", None, Method.CLASSES, at_least=17,
    )  # fmt: skip
    found = Finding(
        Verdict.SOLVED, Limit.MAX_TIME, 2, True, 17, 11, 13, 1.5, 14, None, Method.CLASSES
    )
    assert finding_of(result, True) == found
    assert finding_of(result, False) == replace(found, length=None)
    lost = finding_of(replace(result, question=Question.PROVE, verdict=Verdict.UNSOLVABLE))
    assert (lost.digest, lost.shortest, lost.length) == ("16", False, None)
    for one in (found, lost):
        assert pickle.loads(pickle.dumps(one)) == one


def test_the_job_of_a_cluster_says_all_findings_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process keeps its runner, and so the arrays of dives, for the next job."""
    runners: list[JobRunner] = []

    def run(self: JobRunner, order: Order) -> Iterator[tuple[int, Finding] | None]:
        runners.append(self)
        yield from ((0, Finding(None)), None, (1, Finding(None)))

    monkeypatch.setattr(JobRunner, "run", run)
    order = Order(JobKind.DIVE, Question.PROVE, (SUBJECT, SUBJECT), Limits(), 1)
    for _ in range(2):
        assert run_whole_job(order) == [(0, Finding(None)), (1, Finding(None))]
    assert runners[0] is runners[1]


def test_a_store_that_another_search_uses_stays(tmp_path: Path) -> None:
    """It is in use, not damaged: it is not removed to begin anew."""
    store = tmp_path / "store"
    store.mkdir()
    lock = take_lock(store)
    with pytest.raises(StoreInUseError):
        search(store)
    os.close(lock)
    assert store.is_dir()


def test_a_damaged_store_of_an_earlier_run(tmp_path: Path) -> None:
    """The search begins anew."""
    store = tmp_path / "store"
    store.mkdir()
    (store / "data.mdb").write_bytes(b"x" * 10_000)
    assert search(store).verdict == Verdict.UNSOLVABLE
    assert not store.exists()


@pytest.mark.parametrize("question", Question)
def test_a_search_is_asked_what_the_order_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: Question
) -> None:
    asked: list[tuple[Any, ...]] = []

    def asking(*words: Any) -> session.Events:
        asked.append(words)
        raise StoreError("no answer")
        yield

    monkeypatch.setattr(session, "run", asking)
    limits = Limits(max_states=7, max_time=3.0)
    order = Order(
        JobKind.SEARCH, question, (SUBJECT,), limits, 3,
        store=tmp_path / "store", metric="runs", policy="horne",
    )  # fmt: skip
    with pytest.raises(StoreError, match="no answer"):
        list(JobRunner().run(order))
    solve = question is Question.SOLVE
    options = Options(
        policy="horne",
        metric="runs",
        threads=3,
        store=tmp_path / "store",
        method=Method.EVERY_POSITION if solve else Method.DOMINATING,
        any_solution=solve,
    )
    assert asked == [(question, SUBJECT.deal(), options, limits)]


def test_the_search_of_a_wide_game_has_no_store(tmp_path: Path) -> None:
    """It is in memory; a folder that is there already stays as it is."""
    store = tmp_path / "store"
    store.mkdir()
    wide = Subject(1, None, rules_for("spider"))
    found = search(store, Question.SOLVE, wide, Limits(max_states=1))
    assert found.limit == Limit.MAX_STATES
    assert store.is_dir() and not [*store.iterdir()]


def test_dives_take_two_thirds_of_the_memory_and_are_kept_for_the_next_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others are made for other rules, for other memory, and after a search, which wants it all."""
    made: list[tuple[Deal, int]] = []
    asked: list[tuple[Any, ...]] = []

    class Dives:
        def run(self, *words: Any) -> list[Finding | None]:
            asked.append((len(made), *words))
            return [None, Finding(None, states=len(made))]

    def dives_for(first: Deal, memory: int) -> Dives:
        made.append((first, memory))
        return Dives()

    monkeypatch.setattr(job_runner, "dives_for", dives_for)
    monkeypatch.setattr(job_runner, "default_memory", lambda: 3000)
    runner, other = JobRunner(), Subject(1, None, rules_for("bakers_game"))
    few, little = Limits(max_states=7, max_time=3.0), Limits(memory=1000)
    jobs = [(SUBJECT, few), (SUBJECT, few), (SUBJECT, little), (other, little)]
    for subject, limits in jobs:
        dive = Order(JobKind.DIVE, Question.PROVE, (subject,), limits, 1, True)
        assert [*runner.run(dive)] == [(0, None), (1, Finding(None, states=len(made)))]
    assert made == [(SUBJECT.deal(), 2000), (SUBJECT.deal(), 666), (other.deal(), 666)]
    assert asked[0] == asked[1] == (1, (SUBJECT,), 7, 3.0, True)
    assert [number for number, *_ in asked] == [1, 1, 2, 3]
    list(runner.run(Order(JobKind.SEARCH, Question.PROVE, (SUBJECT,), few, 1)))
    list(runner.run(Order(JobKind.DIVE, Question.PROVE, (other,), little, 1)))
    assert len(made) == 4


def test_no_place_for_a_store(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError):
        search(tmp_path / "file" / "store")
