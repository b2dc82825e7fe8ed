"""Searches that hold what is pending in memory: interrupted, continued, out of room, with losses.

The same promises for games of one pile and for Klondike and its relatives.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import faults
from helpers.failing_writes import FailingWrites
from helpers.in_memory import FAMILIES, PATIENCE, PILE, Family, many_commits

from dbmsolver import api
from dbmsolver.errors import DiskFullError, InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.results import Commit, Limit, Options, Question, Result, Verdict
from dbmsolver.search import inspect, session
from dbmsolver.search.in_memory import SearchInMemory
from dbmsolver.search.patience.search import PatienceSearch
from dbmsolver.search.pile.search import Part, PileSearch

QUESTIONS = ["prove", "solve"]
WANTED = [Verdict.UNSOLVABLE, pytest.param(Verdict.SOLVED, marks=pytest.mark.slow)]


def ask(question: str, deal: Deal, **options: Any) -> Result:
    """Prove or solve."""
    return (api.prove if question == "prove" else api.solve)(deal, **options)


def counts(result: Result) -> tuple[Any, ...]:
    """What must not depend on how often a search was interrupted."""
    return result.verdict, result.length, result.states, result.strata, result.digest


def check_same(result: Result, expected: Result, family: Family) -> None:
    """The same answer, with the same counts.

    Where Klondike is won, how much of a stratum is closed before the goal is met depends on the
    order of its states, which is another one in a search that is continued.
    """
    assert result.verdict == expected.verdict
    if family is PILE or result.verdict == "unsolvable" or result.question == "solve":
        assert counts(result) == counts(expected)


class _Crash(Exception):
    """The process ends."""


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("wanted", WANTED)
def test_crashes_leave_what_was_committed(
    question: Question,
    wanted: Verdict,
    family: Family,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many_commits(monkeypatch, family)
    deal = family.deck(wanted)
    expected = ask(question, deal)
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
    check_same(result, expected, family)
    assert faults.check(tmp_path).valid


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("keep", ["all", "none"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_limits_end_a_search_that_goes_on(
    question: str, keep: str, family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_commits(monkeypatch, family)
    deal = family.deck(Verdict.UNSOLVABLE)
    expected = ask(question, deal)
    most, runs = 0, 0
    while True:
        most += family.step * 4
        result = ask(question, deal, store=tmp_path, max_states=most, keep=keep)
        runs += 1
        if result.limit is None:
            break
        assert (result.verdict, result.limit) == ("undecided", Limit.MAX_STATES)
        assert result.states <= most
        assert inspect.status(tmp_path).closed == result.states
    assert runs > 2
    assert counts(result) == counts(expected)
    if keep == "all":
        assert faults.check(tmp_path).valid
    other = "solve" if question == "prove" else "prove"
    with pytest.raises(StoreError, match="holds a search with another question"):
        ask(other, deal, store=tmp_path)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("keep", ["all", "none"])
def test_a_memory_that_does_not_suffice(
    question: str, keep: str, family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the memory ends, nothing is lost: each run goes on with a little more."""
    many_commits(monkeypatch, family)
    deal = family.deck(Verdict.UNSOLVABLE)
    expected = ask(question, deal)
    used: list[int] = []
    real = family.search._bytes

    def grown(search: SearchInMemory[Any, Any]) -> int:
        used.append(0)
        return real(search) if len(used) < enough else 1 << 60

    monkeypatch.setattr(family.search, "_bytes", grown)
    enough, runs = 1, 0
    while True:
        used.clear()
        result = ask(question, deal, store=tmp_path, keep=keep)
        if result.limit is None:
            break
        assert (result.verdict, result.limit) == ("undecided", Limit.MEMORY)
        enough, runs = enough + 2, runs + 1
    assert runs > 2
    assert counts(result) == counts(expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_block_of_pending_states_that_is_missing(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_commits(monkeypatch, family)
    deal = family.deck(Verdict.UNSOLVABLE)
    api.prove(deal, store=tmp_path, max_states=family.step)

    def fewer(manifest: dict[str, Any]) -> None:
        manifest["waiting"][0] -= 1

    faults.change_manifest(tmp_path, fewer)
    with pytest.raises(StoreError, match="pending is not what the manifest says"):
        api.prove(deal, store=tmp_path)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_write_errors(
    step: int,
    question: str,
    wanted: Verdict,
    family: Family,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The n-th write fails, for every n, and the search goes on from what was there before."""
    many_commits(monkeypatch, family)
    deal = family.deck(wanted)
    expected = ask(question, deal)
    failing = FailingWrites(monkeypatch)
    ends = 0
    for number in range(1, 120, step):
        failing.fail_at(number)
        try:
            result = ask(question, deal, store=tmp_path)
        except DiskFullError:  # while the store was made
            continue
        if result.verdict != "undecided":
            break
        assert result.limit == "disk full"
        ends += 1
    failing.fail_at(0)
    assert ends
    check_same(ask(question, deal, store=tmp_path), expected, family)
    assert faults.check(tmp_path).valid


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("step", ["_solved", "_conclude"])
def test_killed_between_the_goal_and_the_verdict(
    question: Question, step: str, family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The goal is pending in the commit before the verdict: a continued run finds it there."""
    many_commits(monkeypatch, family)
    deal = family.deck(Verdict.SOLVED)
    expected = ask(question, deal)

    def die(self: object, *_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(session._Run, step, die)
        with pytest.raises(KeyboardInterrupt):
            ask(question, deal, store=tmp_path)
    assert counts(ask(question, deal, store=tmp_path)) == counts(expected)
    assert faults.check(tmp_path).valid


# The books: every way in which a candidate may get lost ends in an internal error, and never in a
# verdict.


def lose_a_part(patch: pytest.MonkeyPatch, after: int) -> None:
    real = PileSearch._expand

    def expand(self: PileSearch, words: Any) -> None:
        real(self, words)
        if self.place[1] == after:
            self.pending[max(self.pending)].pop()

    patch.setattr(PileSearch, "_expand", expand)


def lose_a_candidate(patch: pytest.MonkeyPatch, after: int) -> None:
    real = PileSearch._close

    def close(self: PileSearch) -> Any:
        parts = self.pending[self.place]
        if self.place[1] == after:
            parts[-1] = Part(parts[-1].words[1:], parts[-1].records)
        yield from real(self)

    patch.setattr(PileSearch, "_close", close)


def skip_states(patch: pytest.MonkeyPatch, after: int) -> None:
    real = PileSearch._expand

    def expand(self: PileSearch, words: Any) -> None:
        real(self, words[1:] if self.place[1] == after else words)

    patch.setattr(PileSearch, "_expand", expand)


def lose_a_place(patch: pytest.MonkeyPatch, after: int) -> None:
    real = PatienceSearch._hand_out

    def hand_out(self: PatienceSearch) -> None:
        real(self)
        if self.place[0] + self.place[1] >= after and self.pending:
            del self.pending[max(self.pending)]

    patch.setattr(PatienceSearch, "_hand_out", hand_out)


def skip_expanding(patch: pytest.MonkeyPatch, after: int) -> None:
    real = PatienceSearch._begin

    def begin(self: PatienceSearch) -> None:
        real(self)
        if self.place[0] + self.place[1] >= after and self.current.left:
            self.current.states.counts[1] += 1
            self.recorded += 1

    patch.setattr(PatienceSearch, "_begin", begin)


def lose_what_is_handed_out(patch: pytest.MonkeyPatch, after: int) -> None:
    real = PatienceSearch._hand_out

    def hand_out(self: PatienceSearch) -> None:
        real(self)
        if self.place[0] + self.place[1] >= after and self.pending:
            self.pending[max(self.pending)].states.counts[0] -= 1

    patch.setattr(PatienceSearch, "_hand_out", hand_out)


LOSSES = [
    (PILE, lose_a_part),
    (PILE, lose_a_candidate),
    (PILE, skip_states),
    (PATIENCE, lose_a_place),
    (PATIENCE, skip_expanding),
    (PATIENCE, lose_what_is_handed_out),
]


@pytest.mark.parametrize("stored", [True, False], ids=["store", "no store"])
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(("family", "lose"), LOSSES, ids=lambda value: getattr(value, "game", ""))
def test_what_is_lost_ends_without_a_verdict(
    question: str,
    family: Family,
    lose: Any,
    stored: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many_commits(monkeypatch, family)
    deal = family.deck(Verdict.UNSOLVABLE)
    expected = ask(question, deal)
    with monkeypatch.context() as patch:
        lose(patch, 4)
        with pytest.raises(InternalError, match="the books do not balance"):
            ask(question, deal, store=tmp_path / "store" if stored else None)
    if stored:  # the last commit stands
        assert counts(ask(question, deal, store=tmp_path / "store")) == counts(expected)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_candidates_keep_their_records_until_they_are_closed(
    question: str, family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    result = ask(question, deal, store=tmp_path)
    assert written < 1.3 * result.states < held
