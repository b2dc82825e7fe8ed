"""The builder of a solution: moves played one by one, surplus moves, comments."""

from __future__ import annotations

from typing import Any

import pytest

from dbmsolver.game.automoves import automoves
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import PILE, STOCK, Place
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.formats import InvalidError, building
from dbmsolver.notation.formats.building import Builder
from dbmsolver.notation.solution import IllegalStepError
from dbmsolver.notation.steps import Comment, Step

BOARD = "Foundations: H-K C-K D-K S-J\nQS\nKS\n"
HOME = [Step(Place("column", n), Place("foundation", 1)) for n in (0, 1)]
TO_CELL = Step(Place("column", 0), Place("freecell", 0))
BACK = Step(Place("freecell", 0), Place("column", 0))


def builder(board: str = BOARD, game: str = "freecell", **options: Any) -> Builder:
    return Builder(Deal.from_text(board, GAMES[game]), "f", **options)


def test_moves_after_the_win() -> None:
    for number in (0, 1, 2):
        one = builder(surplus=True)
        for step in (*HOME, *[TO_CELL] * number):
            one.add(step)
        assert one.won() and (len(one.steps), one.surplus) == (2, number)
        moves = {0: (), 1: ("f: 1 move",), 2: ("f: 2 moves",)}[number]
        assert one.notes() == tuple(f"{text} after the win left out as surplus" for text in moves)
    strict = builder(surplus=False)
    for step in HOME:
        strict.add(step)
    with pytest.raises(IllegalStepError):
        strict.add(TO_CELL)


def test_a_deal_that_is_won_at_the_start() -> None:
    """Its moves are not surplus: there is no solution that they could come after."""
    one = builder("Foundations: H-K C-K D-K S-K\n", surplus=True)
    assert one.won()
    with pytest.raises(IllegalStepError):
        one.add(TO_CELL)


def test_games_of_one_pile_have_no_surplus() -> None:
    """A card that is turned after the win is a move that is not legal."""
    board = "Foundations: H-J C-J D-J S-J\nPile: QH KH QC KC QD QS\nStock: KD\nKS\n"
    one = builder(board, "golf", surplus=True)
    one.add(Step(Place("column", 0), PILE))
    assert one.position.is_goal() and not one.won()
    with pytest.raises(IllegalStepError):
        one.add(Step(STOCK, PILE))
    assert one.surplus == 0


def test_the_most_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MAX_MOVES", 4)
    one = builder()
    for step in (TO_CELL, BACK, TO_CELL, BACK):
        one.add(step)
    with pytest.raises(InvalidError, match="more than 4 moves"):
        one.add(TO_CELL)


def test_comments_are_of_the_players_last_move() -> None:
    one = builder()
    one.comment(Comment("before any move"))
    one.add(TO_CELL)
    one.comment(Comment("first"))
    one.comment(Comment("second"))
    one.add(BACK)
    moves, _ = automoves(one.position, one.deal.rules, "wkr")
    assert len(moves) == 2
    one.add_automoves(moves, "wkr")
    one.comment(Comment("third"))
    said = [step.comment and step.comment.text for step in one.solution().steps]
    assert said == ["first second", "third", None, None]
    assert one.won()
