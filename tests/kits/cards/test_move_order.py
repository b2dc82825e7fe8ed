"""Moves that are left out because another order of moves leads to the same state."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from helpers.kernels import needed_moves
from helpers.support import Successor, core_successors, words_of

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES, Build, Fill
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.states import CARDS, MAX_MOVES
from dbmsolver.kits.states import State, StateCodec

MOST_STATES = 1_500


class Successors:
    """The successors of states, those that a state's parent-move code leaves out or all."""

    def __init__(self, codec: StateCodec) -> None:
        self.codec = codec
        self.moves = np.zeros(MAX_MOVES, np.uint16)

    def of(self, state: State, code: int, every: bool) -> list[Successor]:
        found, _ = core_successors(self.codec, state)
        by_move = dict(zip(self._listed(state, code, True), found, strict=True))
        return [by_move[move] for move in self._listed(state, code, every)]

    def _listed(self, state: State, code: int, every: bool) -> list[int]:
        count = needed_moves(self.codec.tables, *words_of(*state), code, every, self.moves)
        listed: list[int] = self.moves[:count].tolist()
        return listed


def small_start(random: Random) -> tuple[Rules, Position]:
    """Return made-up rules, and a position of a few cards anywhere."""
    build: Build = random.choice(("alternate", "suit", "any", "none"))
    fill: Fill = random.choice(("any", "any", "kings", "none"))
    columns, cells = random.randint(2, 4), random.randint(0, 3)
    rules = replace(
        GAMES["freecell"], name="small", columns=columns, freecells=cells, build=build, fill=fill
    )
    heights = [random.randint(10, 13) for _ in range(4)]
    cards = [card for card in range(CARDS) if card >> 2 >= heights[card & 3]]
    random.shuffle(cards)
    piles: list[list[int]] = [[] for _ in range(columns)]
    for card in cards:
        random.choice(piles).append(card)
    hearts, spades, diamonds, clubs = heights
    position = Position(
        tuple(map(tuple, piles)), (None,) * cells, (hearts, spades, diamonds, clubs)
    )
    return rules, position


def distances(codec: StateCodec, random: Random, every: bool) -> dict[State, int]:
    """Return the moves to each state, layer by layer.

    States keep the code of any parent before them. Ends early, with a whole layer, when there are
    many states.
    """
    successors = Successors(codec)
    known = {codec.root: 0}
    layer = {codec.root: [codec.root_code]}
    while layer and len(known) < MOST_STATES:
        after: dict[State, list[int]] = {}
        for state, codes in layer.items():
            everything = every or state == codec.root
            for successor, code in successors.of(state, random.choice(codes), everything):
                if successor not in known:
                    after.setdefault(successor, []).append(code)
        known |= dict.fromkeys(after, max(known.values()) + 1)
        layer = after
    return known


def compare(seed: int) -> tuple[int, int]:
    """Return the number of states a random start leads to, and of moves to them left out."""
    random = Random(seed)
    rules, start = small_start(random)
    codec = StateCodec(Deal(start, rules), random.choice(POLICIES))
    all_of_them = distances(codec, random, every=True)
    assert distances(codec, random, every=False) == all_of_them, (rules, start)
    return len(all_of_them), left_out(codec, random, all_of_them)


def left_out(codec: StateCodec, random: Random, known: dict[State, int]) -> int:
    """Count the moves left out of some of these states, entered by any moves."""
    successors = Successors(codec)
    missing = 0
    for state in random.sample(sorted(known), min(len(known), 20)):
        for after, code in successors.of(state, codec.root_code, True):
            missing += len(successors.of(after, code, True))
            missing -= len(successors.of(after, code, False))
    return missing


def test_every_state_is_reached_with_as_few_moves() -> None:
    found = [compare(seed) for seed in range(75)]
    assert sum(states for states, _ in found) > 5_000
    assert sum(missing for _, missing in found) > 500


@pytest.mark.slow
def test_every_state_is_reached_in_hundreds_of_games() -> None:
    for seed in range(1_000, 1_600):
        compare(seed)
