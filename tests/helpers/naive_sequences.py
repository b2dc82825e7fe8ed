"""All shortest solutions by breadth first on the readable model: the slow twin of the sweep."""

from __future__ import annotations

from random import Random

from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from helpers.naive_bound import lower_bound
from helpers.naive_search import some_cards
from helpers.support import ALL_RULES


def shortest_ways(start: Position, rules: Rules, most: int) -> tuple[int, int] | None:
    """Return the fewest moves to the goal, and the number of sequences of that length that win.

    (0, 0) if none does, None if more than ``most`` positions can be reached. Places that differ in
    nothing count once, as in `Position.moves`.
    """
    level = {start.canonical(): (start, 1)}
    seen = {start.canonical()}
    depth = 0
    while level:
        for position, ways in level.values():
            if position.is_goal():
                return depth, ways
        following: dict[object, tuple[Position, int]] = {}
        for position, ways in level.values():
            for move in position.moves(rules):
                after = position.apply(move)
                key = after.canonical()
                if key not in seen:
                    known = following.get(key, (after, 0))[1]
                    following[key] = (after, known + ways)
        seen |= set(following)
        if len(seen) > most:
            return None
        level = following
        depth += 1
    return 0, 0


def bounded_ways(start: Position, rules: Rules, length: int) -> int:
    """Count the sequences of ``length`` moves that win, where no shorter one does.

    Positions from which a slow twin of the lower bound sees no such sequence are left out.
    """
    level = {start.canonical(): (start, 1)}
    for left in reversed(range(length)):
        following: dict[object, tuple[Position, int]] = {}
        for position, ways in level.values():
            for move in position.moves(rules):
                after = position.apply(move)
                key = after.canonical()
                if key in following or lower_bound(after) <= left:
                    known = following.get(key, (after, 0))[1]
                    following[key] = (after, known + ways)
        level = following
    ((position, ways),) = level.values()
    assert position.is_goal()
    return ways


def small_deal(seed: int, most: int = 800, runs: bool = False) -> tuple[Deal, int, int]:
    """Return a deal of few cards that can be won, its length, and its number of solutions.

    With ``runs`` it may be of a game where a run is one move.
    """
    random = Random(seed)
    games = [rules for rules in ALL_RULES if runs or rules.family == "cards"]
    while True:
        rules = random.choice(games)
        kind = random.choice(("shuffled", "low cards deep", "runs"))
        start = some_cards(random, rules, kind, random.randint(3, 14))
        found = shortest_ways(start, rules, most)
        if found is not None and found[1]:
            return Deal(start, rules), *found
