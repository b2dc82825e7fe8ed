"""New deals: by number, from a text, or at random, if wanted winnable or of some difficulty."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from dbmsolver.errors import DbmError, InputError, UndecidedError, UsageError, quoted
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import grouped
from dbmsolver.notation.solution import Solution
from dbmsolver.play.analyst import Analyst
from dbmsolver.play.codes import codes_of
from dbmsolver.play.table import check_played, rules_of
from dbmsolver.results import Verdict

KINDS = ("any", "winnable", "easy", "medium", "hard")
LAST = 2**31 - 1
"""The largest number of a random deal: Microsoft's deals have numbers up to it."""

_BATCH = 24
"""Deals that are searched together, to choose one of them."""
_MOST = 96
"""The most deals that are searched, if few of them can be won."""
_SECONDS = 0.5
"""Seconds for each deal; those that take longer are left out."""
_THIRDS = {"easy": 0, "medium": 1, "hard": 2}


def read_text(text: str, rules: Rules) -> tuple[Deal, str]:
    """Return the deal of a board, a number or a solution, and the moves of the solution.

    Boards and solutions are read in every format that commands read. InputError for another text,
    UsageError for a solution of a game that the page does not play.
    """
    if text.strip().lstrip("-").isdigit() and len(text.strip()) < 20:
        return Deal.from_number(int(text), rules), ""
    try:
        return Deal.from_text(text, rules, "the board"), ""
    except InputError as error:
        of_board = error
    try:
        solution = _solution(text, rules)
    except DbmError as error:
        # Neither can be read: report the error of what the text looks like.
        if formats.detect(formats.Source(text)) in ("sfn", "short"):
            raise of_board from None
        raise InputError(str(error)) from None
    check_played(solution.rules)
    return solution.deal, codes_of(grouped(solution).steps)


def _solution(text: str, rules: Rules) -> Solution:
    """Return the solution in a text; it has these rules unless the text names others."""
    try:
        return formats.read(formats.Source(text, "the text"))
    except DbmError:
        return formats.read(formats.Source(text, "the text"), None, formats.Given(game=rules))


async def new_deal(request: Mapping[str, Any], analyst: Analyst) -> tuple[Deal, str]:
    """Return the deal that a page requests, and the moves of a solution if it sends one.

    UsageError for a game that the page does not play.
    """
    rules = rules_of(request.get("game", "freecell"))
    check_played(rules)
    if (text := request.get("text")) is not None:
        if not isinstance(text, str):
            raise UsageError("no text, expected a board, a solution or a number")
        return read_text(text, rules)
    kind = request.get("kind", "any")
    if kind not in KINDS:
        raise UsageError(f"{quoted(str(kind))} deals, expected one of {', '.join(KINDS)}")
    numbers = random.sample(range(1, LAST + 1), _MOST)
    if kind == "any":
        return Deal.from_number(numbers[0], rules), ""
    deals = [Deal.from_number(number, rules) for number in numbers]
    won: list[tuple[int, int]] = []
    some = 6 if kind == "winnable" else _BATCH
    for first in range(0, _MOST, some):
        answers = await analyst.decide(rules, deals[first : first + some], _SECONDS)
        won += [
            (answer["work"], first + answer["index"])
            for answer in answers
            if answer["verdict"] == Verdict.SOLVED
        ]
        if kind == "winnable" and won:
            return deals[won[0][1]], ""
        if kind != "winnable" and len(won) >= len(_THIRDS):
            break
    if len(won) < len(_THIRDS):
        text = f"{len(won)} of {_MOST} deals can be won for certain"
        raise UndecidedError(f"{text}, expected {len(_THIRDS)} to choose from; ask again")
    won.sort()
    third = _THIRDS[kind] * len(won) // 3, (_THIRDS[kind] + 1) * len(won) // 3
    return deals[random.choice(won[third[0] : third[1]])[1]], ""
