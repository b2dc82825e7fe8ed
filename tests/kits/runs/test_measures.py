"""Moves and bounds of each measure in the kernels, against the readable model and breadth first."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from helpers.kernels import NO_LIMIT, bound_of_state
from helpers.measured import GAMES, MEASURES, Measured, cases, long_runs, small_measured
from helpers.naive_bound import bound_of_measure
from helpers.support import Successor, core_successors, words_of

from dbmsolver.game import automoves
from dbmsolver.game.automoves import AUTOMOVES, Automove
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.jit.decorators import kernel
from dbmsolver.kernels import hooks
from dbmsolver.kits.cards.bound import make_scratch
from dbmsolver.kits.cards.expand import is_safe
from dbmsolver.kits.states import State, StateCodec

EVERY = pytest.mark.parametrize(("metric", "policy", "rules"), cases(3))


def check_moves(game: Measured, codec: StateCodec) -> None:
    """Check that the kernels' moves lead where the readable model's do, and can be undone."""
    for position, edges in zip(game.positions, game.edges, strict=True):
        state = codec.state(position)
        wanted = {}
        for move, _, after in edges:
            code = int(codec.tables.codes[8 * move.card + codec.place(state, move.card)])
            wanted[codec.state(game.positions[after])] = code
        found, forced = core_successors(codec, state)
        assert {Successor(after, code) for after, code in wanted.items()} == set(found), position
        assert len(found) == len(wanted)
        assert forced == (game.measure.forced(position) is not None)
        for after, code in found:
            parent = hooks.undo_code(codec.tables, *words_of(*after), code)
            assert State(*map(int, parent)) == state


def check_successors(measure: Measure, codec: StateCodec, position: Position) -> None:
    """Check that a position's moves by the kernels lead where those of the readable model do."""
    wanted = Counter(codec.state(after) for _, after in measure.successors(position))
    found, _ = core_successors(codec, codec.state(position))
    assert Counter(after for after, _ in found) == wanted, (measure, position)


def check_long_runs(rules: Rules, deals: int) -> None:
    """Compare the moves of positions with long runs, and of those that a few moves lead to."""
    random = Random(f"long runs {rules.name}")
    for _ in range(deals):
        start = long_runs(random, rules)
        metric, policy = random.choice(MEASURES)
        measure = Measure(rules, policy, metric)  # type: ignore[arg-type]
        codec = StateCodec(Deal(start, rules), measure.policy, measure.metric)
        position = start
        for _ in range(8):
            check_successors(measure, codec, position)
            following = measure.successors(position)
            if not following:
                break
            position = random.choice(following)[1]


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_runs_as_long_as_there_is_room_for(rules: Rules) -> None:
    """Up to 13 cards, where there is room for just so many, for one less, and for one more."""
    check_long_runs(rules, 40)


@kernel
def goes_home(t, signature, card):  # type: ignore[no-untyped-def]
    return is_safe(t, signature, card)


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("policy", AUTOMOVES[1:])
def test_cards_that_programs_move_home(rules: Rules, policy: Automove) -> None:
    """For all heights that make a difference to a card."""
    random = Random(6)
    tables = StateCodec(Deal.from_number(1, rules), policy, "moves").tables
    assert tables.free
    for card in range(52):
        for _ in range(40):
            rank = (card >> 2) + 1
            heights = [min(13, max(0, rank + random.randint(-4, 1))) for _ in range(4)]
            heights[card & 3] = rank - 1
            signature = sum(height << 4 * suit for suit, height in enumerate(heights))
            expected = automoves.goes_home(card, heights, rules, policy)
            assert goes_home(tables, np.uint64(signature), card) == expected


def bounds(game: Measured, codec: StateCodec) -> list[int]:
    """Return the bound of each position, which is that of the slow twin."""
    tables = hooks.make_bound_tables(codec.tables, codec.columns)
    over, work = make_scratch()

    def bound(position: Position) -> int:
        words = words_of(*codec.state(position))
        found = bound_of_state(tables, codec.tables, *words, over[0], work, NO_LIMIT)
        assert found == bound_of_measure(position, game.measure), position
        return int(found)

    return [bound(position) for position in game.positions]


def check(rules: Rules, metric: str, policy: str, seed: int, most: int) -> int:
    """Check one game; how many of its positions can be won."""
    game = small_measured(rules, metric, policy, seed, most)
    codec = StateCodec(game.deal, game.measure.policy, game.measure.metric)
    check_moves(game, codec)
    found = bounds(game, codec)
    for number, least in enumerate(found):
        left = game.left[number]
        assert left is None or least <= left, game.positions[number]
        for _, cost, after in game.edges[number]:
            assert least <= cost + found[after], game.positions[number]
        if game.positions[number].is_goal():
            assert least == 0
    return sum(left is not None for left in game.left)


@EVERY
def test_small_games(metric: str, policy: str, rules: Rules) -> None:
    assert sum(check(rules, metric, policy, seed, 60) for seed in range(3)) > 0


@pytest.mark.slow
@EVERY
def test_hundreds_of_small_games(metric: str, policy: str, rules: Rules) -> None:
    assert sum(check(rules, metric, policy, seed, 120) for seed in range(100, 106)) > 0
