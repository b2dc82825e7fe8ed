"""Boards as JSON: what a slow writer writes is read back; faults have a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from helpers.wide_games import small_deck

from dbmsolver.cli.json_data import deal_data, dump_json, rules_data
from dbmsolver.errors import InputError
from dbmsolver.game.bases import ACE
from dbmsolver.game.boards import format_board, parse_board
from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.json_boards import is_json_board, parse_json_board
from dbmsolver.game.pairing import Pairing, rows_of
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.game.wide import Wide

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
            GAMES["king_albert"],
            {"tableau piles": [["2S", "2D"]], "reserve": ["2H", "2C"],
             "foundations": ["AS", "AD", "AH", "AC"]},
            "Foundations: H-Q C-Q D-Q S-Q|Freecells: KH KC|KS KD",
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
        (
            GAMES["golf"],
            {"tableau piles": [["AH", "AS"]], "hole": "AD",
             "stock": ["AC", "2H", "2S", "2D", "2C"]},
            "Foundations: H-J C-J D-J S-J|Pile: QD|Stock: KC KD KS KH QC|QH QS",
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
        (FREECELL, {"stock": []}, "f: 'stock' has no place in freecell, expected tableau piles, "),
        (FREECELL, {"reserve": []}, "f: 'reserve' has no place in freecell, expected"),
        (GAMES["king_albert"], {"cells": []}, "f: 'cells' has no place in king_albert, expected"),
        (FREECELL, {"tableau piles": {}}, "f: tableau piles: {}, expected a list"),
        (FREECELL, {"tableau piles": [5]}, "f: a pile: 5, expected a list"),
        (FREECELL, {"cells": "AS"}, 'f: cells: "AS", expected a list'),
        (FREECELL, {"cells": None}, "f: cells: null, expected a list"),
        (FREECELL, {"cells": [1]}, "f: 1, expected a card"),
        (FREECELL, {"cells": ["x"]}, "f: unknown card 'x'"),
        (FREECELL, {"cells": ["AS", "AS"]}, "f: AS twice"),
        (GAMES["king_albert"], {"reserve": ["AS", "2S", "AS"]}, "f: AS twice"),
        (FREECELL, {"cells": ["AS", "2S", "3S", "4S", "5S"]}, "f: 5 cards in cells, expected at m"),
        (FREECELL, {"tableau piles": [["AS"]] * 9}, "f: 9 tableau piles, expected at most 8"),
        (FREECELL, {"cells": ["AS"]}, "f: missing cards"),
        (KLONDIKE, {"reserve": []}, "f: 'reserve' has no place in klondike, expected tableau piles,"
         " foundations, stock and waste"),
        (KLONDIKE, {"tableau piles": 1}, "f: tableau piles: 1, expected a list"),
        (KLONDIKE, {"tableau piles": [1]}, "f: a pile: 1, expected a list"),
        (KLONDIKE, {"tableau piles": [["as", "AH", "ad"]]}, "f: a card face down on a card face u"),
        (KLONDIKE, {"tableau piles": [["AS"]] * 8}, "f: 8 tableau piles, expected at most 7"),
        (KLONDIKE, {"stock": ["AS", "AS"]}, "f: AS twice"),
        (SMALL, {**HELD, "foundations": ["2C", "3D"]}, "f: foundations: expected cards of one"),
        (SMALL, HELD, "f: foundations: expected cards of one rank"),
        (GAMES["golf"], {"cells": []}, "f: 'cells' has no place in golf, expected tableau piles, "
         "hole and stock"),
        (GAMES["golf"], {"tableau piles": [["AS"]] * 8}, "f: 8 tableau piles, expected at most 7"),
        (GAMES["golf"], {"tableau piles": None}, "f: tableau piles: null, expected a list"),
        (GAMES["golf"], {"hole": ["AS", "AS"]}, "f: AS twice"),
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
        ('{"stock": [], "stock": ["KH"]}', "f: 'stock' twice in one object, expected it once"),
        ('{"a":' + "9" * 5000 + "}", "f: not JSON"),
    ],
)
def test_what_is_no_json(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_json_board(text, FREECELL, "f")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


# Wastes, several packs, pyramids


def test_cards_of_the_waste_are_cards_of_the_deck() -> None:
    board = {"tableau piles": [["AH"]], "stock": ["AC"], "waste": ["2H", "2S", "2D", "2C"],
             "foundations": ["AS", "AD"]}  # fmt: skip
    text = "Foundations: H-J C-J D-Q S-Q\nWaste: KH KS KD KC\nStock: QC\nQH\n"
    assert read(board, KLONDIKE) == parse_board(text, KLONDIKE)
    for passes in (1, 3):
        found = read(board, replace(KLONDIKE, passes=passes))
        assert isinstance(found, Patience) and found.turns == passes - 1


def test_small_letters_are_face_up_where_no_card_lies_face_down() -> None:
    position = Deal.from_number(1, CANFIELD).position
    board = written(position, CANFIELD)
    board["tableau piles"] = [[name.lower() for name in pile] for pile in board["tableau piles"]]
    assert read(board, CANFIELD) == position


def test_boards_of_several_packs_are_read_back() -> None:
    """Decks of any packs and ranks; the highest rank of the board stands for the king."""
    random = Random(5)
    for _ in range(20):
        deal = small_deck(random)
        position = deal.position
        for _ in range(6):
            if moves := position.moves(deal.rules):
                position = position.apply(random.choice(moves))
        assert isinstance(position, Wide)
        below = position.lowest - 1

        def names(cards: Iterable[int], below: int = below) -> list[str]:
            return [card_name(card - 4 * below) for card in cards]

        piles = [names(column) for column in position.columns]
        for pile, hidden in zip(piles, position.hidden, strict=True):
            pile[:hidden] = [name.lower() for name in pile[:hidden]]
        tops = [top for index in range(4) for top in position.tops_home(index) if top is not None]
        board = {
            "tableau piles": piles,
            "foundations": names(top for top in tops if top >= 4 * below),
            "stock": names(reversed(position.stock)),
        }
        if deal.rules.draw:
            board["waste"] = names(position.waste)
        held = [*position.stock, *position.waste, *tops, *(c for p in position.columns for c in p)]
        if max(held, default=0) >= 48:
            assert read(board, deal.rules) == position


@pytest.mark.parametrize("game", ["pyramid", "relaxed_pyramid"])
def test_pyramids_are_read_back(game: str) -> None:
    rules, random = GAMES[game], Random(game)
    position = Deal.from_number(24, rules).position
    for _ in range(12):
        assert isinstance(position, Pairing)
        rows = [[None if card is None else card_name(card) for card in row]
                for row in rows_of(position.columns)]  # fmt: skip
        board = {
            "pyramid": rows,
            "stock": [card_name(card) for card in reversed(position.stock)],
            "waste": [card_name(card) for card in position.waste],
            "removed": [card_name(card) for card in position.removed],
        }
        if position.turns == rules.passes - 1:
            assert read(board, rules) == position
        position = position.apply(random.choice(position.moves(rules)))


def test_pyramids_that_are_none() -> None:
    rules = GAMES["pyramid"]
    rows = [[f"A{suit}"] * number for number, suit in enumerate("HSDCHSDC", start=1)]
    expected = "f: expected at most 7 rows of 1, 2, 3 ... cards in pyramid"
    for wrong in (rows, [["AH", "AS"]], [["AH"], ["AS"]], [[]]):
        with pytest.raises(InputError) as caught:
            read({"pyramid": wrong}, rules)
        assert str(caught.value) == expected
    with pytest.raises(InputError, match="expected pyramid, stock, waste and removed"):
        read({"tableau piles": []}, rules)


def test_answers_of_the_program_are_told_by_their_kind() -> None:
    deal = Deal.from_number(3)
    lines = format_board(deal.position).splitlines()
    assert read({"kind": "solution", "board": lines}) == deal.position
    assert read({"kind": "solution", "deal": {"board": lines}}) == deal.position
    for board in (
        {"kind": 5, "board": lines},
        {"kind": "solution", "board": [*lines[:-1], 5]},
        {"kind": "solution", "deal": lines},
        {"kind": "solution"},
    ):
        with pytest.raises(InputError, match=r"^f: 'kind' has no place in freecell"):
            read(board)


def test_ranks_in_numbers() -> None:
    named = {"foundations": ["JS", "QD", "KH", "TC"], "cells": ["QS", "KS", "KD"],
             "tableau piles": [["JC"], ["QC"], ["KC"]]}  # fmt: skip
    numbered = {"foundations": ["11S", "12D", "13H", "10C"], "cells": ["12S", "13S", "13D"],
                "tableau piles": [["11C"], ["12C"], ["13C"]]}  # fmt: skip
    assert read(numbered) == read(named)
    low = {"foundations": ["1S", "1D", "1H", "1C"], "cells": ["2S", "2D"],
           "tableau piles": [["2H"], ["2C"]]}  # fmt: skip
    assert read(low).foundations == (12, 12, 12, 12)


def test_what_looks_like_json() -> None:
    assert is_json_board("{") and is_json_board("\ufeff \t\r\n{}")
    assert not is_json_board("") and not is_json_board("AS {")


def test_lines_of_a_board_are_told_as_its_own() -> None:
    """The number of a line in the list is none of the file."""
    lines = format_board(Deal.from_number(3).position).splitlines()
    first = lines[0].split()[0]
    lines[3] = f"{first} {lines[3].partition(' ')[2]}"
    expected = rf"^f, the board, line 4, column 1: {first} is already at line 1, column 1"
    with pytest.raises(InputError, match=expected):
        parse_json_board(json.dumps({"kind": "solution", "board": lines}), FREECELL, "f")


@pytest.mark.parametrize(
    ("said", "asked", "words"),
    [
        ({"freecells": 3}, {}, "'3' for freecells, the rules asked for say '4'"),
        ({}, {"freecells": 3}, "'4' for freecells, the rules asked for say '3'"),
        ({"build": "suit"}, {}, "'suit' for build, the rules asked for say 'alternate'"),
        ({"fill": "kings"}, {}, "'kings' for fill, the rules asked for say 'any'"),
        ({"moves": "runs"}, {}, "'runs' for moves, the rules asked for say 'single'"),
        ({"game": "klondike"}, {"game": "klondike_by_threes"}, "'klondike' for game, the rules"),
    ],
)
def test_an_answer_about_other_rules_is_refused(
    said: dict[str, Any], asked: dict[str, Any], words: str
) -> None:
    deal = Deal.from_number(3, rules_for(**({"game": "freecell"} | said)))
    text = dump_json({"kind": "dealt", "deal": deal_data(deal), "rules": rules_data(deal.rules)})
    assert Deal.from_text(text, deal.rules).position == deal.position
    renamed = replace(deal.rules, name="mine")
    assert Deal.from_text(text, renamed).position == deal.position
    with pytest.raises(InputError, match=f"^<board>: the text says {words}"):
        Deal.from_text(text, rules_for(**({"game": "freecell"} | asked)))


@pytest.mark.parametrize("rules", [None, 3, {}, {"game": "klondike"}, {"freecells": 4}])
def test_rules_that_no_answer_has_are_not_looked_at(rules: object) -> None:
    data = {"kind": "x", "deal": deal_data(Deal.from_number(3)), "rules": rules}
    assert Deal.from_text(json.dumps(data)).position == Deal.from_number(3).position
