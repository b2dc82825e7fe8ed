"""Dives before a search for a shortest solution: what it gets of their end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move, Place
from dbmsolver.results import Limit, Limits, Method, Options, Question
from dbmsolver.search.improve.lost_ahead import LostAhead
from dbmsolver.search.outcome import Exhausted, GoalMet, LeftOpen, Outcome, Stopped
from dbmsolver.search.proof.dive_ahead import DiveAhead
from dbmsolver.search.proof.orders import Proof
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

DEAL = Deal.from_number(1)
KEYS: Any = Proof(DEAL, "wkr", Method.DOMINATING).keys()
FOUND = [Move(5, Place("column", 1), Place("column", 2))]


class Known:
    """The best solution so far, which takes another one if it is to; it notes what is asked."""

    def __init__(self, recorder: Recorder, takes: bool) -> None:
        self.recorder = recorder
        self.takes = takes
        self.asked: list[object] = []

    def take(self, moves: list[Move]) -> bool:
        self.asked.append(moves)
        return self.takes

    def take_later(self, moves: Callable[[], list[Move]]) -> None:
        self.asked += ["later", moves()]

    def keep(self) -> None:
        self.asked.append("keep")


Ahead = Callable[..., tuple[LostAhead, Known]]


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    """Yield the recorder of a run; nothing is counted yet."""
    manifest = new_manifest(Question.SOLVE, DEAL, Options())
    with Store.create(tmp_path / "store", manifest, durable=False) as store:
        yield Recorder(store, Question.SOLVE, Limits(), resumable=True, keep_closed=True)


@pytest.fixture
def ahead(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> Ahead:
    """Return a function that returns dives with this end, and the best solution.

    The dives count seven states.
    """

    def made(outcome: Outcome, takes: bool = True, **options: bool) -> tuple[LostAhead, Known]:
        ends: list[Outcome] = []

        def step(_: DiveAhead) -> Outcome:
            recorder.statistics.count(0, 3, 7, 0, 99)
            ends.append(outcome)
            return outcome

        monkeypatch.setattr(DiveAhead, "step", step)
        monkeypatch.setattr(DiveAhead, "won", property(lambda _: GoalMet() in ends))
        monkeypatch.setattr(DiveAhead, "win", lambda _: lambda: FOUND)
        best: Any = Known(recorder, takes)
        search = LostAhead(best, KEYS, Limits(), 1, 1 << 24, **options)
        search.close()
        return search, best

    return made


@pytest.mark.parametrize("any_solution", [False, True])
@pytest.mark.parametrize("takes", [False, True])
def test_a_solution_is_offered(
    ahead: Ahead, recorder: Recorder, takes: bool, any_solution: bool
) -> None:
    """It is taken at once only where any will do; the search that follows counts from nothing."""
    search, best = ahead(GoalMet(), takes, any_solution=any_solution)
    assert not search.won
    assert search.step() == LeftOpen()
    assert search.won
    assert search.end(LeftOpen()) == LeftOpen()
    taken = [FOUND, "keep"] if takes else [FOUND]
    assert best.asked == (taken if any_solution else ["later", FOUND])
    assert (recorder.statistics.closed, recorder.statistics.digest) == (0, 0)
    assert (recorder.batch.cleared, recorder.batch.fields) == ([], {})


def test_a_deal_that_is_exhausted_is_lost(ahead: Ahead, recorder: Recorder) -> None:
    """The proof takes the place of the states that a search before has closed."""
    search, best = ahead(Exhausted(), any_solution=True)
    assert search.step() == Exhausted()
    assert search.end(Exhausted()) == Exhausted()
    assert (search.won, best.asked) == (False, [])
    assert recorder.batch.cleared == [b"C"]
    assert recorder.batch.fields == {"method": Method.DOMINATING}
    assert (recorder.statistics.closed, recorder.statistics.digest) == (7, 99)


def test_dives_that_are_needed_end_the_search(ahead: Ahead) -> None:
    """They leave the deal open only where memory is too small for their states."""
    search, _ = ahead(LeftOpen(), needed=True)
    assert search.step() == Stopped(Limit.MEMORY)
    assert search.end(Stopped(Limit.MEMORY)) == Stopped(Limit.MEMORY)


@pytest.mark.parametrize("outcome", [LeftOpen(), Stopped(Limit.MAX_TIME)])
def test_dives_that_leave_the_deal_open_count_for_nothing(
    ahead: Ahead, recorder: Recorder, outcome: Outcome
) -> None:
    search, best = ahead(outcome, any_solution=True)
    assert search.step() == outcome
    assert search.end(outcome) == outcome
    assert (search.won, best.asked) == (False, [])
    assert (recorder.statistics.closed, recorder.statistics.digest) == (0, 0)
    assert (recorder.batch.cleared, recorder.batch.fields) == ([], {})
