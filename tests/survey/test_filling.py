"""A whole survey: what the pool and the run are given, and what is said at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.rows import row

from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limits
from dbmsolver.survey import filling
from dbmsolver.survey.ranges import parse_ranges
from dbmsolver.survey.rows import Inquiry
from dbmsolver.survey.run import Survey
from dbmsolver.survey.table import SurveyTable

ROW = row(1)


@pytest.mark.parametrize(("given", "memory"), [(None, 1234), (99, 99)])
@pytest.mark.parametrize("address", [None, "somewhere"])
def test_what_a_survey_is_filled_with(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    address: str | None,
    given: int | None,
    memory: int,
) -> None:
    """Its memory is known to all, and machines of a cluster keep no searches."""
    asked: list[tuple[Any, ...]] = []

    class Run:
        new, done, open = 2, 3, 4

        def __init__(
            self, survey: Survey, table: SurveyTable, pool: str, keep_searches: bool
        ) -> None:
            asked.append((survey.limits.memory, pool, keep_searches))
            self.table = table

        def events(self) -> Iterator[str]:
            self.table.put([ROW])
            yield "an event"

    def choose_pool(
        survey: Survey, address: str | None, threads: int | None, compiles: Callable[[], None]
    ) -> str:
        asked.append((survey.limits.memory, address, threads, compiles))
        return "the pool"

    monkeypatch.setattr(filling, "Run", Run)
    monkeypatch.setattr(filling, "choose_pool", choose_pool)
    monkeypatch.setattr(filling, "default_memory", lambda: 1234)
    games = (rules_for("freecell"),)
    survey = Survey(Inquiry.VERDICT, parse_ranges(["1"]), games, Limits(memory=given))
    path = tmp_path / "table.csv"
    events = filling.fill(survey, path, address, 5, print)
    assert next(events) == "an event"
    with pytest.raises(StopIteration) as end:
        next(events)
    filled = end.value.value
    assert ([*filled.rows.values()], filled.new, filled.open) == ([ROW], 2, 4)
    assert asked == [(memory, address, 5, print), (memory, "the pool", address is None)]
