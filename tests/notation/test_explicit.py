"""The fewest moves of a player: how many, how many of the solution's, and of how many cards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.solutions import game_from, mid_game, solved

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Fill, Policy
from dbmsolver.game.moves import Place
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.explicit import explicit, grouped, merged, player_moves
from dbmsolver.notation.lengths import lengths
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment, Step, play

PARTS = "Foundations: H-9 C-9 D-9 S-9\nTC KS QH JS TH\nTS TD\n: \nKH QS JD\nKD QC JH\nKC QD JC\n"
"""The end of the first column is a run of four cards; the third column is empty."""


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


def test_no_more_cards_where_more_moves_of_runs_have_to_be_told() -> None:
    """The game moves 15 cards in 7 moves of runs. The notation can say that in 8; 7 take a card."""
    game = game_from(6, 46, "5-4x2", "d-a", "c-d", "a-5", "1-3", "4-3x3", "2-3", "3-2", "b-a")
    assert (len(game.moves()), lengths(game)["runs"]) == (15, 7)
    for as_short, expected in ((True, (8, 15, 11)), (False, (7, 16, 10))):
        found = explicit(game, "wkr", as_short=as_short)
        player = sum(step.automove == "none" for step in found.steps)
        runs = len(explicit(found, "none", any_length=True).steps)
        assert (player, len(found.moves()), runs) == expected


@pytest.mark.parametrize("policy", ["none", "horne", "wkr"])
def test_a_game_that_comes_back_to_where_it_began_takes_no_move(policy: Policy) -> None:
    game = game_from(6, 46, "d-a", "a-d")
    assert game.final == game.initial
    assert explicit(game, policy).steps == ()


def test_a_part_of_a_run_goes_to_an_empty_column_in_one_move_of_any_length() -> None:
    deal = Deal.from_text(PARTS, GAMES["freecell"])
    step = Step(Place("column", 0), Place("column", 2), 2)
    game = Solution(deal.rules, deal.position, (step,), play(deal.position, step, deal.rules))
    assert [one.count for one in explicit(game, "none", any_length=True).steps] == [2]
    assert [one.count for one in explicit(game, "none").steps] == [1, 1, 1]


@pytest.mark.parametrize(
    ("fill", "any_length", "expected"),
    [
        ("any", False, [(0, 4), (0, 1), (1, 1), (3, 3), (3, 1), (4, 3), (4, 1), (5, 3), (5, 1)]),
        (
            "any",
            True,
            [(0, 4), (0, 3), (0, 2), (0, 1), (1, 1)]
            + [(column, count) for column in (3, 4, 5) for count in (3, 2, 1)],
        ),
        ("kings", False, [(0, 4), (3, 3), (4, 3), (5, 3)]),
        ("kings", True, [(0, 4), (3, 3), (4, 3), (5, 3)]),
    ],
)
def test_runs_that_go_to_an_empty_column(
    fill: Fill, any_length: bool, expected: list[tuple[int, int]]
) -> None:
    """Take only those that begin with a king, as a whole, where kings alone fill it."""
    rules = replace(GAMES["freecell"], fill=fill)
    found = [
        (step.source.index, step.count)
        for step, _ in player_moves(Deal.from_text(PARTS, rules).position, rules, any_length)
        if step.destination == Place("column", 2)
    ]
    assert found == expected


def test_only_moves_home_are_told_as_automoves() -> None:
    """Not the other moves of the cards that programs take home."""
    made = explicit(solved(1), "wkr")
    found = [step.automove for step in grouped(made).steps]
    assert found == [step.automove for step in made.steps]
    assert found.count("wkr") == 31


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


@pytest.mark.parametrize("policy", ["none", "horne", "wkr"])
def test_comments_on_moves_there_and_back_go_to_the_move_after_them(policy: Policy) -> None:
    game = game_from(6, 46, "d-a", "a-d", "d-a")
    steps = [
        replace(step, comment=Comment(f"of {number}")) for number, step in enumerate(game.steps)
    ]
    step, *automoves = explicit(replace(game, steps=tuple(steps)), policy).steps
    assert step.comment == Comment("of 0 of 1 of 2")
    assert all(one.comment is None and one.automove == policy for one in automoves)


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


def test_markup_of_comments_that_become_plain_text_is_left_out() -> None:
    marked = Comment("<b>x</b> &amp; y", xhtml=True)
    assert merged([marked, Comment("a < b")]) == Comment("x & y / a < b")
    assert merged([marked, marked]) == replace(marked, text="<b>x</b> &amp; y <b>x</b> &amp; y")


def test_a_run_of_a_game_built_both_ways_stands_for_moves_of_single_cards() -> None:
    """Such a game moves single cards, and a run wherever these can be moved one by one."""
    rules = GAMES["fortress"]
    board = "Foundations: H-7 C-K D-K S-K\nKH TH JH\nQH 8H\n9H\n"
    deal = Deal.from_text(board, rules)
    run, lower, empty = (Place("column", index) for index in (0, 2, 3))
    steps = (Step(run, empty), Step(run, lower), Step(empty, lower))
    solution = Solution(rules, deal.position, steps, deal.position).ended()
    (joined,) = grouped(solution).steps
    assert (joined.source, joined.destination, joined.count) == (run, lower, 2)
    moves = grouped(solution).moves()
    position = deal.position
    for move in moves:
        assert move.count == 1 and move in position.moves(rules)
        position = position.play(move, rules)
    assert (len(moves), position) == (3, solution.final)
    # Without an empty column only single cards can be moved, and nothing is joined.
    full = replace(rules, columns=3)
    narrow = Deal.from_text(board, full)
    alone = Solution(full, narrow.position, (Step(Place("column", 1), lower),), narrow.position)
    assert [step.count for step in grouped(alone.ended()).steps] == [1]
