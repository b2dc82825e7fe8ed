"""Checks of the rows of a table when they are read."""

from __future__ import annotations

import sys
from math import isfinite
from typing import Any

from dbmsolver.errors import StoreError, UsageError, quoted
from dbmsolver.game.numbers import NUMBERS
from dbmsolver.results import Verdict
from dbmsolver.survey.ranges import MOST
from dbmsolver.survey.rows import COLUMNS, UNREADABLE, Inquiry, Row, column_types, number_name

DIFFERENT = {"deal", "board", "digest", "asked"}
"""The columns of text that have another value in each row."""

_LEAST = {"number": -2}
"""The least number of a column, where it is not 0."""
_NAMES = set(COLUMNS)
_KINDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
_QUESTIONS = set(map(str, Inquiry))
_VERDICTS = {*map(str, Verdict), UNREADABLE}


def checked_row(values: Any, where: str) -> Row:
    """Return a row of these values; StoreError if it is none."""
    if not isinstance(values, dict) or values.keys() != _NAMES:
        raise StoreError("not the columns of a survey, expected another file", where)
    for name, (kind, optional) in column_types().items():
        value = values[name]
        if value is None and optional:
            continue
        if kind is float and type(value) is int and abs(value) <= MOST:
            value = values[name] = float(value)
        if type(value) is not kind:
            said = f"{name} is {quoted(str(value))}"
            raise StoreError(f"{said}, expected {_KINDS[kind]}", where)
        if not can_be(name, value):
            raise StoreError(f"{name} is {quoted(str(value))}, expected {_range_of(name)}", where)
        if kind is str and name not in DIFFERENT:
            values[name] = sys.intern(str(value))  # a million rows have it in common
    row = Row(**values)
    check_values(row, where)
    return row


def can_be(name: str, value: Any) -> bool:
    """Return True if a column of a table can hold a value, which is of the column's type.

    Numbers have a range, and texts are of Unicode.
    """
    if type(value) is str:
        return value.isascii() or value == value.encode("utf-8", "replace").decode("utf-8")
    if type(value) is float:
        return value >= 0 and isfinite(value)
    return bool(_LEAST.get(name, 0) <= value <= MOST)


def _range_of(name: str) -> str:
    kind = column_types()[name][0]
    if kind is str:
        return "a text of Unicode"
    return f"{_LEAST.get(name, 0)} to {MOST}" if kind is int else "a number that is not below 0"


def check_values(row: Row, where: str) -> None:
    """Raise StoreError for a row whose values, each of the right type, cannot be."""
    if row.question not in _QUESTIONS:
        expected = f"expected one of {', '.join(Inquiry)}"
        raise StoreError(f"unknown question {quoted(row.question)}, {expected}", where)
    if row.verdict not in _VERDICTS:
        expected = f"expected one of {', '.join((*Verdict, UNREADABLE))}"
        raise StoreError(f"unknown verdict {quoted(row.verdict)}, {expected}", where)
    if row.length is not None and row.verdict != Verdict.SOLVED:
        raise StoreError(f"a length with the verdict {row.verdict}, expected none", where)
    if (row.number is None) == (row.board is None):
        raise StoreError("expected a number or a board, one of them", where)
    if row.number is not None and (
        row.whose not in NUMBERS or row.deal != number_name(row.number, row.whose)
    ):
        raise StoreError(f"deal {quoted(row.deal)} is none with the number {row.number}", where)
    try:
        rules = row.rules
    except (UsageError, TypeError, ValueError) as error:
        raise StoreError(f"no rules ({error})", where) from None
    assert rules is not None
