"""The history in a store: short, true, and of one piece through interruptions."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
from helpers.searching import prove
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.search import inspect
from dbmsolver.search.history import Moment, extended
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.statistics import Statistics
from dbmsolver.storage.fields import MOST_MOMENTS
from dbmsolver.storage.store import Store

DEAL = Deal.from_number(11982)
"""Unsolvable, with 61,643 states and 196 forced ones."""


def grown(times: list[int], most: int) -> list[Moment]:
    history: list[Moment] = []
    for number, time in enumerate(times, start=1):
        history = extended(history, Moment(time, 0, number, number, 0), most)
    return history


@given(st.lists(st.integers(0, 10_000)), st.integers(3, 12))
def test_a_history_is_short_and_ascends(times: list[int], most: int) -> None:
    history = grown(times, most)
    assert len(history) <= most
    assert all(
        one.milliseconds < other.milliseconds and one.states < other.states
        for one, other in pairwise(history)
    )
    assert [one.states for one in history[-1:]] == ([len(times)] if times else [])
    assert history == grown(times, most)


@settings(deadline=None)
@given(st.integers(3, 40), st.integers(1, 500))
def test_points_stay_even(most: int, commits: int) -> None:
    """With commits at equal distances, no gap is more than four times another."""
    history = grown(list(range(0, 5 * commits, 5)), most)
    assert (history[0].milliseconds, history[-1].milliseconds) == (0, 5 * (commits - 1))
    gaps = [other.milliseconds - one.milliseconds for one, other in pairwise(history[:-1])]
    assert max(gaps, default=1) <= 4 * min(gaps, default=1)


def test_a_commit_without_states_is_where_the_one_before_was() -> None:
    history = extended([Moment(5, 0, 7, 100, 3)], Moment(9, 0, 0, 100, 3))
    assert history[-1] == Moment(9, 0, 7, 100, 3)
    for closed in ((101, 3), (100, 4)):
        moment = Moment(12, 0, 8, *closed)
        assert extended(history, moment)[-1] == moment


def hasten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many commits, at times that do not depend on the machine."""
    milliseconds, questions = count(1), count(1)
    elapsed = property(lambda self: next(milliseconds) / 1000)
    monkeypatch.setattr(Recorder, "due", lambda self: next(questions) % 20 == 0)
    monkeypatch.setattr(Statistics, "elapsed", elapsed)


def history_of(store: Path) -> tuple[Moment, ...]:
    history = inspect.status(store).history
    assert 1 < len(history) <= MOST_MOMENTS
    for one, other in pairwise(history):
        assert one.milliseconds < other.milliseconds
        assert (one.states, one.forced) <= (other.states, other.forced)
    return history


@pytest.mark.parametrize(
    ("ask", "place"), [(prove, "stratum"), (api.solve, "layer")], ids=["prove", "solve"]
)
def test_a_search_that_is_continued_has_one_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Any, place: str
) -> None:
    hasten(monkeypatch)
    for limit in (10_000, 30_000):
        assert ask(DEAL, store=tmp_path, max_states=limit).limit == "max-states"
        part = history_of(tmp_path)
    assert ask(DEAL, store=tmp_path).verdict == "unsolvable"
    history = history_of(tmp_path)
    assert (history[0].states, history[-1].states, history[-1].forced) == (0, 61_643, 196)
    assert [one for one in history if one.milliseconds <= part[-1].milliseconds]
    numbers = [getattr(one, place) for one in history]
    assert numbers == sorted(numbers)
    # What was closed by a point belongs to what comes up to its number.
    strata = inspect.status(tmp_path).strata
    for one, number in zip(history, numbers, strict=True):
        rows = [row for row in strata if row[1 if place == "stratum" else 0] <= number]
        assert one.states <= sum(row[2] for row in rows) or not one.states


def test_a_history_does_not_depend_on_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "other"):
        hasten(monkeypatch)
        prove(DEAL, store=tmp_path / name, threads=1)
    assert history_of(tmp_path / "one") == history_of(tmp_path / "other")


def test_a_store_without_history_is_read_and_continued(tmp_path: Path) -> None:
    """Stores of former versions have none; it begins with the first commit of this one."""
    assert prove(DEAL, store=tmp_path, max_states=30_000).verdict == "undecided"
    with Store.open(tmp_path) as store, store.write() as txn:
        txn.put_manifest(replace(store.manifest, history=[]))
    assert inspect.status(tmp_path).history == ()
    result = prove(DEAL, store=tmp_path)
    assert (result.verdict, result.states) == ("unsolvable", 61_643)
    history = history_of(tmp_path)
    assert history[0].states > 29_000 and history[-1].states == 61_643
