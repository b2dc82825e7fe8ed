"""Small games by every measure: all positions, and how many moves each is from the goal."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any, NamedTuple

import pytest

from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric
from dbmsolver.game.measures import Measure
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.results import Result
from helpers.naive_search import some_cards

GAMES = (
    Rules("plain", 4, 2, "alternate", "any"),
    Rules("cells", 3, 3, "alternate", "any"),
    Rules("columns", 6, 1, "alternate", "any"),
    Rules("no cells", 7, 0, "alternate", "any"),
    Rules("kings", 5, 2, "alternate", "kings"),
    Rules("no fill", 4, 2, "alternate", "none"),
    Rules("by suit", 4, 2, "suit", "any"),
    Rules("any suit", 4, 1, "any", "any"),
    Rules("reserve", 4, 3, "alternate", "any", reserve=True),
    Rules("nothing on a card", 4, 3, "none", "any"),
)
"""Games in which cards move one by one, unlike each other in what makes room for runs."""

MEASURES = [("runs", "none"), ("runs", "horne"), ("runs", "wkr")]
MEASURES += [("moves", policy) for policy in AUTOMOVES]

METRICS: list[tuple[Metric | None, Any]] = [
    (None, "wkr"),
    (None, "none"),
    ("cards", "horne"),
    ("runs", "wkr"),
    ("runs", "none"),
    ("moves", "none"),
    ("moves", "horne"),
    ("moves", "wkr"),
    ("moves", "max"),
]
"""Metrics of FreeCell, each with rules for moves home; None is what is usual."""


class Edge(NamedTuple):
    """A move, what it costs, and where it leads."""

    move: Move
    cost: int
    after: int


class Measured(NamedTuple):
    """All positions of a game: number 0 is its start."""

    deal: Deal
    measure: Measure
    positions: list[Position]
    edges: list[list[Edge]]
    left: list[int | None]
    """The fewest moves to the goal, None where it cannot be reached."""


def small_measured(rules: Rules, metric: str, policy: str, seed: int, most: int) -> Measured:
    """Return a game of at most ``most`` positions, by a seed.

    Cards lie anywhere, as many as leave it so.
    """
    random = Random(seed)
    measure = Measure(rules, policy, metric)  # type: ignore[arg-type]
    kind = random.choice(("shuffled", "low cards deep", "runs"))
    cards = random.randint(6, CARDS)
    while True:
        start = some_cards(random, rules, kind, cards)
        found = closure(start, measure, most)
        if found is not None:
            positions, edges = found
            return Measured(Deal(start, rules), measure, positions, edges, lengths(found))
        cards = max(2, cards * 4 // 5)


def long_runs(random: Random, rules: Rules) -> Position:
    """Return a whole deck in columns that end in long runs.

    Some columns are empty, some freecells full.
    """
    left = random.sample(range(CARDS), CARDS)
    cells: list[int | None] = [None] * rules.freecells
    full = rules.freecells if rules.reserve else random.randint(0, rules.freecells)
    for index in range(full):
        cells[index] = left.pop()
    used = max(2, rules.columns - random.randint(0, 3))
    columns: list[list[int]] = [[left.pop()] for _ in range(used)]
    for column in columns[1:]:
        while fits := [card for card in left if rules.can_stack(card, column[-1])]:
            if random.random() < 0.1:
                break
            column.append(random.choice(fits))
            left.remove(column[-1])
    columns[0] = [*left, *columns[0]]
    columns += [[] for _ in range(rules.columns - used)]
    return Position(tuple(map(tuple, columns)), tuple(cells), (0, 0, 0, 0))


def closure(
    start: Position, measure: Measure, most: int
) -> tuple[list[Position], list[list[Edge]]] | None:
    """All positions that can be reached and the moves between them; None if there are more."""
    numbers = {start.canonical(): 0}
    positions, edges = [start], []
    for position in positions:
        found = []
        for move, after in measure.successors(position):
            number = numbers.setdefault(after.canonical(), len(positions))
            if number == len(positions):
                if number == most:
                    return None
                positions.append(after)
            found.append(Edge(move, measure.cost(move), number))
        edges.append(found)
    return positions, edges


def lengths(found: tuple[list[Position], list[list[Edge]]]) -> list[int | None]:
    """Return each position's distance from the goal: breadth first, free moves first."""
    positions, edges = found
    back: list[list[tuple[int, int]]] = [[] for _ in positions]
    for number, ways in enumerate(edges):
        for _, cost, after in ways:
            back[after].append((cost, number))
    left: list[int | None] = [None] * len(positions)
    queue = deque((0, number) for number, at in enumerate(positions) if at.is_goal())
    while queue:
        far, number = queue.popleft()
        if left[number] is not None:
            continue
        left[number] = far
        for cost, before in back[number]:
            if cost:
                queue.append((far + 1, before))
            else:
                queue.appendleft((far, before))
    return left


_FAST = [("runs", "none"), ("moves", "wkr"), ("moves", "max")]


def cases(games: int) -> list[Any]:
    """Return every measure with every game: (metric, policy, rules).

    Three of the measures are fast tests, with the first so many games; the others are slow.
    """
    return [
        pytest.param(
            metric,
            policy,
            rules,
            id=f"{metric}-{policy}-{rules.name}",
            marks=() if (metric, policy) in _FAST and rules in GAMES[:games] else pytest.mark.slow,
        )
        for metric, policy in MEASURES
        for rules in GAMES
    ]


def check_solution(deal: Deal, result: Result) -> None:
    """Play a solution by what its measure allows, and nothing else."""
    position = deal.position
    for move in result.moves:
        successors = dict(result.measure.successors(position))
        assert move in successors
        position = successors[move]
    assert position.is_goal()
    assert result.measure.forced(position) is None
    assert result.length == result.measure.length(result.moves)
