"""The fewest moves of a player: how many, how many of the solution's, and of how many cards."""

from __future__ import annotations

import pytest
from helpers.solutions import mid_game, solved

from dbmsolver.game.kinds import Policy
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.solution import Solution


def counts(solution: Solution, policy: Policy, as_short: bool) -> tuple[int, int, int]:
    """Return the moves of the player, how many the solution has at the same position, and cards."""
    found = explicit(solution, policy, as_short=as_short)
    found.check()
    own, made = (
        {
            (before, step.source, step.destination, step.count)
            for step, before, _ in one.replay()
            if step.automove == "none"
        }
        for one in (solution, found)
    )
    return len(made), len(made & own), len(found.moves())


@pytest.mark.parametrize(
    ("policy", "as_short", "expected"),
    [
        ("horne", False, (57, 56, 89)),
        ("horne", True, (59, 58, 87)),
        ("wkr", False, (56, 55, 89)),
        ("wkr", True, (57, 56, 87)),
    ],
)
def test_fewest_moves_and_no_more_cards(
    policy: Policy, as_short: bool, expected: tuple[int, int, int]
) -> None:
    """The solution has 87 moves of single cards."""
    assert len(solved(1).moves()) == 87
    assert counts(solved(1), policy, as_short) == expected


@pytest.mark.parametrize("policy", ["horne", "wkr"])
def test_a_move_of_the_solution_is_taken_of_several(policy: Policy) -> None:
    """One move is enough, and one of those that are takes 18 cards home."""
    assert counts(mid_game(solved(4), 68), policy, False) == (1, 1, 17)
