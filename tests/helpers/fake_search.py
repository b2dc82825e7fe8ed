"""Searches that are none: they report and answer what a test wants them to."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import (
    Commit,
    Limit,
    Limits,
    Options,
    Question,
    Report,
    Result,
    SolutionCount,
)

NEARLY_DONE = """\
Foundations: H-K C-K D-K S-J
KS QS
"""


def nearly_done() -> tuple[Deal, tuple[Move, ...]]:
    """Return a deal of two moves, and these."""
    deal = Deal.from_text(NEARLY_DONE, GAMES["freecell"])
    moves, position = [], deal.position
    while (move := position.forced(deal.rules, "wkr")) is not None:
        moves.append(move)
        position = position.apply(move)
    assert position.is_goal()
    return deal, tuple(moves)


def report(elapsed: float = 3.0, states: int = 3_000_000, **changes: Any) -> Report:
    """Return a moment of a search."""
    some = Report(
        question="solve",
        phase="search",
        layer=73,
        stratum=12,
        last_stratum=80,
        states=states,
        forced=0,
        evaluated=5_000_000,
        pending=1_234,
        memory=300 << 20,
        disk=20 << 20,
        closed_bytes=15 << 20,
        elapsed=elapsed,
        share=0.25,
    )
    return replace(some, **changes)


def unit(number: int = 1) -> Commit:
    """Return a committed transaction."""
    return Commit(number, 73, 12, 1000, 10, 1234, 4096, 0.123456)


def result(**changes: Any) -> Result:
    """Return an answer: the shortest solution of two moves."""
    deal, moves = nearly_done()
    some = Result(
        question="solve",
        deal=deal,
        policy="wkr",
        metric="cards",
        verdict="solved",
        limit=None,
        shortest=True,
        moves=moves,
        states=1,
        forced=2,
        evaluated=3,
        seconds=75.04,
        peak_memory=300 << 20,
        disk=5000,
        digest="0123456789abcdef",
        store=None,
        method="every-position",
        strata=((2, 50, 1, 2),),
    )
    return replace(some, **changes)


class FakeSearch(types.ModuleType):
    """Stands for `dbmsolver.search.session`: remembers what it was asked, and plays a script."""

    def __init__(self, events: Iterable[Report | Commit], answer: Callable[[], Result]) -> None:
        super().__init__("dbmsolver.search.session")
        self.events = events
        self.answer = answer
        self.asked: tuple[Any, ...] = ()
        self.closed = False

    def run(
        self, question: Question, deal: Deal, options: Options, limits: Limits
    ) -> Generator[Report | Commit, None, Result]:
        """As `search.run`."""
        self.asked = (question, deal, options, limits)
        return self._play()

    def resume(
        self, store: Path, threads: int | None, limits: Limits, cluster: str | None
    ) -> Generator[Report | Commit, None, Result]:
        """As `search.resume`."""
        self.asked = (store, threads, limits, cluster)
        return self._play()

    def _play(self) -> Generator[Report | Commit, None, Result]:
        try:
            yield from self.events
            return self.answer()
        finally:
            self.closed = True


def install(
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[], Result] = result,
    events: Iterable[Report | Commit] = (),
) -> FakeSearch:
    """Put a fake in the place of `dbmsolver.search.session`."""
    import dbmsolver.search

    fake = FakeSearch(events, answer)
    monkeypatch.setitem(sys.modules, "dbmsolver.search.session", fake)
    monkeypatch.setattr(dbmsolver.search, "session", fake, raising=False)
    return fake


class FakeSequences:
    """Stands for `dbmsolver.search.sequences.session.Sequences`: remembers what it was asked.

    The first of its two solutions is that of `nearly_done`; the second has its first move only.
    """

    def __init__(
        self, found: Result, count: int | None, counted: Limit | None, chosen: Limit | None
    ) -> None:
        self.found = SolutionCount(found, count, counted, 1, 1.0, 1, 1)
        self.chosen = chosen
        self.asked: list[Any] = []

    def __call__(self, *asked: Any, **more: Any) -> FakeSequences:
        self.asked.append((*asked, *more.values()))
        return self

    def __enter__(self) -> FakeSequences:
        return self

    def __exit__(self, *_: object) -> None:
        self.asked.append("closed")

    def count(self) -> Generator[Any, Any, SolutionCount]:
        yield from ()
        return self.found

    def choose(self, most: int | None) -> Generator[Any, Any, Limit | None]:
        self.asked.append(most)
        yield from ()
        return self.chosen

    def solutions(self) -> Iterator[tuple[Move, ...]]:
        _, moves = nearly_done()
        self.asked.append("solutions")
        yield moves
        yield moves[:1]
