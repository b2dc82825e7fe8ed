"""The analyst by itself, with processes that only answer: time, reports, and what is learnt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.playing import finished

from dbmsolver.game.deals import Deal
from dbmsolver.play import analyst as module
from dbmsolver.play.analyst import Analyst
from dbmsolver.play.codes import code_of
from dbmsolver.play.table import options_of
from dbmsolver.play.values import LOST, Value
from dbmsolver.play.worker_pool import Answer, ProcessLostError
from dbmsolver.results import Verdict

DEAL = Deal.from_number(3)
SOLVED, UNDECIDED = Verdict.SOLVED, Verdict.UNDECIDED


class Processes:
    """Processes that take all the time that they are given, and answer or are lost."""

    def __init__(self, answers: Callable[[dict[str, Any]], list[Answer]] = lambda _: []) -> None:
        self.answers = answers
        self.now = 0.0
        self.orders: list[dict[str, Any]] = []
        self.ranks: list[float] = []

    async def run(
        self, order: dict[str, Any], on_answer: Callable[[Answer], None], rank: float = 0
    ) -> None:
        self.orders.append(order)
        assert len(self.orders) < 1000
        self.ranks.append(rank)
        self.now += order.get("seconds", 0.0)
        answers = self.answers(order)
        for _ in range(10):  # all that waits for what has changed goes on
            await asyncio.sleep(0)
        for answer in answers:
            on_answer(answer)


@pytest.fixture
def reports_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[dict[str, Any]]]:
    """Return a function that lists an analyst's reports about the deal, by the processes' time."""

    def reports(
        processes: Processes, analyst: Analyst | None = None, seconds: float = 10.0, longer: int = 0
    ) -> list[dict[str, Any]]:
        workers: Any = processes
        one = analyst or Analyst(workers, seconds)
        one.workers = workers
        monkeypatch.setattr(module, "_PAUSE", 0)
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: processes.now))

        async def heard() -> list[dict[str, Any]]:
            found = one.reports(DEAL.rules, [DEAL.position], longer)
            return [report async for report in found]

        return finished(heard())

    return reports


@pytest.mark.parametrize(("longer", "seconds"), [(0, 10.0), (2, 160.0)])
def test_the_time_is_used_and_not_exceeded(
    reports_of: Callable[..., list[dict[str, Any]]], longer: int, seconds: float
) -> None:
    """Kernels are compiled first; what has taken longest waits longest for a process.

    Nothing is told twice.
    """
    processes = Processes()
    states = [report["state"] for report in reports_of(processes, longer=longer)]
    assert states == ["waiting", "compiling", "waiting", "stopped"]
    compiled, decided, *others = processes.orders
    assert (compiled["kind"], decided["kind"]) == ("compile", "decide")
    assert {order["kind"] for order in others} == {"prove", "solve"}
    assert processes.now == pytest.approx(seconds)
    assert processes.ranks[:4] == pytest.approx([0, 0, 1.1, 2.1])
    assert processes.ranks[-1] == pytest.approx(1 + seconds - others[-1]["seconds"])


def test_a_process_that_is_lost_does_not_end_the_analysis(
    reports_of: Callable[..., list[dict[str, Any]]],
) -> None:
    def answers(order: dict[str, Any]) -> list[Answer]:
        if order["kind"] == "decide":
            raise ProcessLostError("it took too much memory")
        if order["kind"] == "compile":
            return []
        return [{"work": 1}, {"index": 0, "verdict": "unsolvable"}]

    reports = reports_of(Processes(answers))
    assert (reports[-1]["state"], reports[-1]["value"]) == ("done", ["unsolvable", 0, None])
    assert {one["state"] for one in reports} >= {"compiling", "done"}
    assert (reports[-1]["won"], reports[-1]["lost"]) == (-1, 0)
    assert {value[0] for value in reports[-1]["moves"].values()} == {"unsolvable"}


def test_kernels_are_compiled_again_if_that_failed(
    reports_of: Callable[..., list[dict[str, Any]]],
) -> None:
    failing: list[bool] = [True]

    def answers(order: dict[str, Any]) -> list[Answer]:
        if order["kind"] == "compile" and failing.pop():
            raise ProcessLostError("it took too much memory")
        return []

    processes: Any = Processes(answers)
    analyst = Analyst(processes, 2.0)
    with pytest.raises(ProcessLostError):
        reports_of(processes, analyst)
    failing.append(False)
    for _ in range(2):
        assert reports_of(processes, analyst)[-1]["state"] == "stopped"
    kinds = [order["kind"] for order in processes.orders]
    assert kinds[:3] == ["compile", "compile", "decide"]
    assert kinds.count("compile") == 2


def test_moves_are_told_in_the_order_of_their_worth(
    reports_of: Callable[..., list[dict[str, Any]]],
) -> None:
    """Moves that win soonest come first, then what may win, at last what loses."""
    processes: Any = Processes()
    analyst = Analyst(processes, 0.0)
    options = options_of(DEAL.position, DEAL.rules)
    values = [
        Value(UNDECIDED, 70),
        Value(SOLVED, 0, 80),
        LOST,
        Value(SOLVED, 2),
        Value(UNDECIDED, 50),
        Value(SOLVED, 0, 60),
    ]
    named = [code_of(option.move) for option in options]
    for option, value in zip(options, values, strict=False):
        analyst.knowledge.learn(DEAL.rules, option.after, value)
    report = reports_of(processes, analyst)[-1]
    assert (report["state"], processes.orders) == ("stopped", [])
    assert sorted(report["moves"]) == sorted(named)
    told = [code for code in report["moves"] if code in named[:6]]
    assert told == [named[place] for place in (5, 1, 3, 4, 0, 2)]
    assert [(report["moves"][code][0], report["moves"][code][2]) for code in told] == [
        ("solved", 60 + options[5].cost),
        ("solved", 80 + options[1].cost),
        ("solved", None),
        ("undecided", None),
        ("undecided", None),
        ("unsolvable", None),
    ]
    assert report["moves"][named[0]][1] == 70 + options[0].cost
