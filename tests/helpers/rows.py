"""Rows of surveys that nobody made."""

from __future__ import annotations

from typing import Any

from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Limits
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.row_progress import RowFactory
from dbmsolver.survey.rows import Inquiry, Row

NOTHING: dict[str, Any] = {
    "verdict": "undecided",
    "limit": None,
    "length": None,
    "shortest": None,
    "fewest": None,
    "at_least": None,
    "at_most": None,
    "asked": None,
    "states": 0,
    "evaluated": 0,
    "seconds": 0.0,
    "peak_memory": 0,
    "digest": None,
    "method": None,
}


def row(
    number: int,
    question: Inquiry = Inquiry.VERDICT,
    rules: Rules = GAMES["freecell"],
    limits: Limits = Limits(),
    **known: Any,
) -> Row:
    """Return a row about a deal, of which some facts are known."""
    return RowFactory(question, limits).row(Subject(number, None, rules), **{**NOTHING, **known})
