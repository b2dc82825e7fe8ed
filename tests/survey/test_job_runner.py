"""Jobs of one worker: stores of searches, kept and taken up again."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbmsolver.errors import StoreError
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limits, Question, Verdict
from dbmsolver.survey.job_runner import JobRunner
from dbmsolver.survey.jobs import Finding, JobKind, Order
from dbmsolver.survey.ranges import Subject

SUBJECT = Subject(1, None, rules_for("freecell", 1))


def search(store: Path | None) -> Finding:
    """Return what a search finds out about a deal that is soon decided."""
    order = Order(JobKind.SEARCH, Question.PROVE, (SUBJECT,), Limits(), 1, store=store)
    ((number, found),) = (event for event in JobRunner().run(order) if event is not None)
    assert number == 0
    return found


def test_the_store_of_a_search_that_is_done_goes(tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert search(store).verdict == search(None).verdict == Verdict.UNSOLVABLE
    assert not store.exists()


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
