"""Boards as JSON: what a slow writer writes is read back; faults have a line."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from dbmsolver.errors import InputError
from dbmsolver.game.bases import ACE
from dbmsolver.game.boards import parse_board
from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.json_boards import is_json_board, parse_json_board
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES

FREECELL, KLONDIKE, CANFIELD = (GAMES[name] for name in ("freecell", "klondike", "canfield"))
PLAYED = ["freecell", "eight_off", "bakers_dozen", "black_hole", "golf", "klondike", "yukon"]


def written(position: Position, rules: Rules) -> dict[str, Any]:
    """Return the board as JSON, by its definition in `docs/games.md`."""

    def names(cards: Any) -> list[str]:
        return [card_name(card) for card in cards]

    board: dict[str, Any] = {"tableau piles": [names(column) for column in position.columns]}
    cells = [card for card in position.freecells if card is not None]
    if cells:
        board["reserve" if rules.reserve else "cells"] = names(cells)
    if position.pile is not None:
        board["hole"] = names(position.pile)
        board["stock"] = names(reversed(position.stock))
        return board
    tops = [position.top_home(index) for index in range(4)]
    board["foundations"] = names(card for card in tops if card is not None)
    if isinstance(position, Patience):
        board["stock"] = names(reversed(position.stock))
        if position.reserve:
            board["reserve"] = names(position.reserve)
        for pile, hidden in zip(board["tableau piles"], position.hidden, strict=True):
            pile[:hidden] = [card.lower() for card in pile[:hidden]]
    return board


def read(board: Any, rules: Rules = FREECELL) -> Position:
    return parse_json_board(json.dumps(board), rules, "f")


@pytest.mark.parametrize("name", PLAYED)
def test_positions_of_games_are_read_back(name: str) -> None:
    """In games of Klondike's kind as long as no card has been turned."""
    rules, random = GAMES[name], Random(name)
    for number in range(1, 4):
        position = Deal.from_number(number, rules).position
        for _ in range(40):
            if isinstance(position, Patience) and position.waste:
                break
            turns = rules.passes - 1 if rules.passes else None
            if not isinstance(position, Patience) or position.turns == turns:
                found = read(written(position, rules), rules)
                cells = tuple(card for card in position.freecells if card is not None)
                empty = (None,) * (rules.freecells - len(cells))
                assert found == replace(position, freecells=(*cells, *empty))
            successors = position.successors(rules, "none")
            if not successors:
                break
            _, position = random.choice(successors)


def test_a_base_and_a_reserve_are_read_back() -> None:
    for number in (1, 2, 3):
        position = Deal.from_number(number, CANFIELD).position
        assert isinstance(position, Patience) and position.base != ACE
        assert read(written(position, CANFIELD), CANFIELD) == position


SMALL = replace(CANFIELD, columns=3, layout="", stock=6, stacked=3)
COLUMNS = [["3C", "2D"], ["AH"], ["2S", "AD"]]
HELD: dict[str, Any] = {"tableau piles": COLUMNS, "reserve": ["3H", "AS"]}
FOUR = [["2S", "AH"], ["2D", "AC"]]


@pytest.mark.parametrize(
    ("rules", "board", "text"),
    [
        (
            FREECELL,
            {
                "tableau piles": [["2S", "2D"], [], ["3C"]],
                "cells": ["2H", "3S", "3H", "3D"],
                "foundations": ["AS", "AD", "AH", "2C"],
            },
            "Foundations: H-J C-Q D-J S-J|Freecells: QH KS KH KD|QS QD|:|KC",
        ),
        (FREECELL, {"foundations": ["AS", "AD", "AH", "AC"]}, "Foundations: H-K C-K D-K S-K"),
        (
            GAMES["eight_off"],
            {"tableau piles": [["KS"]], "cells": ["KD"], "foundations": ["KH", "KC", "QS", "QD"]},
            "Foundations: H-K C-K D-Q S-Q|Freecells: KD|KS",
        ),
        (
            KLONDIKE,
            {"tableau piles": [["2s", "AH"], ["2D", "AC"]], "stock": ["2H", "2C"],
             "foundations": ["AS", "AD"]},
            "Foundations: H-J C-J D-Q S-Q|Stock: KC KH|<KS> QH|KD QC",
        ),
        (
            KLONDIKE,
            {"tableau piles": [["as", "ad", "AH"]], "stock": ["AC"]},
            "Foundations: H-Q C-Q D-Q S-Q|Stock: KC|<KS> <KD> KH",
        ),
        (
            SMALL,
            {**HELD, "foundations": ["2C"], "stock": ["AC", "3D", "3S", "2H"]},
            "Foundations: H-T C-Q D-T S-T|Base: Q J|Reserve: KH JS|Stock: QH KS KD JC"
            "|KC QD|JH|QS JD",
        ),
        (
            SMALL,
            {**HELD, "foundations": ["2C", "2H"], "stock": ["AC", "3D", "3S"]},
            "Foundations: H-Q C-Q D-T S-T|Base: Q J|Reserve: KH JS|Stock: KS KD JC|KC QD|JH|QS JD",
        ),
        (
            GAMES["black_hole"],
            {"tableau piles": [*FOUR, ["2H", "2C"]], "hole": ["AD", "AS"]},
            "Foundations: H-J C-J D-J S-J|Pile: QD QS|KS QH|KD QC|KH KC",
        ),
        (
            GAMES["golf"],
            {"tableau piles": FOUR, "hole": "AS", "stock": ["AD", "2H", "2C"]},
            "Foundations: H-J C-J D-J S-J|Pile: QS|Stock: KC KH QD|KS QH|KD QC",
        ),
    ],
)  # fmt: skip
def test_short_decks_stand_for_the_upper_ranks(
    rules: Rules, board: dict[str, Any], text: str
) -> None:
    assert read(board, rules) == parse_board(text.replace("|", "\n"), rules)


