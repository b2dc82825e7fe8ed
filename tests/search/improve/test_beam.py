"""Beams: what they find is legal, wins, and is as short as was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.support import EVERY_GAME, random_game
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.kernels.shards import NO_CEILING
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.improve.beam import Beam, BeamShape
from dbmsolver.search.trace import Step, replay

ROOM = 200_000
SHAPES = st.builds(BeamShape, st.sampled_from([1, 10, 200]), st.sampled_from([0, 1]))


def made(codec: StateCodec, shape: BeamShape, ceiling: int = NO_CEILING, room: int = ROOM) -> Beam:
    """Return a beam that has been carried out."""
    beam = Beam(codec, shape, room, ceiling)
    while not beam.step():
        pass
    return beam


def end_of(codec: StateCodec, policy: str, steps: list[Step]) -> Position:
    """Play steps on the readable model, with its forced moves; return the position at the end."""
    position = codec.deal.position
    for move in replay(codec, steps):
        position = position.apply(move)
    return position


@EVERY_GAME
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10**6), shape=SHAPES)
def test_what_is_found_wins(rules: Rules, seed: int, shape: BeamShape) -> None:
    game = random_game(rules, seed)
    beam = made(game.codec, shape, ceiling=200, room=20_000)
    if beam.steps is not None:
        assert len(beam.steps) < 200
        assert end_of(game.codec, game.policy, beam.steps).is_goal()


@settings(max_examples=5, deadline=None)
@given(number=st.integers(1, 32_000), shape=st.sampled_from([BeamShape(50), BeamShape(50, 1)]))
def test_a_second_solution_is_shorter(number: int, shape: BeamShape) -> None:
    codec = StateCodec(Deal.from_number(number), "wkr")
    first = made(codec, shape)
    if first.steps is not None:
        second = made(codec, shape, len(first.steps))
        assert second.steps is None or len(second.steps) < len(first.steps)


def test_wide_beams_find_shortest_solutions() -> None:
    beam = made(StateCodec(Deal.from_number(3), "wkr"), BeamShape(1000), room=1_000_000)
    assert beam.steps is not None and len(beam.steps) == 73
    assert made(beam.codec, BeamShape(1000), 73, room=1_000_000).steps is None


def test_a_beam_is_the_same_on_every_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processors differ in the order in which numpy puts those that come first."""
    codec = StateCodec(Deal.from_number(3), "wkr")
    beam = made(codec, BeamShape(50))
    partition = np.argpartition

    def turned_round(cost: NDArray[np.float64], number: int) -> NDArray[np.int64]:
        order = partition(cost, number)
        return np.concatenate((order[:number][::-1], order[number:]))

    monkeypatch.setattr(np, "argpartition", turned_round)
    other = made(codec, BeamShape(50))
    assert (other.steps, other.looked_at) == (beam.steps, beam.looked_at)
    assert beam.steps


def test_a_beam_without_room_gives_up() -> None:
    beam = made(StateCodec(Deal.from_number(3), "wkr"), BeamShape(1000), room=5_000)
    assert beam.steps is None and beam.gave_up and beam.looked_at >= 5_000


def test_a_beam_that_comes_to_an_end_finds_nothing() -> None:
    codec = StateCodec(Deal.from_number(1, rules_for("freecell", freecells=1)), "wkr")
    beam = made(codec, BeamShape(1000))
    assert beam.steps is None and not beam.gave_up and beam.looked_at > 10


def test_a_deal_that_is_won_needs_no_step() -> None:
    won = Position(((),) * 8, (None,) * 4, (13, 13, 13, 13))
    beam = made(StateCodec(Deal(won, rules_for("freecell")), "wkr"), BeamShape(10))
    assert beam.steps == []
