"""Beams in Klondike and its relatives: what they find wins, and is short; searches beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from helpers import faults
from helpers.early_beams import begin_beams_early
from helpers.layered import deck
from helpers.patience_games import PATIENCE_GAMES, small_deck

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.features import OF_PATIENCE
from dbmsolver.game.kinds import POLICIES, Metric, Policy
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.shards import NO_CEILING
from dbmsolver.kits.choice import are_of_patience, keys_of
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.results import Better, Limit, Method, Verdict
from dbmsolver.search import session
from dbmsolver.search.astar import layers, rounds
from dbmsolver.search.improve import improver
from dbmsolver.search.improve.beam import Beam, BeamShape
from dbmsolver.search.trace import replay
from dbmsolver.steps import follow

MOST = 3000
"""States of the largest small deck."""


def keys_for(deal: Deal, policy: Policy = "wkr", metric: Metric = "turns") -> PatienceKeys:
    keys = keys_of(deal, policy, Method.EVERY_POSITION, metric)
    assert are_of_patience(keys)
    return keys


def made(
    keys: PatienceKeys,
    width: int,
    ceiling: int = NO_CEILING,
    room: int = 300_000,
    held_back: int = 0,
) -> Beam:
    """Return a beam that has been carried out."""
    beam = Beam(keys, BeamShape(width, held_back), room, ceiling)
    while not beam.step():
        pass
    return beam


def length_of(beam: Beam) -> int | None:
    """Return the length of the solution of a beam, played on the readable model; None for none."""
    if beam.steps is None:
        return None
    position = beam.codec.deal.position
    moves = replay(beam.codec, beam.steps)
    for move in moves:
        position = position.apply(move)
    assert position.is_goal()
    return beam.codec.measure.length(moves)


def small_keys(seed: str) -> Iterator[PatienceKeys]:
    """Yield keys of small decks, of any game, policy and metric."""
    random = Random(seed)
    while True:
        deal = small_deck(random.choice(PATIENCE_GAMES), random)
        policy, metric = random.choice(POLICIES), random.choice(OF_PATIENCE)
        yield keys_for(deal, policy, metric)


def compare(seed: str, decks: int) -> None:
    """Compare lengths that beams find with those of shortest solutions."""
    lost = shortest = longer = 0
    for keys in small_keys(seed):
        metric = keys.measure.metric
        result = api.solve(keys.deal, policy=keys.measure.policy, metric=metric, max_states=MOST)
        if result.limit is not None:
            continue
        found = length_of(made(keys, 1000))
        if result.length is None:
            assert found is None
            lost += 1
            continue
        assert found is None or found >= result.length
        assert length_of(made(keys, 1000, result.length)) is None
        for other in (made(keys, 3), made(keys, 30, held_back=1)):
            length = length_of(other)
            assert length is None or length >= result.length
        shortest += found == result.length
        longer += found != result.length
        if lost + shortest + longer >= decks and lost:
            break
    assert shortest > 9 * longer


def test_solutions_of_small_decks() -> None:
    compare("beams", 25)


@pytest.mark.slow
def test_solutions_of_many_small_decks() -> None:
    compare("many beams", 150)


def test_a_real_deal() -> None:
    """The length of a shortest solution, and less is not found."""
    deal = Deal.from_number(5, GAMES["klondike_by_threes"])
    keys = keys_for(deal)
    found = length_of(made(keys, 300, held_back=1))
    assert found == api.solve(deal).length
    assert found is not None
    in_vain = made(keys, 300, found, held_back=1)
    assert length_of(in_vain) is None and not in_vain.gave_up


def test_little_room() -> None:
    keys = keys_for(Deal.from_number(24, GAMES["klondike"]))
    for room in (1, 2, 50, 1000):
        beam = made(keys, 300, room=room)
        assert length_of(beam) is None and beam.gave_up


@pytest.fixture
def early_beams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beams that come as soon as the search has begun."""
    begin_beams_early(monkeypatch)
    monkeypatch.setattr(rounds, "_STOP", 16)
    monkeypatch.setattr(layers, "ENOUGH", 30)


@pytest.mark.usefixtures("early_beams")
@pytest.mark.parametrize("threads", [1, 2])
def test_beams_beside_a_search(threads: int, tmp_path: Path) -> None:
    """States that are no part of a shorter solution are dropped, and the check agrees."""
    deal = deck(Verdict.SOLVED)
    expected = api.solve(deal)
    events: list[object] = []
    result = api.solve(deal, store=tmp_path, threads=threads, progress=events.append)
    assert (result.length, result.shortest) == (expected.length, True)
    assert not any(isinstance(event, Better) for event in events)
    assert faults.check(tmp_path).valid


@pytest.mark.usefixtures("early_beams")
def test_the_next_run_knows_the_solution(tmp_path: Path) -> None:
    deal = Deal.from_number(3, GAMES["klondike_by_threes"])
    expected = api.solve(deal)
    begun = api.solve(deal, store=tmp_path, threads=1, max_states=10_000)
    assert (begun.verdict, begun.shortest) == (Verdict.SOLVED, False)
    assert (begun.limit, len(begun.moves) > 0) == (Limit.MAX_STATES, True)
    ended = follow(session.resume(tmp_path))
    assert (ended.length, ended.shortest) == (expected.length, True)
    assert faults.check(tmp_path).valid


def test_layers_below_a_known_solution_are_closed_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A longer solution that is known ends no layer that is being closed."""
    monkeypatch.setattr(rounds, "_STOP", 1)
    monkeypatch.setattr(improver, "FIRST_OF_PATIENCE", (BeamShape(2),))
    longer = 0
    for keys in small_keys("known"):
        expected = api.solve(keys.deal, policy=keys.measure.policy, max_states=MOST)
        if expected.limit is not None or expected.length is None:
            continue
        events: list[object] = []
        result = api.solve(
            keys.deal,
            policy=keys.measure.policy,
            threads=1,
            any_solution=True,
            progress=events.append,
        )
        assert (result.length, result.shortest) == (expected.length, True)
        longer += any(
            isinstance(event, Better) and event.length > result.length for event in events
        )
        if longer == 12:
            break
