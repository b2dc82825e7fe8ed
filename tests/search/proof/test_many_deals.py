"""Dives for many deals at once: the same outcomes as dives for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.kernels import lay_out_deal
from helpers.searching import check_win
from helpers.selection import few_fast
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.kits.records.dive import BROKEN
from dbmsolver.kits.records.dives_of_deals import OUTCOME, own_tables
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.search.proof import deal_dives, many_deals
from dbmsolver.search.proof.deal_dives import SMALL, Batch, DealDiver, laid_out
from dbmsolver.search.proof.dives import LARGE, SCHEDULE, Dived, Dives, Schedule
from dbmsolver.search.proof.many_deals import ManyDeals

MEMORY = 256 << 20
RULES = [
    rules_for("freecell", 4),
    rules_for("freecell", 1),
    rules_for("freecell", 0),
    rules_for("bakers_game"),
    rules_for("eight_off"),
    rules_for("seahaven_towers"),
    rules_for("forecell"),
]


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(RULES), st.integers(1, 1_000_000), st.integers(1, 1_000_000))
def test_tables_are_those_made_in_python(rules: Rules, first: int, second: int) -> None:
    """The tables that a kernel fills in, one deal after another, are each deal's own tables."""
    root = np.zeros(5, np.uint64)
    tables = own_tables(RecordKeys(Deal.from_number(1, rules), "wkr").tables)
    for number in (first, second):
        deal = Deal.from_number(number, rules)
        keys = RecordKeys(deal, "wkr")
        laid = laid_out([deal])
        assert lay_out_deal(tables, root, laid, 0) == keys.locked
        assert tuple(root[:3].tolist()) == keys.root[:3]
        for name in ("column_shift", "column_mask", "release", "dealt_place", "dealt_below"):
            assert np.array_equal(getattr(tables, name), getattr(keys.tables, name)), name
        for name in ("locked", "under_locked", "locked_bottom"):
            theirs = getattr(keys.tables, name)
            for column, shift in enumerate(keys.tables.column_mask.tolist()):
                counts = min(shift + 1, theirs.shape[1])
                mine = getattr(tables, name)[column, :counts]
                used = theirs[column, :counts]
                last = max(int(np.flatnonzero(used)[-1]) if used.any() else 0, 0)
                assert np.array_equal(mine[: last + 1], used[: last + 1]), name


def one_by_one(deal: Deal, schedule: Schedule = (*SCHEDULE, *LARGE)) -> Dived:
    keys = RecordKeys(deal, "wkr")
    dives = Dives(keys, 1, MEMORY, None, schedule)
    while (dived := dives.step()) is None:
        pass
    return dived


@pytest.mark.parametrize(
    "rules", few_fast([RULES[0], RULES[1], RULES[5]], 2), ids=lambda rules: rules.name
)
def test_outcomes_are_those_of_single_dives(rules: Rules) -> None:
    deals = [Deal.from_number(number, rules) for number in range(1, 20)]
    many = ManyDeals(deals[0], "wkr", 2, MEMORY)
    found = dict(many.run(deals))
    assert sorted(found) == list(range(len(deals)))
    outcomes = set()
    for place, deal in enumerate(deals):
        alone = one_by_one(deal)
        together = found[place]
        outcomes.add(together.outcome)
        assert (together.outcome, together.path) == (alone.outcome, alone.path)
        if together.outcome == "exhausted":
            assert together.states == alone.parents.size
        if together.outcome == "won":
            check_win(deal, together.moves(deal, "wkr"), "wkr")
    assert "won" in outcomes


def test_no_deals() -> None:
    rules = rules_for("freecell", 4)
    deal = Deal.from_number(1, rules)
    assert list(ManyDeals(deal, "wkr", 2, MEMORY).run([])) == []


def test_stopped_dives_leave_deals_open() -> None:
    """7 and 384243 take more than the thousand records between two looks at the flag."""
    rules = rules_for("freecell", 2)
    deals = [Deal.from_number(number, rules) for number in (7, 384243)]
    many = ManyDeals(deals[0], "wkr", 1, MEMORY)
    many.stop()
    assert {found.outcome for _, found in many.run(deals)} == {"open"}


