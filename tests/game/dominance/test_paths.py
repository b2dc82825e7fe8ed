"""Wins found over records become solutions in legal moves."""

from __future__ import annotations

from heapq import heappop, heappush

import pytest
from helpers.selection import few_fast

from dbmsolver.game.deals import deal_number
from dbmsolver.game.dominance.attempts import Macro
from dbmsolver.game.dominance.macros import macros
from dbmsolver.game.dominance.paths import unfold
from dbmsolver.game.dominance.records import Record, free_slots, progress, record_of
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES

POLICY = "wkr"

WON = {
    "freecell": (1, 2, 3, 4, 5),
    "bakers_game": (1, 2, 3, 4),
    "eight_off": (1, 2, 3, 4),
    "seahaven_towers": (1, 2, 3, 7),
    "forecell": (6, 8),
    "bakers_dozen": (4,),
}
"""Deals of each game with a win that is found soon."""

PLAYED = [(game, number) for game, numbers in WON.items() for number in numbers]


def win(start: Position, rules: Rules, most: int) -> list[Macro]:
    """Return a path to a win, that with the most progress and free slots tried first."""
    root = record_of(start, rules, POLICY)
    came: dict[Record, list[Macro]] = {root: []}
    heap = [(0, 0, root)]
    for _ in range(most):
        record = heappop(heap)[2]
        path = came[record]
        if record.is_goal():
            return path
        for macro in macros(record, rules, POLICY):
            after = macro.record
            if after not in came:
                came[after] = [*path, macro]
                weight = progress(after, start, rules) + 2 * free_slots(after, rules)
                heappush(heap, (-weight, -len(came), after))
    raise AssertionError("no win found")


@pytest.mark.parametrize(("game", "number"), few_fast(PLAYED, 10))
def test_a_win_becomes_legal_moves(game: str, number: int) -> None:
    rules = GAMES[game]
    start = deal_number(number, rules)
    moves, end = unfold(start, win(start, rules, 2000), rules, POLICY)
    position = start
    for move in moves:
        assert move in position.moves(rules)
        position = position.apply(move)
    assert position == end
    assert end.is_goal()
