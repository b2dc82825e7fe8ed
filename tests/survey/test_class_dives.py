"""Dives over classes in a survey, against proofs of the same deals."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from helpers.searching import without_dives
from helpers.small_klondikes import small_klondike

from dbmsolver import api
from dbmsolver.game.boards import format_board
from dbmsolver.game.classes import is_in_a_class
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.records.dive import LARGEST_BATCH
from dbmsolver.search.proof.dives import CLASS_ORDERS
from dbmsolver.survey import class_dives
from dbmsolver.survey.class_dives import ClassDivesInTurn
from dbmsolver.survey.ranges import Subject

MEMORY = 64 << 20
CLASSES_OF_12 = 132_887
THREES = GAMES["klondike_by_threes"]


def test_verdicts_and_digests_are_those_of_proofs() -> None:
    random, verdicts = Random(1), set()
    for _ in range(40):
        deal = small_klondike(random, 14)
        dives = ClassDivesInTurn(deal, "wkr", MEMORY)
        (found,) = dives.run([subject_of(deal)], None, None, True)
        proof = api.prove(deal, threads=1)
        assert found.verdict == proof.verdict
        if found.verdict == "unsolvable":
            assert (found.states, found.digest) == (proof.states, proof.digest)
        else:
            assert found.length == proof.length
        verdicts.add(found.verdict)
    assert len(verdicts) == 2


def test_dives_go_on_and_find_each_class_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often they change their order, their classes are those that strata close."""
    without_dives(monkeypatch)
    deal = Deal.from_number(12, THREES)
    proof = api.prove(deal, threads=1)
    assert (proof.verdict, proof.states) == ("unsolvable", CLASSES_OF_12)
    random = Random(2)
    schedule = [(random.choice(CLASS_ORDERS), 100), (random.choice(CLASS_ORDERS), 4000)]
    schedule += [(random.choice(CLASS_ORDERS), random.randrange(1, 9000)) for _ in range(40)]
    monkeypatch.setattr(class_dives, "SCHEDULE", schedule)
    (found,) = ClassDivesInTurn(deal, "wkr", MEMORY).run([subject_of(deal)], None, None, False)
    assert (found.verdict, found.states) == ("unsolvable", CLASSES_OF_12)
    assert found.digest == proof.digest
    # Those that are taken when a limit comes are expanded once more.
    assert found.states <= found.evaluated < found.states + 42 * LARGEST_BATCH


def test_limits_leave_deals_open() -> None:
    deals = [Deal.from_number(number, THREES) for number in (12, 54)]
    dives = ClassDivesInTurn(deals[0], "wkr", MEMORY)
    for found in dives.run([subject_of(deal) for deal in deals], 50, None, False):
        assert found.verdict is None and found.evaluated > 0
    (late,) = dives.run([subject_of(deals[1])], None, 1e-9, False)
    assert (late.verdict, late.limit) == ("undecided", "max-time")


def test_a_dive_is_stopped_amid_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock beside it says so, with no limit there is none; the next deal has all its time."""
    intervals = []

    class Clock:
        def __init__(self, seconds: float, ring: Callable[[], None]) -> None:
            intervals.append(seconds)
            self.start, self.cancel, self.join = ring, lambda: None, lambda: None

    monkeypatch.setattr(threading, "Timer", Clock)
    short, long = (Subject(number, None, THREES) for number in (12, 54))
    dives = ClassDivesInTurn(short.deal(), "wkr", MEMORY)
    (stopped,) = dives.run([long], None, 1000.0, False)
    assert stopped.verdict is None and 0 < stopped.evaluated < 20_000
    assert intervals and all(900 < seconds <= 1000 for seconds in intervals)
    intervals.clear()
    (whole,) = dives.run([short], None, None, False)
    assert whole.verdict == "unsolvable" and whole.states == CLASSES_OF_12
    assert intervals == []


def test_deals_that_are_in_no_class() -> None:
    """Two cards that may move together lie face up under one that lies on them as it was dealt."""
    random, deal = Random(1), small_klondike(Random(1), 14)
    turned_up = (
        Deal(replace(other.position, hidden=(0,) * len(other.position.columns)), other.rules)
        for other in (small_klondike(random, 14) for _ in range(200))
    )
    odd = next(one for one in turned_up if not is_in_a_class(one.position, one.rules))
    dives = ClassDivesInTurn(odd, "wkr", MEMORY)
    one, other = dives.run([subject_of(odd), subject_of(deal)], None, None, False)
    assert one.verdict is None and one.evaluated == 0
    assert other.verdict is not None


def subject_of(deal: Deal) -> Subject:
    """Return the subject of a survey that stands for a deal."""
    return Subject(None, format_board(deal.position).replace("\n", " / "), deal.rules)
