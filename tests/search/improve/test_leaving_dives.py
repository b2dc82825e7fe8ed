"""Dives one after the other: how many states each may meet, and what ends them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.kits.leaving_dive import EXHAUSTED, GIVEN_UP
from dbmsolver.results import Limit, Limits, Options, Question
from dbmsolver.search.improve import leaving_dives
from dbmsolver.search.improve.leaving_dives import LeavingDives
from dbmsolver.search.outcome import GoalMet, LeftOpen, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

FULL = min(EXHAUSTED, GIVEN_UP) - 1
ROOM = 32 * 1000
"""Memory in which a dive meets 1,000 states at most."""
FOUND: list[Step] = [(5, 1), (3, 2)]


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving_dives, "_AT_ONCE", 100)


class Planned(LeavingDives):
    """Dives each of which ends as planned: with a result, once it has met so many states."""

    is_shortest = False
    plan: tuple[tuple[int, int], ...] = ()

    @property
    def shortest(self) -> bool:
        return self.is_shortest

    def _begin(self, number: int, most: int) -> Any:
        self.begun.append(most)
        states, result = self.plan[number] if number < len(self.plan) else (1 << 40, 0)
        return SimpleNamespace(state=[0, 1], states=states, result=result)

    def _go_on(self, diving: Any, limit: int) -> int:
        self.limits.append(limit)
        diving.state[1] = min(limit, diving.states)
        return int(diving.result) if diving.states <= limit else GIVEN_UP

    def _steps(self, diving: Any, length: int) -> list[Step]:
        return FOUND[:length]

    def __init__(self, *arguments: Any, schedule: tuple[int, ...] = (250, 500, 4000)) -> None:
        self.begun: list[int] = []
        self.limits: list[int] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(leaving_dives, "SCHEDULE", schedule)
            super().__init__(*arguments)


class Kept:
    """A best solution that is taken if it is to be; it notes what it is offered and asked."""

    def __init__(self, taken: bool) -> None:
        self.taken = taken
        self.asked: list[object] = []

    def offer(self, steps: list[Step]) -> bool:
        self.asked.append(steps)
        return self.taken

    def keep(self) -> None:
        self.asked.append("keep")


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    manifest = new_manifest(Question.SOLVE, Deal.from_number(1), Options())
    with Store.create(tmp_path / "store", manifest, durable=False) as store:
        yield Recorder(store, Question.SOLVE, Limits(), resumable=False, keep_closed=True)


def dives(
    recorder: Recorder,
    *plan: tuple[int, int],
    best: Kept | None = None,
    most: int | None = None,
    memory: int = ROOM,
) -> Planned:
    found = Planned(None, recorder, Limits(max_states=most), memory, best)
    found.plan = plan
    return found


def test_each_dive_meets_as_many_states_as_it_may(recorder: Recorder) -> None:
    """A hundred of them at a time, and no more than memory has room for."""
    of = dives(recorder)
    for _ in range(3 + 5 + 10):
        assert of.step() is None
    assert of.step() == LeftOpen()
    assert of.begun == [250, 500, 1000]
    assert of.limits == [101, 201, 250, *range(101, 500, 100), 500, *range(101, 1000, 100), 1000]
    assert of.met == of.report().evaluated == 1750
    assert recorder.statistics.states == 0


@pytest.mark.parametrize(
    ("most", "begun"), [(1, []), (250, [250]), (251, [250]), (252, [250, 2]), (800, [250, 500, 50])]
)
def test_all_dives_meet_no_more_states_than_the_limit(
    recorder: Recorder, most: int, begun: list[int]
) -> None:
    """A dive of one state would look at nothing but the deal, and is none."""
    of = dives(recorder, most=most)
    while of.step() is None:
        pass
    assert (of.begun, of.met) == (begun, sum(begun))


def test_a_dive_that_is_stuck_is_followed_by_the_next(recorder: Recorder) -> None:
    """One that has met all states is the last."""
    of = dives(recorder, (130, FULL), (7, FULL), (40, EXHAUSTED))
    assert [of.step(), of.step(), of.step()] == [None, None, None]
    assert of.begun == [250, 500]
    assert of.met == 137
    assert of.step() == LeftOpen()
    assert (of.begun, of.met) == ([250, 500, 1000], 177)


@pytest.mark.parametrize("is_shortest", [False, True])
def test_a_solution_ends_the_search_where_none_is_shorter(
    recorder: Recorder, is_shortest: bool
) -> None:
    """Any solution ends it if any will do."""
    best = Kept(True) if is_shortest else None
    of = dives(recorder, (300, FULL), (60, len(FOUND)), best=best)
    of.is_shortest = is_shortest
    while (outcome := of.step()) is None:
        pass
    assert outcome == GoalMet()
    assert of.path() == FOUND
    statistics = recorder.statistics
    assert statistics.states == statistics.evaluated == of.met == 250 + 60
    assert best is None or best.asked == []


def test_a_deal_that_is_won_has_a_solution_of_no_moves(recorder: Recorder) -> None:
    of = dives(recorder, (1, 0))
    assert of.step() == GoalMet()
    assert (of.path(), of.met) == ([], 1)


@pytest.mark.parametrize("taken", [True, False])
def test_another_solution_is_kept_if_it_is_shorter(recorder: Recorder, taken: bool) -> None:
    """The search for a shortest one follows, and counts its own states."""
    best = Kept(taken)
    of = dives(recorder, (60, len(FOUND)), best=best)
    assert of.step() == LeftOpen()
    assert best.asked == [FOUND, "keep"][: 1 + taken]
    assert (of.met, recorder.statistics.states, recorder.statistics.evaluated) == (60, 0, 0)


@pytest.mark.parametrize(
    "plan",
    [
        ((300, FULL), (60, len(FOUND)), (3, 1)),
        ((230, len(FOUND)), (20, 1)),
        ((250, FULL), (130, EXHAUSTED), (90, len(FOUND))),
        ((2, FULL), (500, FULL), (700, 1)),
        ((40, FULL), (300, FULL), (100, FULL)),
    ],
)
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_first_dive_that_decides_does_whatever_the_threads(
    recorder: Recorder, threads: int, plan: tuple[tuple[int, int], ...]
) -> None:
    """Dives behind it in the schedule are not counted, even if they decide the deal sooner."""

    def result(threads: int) -> tuple[object, object, int]:
        recorder.threads = threads
        of = dives(recorder, *plan, memory=32 * 4000 * 8)
        while (outcome := of.step()) is None:
            pass
        return outcome, of.found, of.met

    assert result(threads) == result(1)


def test_dives_at_the_same_time_meet_equally_many_states(recorder: Recorder) -> None:
    """None is waited for, and larger ones begin when all that are smaller are over."""
    recorder.threads = 2
    of = Planned(None, recorder, Limits(), 2 * 32 * 4000, None, schedule=(150, 150, 150, 4000))
    of.plan = ((60, FULL),)
    of.step()
    assert (of.begun, sorted(of.limits), of.met) == ([150, 150], [101, 101], 161)
    of.step()
    assert (of.begun, sorted(of.limits[2:]), of.met) == ([150, 150, 150], [50, 150], 260)
    of.step()
    assert (of.begun, of.limits[4:], of.met) == ([150, 150, 150], [150], 360)
    of.step()
    assert (of.begun, of.limits[5:]) == ([150, 150, 150, 4000], [101])


@pytest.mark.parametrize(("memory", "begun"), [(299, 1), (300, 2), (599, 3), (10_000, 4)])
def test_dives_have_room_for_each_other(recorder: Recorder, memory: int, begun: int) -> None:
    """Fewer are made at the same time where all of them do not fit."""
    recorder.threads = 8
    of = Planned(None, recorder, Limits(), 32 * memory, None, schedule=(150,) * 4)
    of.step()
    assert of.begun == [min(memory, 150)] * begun


@pytest.mark.parametrize("most", [2, 250, 251, 800, 5000])
@pytest.mark.parametrize("threads", [1, 3])
def test_dives_at_the_same_time_meet_no_more_states_than_the_limit(
    recorder: Recorder, threads: int, most: int
) -> None:
    recorder.threads = threads
    schedule = (250, 250, 250, 4000)
    limits = Limits(max_states=most)
    of = Planned(None, recorder, limits, 3 * 32 * 4000, None, schedule=schedule)
    while of.step() is None:
        assert of.met <= most
    left = max(0, most - sum(schedule))
    assert most - 1 <= of.met + left <= most


@pytest.mark.parametrize("has_best", [True, False])
def test_a_limit_leaves_the_solution_of_a_later_dive(recorder: Recorder, has_best: bool) -> None:
    """An earlier one still runs; without the limit its own solution would come first."""
    recorder.threads = 2
    best = Kept(True) if has_best else None
    of = Planned(None, recorder, Limits(), ROOM, best, schedule=(150, 150))
    of.plan = ((140, 1), (60, len(FOUND)))
    assert of.step() is None
    outcome = of.end(Stopped(Limit.MAX_TIME))
    assert of.found == FOUND
    if best is None:
        assert outcome == GoalMet()
    else:
        assert (outcome, best.asked) == (Stopped(Limit.MAX_TIME), [FOUND, "keep"])


def test_a_limit_without_a_solution(recorder: Recorder) -> None:
    of = dives(recorder)
    assert of.step() is None
    assert of.end(Stopped(Limit.MAX_TIME)) == Stopped(Limit.MAX_TIME)
    assert of.found == []
