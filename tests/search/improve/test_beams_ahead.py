"""Beams before a proof: which of them decides, and what is left where none does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.choice import are_wide, keys_of
from dbmsolver.results import Limits, Method, Options, Question
from dbmsolver.search.improve import beams_ahead
from dbmsolver.search.improve.beam import BeamShape
from dbmsolver.search.improve.beams_ahead import BeamsAhead, shapes_ahead
from dbmsolver.search.outcome import GoalMet, LeftOpen, Outcome
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

WON = Deal.from_number(8, GAMES["canfield"])
"""A deal that the first of these beams does not win."""
SHAPES = BeamShape(300), BeamShape(1000), BeamShape(2000)
LOST = Deal.from_number(31, GAMES["klondike_by_threes"])


@contextmanager
def beams(
    folder: Path, deal: Deal, threads: int = 1, memory: int = 1 << 30, limits: Limits | None = None
) -> Iterator[BeamsAhead]:
    keys = keys_of(deal, "wkr", Method.EVERY_POSITION, question=Question.PROVE)
    assert not are_wide(keys)
    options = Options(method=Method.EVERY_POSITION)
    with Store.create(
        folder / str(threads), new_manifest(Question.PROVE, deal, options), durable=False
    ) as store:
        recorder = Recorder(store, Question.PROVE, Limits(), resumable=False, keep_closed=True)
        recorder.threads = threads
        yield BeamsAhead(keys, recorder, limits or Limits(), memory)


def end_of(search: BeamsAhead) -> Outcome:
    while (outcome := search.step()) is None:
        pass
    return outcome


def test_the_first_beam_that_wins_decides_whatever_the_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beams_ahead, "FIRST_OF_PATIENCE", SHAPES)
    found = []
    for threads in (1, 2, 3, 5):
        with beams(tmp_path, WON, threads) as search:
            assert end_of(search) == GoalMet()
            statistics = search.recorder.statistics
            assert statistics.states == statistics.evaluated > 100_000
            found.append((statistics.states, search.path()))
    assert found == found[:1] * 4


def test_a_lost_deal_is_left_to_the_proof(tmp_path: Path) -> None:
    with beams(tmp_path, LOST, 2) as search:
        assert end_of(search) == LeftOpen()
        assert search.report().evaluated > 10
        assert search.recorder.statistics.states == search.recorder.statistics.evaluated == 0


@pytest.mark.parametrize("limits", [Limits(), Limits(max_states=1000)])
def test_beams_without_room_leave_a_deal_open(tmp_path: Path, limits: Limits) -> None:
    """They have room for no more states than the limit of these."""
    memory = 1 << 30 if limits.max_states else 1 << 20
    with beams(tmp_path, WON, memory=memory, limits=limits) as search:
        assert end_of(search) == LeftOpen()


def test_games_with_beams_ahead() -> None:
    names = {name: shapes_ahead(rules) for name, rules in GAMES.items() if not rules.is_wide}
    found = [names[game] for game in ("freecell", "simple_simon", "yukon")]
    assert found == [None, beams_ahead.OF_RUNS, beams_ahead.FIRST_OF_PATIENCE]


def test_a_proof_is_won_by_them() -> None:
    result = api.prove(Deal.from_number(2, GAMES["canfield"]), method="every-position")
    assert (result.verdict, result.states, result.evaluated > 0) == ("solved", 0, True)


@pytest.mark.parametrize(
    ("memory", "together"), [(1 << 20, 1), (1 << 24, 1), (1 << 27, 2), (1 << 30, 3)]
)
def test_beams_run_together_as_far_as_memory_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int, together: int
) -> None:
    """Each has as much room as without the others."""
    monkeypatch.setattr(beams_ahead, "_AT_ONCE", 1)  # a step is over before a beam is
    monkeypatch.setattr(
        beams_ahead, "FIRST_OF_PATIENCE", (BeamShape(30), BeamShape(500), BeamShape(2000))
    )
    with beams(tmp_path, LOST, 3, memory) as search:
        running = []
        while search.step() is None:
            running.append(len(search._running))
        assert max(running) <= together
    with beams(tmp_path / "more", WON, 3, memory) as search:
        search.step()
        assert len(search._running) == together
