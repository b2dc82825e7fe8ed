"""Searches of games of one pile that are interrupted, continued, or find their store spoiled."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import faults
from helpers.pile_games import small_deck

from dbmsolver import api
from dbmsolver.errors import StoreError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.results import Commit, Limit, Options, Question, Verdict
from dbmsolver.search import inspect, recorder, session
from dbmsolver.search.pile import dives, search
from dbmsolver.search.sequences.session import Sequences


@pytest.fixture(autouse=True)
def _many_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(search, "AT_ONCE", 100)
    monkeypatch.setattr(dives, "SCHEDULE", ())


class _Crash(Exception):
    """The process ends."""


def a_deck(wanted: Verdict) -> tuple[Deal, Any]:
    """A small Golf with some hundred positions, and what a search in one go says."""
    random = Random(3)
    while True:
        deal = small_deck("golf", random)
        result = api.solve(deal)
        if result.verdict == wanted and result.evaluated > 600:
            return deal, result


@pytest.mark.parametrize("question", list(Question))
@pytest.mark.parametrize("wanted", [Verdict.SOLVED, Verdict.UNSOLVABLE])
def test_crashes_leave_what_was_committed(
    question: Question, wanted: Verdict, tmp_path: Path
) -> None:
    deal, expected = a_deck(wanted)
    options = Options(store=tmp_path, method="every-position")  # type: ignore[arg-type]
    crashes = 0
    while True:
        steps = session.run(question, deal, options)
        try:
            commits = 0
            while commits < 3:
                commits += isinstance(next(steps), Commit)
            with pytest.raises(_Crash):
                steps.throw(_Crash())
            crashes += 1
        except StopIteration as end:
            result = end.value
            break
    assert crashes > 2
    assert result.verdict == expected.verdict
    if question == Question.SOLVE:
        assert (result.length, result.strata) == (expected.length, expected.strata)
    if wanted == Verdict.UNSOLVABLE:
        assert (result.states, result.digest) == (expected.states, expected.digest)
    assert faults.check(tmp_path).valid


@pytest.mark.parametrize("question", ["solve", "prove"])
def test_limits_end_a_search_that_goes_on(question: str, tmp_path: Path) -> None:
    deal, expected = a_deck(Verdict.UNSOLVABLE)
    ask = api.solve if question == "solve" else api.prove
    most, runs = 0, 0
    while True:
        most += 250
        result = ask(deal, store=tmp_path, max_states=most)
        runs += 1
        if result.limit is None:
            break
        assert (result.verdict, result.limit) == ("undecided", Limit.MAX_STATES)
        assert result.states == most
        assert inspect.status(tmp_path).closed == most
    assert runs > 2
    assert (result.states, result.digest) == (expected.states, expected.digest)
    assert faults.check(tmp_path).valid
    with pytest.raises(StoreError, match=r"holds a search with another question"):
        (api.prove if question == "solve" else api.solve)(deal, store=tmp_path)


def test_a_golf_with_any_solution_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dives, "SCHEDULE", (1 << 15,))
    deal, expected = a_deck(Verdict.SOLVED)
    found: list[int] = []

    def note(event: Any) -> None:
        if hasattr(event, "length"):
            found.append(event.length)

    result = api.solve(deal, any_solution=True, progress=note)
    assert (result.length, result.shortest) == (expected.length, True)
    assert found and found[0] >= result.length


def test_a_memory_that_does_not_suffice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    deal, expected = a_deck(Verdict.UNSOLVABLE)
    monkeypatch.setattr(search.PileSearch, "_bytes", lambda _: 1 << 60)
    result = api.prove(deal, store=tmp_path)
    assert (result.verdict, result.limit) == ("undecided", Limit.MEMORY)
    monkeypatch.undo()
    result = api.prove(deal, store=tmp_path)
    assert (result.states, result.digest) == (expected.states, expected.digest)


def test_what_is_not_possible_is_refused_by_name() -> None:
    deal = Deal.from_number(1, GAMES["golf"])
    with pytest.raises(UsageError, match="all cards go to one pile in golf"):
        Sequences(deal)
    with pytest.raises(UsageError, match="a game of one pile with freecells"):
        rules_for("golf", freecells=2)


def test_a_block_of_pending_states_that_is_missing(tmp_path: Path) -> None:
    deal, _ = a_deck(Verdict.UNSOLVABLE)
    api.prove(deal, store=tmp_path, max_states=300)

    def fewer(manifest: dict[str, Any]) -> None:
        manifest["waiting"][0] -= 1

    faults.change_manifest(tmp_path, fewer)
    with pytest.raises(StoreError, match="pending is not what the manifest says"):
        api.prove(deal, store=tmp_path)
