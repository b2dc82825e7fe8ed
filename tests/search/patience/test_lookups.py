"""Lookups of positions to which several closed states lead by turning the stock."""

from __future__ import annotations

from pathlib import Path

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.search import inspect


def test_a_position_on_a_shortest_solution_has_the_way_of_it(tmp_path: Path) -> None:
    """Others need more moves: from the first closed state, position 50 is 60 moves away."""
    found = api.solve(Deal.from_number(3, GAMES["trigon"]), store=tmp_path)
    length = found.measure.length
    assert (found.shortest, length(found.moves)) == (True, 100)
    at = found.deal.position
    for number, move in enumerate(found.moves, start=1):
        at = at.apply(move)
        if number % 10 == 0:
            moves = inspect.lookup(tmp_path, at)
            assert moves is not None
            assert length(moves) == length(found.moves[:number])
            reached = found.deal.position
            for made in moves:
                assert made._replace(forced=False) in reached.moves(found.deal.rules)
                reached = reached.apply(made)
            assert reached.canonical() == at.canonical()