def test_nobody_waits_for_dives_that_are_not_asked_for() -> None:
    """A run that is closed before its end stops the dives that are under way."""
    rules = rules_for("freecell", 4)
    deals = [Deal.from_number(number, rules) for number in range(1, 200)]
    many = ManyDeals(deals[0], "wkr", 2, MEMORY)
    running = many.run(deals)
    next(running)
    assert not many.stopped
    running.close()
    assert many.stopped


def test_deals_are_taken_as_there_is_work() -> None:
    """They may be without end: no more are dealt than some batches hold."""
    rules = rules_for("freecell", 4)
    dealt = 0

    def dealing() -> Iterator[Deal]:
        nonlocal dealt
        for number in count(1):
            assert number < 5000, "deals are taken that nobody has asked for"
            dealt = number
            yield Deal.from_number(number, rules)

    running = ManyDeals(Deal.from_number(1, rules), "wkr", 1, MEMORY).run(dealing())
    next(running)
    running.close()
    assert dealt == 4 + 8


def test_a_deal_has_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has that of the dives with others, and that of those for itself."""
    rules = rules_for("freecell", 2)
    deals = [Deal.from_number(number, rules) for number in range(1, 7)]
    clock = count()
    monkeypatch.setattr(many_deals, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    # Each call of the kernel takes a second of this clock; batches have four deals, and two.
    found = dict(ManyDeals(deals[0], "wkr", 1, MEMORY).run(deals))
    small = [step for step in SCHEDULE if step[1] <= SMALL]
    alone = [one_by_one(deal, small).outcome == "open" for deal in deals]
    assert len(set(alone)) == 2
    for place, one in found.items():
        together = 1 / 4 if place < 4 else 1 / 2
        assert one.seconds == together + alone[place]


def test_a_deal_that_stays_open_is_dived_for_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is so with others and alone: then nothing more is tried."""
    deal = Deal.from_number(7, rules_for("freecell", 2))
    clock = iter(range(4))  # it is read at the beginning and at the end of each dive
    monkeypatch.setattr(many_deals, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    ((place, found),) = ManyDeals(deal, "wkr", 1, MEMORY, most=50).run([deal])
    assert (place, found.outcome, found.seconds) == (0, "open", 2)


def test_a_way_that_a_batch_has_no_room_for_is_found_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deals = [Deal.from_number(number) for number in range(1, 4)]
    monkeypatch.setattr(deal_dives, "_MOST_STEPS", 4)
    found = dict(ManyDeals(deals[0], "wkr", 1, MEMORY, 1 << 16).run(deals))
    for place, deal in enumerate(deals):
        assert found[place].outcome == "won" and len(found[place].path) > 4
        check_win(deal, found[place].moves(deal, "wkr"), "wkr")


@pytest.mark.parametrize(("stopped", "most"), [(False, 50), (True, 1 << 16)])
def test_a_dive_ends_when_it_is_told_to_and_at_its_limit(stopped: bool, most: int) -> None:
    """It has far more room than the dives for batches."""
    deal = Deal.from_number(7, rules_for("freecell", 2))
    many, batch = ManyDeals(deal, "wkr", 1, MEMORY, most), Batch.of(0, [deal])
    stop = np.full(1, stopped, np.uint8)
    diver = DealDiver(RecordKeys(deal, "wkr").tables, many.limit, stop)
    diver.dive(batch, [(SCHEDULE[0][0], 1 << 16)])
    one = batch.outcome(0)
    assert many.limit == most and one.outcome == "open"
    assert one.states <= most and 0 < one.evaluated <= min(most, 5000)


def test_a_deal_whose_dive_is_broken_is_told() -> None:
    batch = Batch.of(0, [Deal.from_number(1)])
    batch.results[0, OUTCOME] = BROKEN
    with pytest.raises(InternalError, match="a record cannot be"):
        batch.outcome(0)
