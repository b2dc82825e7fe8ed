"""Solutions as people play them: supermoves and automoves, and longer than need be.

A greedy search over a player's moves. Nothing is proven about its solutions but that they are some.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import pairwise

from dbmsolver.game.automoves import Automove, automoves
from dbmsolver.game.cards import rank
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.notation.explicit import player_moves, player_result
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step

EFFORT = 20_000
"""Positions looked at before a deal is given up."""


def played(deal: Deal, policy: Automove = "horne") -> Solution | None:
    """Return a solution of a deal, if one is found soon."""
    moves, start = automoves(deal.position, deal.rules, policy)
    first = tuple(Step.of(move, policy) for move in moves)
    # By position without the order of columns: where it was reached from, and how.
    ways: dict[object, tuple[Position | None, tuple[Step, ...]]] = {
        start.canonical(): (None, first)
    }
    waiting = [(outlook(start), 0, 0, start)]
    for _ in range(EFFORT):
        if not waiting:
            return None
        _, _, depth, position = heappop(waiting)
        if position.is_goal():
            return traced(deal, position, ways)
        for step, _ in player_moves(position, deal.rules):
            moves, after = player_result(position, step, deal.rules, policy)
            key = after.canonical()
            if key not in ways:
                ways[key] = position, (step, *(Step.of(move, policy) for move in moves))
                heappush(waiting, (outlook(after) + depth, len(ways), depth + 1, after))
    return None


def traced(
    deal: Deal,
    position: Position | None,
    ways: dict[object, tuple[Position | None, tuple[Step, ...]]],
) -> Solution:
    """Return the solution that leads to a position."""
    parts = []
    while position is not None:
        position, steps = ways[position.canonical()]
        parts.append(steps)
    steps = tuple(step for part in reversed(parts) for step in part)
    return Solution(deal.rules, deal.position, steps, deal.position, deal.number).ended()


def outlook(position: Position) -> int:
    """Estimate the distance to the end: by cards home, cards upon lower ones, runs, cells."""
    left = 52 - sum(position.foundations)
    cells = sum(card is not None for card in position.freecells)
    upon_lower = breaks = 0
    for column in position.columns:
        lowest = 99
        for card in column:
            upon_lower += rank(card) > lowest
            lowest = min(lowest, rank(card))
        for under, card in pairwise(column):
            same_colour = under & 1 == card & 1
            breaks += rank(under) != rank(card) + 1 or same_colour
    return 4 * left + 6 * upon_lower + 2 * breaks + cells
