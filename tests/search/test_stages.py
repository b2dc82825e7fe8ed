"""The searches of a run, one after the other."""

from __future__ import annotations

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Metric
from dbmsolver.results import Limits, Options, Question, Report
from dbmsolver.search import session


@pytest.mark.parametrize(
    ("metric", "phases"),
    [("cards", ["dive", "improve", "search"]), ("moves", ["improve", "search"])],
)
def test_dives_come_ahead_where_single_cards_are_counted(metric: Metric, phases: list[str]) -> None:
    """Expect none where a move takes as many cards as there is room for."""
    seen: list[str] = []
    options = Options(any_solution=True, metric=metric)
    run = session.run(Question.SOLVE, Deal.from_number(11982), options, Limits(max_states=1))
    for event in run:
        if isinstance(event, Report) and event.phase not in seen:
            seen.append(event.phase)
    assert seen == phases
