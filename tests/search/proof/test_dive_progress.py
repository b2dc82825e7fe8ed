"""Dives tell how many records they have found so far."""

from __future__ import annotations

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.keys.records import RecordKeys
from dbmsolver.search.proof.dives import SCHEDULE, Dives

KEYS = RecordKeys(Deal.from_number(11982, GAMES["freecell"]), "wkr")
RECORDS = 11_162
"""Of the whole deal."""


def test_progress_of_dives() -> None:
    dives = Dives(KEYS, 1, 1 << 30, None)
    assert dives.progress() == (0, 0)
    running = dives.run(KEYS.root)
    seen = []
    while True:
        try:
            next(running)
        except StopIteration as end:
            dived = end.value
            break
        seen.append(dives.progress())
    assert dived.outcome == "exhausted"
    assert seen == sorted(seen)
    number, found = dives.progress()
    # All dives but the last one are ended by their limits.
    assert found == sum(limit for _, limit in SCHEDULE[: number - 1]) + RECORDS


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
