"""Searches that hold what is pending in memory: interrupted, continued, out of room.

Shortest solutions of Klondike and its relatives are searched for so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import faults
from helpers.crashes import crash_until_done
from helpers.failing_writes import FailingWrites
from helpers.in_memory import (
    FAMILIES,
    PATIENCE,
    Family,
    ask,
    counts,
    many_commits,
)

from dbmsolver import api
from dbmsolver.errors import StoreError
from dbmsolver.results import Commit, Limit, Limits, Options, Question, Verdict
from dbmsolver.search import inspect, session
from dbmsolver.search.in_memory import SearchInMemory
from dbmsolver.search.patience.search import PatienceSearch

WANTED = [Verdict.UNSOLVABLE, pytest.param(Verdict.SOLVED, marks=pytest.mark.slow)]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("wanted", WANTED)
def test_crashes_leave_what_was_committed(
    wanted: Verdict,
    family: Family,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many_commits(monkeypatch, family)
    deal = family.deck(wanted)
    expected = ask(deal)
    options = Options(store=tmp_path)
    limits = Limits(memory=family.memory)
    result, crashes = crash_until_done(lambda: session.run(Question.SOLVE, deal, options, limits))
    assert crashes > 2
    assert counts(result) == counts(expected)
    assert faults.check(tmp_path).valid


@pytest.mark.parametrize("family", FAMILIES)
def test_limits_end_a_search_that_goes_on(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_commits(monkeypatch, family)
    deal = family.deck(Verdict.UNSOLVABLE)
    expected = ask(deal)
    most, runs = 0, 0
    while True:
        most += family.step * 4
        result = ask(deal, family, store=tmp_path, max_states=most)
        runs += 1
        if result.limit is None:
            break
        assert (result.verdict, result.limit) == ("undecided", Limit.MAX_STATES)
        assert result.states <= most
        assert inspect.status(tmp_path).closed == result.states
    assert runs > 2
    assert counts(result) == counts(expected)
    assert faults.check(tmp_path).valid
    with pytest.raises(StoreError, match="holds a search with another question"):
        api.prove(deal, method="every-position", store=tmp_path)


def ends_after(patch: pytest.MonkeyPatch, search: Any, enough: int) -> None:
    """Let the memory of a run end when it is looked at for so many times."""
    real, looks = search._bytes, 0

    def grown(self: Any) -> int:
        nonlocal looks
        looks += 1
        return int(real(self)) if looks < enough else 1 << 60

    patch.setattr(search, "_bytes", grown)


@pytest.mark.parametrize("keep", ["all", "none"])
@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("stored", [True, False], ids=["store", "no store"])
def test_wherever_the_memory_ends_the_search_goes_on_in_the_store(
    stored: bool,
    wanted: Verdict,
    keep: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many_commits(monkeypatch, PATIENCE)
    deal = PATIENCE.deck(wanted)
    expected = ask(deal)
    for enough in range(1, 60, 6):
        store = tmp_path / str(enough)
        with monkeypatch.context() as patch:
            ends_after(patch, PatienceSearch, enough)
            result = ask(deal, store=store if stored else None, keep=keep)
        assert counts(result) == counts(expected)
        if stored and keep == "all":
            assert faults.check(store).valid


@pytest.mark.parametrize("family", FAMILIES)
def test_a_block_of_pending_states_that_is_missing(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_commits(monkeypatch, family)
    deal = family.deck(Verdict.UNSOLVABLE)
    ask(deal, family, store=tmp_path, max_states=family.step)

    def fewer(manifest: dict[str, Any]) -> None:
        manifest["waiting"][0] -= 1

    faults.change_manifest(tmp_path, fewer)
    with pytest.raises(StoreError, match="pending is not what the manifest says"):
        ask(deal, family, store=tmp_path)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_write_errors(
    step: int,
    wanted: Verdict,
    family: Family,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The n-th write fails, for every n, and the search goes on from what was there before."""
    many_commits(monkeypatch, family)
    deal = family.deck(wanted)
    expected = ask(deal)
    FailingWrites(monkeypatch).fail_in_turn(
        range(1, 120, step), lambda: ask(deal, family, store=tmp_path)
    )
    assert counts(ask(deal, family, store=tmp_path)) == counts(expected)
    assert faults.check(tmp_path).valid


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("step", ["_solved", "_conclude"])
def test_killed_between_the_goal_and_the_verdict(
    step: str, family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The goal is pending in the commit before the verdict: a continued run finds it there."""
    many_commits(monkeypatch, family)
    deal = family.deck(Verdict.SOLVED)
    expected = ask(deal)

    def die(self: object, *_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(session._Run, step, die)
        with pytest.raises(KeyboardInterrupt):
            ask(deal, family, store=tmp_path)
    assert counts(ask(deal, family, store=tmp_path)) == counts(expected)
    assert faults.check(tmp_path).valid


@pytest.mark.parametrize("family", FAMILIES[:1])
def test_candidates_keep_their_records_until_they_are_closed(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit writes what is new: not much more is written in all than there are states."""
    many_commits(monkeypatch, family)
    deal = family.deck(Verdict.UNSOLVABLE)
    written, held = 0, 0
    real = family.search._unwritten
    real_commit = family.search._commit

    def unwritten(self: SearchInMemory[Any, Any]) -> Any:
        nonlocal written
        records = real(self)
        written += sum(record.tally.states for record in records)
        return records

    def commit(self: SearchInMemory[Any, Any]) -> Commit:
        nonlocal held
        held += self._held().states
        committed: Commit = real_commit(self)
        return committed

    monkeypatch.setattr(family.search, "_unwritten", unwritten)
    monkeypatch.setattr(family.search, "_commit", commit)
    result = ask(deal, family, store=tmp_path)
    assert written < 1.3 * result.states < held
