"""Boards of every kind of game: what lines leave out, and what is written of little."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dbmsolver.errors import InputError
from dbmsolver.game.bases import Base
from dbmsolver.game.boards import format_board, parse_board
from dbmsolver.game.cards import CARDS, card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.patience import Patience
from dbmsolver.game.shipped import GAMES


def test_a_game_of_several_packs_that_is_won() -> None:
    rules = GAMES["forty_thieves"]
    text = "Foundations: H-K H-K C-K C-K D-K D-K S-K S-K\n"
    assert parse_board(text, rules).is_goal()
    for empty in ("", ":\n", "Foundations: -\n"):
        with pytest.raises(InputError, match="no cards, expected a board of 104"):
            parse_board(empty, rules)


def test_turns_that_a_board_leaves_out() -> None:
    """They are as many as at the beginning, and none where nothing is left to turn."""
    rules = replace(GAMES["klondike"], passes=3)
    text = format_board(Deal.from_number(3, rules).position)
    assert "Turns: 2\n" in text
    found = parse_board(text.replace("Turns: 2\n", ""), rules)
    assert isinstance(found, Patience) and found.turns == 2
    rules = GAMES["pyramid"]
    position = Deal.from_number(3, rules).position
    assert isinstance(position, Pairing)
    text = format_board(position)
    found = parse_board(text.replace("Turns: 2\n", ""), rules)
    assert isinstance(found, Pairing) and found.turns == 2
    bare = replace(position, stock=(), waste=())
    assert "Turns: 2\n" in format_board(bare)
    assert "Turns" not in format_board(replace(bare, turns=0))
    others = " ".join(card_name(card) for card in range(CARDS) if card_name(card) != "KH")
    found = parse_board(f"Removed: {others}\nKH\n", rules)
    assert isinstance(found, Pairing) and found.turns == 0
    assert "Turns" not in format_board(found)


def test_turns_that_a_board_has() -> None:
    rules = replace(GAMES["klondike"], passes=16)
    text = format_board(Deal.from_number(3, rules).position)
    for turns in (0, 1, 10, 15):
        found = parse_board(text.replace("Turns: 15", f"Turns: {turns}"), rules)
        assert isinstance(found, Patience) and found.turns == turns
    for wrong in ("Turns:", "Turns: 100", "Turns: 1 2", "Turns: x"):
        with pytest.raises(InputError, match="expected one line with one number, as in Turns: 1"):
            parse_board(text.replace("Turns: 15", wrong), rules)
    with pytest.raises(InputError, match="turns, expected none in klondike"):
        parse_board(text, GAMES["klondike"])
    position = Deal.from_number(3, GAMES["pyramid"]).position
    assert isinstance(position, Pairing)
    assert "Turns: 0" in format_board(replace(position, turns=0))


def test_a_game_that_is_won_has_no_columns() -> None:
    assert parse_board("Foundations: H-K C-K D-K S-K\n", GAMES["freecell"]).is_goal()


def test_more_foundations_than_the_deck_has() -> None:
    with pytest.raises(InputError, match=r"^<board>: 3 foundations of hearts, expected"):
        parse_board("Foundations: H-K H-K H-K\n", GAMES["forty_thieves"])


def test_a_talon_whose_second_arrow_is_not_there() -> None:
    with pytest.raises(InputError, match="unknown card '==>'"):
        parse_board("Talon: 5H ==> 3D 4D\n", GAMES["klondike"])


def test_bases_and_piles_as_they_are_written() -> None:
    position = Deal.from_number(3, GAMES["canfield"]).position
    assert isinstance(position, Patience)
    for base, line in (
        (Base(5, 1), "Base: 5"),
        (Base(5, 2), "Base: 5 2"),
        (Base(11, 9), "Base: J 9"),
    ):
        assert line in format_board(replace(position, base=base)).splitlines()
    golf = Deal.from_number(3, GAMES["golf"]).position
    assert "Pile: -" in format_board(replace(golf, pile=())).splitlines()


def test_one_colon_says_that_lines_are_columns() -> None:
    """Lines that look like the rows of a deal are its columns, if any begins with a colon."""
    columns = Deal.from_number(3).position.columns
    names = [line.split() for line in format_board(Deal.from_number(3).position).splitlines()]
    rows = [" ".join(column[n] for column in names if n < len(column)) for n in range(7)]
    with pytest.raises(InputError, match="the lines have the shape of rows"):
        parse_board("\n".join(rows), GAMES["freecell"])
    for place in (0, 3, 6):
        lines = [": " * (n == place) + row for n, row in enumerate(rows)]
        found = parse_board("\n".join(lines), GAMES["freecell"]).columns
        assert list(map(len, found)) == [8] * 6 + [4, 0]
        assert found[0] == tuple(column[0] for column in columns)


def test_words_that_are_no_foundations() -> None:
    for word, kind in (
        ("X-H", "unknown"),
        ("H-S", "impossible"),
        ("14-H", "unknown"),
        ("H", "unkn"),
    ):
        with pytest.raises(InputError, match=f"^<board>, line 1, column 14: {kind}"):
            parse_board(f"Foundations: {word}\n", GAMES["freecell"])


@pytest.mark.parametrize("character", "\0\b\x0e\x1a\x1b\x7f\x80\x9f")
def test_control_characters_are_named(character: str) -> None:
    board = format_board(Deal.from_number(1).position)
    fault = f"the character U+{ord(character):04X} is a control character, expected cards"
    for text, line, column in (
        (board + character, 9, 1),
        (board + "  " + character + "\n", 9, 3),
        (board[:3] + character + board[3:], 1, 4),
    ):
        place = re.escape(f"<board>, line {line}, column {column}: {fault}")
        with pytest.raises(InputError, match=f"^{place}$"):
            parse_board(text, GAMES["freecell"])
    said = board.replace("\n", f" # {character}\n", 1)
    assert parse_board(said, GAMES["freecell"]) == Deal.from_number(1).position


@pytest.mark.parametrize("end", "\v\f\x1c\x1d\x1e\x85\u2028\u2029")
def test_characters_that_end_lines_elsewhere_are_refused_between_cards(end: str) -> None:
    """With such ends all cards would be in one column."""
    board = format_board(Deal.from_number(1).position)
    rules = GAMES["freecell"]
    place = re.escape(f"<board>, line 1, column 21: the character U+{ord(end):04X} ends no line")
    with pytest.raises(InputError, match=f"^{place}"):
        parse_board(board.replace("\n", end), rules)
    page = end + board + end  # a page of its own
    assert parse_board(page, rules) == parse_board(board, rules)
