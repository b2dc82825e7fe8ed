"""Solutions of Klondike and its relatives in every format, as pictures, and in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from helpers.patience_games import PATIENCE_GAMES, small_deck
from helpers.selection import few_fast
from helpers.texts import validate

from dbmsolver.errors import IllegalMoveError, UsageError
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.cards import parse_card
from dbmsolver.game.deals import Deal, format_board, parse_board
from dbmsolver.game.moves import RESERVE, STOCK, WASTE, Place
from dbmsolver.game.patience import Patience
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import grouped
from dbmsolver.notation.formats.stops import stops
from dbmsolver.notation.lengths import lengths
from dbmsolver.notation.pictures.board import describe, draw_board
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step, play

CAN = ("universal-json", "universal-xml", "html")
MOST = 60


def a_game(deal: Deal, seed: int) -> Solution:
    """Random moves, turns of the stock and cards that come back among them."""
    random, position, steps = Random(seed), deal.position, []
    while len(steps) < MOST and (moves := position.moves(deal.rules)):
        move = random.choice(moves)
        steps.append(Step.of(move))
        position = position.apply(move)
    return Solution(deal.rules, deal.position, tuple(steps), position, deal.number)


@pytest.mark.parametrize(
    ("game", "name"), few_fast([(game, name) for game in PATIENCE_GAMES for name in CAN], 2)
)
def test_round_trips(game: str, name: str) -> None:
    decks = [small_deck(game, Random(seed)) for seed in range(2)]
    decks = [Deal(deal.position, replace(deal.rules, name="mine")) for deal in decks]
    for seed, deal in enumerate([Deal.from_number(24, GAMES[game]), *decks]):
        solution = a_game(deal, seed)
        for told in (solution, grouped(solution)):
            text = formats.write(told, name)
            validate(text, name)
            read = formats.read(text, name)
            assert read.initial == solution.initial
            assert read.final == solution.final
            assert [(step.source, step.destination, step.count) for step in read.steps] == [
                (step.source, step.destination, step.count) for step in solution.steps
            ]
            assert replace(read.rules, layout="") == replace(deal.rules, layout="")
            assert read.number == deal.number
            assert formats.write(read, name) == text


@pytest.mark.parametrize("game", PATIENCE_GAMES)
def test_formats_that_cannot_say_it_say_so(game: str) -> None:
    solution = a_game(Deal.from_number(1, GAMES[game]), 1)
    for name in ("short", "sfn", "moves"):
        with pytest.raises(UsageError, match=rf"(^|in ){game}: "):
            formats.write(solution, name)


@pytest.mark.parametrize("game", few_fast(PATIENCE_GAMES, 2))
def test_boards_are_read_back(game: str) -> None:
    for seed in range(20):
        deal = small_deck(game, Random(seed))
        for _, before, _ in a_game(deal, seed).replay():
            assert parse_board(format_board(before), deal.rules) == before


def test_steps_that_are_not_legal() -> None:
    deal = Deal.from_number(24, GAMES["klondike_by_threes"])
    column = [Place("column", index) for index in range(7)]
    home = Place("foundation", 0)
    for step, message in (
        (Step(column[0], column[1]), "5C cannot be put there"),
        (Step(STOCK, WASTE), "TC cannot be put there"),
        (Step(STOCK, WASTE, count=4), "4D cannot be put there"),
        (Step(STOCK, WASTE, count=30), "no card there"),
        (Step(WASTE, column[0]), "no card there"),
        (Step(WASTE, STOCK, count=3), "no card there"),
        (Step(home, column[0]), "no card there"),
        (Step(column[6], column[1], count=2), "TH is not free to move"),
        (Step(column[2], home), "AC cannot go there"),
        (Step(column[3], column[1], onto=3), "AC is the card under it by what it says, 9H by"),
        (Step(column[0], column[1], card=3), "AC moves by what it says, 5C by the position"),
    ):
        with pytest.raises(IllegalMoveError, match=message):
            Solution(deal.rules, deal.position, (step,), deal.position).ended()
    reserve = Deal.from_number(4, GAMES["canfield"])
    step = Step(RESERVE, column[0])
    assert play(reserve.position, step, reserve.rules).columns[0][-1] == parse_card("9D")
    with pytest.raises(IllegalMoveError, match="no card there"):
        play(reserve.position, replace(step, count=2), reserve.rules)
    turned = Step(STOCK, WASTE, count=3)
    Solution(deal.rules, deal.position, (turned,), deal.position).ended()


LATE = """\
Foundations: H-J C-J D-J S-J
Waste: QH
Stock: QC KC
KH
QS KD QD
KS
"""


def test_no_program_moves_a_card_of_the_waste_by_itself() -> None:
    deal = Deal.from_text(LATE, GAMES["klondike"])
    wasted = Step(WASTE, Place("foundation", 0), card=parse_card("QH"))
    queen = Step(Place("column", 1), Place("foundation", 2), card=parse_card("QD"))
    after = play(deal.position, wasted, deal.rules)
    assert after.is_home(parse_card("QH"))
    for policy in AUTOMOVES[1:]:
        moved = play(deal.position, replace(queen, automove=policy), deal.rules)
        assert moved.is_home(parse_card("QD"))
        with pytest.raises(IllegalMoveError, match=f"no automove of the policy {policy}"):
            play(deal.position, replace(wasted, automove=policy), deal.rules)
        lower = Step(Place("column", 1), Place("column", 2), automove=policy)
        with pytest.raises(IllegalMoveError, match=f"no automove of the policy {policy}"):
            play(deal.position, lower, deal.rules)


def test_there_are_four_foundations() -> None:
    deal = Deal.from_text(LATE, GAMES["klondike"])
    step = Step(Place("foundation", 3), Place("column", 1))
    assert play(deal.position, step, deal.rules).columns[1][-1] == parse_card("JC")
    for index in (-1, 4):
        with pytest.raises(IllegalMoveError, match="no card there"):
            play(deal.position, replace(step, source=Place("foundation", index)), deal.rules)


def test_a_king_goes_to_any_empty_column() -> None:
    """Empty columns differ in nothing: moves of the model name the first one only."""
    deal = Deal.from_text(LATE, GAMES["klondike"])
    queen = Step(Place("column", 1), Place("foundation", 2), card=parse_card("QD"))
    position = play(deal.position, queen, deal.rules)
    for index in range(3, 7):
        with pytest.raises(IllegalMoveError, match="QD cannot be put there"):
            play(deal.position, replace(queen, destination=Place("column", index)), deal.rules)
        after = play(position, Step(Place("column", 1), Place("column", index)), deal.rules)
        assert after.columns[index] == (parse_card("KD"),)


def test_lengths_and_stops() -> None:
    deal = Deal.from_number(24, GAMES["klondike_by_threes"])
    solution = a_game(deal, 3)
    turns = sum(STOCK in (step.source, step.destination) for step in solution.steps)
    over = sum(step.destination == STOCK for step in solution.steps)
    assert lengths(solution) == {"turns": MOST - over, "runs": MOST, "plays": MOST - turns}
    assert turns and stops(solution)[-1].end == MOST


def test_pictures_show_stock_waste_and_cards_face_down() -> None:
    deal = Deal.from_number(24, GAMES["klondike_by_threes"])
    position = deal.position.apply(deal.position.moves(deal.rules)[-1])
    assert isinstance(position, Patience)
    assert "Waste: 10 of clubs, 10 of spades, ace of diamonds. Stock: 4 of " in describe(position)
    assert "Column 2: 7 of hearts face down, 9 of hearts." in describe(position)
    picture = draw_board(position, "Klondike")
    assert "stock of 21" in picture and "7 of hearts face down" in picture
    yukon = draw_board(Deal.from_number(24, GAMES["yukon"]).position, "Yukon")
    assert "stock" not in yukon and "4 of clubs face down" in yukon


def answers_read_back(game: str, number: int, folder: Path) -> Iterator[Solution]:
    """Read back answers written as text, and then as JSON in `answer.json`."""
    from dbmsolver.cli.app import cli

    for ending in ("txt", "json"):
        path = folder / f"answer.{ending}"
        with pytest.raises(SystemExit):
            cli.main(["prove", str(number), "--game", game, "-q", "-o", str(path)])
        solution = formats.read(path)
        solution.check()
        yield solution


@pytest.mark.slow
def test_answers_of_canfield_are_read_back(tmp_path: Path) -> None:
    for solution in answers_read_back("canfield", 4, tmp_path):
        assert any(step.source == RESERVE for step in solution.steps)
        assert solution.initial == Deal.from_number(4, GAMES["canfield"]).position
    data = json.loads((tmp_path / "answer.json").read_text())
    assert (data["rules"]["base"], data["rules"]["stacked"]) == ("round", 13)
    assert "Base: K" in data["deal"]["board"]


def test_pictures_show_the_reserve() -> None:
    position = Deal.from_number(4, GAMES["canfield"]).position
    words, picture = describe(position), draw_board(position, "Canfield")
    assert "Reserve: queen of clubs, 3 of diamonds" in words
    assert "Foundation of spades: king of spades" in words
    assert ">reserve<" in picture and "queen of clubs" in picture


def test_answers_are_read_back(tmp_path: Path) -> None:
    for solution in answers_read_back("klondike_by_threes", 2, tmp_path):
        assert any(step.source == STOCK for step in solution.steps)
        assert any(step.destination == STOCK for step in solution.steps)
    data = json.loads((tmp_path / "answer.json").read_text())
    assert (data["rules"]["draw"], data["rules"]["stock"]) == (3, 24)
    over = sum(step.destination == STOCK for step in solution.steps)
    assert (data["metric"], data["length"]) == ("turns", len(data["moves"]) - over)


def test_a_card_under_one_that_is_face_down_is_not_free() -> None:
    rules = replace(GAMES["klondike"], columns=3, layout="", stock=0)
    text = "Foundations: H-Q S-J D-Q C-Q\n<KH> QS\nKS KD\nKC\n"
    position = parse_board(text, rules)
    assert isinstance(position, Patience) and position.hidden == (1, 0, 0)
    queen = next(
        move for move in position.moves(rules) if move.destination == Place("foundation", 1)
    )
    after = position.apply(queen)
    assert queen.card == parse_card("QS") and after.hidden == (0, 0, 0)
