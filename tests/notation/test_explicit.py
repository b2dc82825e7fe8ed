"""The fewest moves of a player: how many, how many of the solution's, and of how many cards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.solutions import mid_game, solved

from dbmsolver.game.kinds import Policy
from dbmsolver.notation.explicit import explicit, merged
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment


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


@pytest.mark.parametrize("policy", ["none", "horne", "wkr"])
def test_all_comments_are_kept_in_their_order(policy: Policy) -> None:
    """One of a move that drops out goes to the move before or after it."""
    solution = mid_game(solved(1), 40)
    steps = [
        replace(step, comment=Comment(f"of {number}")) for number, step in enumerate(solution.steps)
    ]
    commented = replace(solution, steps=tuple(steps), extra={"made": "by hand"})
    found = explicit(commented, policy)
    told = [step.comment.text for step in found.steps if step.comment is not None]
    assert " ".join(told) == " ".join(f"of {number}" for number in range(len(steps)))
    assert len(told) == sum(step.automove == "none" for step in found.steps)
    assert found.extra == {}


def test_comments_that_become_one() -> None:
    """They keep what they have in common; those of different kinds or people are plain text."""
    plain, other = Comment("one"), Comment("two")
    assert merged([]) is None and merged([plain]) == plain
    assert merged([plain, other]) == Comment("one two")
    for field, value in (("originator", "Ann"), ("xhtml", True)):
        first, second = (replace(one, **{field: value}) for one in (plain, other))
        assert merged([first]) == first
        assert merged([first, second]) == replace(first, text="one two")
        assert merged([first, other]) == merged([plain, second]) == Comment("one / two")
