"""Lengths of solutions in every metric, where automoves meet what is played."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.solutions import mid_game, random_game, solved

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.patience import Patience, turns_over
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.lengths import lengths
from dbmsolver.notation.solution import Solution


@pytest.mark.parametrize(
    ("number", "start", "policy", "expected"),
    [
        # Every move home that is possible takes a card that a run is put on later.
        (16, 48, "wkr", (30, 30, 8, 8, None, 30, 8, 8)),
        # Automoves are made in the deal, before the first move of a player.
        (1, 49, "horne", (40, 38, 14, 14, 8, 38, 14, 14)),
    ],
)
def test_ends_of_solutions_with_automoves(
    number: int, start: int, policy: Policy, expected: tuple[int | None, ...]
) -> None:
    solution = explicit(mid_game(solved(number), start), policy)
    assert tuple(lengths(solution).values()) == expected


def test_turns_of_a_stock_and_of_a_waste() -> None:
    """A game of Klondike of eight turns by threes, one turn over, two turns and no play."""
    rules = GAMES["klondike_by_threes"]
    deal = Deal.from_number(1, rules)
    position, moves = deal.position, []
    assert isinstance(position, Patience)
    for _ in range(11):
        moves.append(position.moves_of_stock(rules)[0])
        position = position.apply(moves[-1])
    assert [turns_over(move) for move in moves] == [False] * 8 + [True] + [False] * 2
    play = next(
        move for move in position.moves(rules) if move not in position.moves_of_stock(rules)
    )
    moves.append(play)
    solution = Solution.from_moves(deal, moves)
    assert lengths(solution) == {"turns": 11, "runs": 12, "plays": 1}


def test_cards_that_come_back_are_counted_alone() -> None:
    """No other metric says anything of them, as they would meet automoves."""
    game = random_game(1, replace(GAMES["freecell"], removable=True), 3, 25)
    assert len(game.moves()) > 20
    assert lengths(game) == {"cards": len(game.moves())}
