"""Lengths of solutions in every metric, where automoves meet what is played."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.solutions import game_from, mid_game, random_game, solved

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


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        # In the moves of runs no card is met that has gone home, as it is in those of cards.
        (game_from(12, 50, "3-4", "7-1", "3-4", "1-7", "7-1"), (5, 3, 2, 1, 1, 3, 2, 1)),
        # By the moves of cards a player needs a move less than by those of runs.
        (game_from(1, 28, "6-8", "a-H", "b-3", "8-6", "6-a"), (5, 4, 4, 4, 2, 4, 4, 4)),
        # A part of a run goes to an empty column, which the notations say as moves of cards.
        (game_from(17, 42, "1-d", "8-4x2", "2-b"), (5, 3, 3, 3, 3, 5, 5, 5)),
    ],
    ids=["runs", "cards", "parts"],
)
def test_the_best_of_cards_and_runs(game: Solution, expected: tuple[int | None, ...]) -> None:
    assert tuple(lengths(game).values()) == expected


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
