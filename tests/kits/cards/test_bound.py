"""The compiled lower bound against its slow twin, and what A* needs of it."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from helpers import naive_bound
from helpers.kernels import NO_LIMIT, bound_of_state
from helpers.support import ALL_RULES, EVERY_FAMILY, Game, random_game
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.game.cards import CARDS
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.kernels import hooks
from dbmsolver.kits.cards import bound

GOAL = (13, 13, 13, 13)


class Bound:
    """The bound of one game, its tables and scratch memory kept."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.bounds = hooks.make_bound_tables(game.codec.tables, game.codec.columns)
        self.over, self.work = bound.make_scratch()

    def __call__(self, position: Position, limit: int = NO_LIMIT) -> int:
        state = self.game.state(position)
        tables = self.game.codec.tables
        over = self.over[0]
        return int(bound_of_state(self.bounds, tables, *state, over, self.work, limit))


@EVERY_FAMILY
@given(seed=st.integers(0, 2**32))
@settings(max_examples=12, deadline=None)
def test_equals_the_slow_twin(rules: Rules, seed: int) -> None:
    game = random_game(rules, seed)
    evaluate = Bound(game)
    for position in game.walk(60)[::3]:
        assert evaluate(position) == naive_bound.bound_of(position, rules)


@EVERY_FAMILY
@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None)
def test_is_consistent(rules: Rules, seed: int) -> None:
    game = random_game(rules, seed)
    evaluate = Bound(game)
    for position in game.walk(40):
        h = evaluate(position)
        for _, successor in position.successors(rules, game.policy):
            assert h <= 1 + evaluate(successor)


@EVERY_FAMILY
def test_is_0_at_the_goal(rules: Rules) -> None:
    game = random_game(rules, 7)
    empty = ((),) * rules.columns, (None,) * rules.freecells
    assert Bound(game)(Position(*empty, GOAL, base=game.start.base)) == 0


@given(seed=st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_beyond_the_limit_only_the_cheap_part(seed: int) -> None:
    game = random_game(ALL_RULES[0], seed)
    evaluate = Bound(game)
    for position in game.walk(30)[::5]:
        cheap, full = evaluate(position, 0), evaluate(position)
        assert cheap <= full
        assert evaluate(position, cheap) == full
        if cheap:
            assert evaluate(position, cheap - 1) == cheap


def check_cover(edges: list[tuple[int, int]]) -> None:
    """Check that the kernel's cover of the graph is as small as that of the slow twin."""
    _, work = bound.make_scratch()
    for x, y in edges:
        work[x] |= np.uint64(1 << y)
        work[y] |= np.uint64(1 << x)
    mask = np.uint64(sum(1 << card for card in {card for edge in edges for card in edge}))
    assert bound.smallest_cover(mask, work) == naive_bound.smallest_cover(edges), edges


@given(
    vertices=st.integers(1, 14),
    density=st.sampled_from([0.05, 0.15, 0.3, 0.6, 1.0]),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=300, deadline=None)
def test_smallest_cover_is_exact(vertices: int, density: float, seed: int) -> None:
    random = Random(seed)
    cards = random.sample(range(52), vertices)
    check_cover([edge for edge in combinations(cards, 2) if random.random() < density])


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_smallest_cover_of_cards_with_few_neighbours(degree: int) -> None:
    """Paths, rings, and graphs whose cards have about as many neighbours each."""
    random = Random(degree)
    for _ in range(300):
        cards = random.sample(range(52), random.randint(6, 14))
        most = random.randint(len(cards) // 2, len(cards) * degree // 2)
        pairs = list(combinations(cards, 2))
        random.shuffle(pairs)
        edges: list[tuple[int, int]] = []
        for pair in pairs:
            near = [sum(card in edge for edge in edges) for card in pair]
            if max(near) < degree and len(edges) < most:
                edges.append(pair)
        check_cover(edges)


def test_the_largest_cover_keeps_to_its_scratch_memory() -> None:
    """Each card has all others as neighbours, so the stack is as deep as it can be."""
    _, scratch = bound.make_scratch()
    beyond = 100
    work = np.full(scratch.size + beyond, 7, np.uint64)
    every = (1 << CARDS) - 1
    work[:CARDS] = [every ^ (1 << card) for card in range(CARDS)]
    assert bound.smallest_cover(np.uint64(every), work) == CARDS - 1
    assert (work[scratch.size :] == 7).all()
