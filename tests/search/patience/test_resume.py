"""Searches of Klondike and its relatives that are interrupted and continued."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import faults
from helpers.patience_games import small_deck

from dbmsolver import api
from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.results import Commit, Limit, Options, Question, Verdict
from dbmsolver.search import recorder, session
from dbmsolver.search.patience import dives, search


@pytest.fixture(autouse=True)
def _many_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(search, "AT_ONCE", 40)
    monkeypatch.setattr(dives, "SCHEDULE", ())


class _Crash(Exception):
    """The process ends."""


SEEDS = {Verdict.SOLVED: 349, Verdict.UNSOLVABLE: 576}
"""Of decks with some hundred states, whatever is asked."""


def a_deck(wanted: Verdict) -> tuple[Deal, Any]:
    """A small Klondike, and what a search for a shortest solution says in one go."""
    deal = small_deck("klondike_by_threes", Random(SEEDS[wanted]))
    result = api.solve(deal)
    assert result.verdict == wanted and result.evaluated > 300
    return deal, result


@pytest.mark.parametrize("question", list(Question))
@pytest.mark.parametrize("wanted", [Verdict.SOLVED, Verdict.UNSOLVABLE])
def test_crashes_leave_what_was_committed(
    question: Question, wanted: Verdict, tmp_path: Path
) -> None:
    deal, expected = a_deck(wanted)
    whole = api.prove(deal)
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
        same = expected if question == Question.SOLVE else whole
        assert (result.states, result.digest) == (same.states, same.digest)
    assert faults.check(tmp_path).valid


@pytest.mark.parametrize("keep", ["all", "none"])
@pytest.mark.parametrize("question", ["solve", "prove"])
def test_limits_end_a_search_that_goes_on(question: str, keep: str, tmp_path: Path) -> None:
    deal, _ = a_deck(Verdict.UNSOLVABLE)
    ask = api.solve if question == "solve" else api.prove
    expected = ask(deal)
    most, runs = 0, 0
    while True:
        most += 60
        result = ask(deal, store=tmp_path, max_states=most, keep=keep)
        runs += 1
        if result.limit is None:
            break
        assert (result.verdict, result.limit) == ("undecided", Limit.MAX_STATES)
        assert result.states <= most
    assert runs > 2
    assert (result.states, result.digest) == (expected.states, expected.digest)
    if keep == "all":
        assert faults.check(tmp_path).valid


def test_a_memory_that_does_not_suffice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    deal, _ = a_deck(Verdict.UNSOLVABLE)
    expected = api.prove(deal)
    monkeypatch.setattr(search.PatienceSearch, "_bytes", lambda _: 1 << 60)
    result = api.prove(deal, store=tmp_path)
    assert (result.verdict, result.limit) == ("undecided", Limit.MEMORY)
    monkeypatch.undo()
    result = api.prove(deal, store=tmp_path)
    assert (result.states, result.digest) == (expected.states, expected.digest)


def test_a_block_of_pending_states_that_is_missing(tmp_path: Path) -> None:
    deal, _ = a_deck(Verdict.UNSOLVABLE)
    api.prove(deal, store=tmp_path, max_states=60)

    def fewer(manifest: dict[str, Any]) -> None:
        manifest["waiting"][0] -= 1

    faults.change_manifest(tmp_path, fewer)
    with pytest.raises(StoreError, match="pending is not what the manifest says"):
        api.prove(deal, store=tmp_path)