@pytest.mark.parametrize(
    ("rules", "board", "message"),
    [
        (FREECELL, {}, "f: no cards, expected a board"),
        (FREECELL, {"tableau piles": []}, "f: no cards, expected a board"),
        (FREECELL, {"stock": []}, "f: 'stock' has no place in the games played, expected tableau"),
        (FREECELL, {"reserve": []}, "f: 'reserve' has no place in the games played"),
        (GAMES["king_albert"], {"cells": []}, "f: 'cells' has no place in the games played"),
        (FREECELL, {"tableau piles": {}}, "f: tableau piles: {}, expected a list"),
        (FREECELL, {"tableau piles": [5]}, "f: cards: 5, expected a list"),
        (FREECELL, {"cells": "AS"}, 'f: cards: "AS", expected a list'),
        (FREECELL, {"cells": [1]}, "f: 1, expected a card"),
        (FREECELL, {"cells": ["x"]}, "f: unknown card 'x'"),
        (FREECELL, {"cells": ["AS", "AS"]}, "f: KS twice"),
        (FREECELL, {"cells": ["AS", "2S", "3S", "4S", "5S"]}, "f: 5 cards in cells, expected at m"),
        (FREECELL, {"tableau piles": [["AS"]] * 9}, "f: 9 tableau piles, expected at most 8"),
        (FREECELL, {"cells": ["AS"]}, "f: missing cards"),
        (KLONDIKE, {"reserve": []}, "f: 'reserve' has no place in klondike, expected tableau piles,"
         " foundations, stock and waste"),
        (KLONDIKE, {"tableau piles": 1}, "f: tableau piles: 1, expected a list"),
        (KLONDIKE, {"tableau piles": [1]}, "f: a pile: 1, expected a list"),
        (KLONDIKE, {"tableau piles": [["as", "AH", "ad"]]}, "f: a card face down on a card face u"),
        (KLONDIKE, {"tableau piles": [["AS"]] * 8}, "f: 8 tableau piles, expected at most 7"),
        (KLONDIKE, {"stock": ["AS", "AS"]}, "f: KS twice"),
        (SMALL, {**HELD, "foundations": ["2C", "3D"]}, "f: foundations: expected cards of one"),
        (SMALL, HELD, "f: foundations: expected cards of one rank"),
        (GAMES["golf"], {"cells": []}, "f: 'cells' has no place in golf, expected tableau piles, "
         "hole and stock"),
        (GAMES["golf"], {"tableau piles": [["AS"]] * 8}, "f: 8 tableau piles, expected at most 7"),
        (GAMES["golf"], {"tableau piles": None}, "f: tableau piles: null, expected a list"),
        (GAMES["golf"], {"hole": ["AS", "AS"]}, "f: KS twice"),
        (GAMES["black_hole"], {"hole": "AS", "stock": ["AH"]}, "f: a stock, expected none"),
    ],
)  # fmt: skip
def test_boards_that_are_none(rules: Rules, board: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(board, rules)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":}', "f, line 1, column 6: not JSON"),
        ('\ufeff{\n"a":}', "f, line 2, column 5: not JSON"),
        ('{"a":' * 100_000, "f: not JSON"),
        ('{"a":' + "9" * 5000 + "}", "f: not JSON"),
    ],
)
def test_what_is_no_json(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_json_board(text, FREECELL, "f")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_what_looks_like_json() -> None:
    assert is_json_board("{") and is_json_board("\ufeff \t\r\n{}")
    assert not is_json_board("") and not is_json_board("AS {")
