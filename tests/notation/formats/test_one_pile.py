"""Solutions of games of one pile in every format, as pictures, and in words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from helpers.pile_games import PILE_GAMES, small_deck
from helpers.selection import few_fast

from dbmsolver.errors import IllegalMoveError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import PILE, STOCK, Place
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import grouped
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.stops import stops
from dbmsolver.notation.lengths import lengths
from dbmsolver.notation.pictures.board import describe, draw_board
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step, play

CAN = ("universal-json", "universal-xml", "moves", "html")


def a_game(deal: Deal, seed: int) -> Solution:
    """Random moves, to where there are none."""
    random, position, steps = Random(seed), deal.position, []
    while moves := position.moves(deal.rules):
        move = random.choice(moves)
        steps.append(Step.of(move))
        position = position.apply(move)
    return Solution(deal.rules, deal.position, tuple(steps), position, deal.number)


@pytest.mark.parametrize("game", few_fast(PILE_GAMES, 1))
@pytest.mark.parametrize("name", CAN)
def test_round_trips(game: str, name: str) -> None:
    decks = [small_deck(game, Random(seed)) for seed in range(4)]
    decks = [Deal(deal.position, replace(deal.rules, name="mine")) for deal in decks]
    for seed, deal in enumerate([Deal.from_number(24, GAMES[game]), *decks]):
        solution = a_game(deal, seed)
        for told in (solution, grouped(solution)):
            text = formats.write(told, name)
            read = formats.read(text, name)
            assert read.initial == solution.initial
            assert read.final == solution.final
            assert [(step.source, step.destination) for step in read.steps] == [
                (step.source, step.destination) for step in solution.steps
            ]
            assert read.rules == replace(read.rules, pile=deal.rules.pile, stock=deal.rules.stock)
            assert read.number == deal.number
            assert formats.write(formats.read(text, name), name) == text


@pytest.mark.parametrize("game", PILE_GAMES)
def test_formats_that_have_no_pile_say_so(game: str) -> None:
    solution = a_game(Deal.from_number(1, GAMES[game]), 1)
    for name in ("short", "sfn"):
        with pytest.raises(UsageError, match=f"^{game}: "):
            formats.write(solution, name)


def test_what_black_hole_solver_prints() -> None:
    golf = GAMES["golf"]
    deal = Deal.from_number(2, golf)
    text = (
        "Solved!\nMove a card from stack 2 to the foundations\n\nInfo: Card moved is AC\n\n\n"
        "====================\n\nDeal talon\n\nInfo: Card moved is 3S\n"
    )
    read = formats.read(text, "moves", Given(deal=deal))
    assert [step.source for step in read.steps] == [Place("column", 2), STOCK]
    assert all(step.destination == PILE for step in read.steps)


def test_steps_that_are_not_legal() -> None:
    golf = GAMES["golf"]
    deal = Deal.from_number(2, golf)
    for step, message in (
        (Step(Place("column", 0), PILE), "6S cannot be put on 2S"),
        (Step(STOCK, Place("column", 1)), "3S cannot go there"),
        (Step(PILE, Place("column", 1)), "no card leaves a pile"),
        (Step(Place("column", 2), PILE, onto=3), "is the card under it"),
        (Step(Place("column", 2), PILE, count=2), "cannot go there|is not free"),
        (Step(Place("column", 9), PILE), "no such place"),
        (Step(Place("column", 2), PILE, automove="wkr"), "no automove of the policy wkr"),
    ):
        with pytest.raises(IllegalMoveError, match=message):
            Solution(golf, deal.position, (step,), deal.position).ended()
    unfinished = Solution(golf, deal.position, (), deal.position)
    with pytest.raises(Exception, match="35 cards are left in the columns"):
        unfinished.check()


def test_no_move_follows_the_last_card_of_the_columns() -> None:
    golf = GAMES["golf"]
    deal = Deal.from_number(2, golf)
    piled = tuple(card for column in deal.position.columns for card in column)
    won = replace(deal.position, columns=((),) * 7, pile=(*deal.position.pile, *piled))
    with pytest.raises(IllegalMoveError, match="the columns are empty, and nothing is left to be"):
        play(won, Step(STOCK, PILE), golf)


def test_an_empty_stock_has_no_card() -> None:
    golf = GAMES["golf"]
    start = Deal.from_number(2, golf).position
    turned = replace(start, stock=(), pile=(*(start.pile or ()), *start.stock))
    with pytest.raises(IllegalMoveError, match="no such place"):
        play(turned, Step(STOCK, PILE), golf)


def test_lengths_and_stops() -> None:
    solution = a_game(Deal.from_number(5, GAMES["golf"]), 2)
    assert lengths(solution) == {"cards": len(solution.steps)}
    assert [stop.end for stop in stops(solution)] == list(range(1, len(solution.steps) + 1))
    assert {stop.kind for stop in stops(solution)} == {"move"}


@pytest.mark.parametrize("game", ["golf", "all_in_a_row"])
def test_a_game_told_in_full_says_what_each_card_is_put_on(game: str) -> None:
    """That is the card before it, and for the first one that of the deal, if there is one."""
    deal = Deal.from_number(5, GAMES[game])
    told = grouped(a_game(deal, 2)).steps
    assert len(told) > 3
    piled = deal.position.pile or (None,)
    assert [step.onto for step in told] == [*piled, *(step.card for step in told[:-1])]


def test_pictures_show_pile_and_stock() -> None:
    golf = Deal.from_number(24, GAMES["golf"]).position
    assert describe(golf).startswith("Pile: jack of hearts. Stock: 10 of diamonds, king of clubs, ")
    assert "stock of 16" in draw_board(golf, "Golf")
    row = Deal.from_number(24, GAMES["all_in_a_row"]).position
    assert describe(row).startswith("Pile: empty. Column 1: ")
    assert "an empty pile" in draw_board(row, "Row")


def test_answers_are_read_back(tmp_path: Path) -> None:
    from dbmsolver.cli.app import cli

    for ending in ("txt", "json"):
        path = tmp_path / f"golf.{ending}"
        args = ["solve", "2", "--game", "golf", "-q", "-o", str(path)]
        with pytest.raises(SystemExit):
            cli.main(args)
        solution = formats.read(path)
        solution.check()
        assert len(solution.steps) == 46
        assert any(step.source == STOCK for step in solution.steps)
    data = json.loads(path.read_text())
    assert data["rules"]["pile"] == "ends" and data["rules"]["stock"] == 16
