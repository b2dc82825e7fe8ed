"""Solutions: read, written, taken from a result; and pictures of positions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dbmsolver.arguments import checked_choice, checked_flag, checked_instance, checked_text
from dbmsolver.errors import UsageError
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.kinds import Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.results import Result

if TYPE_CHECKING:
    from dbmsolver.notation.formats import Given
    from dbmsolver.notation.solution import Solution


def read_solution(
    source: Path | str, from_format: str | None = None, given: Given | None = None
) -> Solution:
    """Read a solution that this or another program wrote.

    The source is a Path, or text. The format is found by the content and the ending of the name,
    unless it is given: universal-json, universal-xml, sfn, moves, short, html, or what `solve`
    prints (text, json). What the text leaves open, such as the deal, is given as
    `Given(deal=Deal.from_number(3))`.

    Raises InputError for what cannot be read or played; `Solution.check()` also says whether it
    wins.
    """
    checked_instance("source", source, str | Path)
    if from_format is not None:
        checked_text("from_format", from_format)
    from dbmsolver.notation import formats

    if given is not None:
        checked_instance("given", given, formats.Given)
    text = source if isinstance(source, Path) else formats.Source(source)
    return formats.read(text, from_format, given)


def write_solution(
    solution: Solution, to_format: str, *, policy: Policy = "horne", runs: bool = False
) -> str:
    """Return a solution as text of a format.

    The formats are universal-json, universal-xml, sfn, moves, short and html. `policy` says which
    safe moves home are left out (sfn). With `runs`, runs of cards are one move each
    (universal-json, universal-xml, moves, html). Raises UsageError where that cannot be.
    """
    from dbmsolver.notation import formats
    from dbmsolver.notation.solution import Solution

    checked_instance("solution", solution, Solution)
    checked_text("to_format", to_format)
    checked_choice("policy", policy, AUTOMOVES)
    checked_flag("runs", runs)
    return formats.write(solution, to_format, policy, runs)


def solution_of(result: Result) -> Solution:
    """Return the solution that a search found; UsageError if it found none."""
    checked_instance("result", result, Result)
    from dbmsolver.notation.solution import Solution

    if result.length is None:
        raise UsageError(f"the result is {result.verdict} and has no moves, expected a solution")
    return Solution.from_moves(result.deal, result.moves, result.policy)


def draw_board(position: Position, title: str, rules: Rules | None = None) -> str:
    """Return a picture of a position with a title, as SVG.

    With `rules` the position is checked to be one of them, and places are called as they are there.
    """
    checked_instance("position", position, Position)
    checked_text("title", title)
    if rules is not None:
        position.validate(checked_instance("rules", rules, Rules))
    from dbmsolver.notation.pictures import board

    return board.draw_board(position, title, rules)
