"""The search for a shortest solution of a wide game: its ends, and what it counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.wide_games import shortest, small_deck

from dbmsolver import prove
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.results import Limit, Limits, Options, Question
from dbmsolver.search.outcome import Exhausted, GoalMet, NoneShorter, Outcome, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import replay
from dbmsolver.search.wide.layers import WideLayers
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store


@cache
def found_by(seed: int, *, won: bool) -> tuple[Deal, int | None, int]:
    """Return a deal with some hundred positions, its shortest length, and how many were met."""
    random = Random(seed)
    while True:
        deal = small_deck(random)
        expected = shortest(deal, 2000)
        if expected is not None and (expected[0] is not None) == won and expected[1] > 100:
            return deal, *expected


def won_deck() -> tuple[Deal, int]:
    """Return a deal that can be won, and its shortest length."""
    deal, length, _ = found_by(1, won=True)
    assert length is not None
    return deal, length


LARGE = Deal.from_number(2, GAMES["spider"])


@contextmanager
def layers(
    folder: Path,
    deal: Deal,
    known: int | None = None,
    most: int | None = None,
    memory: int = 1 << 27,
) -> Iterator[WideLayers]:
    """Yield the search, where a solution of ``known`` moves is known."""
    keys, limits = WideKeys(deal), Limits(max_states=most)
    manifest = new_manifest(Question.SOLVE, deal, Options())
    with Store.create(folder / "store", manifest, durable=False) as store:
        recorder = Recorder(store, Question.SOLVE, limits, resumable=False, keep_closed=True)
        best: Any = SimpleNamespace(length=known)
        yield WideLayers(keys, recorder, limits, memory, best)


def outcome_of(search: WideLayers) -> Outcome:
    while (outcome := search.step()) is None:
        pass
    return search.end(outcome)


@pytest.mark.parametrize("longer", [None, 1])
def test_a_shortest_solution(tmp_path: Path, longer: int | None) -> None:
    """A longer one that is known changes nothing."""
    won, length = won_deck()
    known = None if longer is None else length + longer
    with layers(tmp_path, won, known) as search:
        outcome = outcome_of(search)
        assert outcome == GoalMet()
        moves, position = replay(search.keys, search.path()), won.position
        for move in moves:
            position = position.apply(move)
        assert position.is_goal() and len(moves) == length
        statistics = search.recorder.statistics
        assert search.shortest
        assert search.counted == statistics.evaluated > statistics.closed > 0
        assert statistics.digest == 0
        assert max(layer for layer, _ in statistics.strata) <= length


def test_a_deal_that_is_won_has_a_solution_of_no_moves(tmp_path: Path) -> None:
    home = "Foundations: H-K H-K C-K C-K D-K D-K S-K S-K\n"
    with layers(tmp_path, Deal.from_text(home, GAMES["gypsy"])) as search:
        outcome = outcome_of(search)
        assert outcome == GoalMet()
        assert (search.path(), search.counted) == ([], 1)


def test_none_is_shorter_than_the_one_that_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All layers below it are closed."""
    monkeypatch.setattr("dbmsolver.search.wide.exploring.AT_ONCE", 1)
    won, length = won_deck()
    with layers(tmp_path, won, length) as search:
        reports = [search.report()]
        while (outcome := search.step()) is None:
            reports.append(search.report())
        assert outcome == NoneShorter()
        assert [one.layer for one in reports] == sorted(one.layer or 0 for one in reports)
        assert reports[-1].layer == length - 1
        assert search.report().layer == length


def test_a_lost_deal_is_exhausted(tmp_path: Path) -> None:
    """Each state is closed, in a layer from 1 on; the digest is that of a proof."""
    lost, _, states = found_by(2, won=False)
    with layers(tmp_path, lost) as search:
        assert outcome_of(search) == Exhausted()
        statistics = search.recorder.statistics
        assert search.counted == statistics.evaluated == statistics.closed == states
        assert sum(closed for closed, _ in statistics.strata.values()) == states
        assert min(layer for layer, _ in statistics.strata) >= 1
        assert f"{statistics.digest:016x}" == prove(lost).digest
        assert search.report().pending == 0


@pytest.mark.parametrize("most", [1, 900, 3000])
def test_no_more_states_are_met_than_the_limit(tmp_path: Path, most: int) -> None:
    with layers(tmp_path, LARGE, most=most) as search:
        assert outcome_of(search) == Stopped(Limit.MAX_STATES)
        assert search.counted <= most
        assert search.report().pending == search.counted - search.recorder.statistics.closed


@pytest.mark.parametrize("most", [None, 1 << 30])
def test_the_end_of_memory(tmp_path: Path, most: int | None) -> None:
    with layers(tmp_path, LARGE, most=most, memory=1 << 20) as search:
        assert outcome_of(search) == Stopped(Limit.MEMORY)
        assert 0 < search.counted <= 1 << 10
