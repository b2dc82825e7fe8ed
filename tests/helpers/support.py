"""Helpers of several test modules: positions of every kind, and the core's results on them."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import NamedTuple

import numpy as np
import pytest

from dbmsolver.game.bases import Base
from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.kinds import POLICIES, Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.states import MAX_MOVES
from dbmsolver.kits.states import State, StateCodec
from helpers.kernels import successors

ODD_RULES = (
    Rules("any suit, any fill", 8, 4, "any", "any"),
    Rules("any suit, kings", 6, 3, "any", "kings"),
    Rules("no freecells", 8, 0, "alternate", "any"),
    Rules("no freecells, one suit", 10, 0, "suit", "none"),
    Rules("many columns", 13, 2, "alternate", "kings"),
    Rules("many freecells", 5, 13, "alternate", "none"),
    Rules("few columns", 2, 9, "any", "any"),
    Rules("whole suits", 10, 0, "any", "any", moves="suit-runs", whole_suits=True),
    Rules("whole suits and freecells", 5, 2, "suit", "any", moves="runs", whole_suits=True),
    Rules("whole suits, any runs", 7, 1, "any", "any", moves="runs", whole_suits=True),
    Rules("runs of both colours", 8, 4, "alternate", "any", moves="runs"),
    Rules("runs of a suit, by suit", 12, 0, "suit", "any", moves="runs"),
    Rules("runs of any suit, kings", 7, 1, "any", "kings", moves="runs"),
    Rules("runs of a suit, no fill", 6, 2, "any", "none", moves="suit-runs"),
    Rules("round", 5, 3, "suit", "any", moves="runs", base="round", layout="bases 2"),
    Rules("a base", 8, 2, "suit", "none", moves="runs", base="deal", layout="bases 4"),
    Rules("reserve", 6, 16, "any", "any", reserve=True),
    Rules("no building", 6, 3, "none", "any"),
    Rules("up and down", 7, 2, "suit-both", "kings"),
)
COMING_BACK = (
    Rules("cards come back", 7, 2, "alternate", "any", removable=True),
    Rules("cards of any suit come back", 9, 0, "any", "none", removable=True),
    Rules("cards come back, reserve", 6, 9, "any", "kings", reserve=True, removable=True),
)
"""Games that only end where cards are few: not for tests that exhaust whole decks."""
DIFFERENT_RULES = {
    (
        rules.columns,
        rules.freecells,
        rules.build,
        rules.fill,
        rules.moves,
        rules.whole_suits,
        rules.reserve,
        rules.removable,
        rules.base,
    ): rules
    for rules in reversed(GAMES.values())
    if not (rules.only_leave or rules.is_patience or rules.is_wide)  # other kernels play these
}
"""Games that differ only in how they are dealt are one game to the kernels: the first of them."""

ALL_RULES = (*DIFFERENT_RULES.values(), *ODD_RULES)
_FAST = {
    "freecell",
    "seahaven_towers",
    "any suit, any fill",
    "no freecells, one suit",
    "few columns",
    "flower_garden",
}
"""Games that are unlike each other: tests of every game are fast for these.

Kernels of other families are compiled by tests of whole searches, as `search/test_runs.py`."""
_FAST_FAMILIES = _FAST | {
    "whole suits and freecells",
    "runs of a suit, no fill",
    "runs of both colours",
    "penguin",
    "up and down",
    "cards come back",
    "cards come back, reserve",
}
"""The same with runs and with cards that go both ways: for tests of moves and bounds."""


def _each(games: tuple[Rules, ...], fast: set[str]) -> pytest.MarkDecorator:
    """Return a mark for a test of each of these games, slow but for those with these names."""
    return pytest.mark.parametrize(
        "rules",
        [
            pytest.param(rules, id=rules.name, marks=() if rules.name in fast else pytest.mark.slow)
            for rules in games
        ],
    )


EVERY_GAME = _each(ALL_RULES, _FAST)
BUILT_DOWN = _each(tuple(rules for rules in ALL_RULES if not rules.two_way), _FAST)
EVERY_GAME_AND_BACK = _each((*ALL_RULES, *COMING_BACK), _FAST)
EVERY_FAMILY = _each((*ALL_RULES, *COMING_BACK), _FAST_FAMILIES)


class Game(NamedTuple):
    """A random game: where it starts, under which rules and policy, and its keys."""

    random: Random
    start: Position
    rules: Rules
    policy: Policy
    codec: StateCodec

    def walk(self, steps: int) -> list[Position]:
        """Return the positions of a random game from the start."""
        return walk(self.random, self.start, self.rules, self.policy, steps)

    def state(self, position: Position) -> tuple[np.uint64, ...]:
        """Return the position as the kernels take it: signature and planes."""
        return words_of(*self.codec.state(position))


class Successor(NamedTuple):
    """The core's result of a move: the state it leads to, and its parent-move code."""

    state: State
    code: int


