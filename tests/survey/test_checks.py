"""Rows as they are read: each column has its type and its range, and columns fit each other."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from helpers.rows import row

from dbmsolver.errors import StoreError
from dbmsolver.survey.checks import checked_row
from dbmsolver.survey.ranges import MOST
from dbmsolver.survey.rows import column_types

VALUES = asdict(row(1))
KINDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
NAMES = column_types()


def refused(message: str, **values: Any) -> None:
    """Check that a row with these values is refused, and for what."""
    with pytest.raises(StoreError) as caught:
        checked_row({**VALUES, **values}, "line 7")
    assert str(caught.value) == f"line 7: {message}"


def test_a_row_has_its_columns_and_no_other() -> None:
    other = "not the columns of a survey, expected another file"
    refused(other, more=None)
    others: list[Any] = [[], None, {name: VALUES[name] for name in VALUES if name != "limit"}]
    for values in others:
        with pytest.raises(StoreError, match=f"line 7: {other}"):
            checked_row(values, "line 7")
    assert checked_row(dict(VALUES), "line 7") == row(1)


@pytest.mark.parametrize("name", NAMES)
def test_each_column_has_one_type(name: str) -> None:
    """None stands only in those that may be empty; true and false are no numbers."""
    kind, optional = NAMES[name]
    wrong = (1, True, "text", 1.5) if kind is not float else (True, "text")
    for value in wrong:
        if type(value) is not kind:
            refused(f"{name} is {str(value)!r}, expected {KINDS[kind]}", **{name: value})
    if not optional:
        refused(f"{name} is 'None', expected {KINDS[kind]}", **{name: None})
    elif VALUES[name] is None:
        assert getattr(checked_row({**VALUES, name: None}, "line 7"), name) is None


@pytest.mark.parametrize("name", [name for name, (kind, _) in NAMES.items() if kind is float])
def test_whole_numbers_of_seconds(name: str) -> None:
    for value in (0, 3, MOST):
        found = getattr(checked_row({**VALUES, name: value}, "line 7"), name)
        assert (found, type(found)) == (float(value), float)
    refused(f"{name} is '{MOST + 1}', expected a number", **{name: MOST + 1})
    for wrong in (-1, -0.5, float("inf"), float("nan")):
        text = "a number that is not below 0"
        refused(f"{name} is '{float(wrong)}', expected {text}", **{name: wrong})


@pytest.mark.parametrize("name", [name for name, (kind, _) in NAMES.items() if kind is int])
def test_the_range_of_whole_numbers(name: str) -> None:
    least = -2 if name == "number" else 0
    for value in (least - 1, MOST + 1):
        refused(f"{name} is '{value}', expected {least} to {MOST}", **{name: value})


def test_texts_are_of_unicode() -> None:
    board = {"number": None, "deal": "one", "board": "K\N{BLACK SPADE SUIT}"}
    assert checked_row({**VALUES, **board}, "line 7").board == board["board"]
    refused(r"deal is '\ud800', expected a text of Unicode", **{**board, "deal": "\ud800"})


def test_answers_that_cannot_be() -> None:
    for verdict in ("solved", "unsolvable", "undecided", "unreadable"):
        assert checked_row({**VALUES, "verdict": verdict}, "line 7").verdict == verdict
        if verdict != "solved":
            text = f"a length with the verdict {verdict}, expected none"
            for length in (0, 80):
                refused(text, verdict=verdict, length=length)
    assert checked_row({**VALUES, "verdict": "solved", "length": 0}, "line 7").length == 0
    words = "expected one of solved, unsolvable, undecided, unreadable"
    refused(f"unknown verdict 'won', {words}", verdict="won")
    words = (
        "verdict, shortest, shortest-runs, shortest-turns, shortest-plays, shortest-moves-horne, "
        "shortest-moves-wkr, shortest-moves-max, shortest-moves-none, fewest-freecells"
    )
    refused(f"unknown question 'why', expected one of {words}", question="why")


def test_deals_that_cannot_be() -> None:
    """A row has a number, with its name, or a board."""
    for number in (-2, -1, 0, MOST):
        values = {**VALUES, "number": number, "deal": str(number)}
        assert checked_row(values, "line 7").number == number
    one = "expected a number or a board, one of them"
    refused(one, number=None)
    refused(one, board="KS")
    for deal in ("2", "1 ", "mine 1", "solvitaire 2", "microsoft 1"):
        refused(f"deal {deal!r} is none with the number 1", deal=deal)


def test_rules_that_cannot_be() -> None:
    refused("no rules (0 columns: expected 1 to 18)", columns=0)
    wrong = "invalid literal for int() with base 10: 'x'"
    refused(f"no rules (layout 'cells x': 'cells x' ({wrong}))", layout="cells x")
