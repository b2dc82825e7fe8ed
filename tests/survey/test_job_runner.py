"""Jobs of one worker: stores of searches, kept and taken up again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.fake_search import nearly_done

from dbmsolver.errors import StoreError
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limit, Limits, Method, Question, Verdict
from dbmsolver.search import session
from dbmsolver.survey.job_runner import JobRunner
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


def test_a_damaged_store_of_an_earlier_run(tmp_path: Path) -> None:
    """The search begins anew."""
    store = tmp_path / "store"
    store.mkdir()
    (store / "data.mdb").write_bytes(b"x" * 10_000)
    assert search(store).verdict == Verdict.UNSOLVABLE
    assert not store.exists()


def test_no_place_for_a_store(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError):
        search(tmp_path / "file" / "store")
