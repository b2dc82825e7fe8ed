"""Positions of the universal format: the fields that each game has, and their bounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dbmsolver.game.boards import parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.wide import Wide
from dbmsolver.notation.formats import InvalidError
from dbmsolver.notation.formats.universal import tree
from dbmsolver.notation.formats.universal_positions import PositionReader
from dbmsolver.notation.solution import Solution

TWICE = replace(GAMES["klondike"], name="twice", passes=2)
RULES = {**GAMES, "twice": TWICE}


def read(value: Any, rules: Rules) -> Position:
    reader = PositionReader("f", lambda path: (1, len(path)))
    reader.rules = rules
    return reader.position(value, ())


def refused(value: Any, rules: Rules) -> str:
    with pytest.raises(InvalidError) as error:
        read(value, rules)
    return str(error.value).split(": ", 1)[1]


def written(position: Position, rules: Rules) -> Any:
    return tree(Solution(rules, position, (), position))["solution"]["initial_position"]


def dealt(game: str) -> Any:
    return written(Deal.from_number(3, RULES[game]).position, RULES[game])


@pytest.mark.parametrize(
    ("game", "fields"),
    [
        ("freecell", "foundations freecells columns"),
        ("golf", "foundations freecells columns pile stock"),
        ("klondike", "foundations freecells columns stock waste"),
        ("twice", "foundations freecells columns stock waste turns"),
        ("spider", "foundations freecells columns stock"),
        ("forty_thieves", "foundations freecells columns stock waste"),
        ("pyramid", "foundations freecells columns stock waste turns removed"),
        ("relaxed_pyramid", "foundations freecells columns stock waste turns removed"),
    ],
)
def test_fields_that_a_position_must_have(game: str, fields: str) -> None:
    assert sorted(dealt(game)) == sorted(fields.split())
    assert read(dealt(game), RULES[game]) == Deal.from_number(3, RULES[game]).position
    for name in fields.split():
        value = dealt(game)
        del value[name]
        assert refused(value, RULES[game]).startswith(f"no {name}, expected foundations, ")


@pytest.mark.parametrize(
    ("game", "others"),
    [
        ("freecell", "pile stock waste turns reserve removed"),
        ("golf", "waste turns reserve removed"),
        ("klondike", "pile turns removed"),
        ("canfield", "pile turns removed"),
        ("twice", "pile removed"),
        ("spider", "pile waste turns reserve removed base"),
        ("forty_thieves", "pile turns reserve removed base"),
        ("pyramid", "pile reserve base lowest"),
    ],
)
def test_fields_that_only_other_games_have(game: str, others: str) -> None:
    """An empty one, too, is of another game: nothing is passed over."""
    for name in others.split():
        value = dealt(game) | {name: 1 if name in ("turns", "base", "lowest") else []}
        assert refused(value, RULES[game]) == f"{name}: expected none in {game}"


def test_only_cards_of_columns_and_stock_lie_face_down() -> None:
    for game in ("klondike", "forty_thieves"):
        value = dealt(game)
        value["waste"] = [value["stock"].pop()]
        assert value["waste"][0]["is_hidden"]
        assert refused(value, RULES[game]).startswith("waste[0].is_hidden: a hidden card")
        value["waste"][0]["is_hidden"] = False
        found = read(value, RULES[game])
        assert isinstance(found, (Patience, Wide)) and len(found.waste) == 1
    value = dealt("golf")
    value["pile"][0]["is_hidden"] = True
    assert refused(value, GAMES["golf"]).startswith("pile[0].is_hidden: a hidden card")


@pytest.mark.parametrize("game", ["twice", "pyramid"])
def test_the_most_turns_that_are_left(game: str) -> None:
    value, most = dealt(game), RULES[game].passes - 1
    for turns in (0, most):
        found = read(value | {"turns": turns}, RULES[game])
        assert isinstance(found, (Patience, Pairing)) and found.turns == turns
    for turns in (-1, most + 1):
        message = f"turns: {turns}, expected a number from 0 to {most}"
        assert refused(value | {"turns": turns}, RULES[game]) == message


def test_lengths_of_columns_are_their_numbers_of_cards() -> None:
    for length in (6, 8):
        value = dealt("freecell")
        value["columns"][3]["len"] = length
        value["columns"][2]["cards"].append(value["columns"][3]["cards"].pop())
        value["columns"][2]["len"] = 8
        expected = f"columns[3].len: {length}, there are 6 cards"
        if length == 6:
            assert read(value, GAMES["freecell"]).left == 52
        else:
            assert refused(value, GAMES["freecell"]) == expected


def test_foundations_of_a_suit_in_any_order() -> None:
    """The one with most cards is the first one of the position, whatever its number is."""
    rules = GAMES["forty_thieves"]
    board = "Foundations: H-J H-T C-K C-K D-K D-K S-K S-K\nQH\nKH JH\nQH\nKH\n"
    position = parse_board(board, rules)
    value = written(position, rules)
    tops = {item["foundation"]["deck"]: item for item in value["foundations"][:2]}
    assert (tops[0]["rank"], tops[1]["rank"]) == (11, 10)
    tops[0]["rank"], tops[1]["rank"] = 10, 11
    assert read(value, rules) == position
    value["foundations"].reverse()
    assert read(value, rules) == position


def test_a_foundation_is_told_once() -> None:
    value = dealt("freecell")
    value["foundations"][2] = value["foundations"][1]
    expected = "foundations[2]: the foundation of clubs a second time, expected it once"
    assert refused(value, GAMES["freecell"]) == expected
    del value["foundations"][2]
    assert refused(value, GAMES["freecell"]) == "foundations: 3 foundations, expected all 4"


def test_a_pile_may_be_empty() -> None:
    value = dealt("golf")
    value["columns"][0]["cards"].append(value["pile"].pop())
    value["columns"][0]["len"] += 1
    found = read(value, GAMES["golf"])
    assert (found.pile, len(found.columns[0])) == ((), 6)
