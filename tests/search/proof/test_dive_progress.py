"""Dives tell how many records they have found so far."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dbmsolver import api
from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.kits.records.dive import BROKEN
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.results import Limits
from dbmsolver.search.proof import dive_ahead, dives
from dbmsolver.search.proof.dive_ahead import DiveAhead
from dbmsolver.search.proof.dives import SCHEDULE, Diver, Dives, stopped_after

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


@pytest.mark.parametrize("threads", [1, 2])
def test_records_of_all_dives_are_counted(threads: int) -> None:
    """Each expands what it would alone."""
    alone = [Diver(most).dive(KEYS, KEYS.root, order, most) for order, most in SCHEDULE[:3]]
    assert all(one.outcome == "open" and one.expanded for one in alone)
    together = Dives(KEYS, threads, 1 << 30, None, SCHEDULE[:3])
    while (dived := together.step()) is None:
        pass
    assert (dived.outcome, dived.expanded) == ("open", sum(one.expanded for one in alone))


def test_a_record_that_cannot_be_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dive that is at a loss does not leave the deal open."""
    monkeypatch.setattr(dives, "dive", lambda *args: (BROKEN, 1, 1))
    with pytest.raises(InternalError, match="a record cannot be"):
        Diver(100).dive(KEYS, KEYS.root, SCHEDULE[0][0], 100)


def test_dives_that_were_stopped_are_followed_by_others() -> None:
    """The flag that ends dives is taken back, whoever has set it."""
    stop = np.zeros(1, np.uint8)
    with stopped_after(stop, 3600.0):
        stop.fill(1)
    assert not stop[0]


def test_a_win_says_what_dives_have_looked_at() -> None:
    deal = Deal.from_number(7, rules_for("freecell", 2))
    before = Dives(RecordKeys(deal, "wkr"), 1, 1 << 30, None)
    while (dived := before.step()) is None:
        pass
    assert dived.outcome == "won" and before.expanded > dived.expanded
    result = api.prove(deal, threads=1)
    assert (result.verdict, result.evaluated) == ("solved", before.expanded)
