"""The compiled lower bound against its slow twin, and what A* needs of it."""

from itertools import combinations
from random import Random

import naive_bound
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ALL_RULES, RULES_NAMES, State, codec_of, random_start, state_of, walk, words_of

from dbmsolver.core import bound
from dbmsolver.core.tables import Codec
from dbmsolver.position import Position
from dbmsolver.rules import POLICIES, Rules

GOAL = (13, 13, 13, 13)


class Bound:
    """The bound of one deal, its tables and scratch memory kept."""

    def __init__(self, start: Position, codec: Codec) -> None:
        self.tables = codec.tables
        self.bounds = bound.make_bound_tables(codec.tables, start.columns)
        self.over, self.work = bound.make_scratch()

    def __call__(self, state: State, limit: int = bound.NO_LIMIT) -> int:
        value = bound.bound_of_state(
            self.bounds, self.tables, *words_of(*state), self.over[0], self.work, limit
        )
        return int(value)


def start_of(rules: Rules, seed: int) -> tuple[Random, Position, Codec, str]:
    random = Random(seed)
    policy = random.choice(POLICIES)
    start = random_start(random, rules, policy)
    return random, start, codec_of(start, rules, policy), policy


@pytest.mark.parametrize("rules", ALL_RULES, ids=RULES_NAMES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_equals_the_slow_twin(rules: Rules, seed: int) -> None:
    random, start, codec, policy = start_of(rules, seed)
    evaluate = Bound(start, codec)
    for position in walk(random, start, rules, policy, 60)[::3]:
        state = state_of(position, start, rules, codec)
        assert evaluate(state) == naive_bound.lower_bound(position)


@pytest.mark.parametrize("rules", ALL_RULES, ids=RULES_NAMES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_is_consistent(rules: Rules, seed: int) -> None:
    random, start, codec, policy = start_of(rules, seed)
    evaluate = Bound(start, codec)
    for position in walk(random, start, rules, policy, 40):
        h = evaluate(state_of(position, start, rules, codec))
        for _, successor in position.successors(rules, policy):
            assert h <= 1 + evaluate(state_of(successor, start, rules, codec))


@pytest.mark.parametrize("rules", ALL_RULES, ids=RULES_NAMES)
def test_is_0_at_the_goal_only(rules: Rules) -> None:
    _, start, codec, _ = start_of(rules, 7)
    evaluate = Bound(start, codec)
    goal = Position(((),) * rules.columns, (None,) * rules.freecells, GOAL)
    assert evaluate(state_of(goal, start, rules, codec)) == 0
    assert evaluate(state_of(start, start, rules, codec)) >= 52 - sum(start.foundations)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_beyond_the_limit_only_the_cheap_part(seed: int) -> None:
    rules = ALL_RULES[0]
    random, start, codec, policy = start_of(rules, seed)
    evaluate = Bound(start, codec)
    for position in walk(random, start, rules, policy, 30)[::5]:
        state = state_of(position, start, rules, codec)
        cheap, full = evaluate(state, 0), evaluate(state)
        assert cheap <= full
        assert evaluate(state, cheap) == full
        if cheap:
            assert evaluate(state, cheap - 1) == cheap


@given(
    vertices=st.integers(1, 14),
    density=st.sampled_from([0.05, 0.15, 0.3, 0.6, 1.0]),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=300, deadline=None)
def test_smallest_cover_is_exact(vertices: int, density: float, seed: int) -> None:
    random = Random(seed)
    cards = random.sample(range(52), vertices)
    edges = [edge for edge in combinations(cards, 2) if random.random() < density]
    _, work = bound.make_scratch()
    for x, y in edges:
        work[x] |= np.uint64(1 << y)
        work[y] |= np.uint64(1 << x)
    mask = np.uint64(sum(1 << card for card in cards))
    assert bound.smallest_cover(mask, work) == naive_bound.smallest_cover(edges)
