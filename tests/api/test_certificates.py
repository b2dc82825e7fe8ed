"""Certificates whose search is repeated: what is asked of it, and what is said of its answer."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.fake_search import nearly_done, report, result, unit

from dbmsolver.api import certificates
from dbmsolver.api.certificates import RepeatedSearch, repeat_search
from dbmsolver.results import Event, Limit, Limits, Method, Options, Question, Result, Verdict
from dbmsolver.steps import follow
from dbmsolver.storage.certificate import from_result
from dbmsolver.storage.certificate_file import dump
from dbmsolver.verify.kernels.rules import HOME

DEAL, MOVES = nearly_done()
PATH = [[move.card, HOME] for move in MOVES]
VERSIONS = {"program": "dbmsolver 1", "store": 1}
LOST = result(
    question=Question.PROVE,
    method=Method.EVERY_POSITION,
    verdict=Verdict.UNSOLVABLE,
    shortest=False,
    moves=(),
    strata=((0, 50, 1, 2),),
)
"""The answer of a proof that closed a position, and two forced ones."""
WON = result(
    question=Question.SOLVE,
    method=Method.EVERY_POSITION,
    verdict=Verdict.SOLVED,
    strata=((1, 50, 1, 2), (2, 50, 3, 0)),
)
"""A shortest solution; the layer below it has as many positions as the proof."""


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    path = tmp_path / "lost.json"
    path.write_text(dump(from_result(LOST) | {"versions": VERSIONS}))
    return path


@pytest.fixture
def won(tmp_path: Path) -> Path:
    path = tmp_path / "won.json"
    path.write_text(dump(from_result(WON) | {"versions": VERSIONS, "path": PATH}))
    return path


class Repeated:
    """A search that is repeated: its arguments, the events that it told, and what came of it."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, answer: Result, events: Iterable[Event] = ()
    ) -> None:
        self.asked: tuple[Any, ...] = ()
        self.told: list[Event] = []

        def search(*asked: Any) -> Generator[Event, None, Result]:
            self.asked = asked
            yield from events
            return answer

        monkeypatch.setattr(certificates, "search", search)

    def of(self, path: Path, *limits: int | None) -> RepeatedSearch:
        threads, memory = limits or (None, None)
        return follow(repeat_search(path, threads, memory), self.told.append)


def test_what_is_asked(monkeypatch: pytest.MonkeyPatch, lost: Path, won: Path) -> None:
    """Classes may show that a deal is lost, unless its positions are to be counted."""
    repeated = Repeated(monkeypatch, LOST)
    repeated.of(lost, 3, 1 << 30)
    by_position = Options(method=Method.EVERY_POSITION, bound=LOST.bound)
    options = replace(by_position, metric="cards", threads=3, lost_ahead=False)
    assert repeated.asked == (Question.PROVE, DEAL, options, Limits(memory=1 << 30))
    repeated = Repeated(monkeypatch, WON)
    repeated.of(won)
    options = replace(by_position, metric="cards", lost_ahead=True)
    assert repeated.asked == (Question.SOLVE, DEAL, options, Limits())


def test_the_share_that_is_done(monkeypatch: pytest.MonkeyPatch, lost: Path, won: Path) -> None:
    """It is that of the states of a proof; with more of them the end is not known."""
    events = [
        report(states=0),
        report(states=1, forced=1),
        unit(),
        report(states=1, forced=2),
        report(states=2, forced=2),
    ]
    repeated = Repeated(monkeypatch, LOST, events)
    repeated.of(lost)
    shares = [getattr(event, "done", "none") for event in repeated.told]
    assert shares == [0, 2 / 3, "none", 1, None]
    repeated = Repeated(monkeypatch, WON, events)
    assert repeated.of(won).record["states"] == 1
    assert repeated.told == events


def test_what_differs(monkeypatch: pytest.MonkeyPatch, lost: Path, won: Path) -> None:
    """Nothing is said to differ while the answer of the search is open."""
    assert Repeated(monkeypatch, LOST).of(lost).different == ()
    assert Repeated(monkeypatch, WON).of(won).different == ()
    other = Repeated(monkeypatch, WON).of(lost)
    assert other.different[0] == 'claim: "shortest", not "unsolvable"'
    assert (other.result, other.deal, other.record["claim"]) == (WON, DEAL, "unsolvable")
    open_one = result(verdict=Verdict.UNDECIDED, limit=Limit.MEMORY, shortest=False, moves=())
    assert Repeated(monkeypatch, open_one).of(lost).different == ()


def test_a_solution_that_cannot_be_played(monkeypatch: pytest.MonkeyPatch, won: Path) -> None:
    """It is told before all differences."""
    won.write_text(
        dump(from_result(WON) | {"versions": VERSIONS, "path": PATH[::-1], "policy": "none"})
    )
    found = Repeated(monkeypatch, WON).of(won)
    assert "move 1 of the solution (KS home, or to the pile) is not legal" in found.different[0]
    assert len(found.different) == 2 and "policy" in found.different[1]
