"""Dives in the course of a proof: which are begun, when, and what they leave behind."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pytest
from helpers.searching import without_dives

from dbmsolver.api import prove
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import State
from dbmsolver.results import Event, Report
from dbmsolver.search.proof import late_dives
from dbmsolver.search.proof.dives import ORDERS, Dived, Order
from dbmsolver.search.proof.initial import initial_candidates
from dbmsolver.search.proof.late_dives import LateDives, Win

KEYS = RecordKeys(Deal.from_number(1, rules_for("freecell", 2)), "wkr")
PENDING = State(1, 2, 3, 0)
"""Stands for a record that is drawn from what is pending."""
PLENTY = 1 << 60


class Open:
    """Stands for dives that have room for `ROOM` records and decide nothing."""

    ROOM = 4 * late_dives._LEAST
    begun: list[Open] = []  # noqa: RUF012

    def __init__(
        self,
        keys: RecordKeys,
        threads: int,
        memory: int,
        most: int | None,
        schedule: Sequence[tuple[Order, int]],
        start: State,
    ) -> None:
        self.threads, self.schedule, self.start = threads, schedule, start
        self.limit = self.ROOM
        self.is_closed = False
        self.begun.append(self)

    def step(self) -> Dived:
        return Dived("open", 0)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Open]:
    """Return a list that gets the dives that are begun."""
    monkeypatch.setattr(Open, "begun", [])
    monkeypatch.setattr(late_dives, "Dives", Open)
    monkeypatch.setattr(late_dives, "record_in", lambda *args: PENDING)
    monkeypatch.setattr(late_dives, "SHARE", 0.5)
    return Open.begun


def late(threads: int, keep_closed: bool, closed: int = 0) -> tuple[LateDives, Any]:
    """Return late dives, and the statistics that say how many records are closed."""
    statistics = SimpleNamespace(closed=closed)
    recorder: Any = SimpleNamespace(statistics=statistics, keep_closed=keep_closed, store=None)
    return LateDives(KEYS, recorder, threads, 1 << 20), statistics


def make(dives: LateDives) -> None:
    """Make the next dives, to their end."""
    candidates = initial_candidates(KEYS)
    dives.begin({candidates.stratum: [candidates]})
    assert dives.under_way
    assert dives.step()
    assert not dives.under_way


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_limits_double_until_there_is_no_room(begun: list[Open], threads: int) -> None:
    """Each thread has an order of its own."""
    dives, statistics = late(threads, keep_closed=True)
    statistics.closed = PLENTY
    for _ in range(9):
        make(dives)
    for number, one in enumerate(begun):
        orders = [order for order, _ in one.schedule]
        assert one.threads == len(orders) == len(set(orders)) == min(threads, len(ORDERS))
        assert orders[0] == ORDERS[number % len(ORDERS)]
        limit = min(late_dives._LEAST << number, Open.ROOM)
        assert {most for _, most in one.schedule} == {limit}


@pytest.mark.parametrize("threads", [1, 2])
def test_dives_are_due_by_all_that_were_allowed_before(begun: list[Open], threads: int) -> None:
    """They may find a share of what this run has closed, and the earlier ones have had theirs."""
    before = 12_345
    dives, statistics = late(threads, keep_closed=True, closed=before)
    allowed = 0
    for _ in range(4):
        limit = min(late_dives._LEAST << len(begun), Open.ROOM)
        allowed += threads * limit
        statistics.closed = before + 2 * allowed - 1
        assert not dives.due()
        statistics.closed += 1
        assert dives.due()
        make(dives)


def test_every_other_one_begins_with_a_pending_record(begun: list[Open]) -> None:
    """In the end all do: what others would find is known."""
    dives, statistics = late(1, keep_closed=True)
    statistics.closed = PLENTY
    for _ in range(30):
        assert dives.due()
        make(dives)
    starts = [one.start for one in begun]
    assert starts[:6] == [KEYS.root, PENDING] * 3
    assert starts[-10:] == [PENDING] * 10


@pytest.mark.parametrize("outcome", ["won", "exhausted"])
def test_a_win_names_what_its_dive_began_with(
    begun: list[Open], monkeypatch: pytest.MonkeyPatch, outcome: Literal["won", "exhausted"]
) -> None:
    """It is the deal's record, or one of the highest stratum: the same ones in each run.

    That all records are found which follow from a pending one decides nothing.
    """

    def waiting(*codes: int) -> Any:
        return SimpleNamespace(load=lambda _: SimpleNamespace(codes=np.array(codes)))

    def ended(self: Open) -> Dived:
        return Dived(outcome, 0, path=(self.start, PENDING))

    monkeypatch.setattr(Open, "step", ended)
    monkeypatch.setattr(
        late_dives, "record_in", lambda _, runs, place: State(int(runs.codes[place]), 0, 0, 0)
    )
    strata = {9: [waiting(5, 6, 7), waiting(8)], 3: [waiting(4)]}
    for _ in range(2):
        dives, _statistics = late(1, keep_closed=True)
        for _ in range(12):
            dives.begin(strata)
            assert dives.step()
            start = begun[-1].start
            code = None if start == KEYS.root else start.signature
            assert code in (None, 5, 6, 7, 8)
            win = Win((start, PENDING), code)
            assert dives.win == (win if outcome == "won" else None)
    starts = [one.start for one in begun]
    assert starts[:12] == starts[12:] and len(set(starts)) > 3


def test_no_more_dives_where_there_is_no_record_to_begin_with(begun: list[Open]) -> None:
    """Closed records are not kept, so all begin with the deal's."""
    dives, statistics = late(1, keep_closed=False)
    statistics.closed = PLENTY
    while dives.due():
        make(dives)
        assert len(begun) < 100
    assert {one.start for one in begun} == {KEYS.root}
    made = [one.schedule[0] for one in begun]
    assert len(set(made)) == len(made)  # the last one is no repetition of an earlier one
    largest = [order for order, most in made if most == Open.ROOM]
    assert set(largest) == set(ORDERS)


def test_dives_that_are_not_wanted_any_more_end(begun: list[Open]) -> None:
    dives, _ = late(1, keep_closed=False)
    dives.begin({})
    dives.close()
    assert [one.is_closed for one in begun] == [True]
    assert not dives.under_way


def test_no_dive_begins_when_nothing_is_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dives that are due after each stratum change nothing of a proof, and are reported."""
    deal = Deal.from_number(11982, rules_for("freecell", 0))
    without_dives(monkeypatch)
    monkeypatch.setattr(late_dives, "_LEAST", 1)
    expected = prove(deal, threads=1)
    monkeypatch.setattr(LateDives, "due", lambda self: True)
    monkeypatch.setattr(late_dives, "Dives", Open)
    monkeypatch.setattr(Open, "begun", [])
    dives: list[tuple[int, int] | None] = []

    def progress(event: Event) -> None:
        if isinstance(event, Report):
            dives.append(event.dive)

    result = prove(deal, threads=1, progress=progress)
    assert (result.verdict, result.states, result.digest) == (
        "unsolvable",
        expected.states,
        expected.digest,
    )
    assert len(Open.begun) == len(expected.strata) - 1 > 1
    assert (1, 1) in dives
