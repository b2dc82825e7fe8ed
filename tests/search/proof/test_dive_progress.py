"""Dives tell how many records they have found so far."""

from __future__ import annotations

from typing import Any

import pytest

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.keys.records import RecordKeys
from dbmsolver.results import Limits
from dbmsolver.search.proof import dive_ahead
from dbmsolver.search.proof.dive_ahead import DiveAhead
from dbmsolver.search.proof.dives import SCHEDULE, Dives

KEYS = RecordKeys(Deal.from_number(11982, GAMES["freecell"]), "wkr")
RECORDS = 11_162
"""Of the whole deal."""


def test_progress_of_dives() -> None:
    dives = Dives(KEYS, 1, 1 << 30, None)
    assert dives.progress() == (0, 0)
    seen = []
    while (dived := dives.step()) is None:
        seen.append(dives.progress())
    assert dived.outcome == "exhausted"
    assert seen == sorted(seen)
    number, found = dives.progress()
    # All dives but the last one are ended by their limits.
    assert found == sum(limit for _, limit in SCHEDULE[: number - 1]) + RECORDS


@pytest.mark.parametrize(("asked", "taken"), [(1, 1), (2, 2), (16, 2)])
def test_threads_of_dives(asked: int, taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dives before a proof have no more threads than the search, nor more than help."""
    made: list[Any] = []
    monkeypatch.setattr(dive_ahead, "Dives", lambda *args: made.append(args))
    nothing: Any = None
    DiveAhead(KEYS, nothing, Limits(), asked, 1 << 30)
    assert [args[1] for args in made] == [taken]


def test_reports_of_dives() -> None:
    reports = []
    deal = Deal.from_number(11982, GAMES["freecell"])
    result = api.prove(deal, progress=reports.append, threads=1)
    dives = [report for report in reports if isinstance(report, api.Report)]
    assert result.states == RECORDS
    assert {report.phase for report in dives} == {"dive"}
    numbers = [report.dive[0] for report in dives if report.dive is not None]
    assert numbers == sorted(numbers)
    assert max(report.states for report in dives) > 0
