"""Beams beside the search for a shortest solution, where no other is asked for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.early_beams import begin_beams_early
from helpers.selection import few_fast

from dbmsolver import Deal, solve, verify_store
from dbmsolver.results import Better, Verdict
from dbmsolver.search import recorder, session
from dbmsolver.search.astar import layers, rounds
from dbmsolver.search.improve.shortest import ShortestBelow
from dbmsolver.search.trace import steps_of


@pytest.fixture
def early_beams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beams that come as soon as the search has begun."""
    begin_beams_early(monkeypatch)


@pytest.mark.usefixtures("early_beams")
@pytest.mark.parametrize("threads", few_fast([2, 1], 1))
def test_a_beam_lowers_the_ceiling(tmp_path: Path, threads: int) -> None:
    """The solution that it finds is proven to be a shortest one; nobody is told of others."""
    store = tmp_path / "store"
    events: list[object] = []
    result = solve(Deal.from_number(2), store=store, threads=threads, progress=events.append)
    assert (result.verdict, result.length, result.shortest) == (Verdict.SOLVED, 75, True)
    assert not any(isinstance(event, Better) for event in events)
    assert any(getattr(event, "best", None) for event in events)
    assert verify_store(store).valid


@pytest.mark.usefixtures("early_beams")
def test_the_next_run_knows_the_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solution that is not shown to be shortest is told as such, and the next run has it."""
    store = tmp_path / "store"
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    begun = solve(Deal.from_number(2), store=store, threads=1, max_states=12_000)
    assert (begun.verdict, begun.shortest, begun.limit) == (Verdict.SOLVED, False, "max-states")
    # The beams' solution, the same on every machine; a shortest one has 75 moves.
    assert begun.length == len(begun.moves) == 78
    known: list[int | None] = []
    steps = session.resume(store)
    while True:
        try:
            known.append(getattr(next(steps), "best", None))
        except StopIteration as end:
            result = end.value
            break
    assert 78 in [length for length in known[:2] if length is not None]
    assert (result.length, result.shortest) == (75, True)
    assert verify_store(store).valid


@pytest.mark.parametrize("event", few_fast([1, 2, 3, 5, 8, 13], 2))
def test_the_ceiling_falls_to_the_layer_being_closed(
    event: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of that layer is no part of a shorter solution: nothing is lost."""
    deal = Deal.from_number(2)
    moves = solve(deal, threads=1).moves
    offered = 0

    def improve(self: ShortestBelow) -> None:
        nonlocal offered
        if self.search.layer == len(moves):
            offered += 1
            if offered == event:
                beam: Any = SimpleNamespace(steps=steps_of(self.best.codec, moves))
                self.offer(beam)

    monkeypatch.setattr(ShortestBelow, "improve", improve)
    monkeypatch.setattr(layers, "ENOUGH", 1_000)
    monkeypatch.setattr(layers, "_MOST_ROUNDS", 1)
    monkeypatch.setattr(rounds, "_STOP", 16)
    result = solve(deal, threads=2)
    assert offered >= event
    assert (result.length, result.shortest) == (75, True)