def random_game(rules: Rules, seed: int) -> Game:
    """Return a start of any kind and a policy, by a seed."""
    random = Random(seed)
    policy = random.choice(POLICIES)
    start = random_start(random, rules, policy)
    return Game(random, start, rules, policy, StateCodec(Deal(start, rules), policy))


def random_start(random: Random, rules: Rules, policy: Policy) -> Position:
    """Return a deal, a position in the middle of a game, or cards anywhere."""
    kind = random.randrange(3)
    if kind == 2:
        return random_layout(random, rules)
    start = deal_number(random.randrange(1, 1_000_000), rules)
    return walk(random, start, rules, policy, random.randrange(120))[-1] if kind else start


def random_layout(random: Random, rules: Rules) -> Position:
    """Cards anywhere: some home, some in freecells, columns of all lengths, a few runs."""
    heights = [random.choice((0, 0, random.randrange(14))) for _ in range(4)]
    deck = [card for card in range(CARDS) if card >> 2 >= heights[card & 3]]
    random.shuffle(deck)
    if random.random() < 0.3:
        deck.sort(key=lambda card: -(card >> 2) + random.random() * random.choice((1, 4)))
    cells: list[int | None] = [None] * rules.freecells
    for index in range(rules.freecells):
        if deck and random.random() < 0.4:
            cells[index] = deck.pop(random.randrange(len(deck)))
    columns: list[list[int]] = [[] for _ in range(rules.columns)]
    used = random.randint(1, rules.columns)
    for card in deck:
        columns[random.randrange(used)].append(card)
    random.shuffle(columns)
    hearts, spades, diamonds, clubs = heights
    home = hearts, spades, diamonds, clubs
    return from_base(Position(tuple(map(tuple, columns)), tuple(cells), home), random, rules)


def from_base(position: Position, random: Random, rules: Rules) -> Position:
    """Return the position with its cards counted from a base, as the rules have one."""
    if rules.base == "ace":
        return position
    base = Base(random.randint(1, 13), 1)
    return replace(
        position,
        columns=tuple(tuple(map(base.card, column)) for column in position.columns),
        freecells=tuple(card if card is None else base.card(card) for card in position.freecells),
        base=base,
    )


def walk(
    random: Random, start: Position, rules: Rules, policy: Policy, steps: int
) -> list[Position]:
    """Return the positions of a random game; it may get stuck.

    Moves home are liked a little better.
    """
    positions = [start]
    for _ in range(steps):
        following = positions[-1].successors(rules, policy)
        if not following:
            break
        home = [pair for pair in following if pair[0].destination.kind == "foundation"]
        choices = home if home and random.random() < 0.5 else following
        positions.append(random.choice(choices)[1])
    return positions


def words_of(*values: int) -> tuple[np.uint64, ...]:
    """Integers as the kernels take them: numba would make int64 of plain ones."""
    return tuple(np.uint64(value) for value in values)


def core_successors(codec: StateCodec, state: State, skip: int = 0) -> tuple[list[Successor], bool]:
    """Return the successors that the core finds, and True if the move is forced."""
    states, codes = np.zeros((MAX_MOVES, 4), np.uint64), np.zeros(MAX_MOVES, np.uint16)
    count, forced = successors(codec.tables, *words_of(*state), np.uint64(skip), states, codes)
    return [
        Successor(State(*map(int, states[index])), int(codes[index])) for index in range(count)
    ], forced
