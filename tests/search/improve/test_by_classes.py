"""Searches for shortest solutions in Klondike that begin anew with the distances of classes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from helpers.naive_search import fewest_moves
from helpers.small_klondikes import small_klondike

from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Metric, measure_of
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Bound, Limit, Limits, Options, Question, Report, Result, Verdict
from dbmsolver.search import session
from dbmsolver.search.improve import by_classes
from dbmsolver.steps import follow
from dbmsolver.storage.store import Store

METRICS: list[Metric] = ["turns", "runs", "plays"]
HARD = Deal.load("1588", GAMES["klondike"], numbers="ksolve")
"""KSolve leaves it open; its shortest solution has 129 moves."""


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let classes be listed before any state is looked at."""
    monkeypatch.setattr(by_classes, "AFTER", 0)
    monkeypatch.setattr(by_classes, "_CLASSES", 1 << 30)


def asked(deal: Deal, options: Options, limits: Limits = Limits()) -> tuple[Result, set[str]]:
    """Return the result of a search for a shortest solution, and the phases that it reported."""
    phases = set()

    def watch(event: object) -> None:
        if isinstance(event, Report):
            phases.add(event.phase)

    return follow(session.run(Question.SOLVE, deal, options, limits), watch), phases


def bound_of(path: Path) -> Bound:
    with Store.open(path) as store:
        return store.manifest.bound


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("metric", METRICS)
def test_lengths_are_those_of_the_model(metric: Metric) -> None:
    random, solved, lost = Random(metric), 0, 0
    while solved < 60 or lost < 8:
        deal = small_klondike(random)
        expected = fewest_moves(deal, measure_of(deal.rules, "wkr", metric), 4000)
        if expected is None:
            continue
        options = Options(metric=metric, threads=1 + solved % 2, lost_ahead=False)
        result, phases = asked(deal, options)
        assert phases >= {"classes"}
        if expected[0] is None:
            lost += 1
            assert result.verdict == Verdict.UNSOLVABLE
        else:
            solved += 1
            assert result.shortest
            assert result.length == expected[0]
