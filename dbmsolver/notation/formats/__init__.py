"""Solutions as text: one module per format, with `write(solution)` and `read(source, deal)`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from dbmsolver.errors import UsageError, WrongValueError, quoted
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.explicit import grouped
from dbmsolver.notation.format_names import FORMATS, READABLE, WITH_RUNS, format_of_name
from dbmsolver.notation.formats import (
    answers,
    html,
    klondike_moves,
    moves,
    several,
    sfn,
    short,
    universal_json,
    universal_xml,
)
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.listed import format_of_list
from dbmsolver.notation.formats.sfn_text import MAX_COLUMNS, MAX_FREECELLS
from dbmsolver.notation.formats.source import MAX_BYTES, InvalidError, Source
from dbmsolver.notation.solution import Solution

__all__ = [
    "FORMATS",
    "READABLE",
    "Given",
    "InvalidError",
    "Source",
    "detect",
    "format_of_name",
    "read",
    "write",
]


class Module(Protocol):
    """The functions of a format's module."""

    def write(self, solution: Solution) -> str:
        """Return the solution as text."""

    def read(self, source: Source, given: Given) -> Solution:
        """Return the solution in a text."""


_MODULES: dict[str, Module] = {
    "universal-json": universal_json,
    "universal-xml": universal_xml,
    "moves": moves,
    "short": short,
    "html": html,
}
_MOVE_LINE = re.compile(
    r"(?:^|\r)[ \t]*Move[ \t]+(?:(?:a[ \t]+card|[0-9]+[ \t]+cards)[ \t]+from|the[ \t]+sequence)"
    r"[ \t]",
    re.MULTILINE | re.IGNORECASE,
)
_LOG_LINE = re.compile(r"^(?:>>>Queue Stats|instance_run_)", re.MULTILINE)
"""A line of the log of a Freecell Solver with a database."""
_OUTPUT_LINE = re.compile(r"(?:^|\r)[^#\r\n]*-=-=-=-", re.MULTILINE)
"""The line before the boards of Freecell Solver, and no comment that has the same characters."""
_SHORT_MOVE = "(?:10|[1-9a-gk-q])(?:10|[1-9a-hk-r])(?:v[1-9a-d])?"
_SHORT_LINE = re.compile(
    rf"(?:^|[\r\n])[ \t]*{_SHORT_MOVE}(?:[ \t]+{_SHORT_MOVE})*[ \t]*(?=[\r\n])", re.ASCII
)
"""A line of moves in such an output, or of a text in characters."""


def write(
    solution: Solution,
    format_name: str,
    policy: Policy = "horne",
    runs: bool = False,
    shortest: int | str | None = None,
) -> str:
    """Return the solution as text of a format.

    The automove policy is for `sfn`, which has to state one, and for the text in that notation that
    can be copied from a page in `html`. A page also says how many moves a solution has that is
    proven to be `shortest`, or has the remark of a solution that is not.

    With `runs`, runs of cards are one move each, and every move is told in full.

    Raises UsageError where the format cannot say it, or would take more than MAX_BYTES to.
    """
    check_writable(format_name, runs)
    if runs:
        solution = grouped(solution)
    if format_name == "sfn":
        text = sfn.write(solution, policy)
    elif format_name == "html":
        text = html.write(solution, policy, shortest)
    else:
        text = _MODULES[format_name].write(solution)
    size = len(text.encode())
    if size > MAX_BYTES:
        limit = f"expected at most {MAX_BYTES}, as a file that is read"
        raise UsageError(f"a solution of {size} bytes in the format {format_name}, {limit}")
    return text


def check_writable(format_name: str, runs: bool = False) -> None:
    """Raise UsageError unless it is a format that can be written, and with runs if these are."""
    if format_name not in FORMATS:
        raise _unknown(format_name)
    if runs and format_name not in WITH_RUNS:
        expected = f"expected one of {', '.join(WITH_RUNS)}"
        raise UsageError(f"runs says nothing about the format {format_name}, {expected}")


def check_game(format_name: str, rules: Rules, policy: Policy) -> None:
    """Raise UsageError if a format can express no solution of a game with a policy."""
    if format_name == "sfn":
        sfn.check_rules(rules, policy)
    elif format_name == "short":
        short.check_rules(rules)
    elif format_name == "moves":
        moves.check_rules(rules)


def read(
    path_or_text: str | Path | Source,
    from_format: str | None = None,
    given: Given | None = None,
) -> Solution:
    """Read a solution, played on the slow model as far as its moves go.

    A path is a Path, or a string of one line that names no moves; `from_format` overrides what
    ending and content say, `given` is what the text need not say itself, and must not contradict.

    Raises InvalidError or IllegalStepError, and UsageError where something is given that means
    nothing to the format.
    """
    given = given or Given()
    if isinstance(path_or_text, Source):
        source = path_or_text
    elif isinstance(path_or_text, Path) or "\n" not in path_or_text:
        source = Source.load(path_or_text)
    else:
        source = Source(path_or_text)
    if format_of_list(source) is not None:
        text = "many solutions, expected one: with --all LIMIT -o NAME.short each gets a file"
        raise InvalidError(text, source.where)
    if len(found := several.parts(source, given)) > 1:
        text = "a second solution, expected one in a file, but for the command check"
        raise InvalidError(text, source.named(found[1].first))
    name = detect(source, given) if from_format is None else from_format
    if name not in READABLE:
        raise _unknown(name, READABLE)
    for option, value in (("automove", given.policy), ("lengths", given.lengths)):
        if name != "sfn" and value is not None:
            text = f"{option} {value} says nothing about the format {name}"
            expected = "expected a text in Standard FreeCell Notation"
            raise UsageError(f"{text}, {expected}", advice="--from sfn reads one")
    return _read_as(name, source, given)


def _read_as(name: str, source: Source, given: Given) -> Solution:
    """Return the solution in a text of this format."""
    if name == "sfn":
        return sfn.read(source, given)
    if name == "text":
        return answers.read_text(source, given)
    if name == "json":
        return answers.read_json(source, given)
    if name == "klondike-solver":
        return klondike_moves.read_lettered(source, given)
    if name == "minimal-klondike":
        return klondike_moves.read_piled(source, given)
    return _MODULES[name].read(source, given)


def detect(source: Source, given: Given | None = None) -> str:
    """Return the format of a text, by its content, then by the ending of its name.

    Moves of two characters are read as Standard FreeCell Notation, unless the game that is given is
    too large for it.
    """
    text = source.text
    start = text.lstrip()
    if start.startswith("{"):
        is_answer = '"verdict"' in start and '"header"' not in start
        return "json" if is_answer else "universal-json"
    if answers.ANSWER.match(start):
        return "text"
    if re.match(r"<!doctype html|<html", start, re.IGNORECASE):
        return "html"
    if start.startswith("<"):
        return "universal-xml"
    if klondike := klondike_moves.format_of_moves(text):
        return klondike
    if klondike_moves.tells_of_none(text):
        return "klondike-solver"
    if _MOVE_LINE.search(text) or _LOG_LINE.search(text):
        return "moves"
    is_output = _OUTPUT_LINE.search(text) is not None
    if is_output and not _SHORT_LINE.search(text):
        return "moves"
    if moves.tells_of_none(text) and not _SHORT_LINE.search(text):
        return "moves"
    ending = format_of_name(source.where)
    if ending in ("sfn", "short", "moves"):
        return ending
    is_large = given is not None and not is_output and _is_large(given)
    return "short" if _names_game(text) or is_large else "sfn"


def _names_game(text: str) -> bool:
    """Return True if the comments at the beginning of a text name its game, or hold its board."""
    for match in re.finditer(r"[^\r\n]+", text):
        line = match.group().strip()
        if re.match(r"#\s*(?:game\s*:|\|)", line, re.IGNORECASE):
            return True
        if line and not line.startswith("#"):
            return False
    return False


def _is_large(given: Given) -> bool:
    """Return True if the given game has more places than Standard FreeCell Notation names."""
    if isinstance(given.deal, Deal):
        columns, freecells = given.deal.rules.columns, given.deal.rules.freecells
    else:
        game = given.game if isinstance(given.game, Rules) else GAMES[given.game or "freecell"]
        columns = given.columns or game.columns
        freecells = game.freecells if given.freecells is None else given.freecells
    return columns > MAX_COLUMNS or freecells > MAX_FREECELLS


def _unknown(name: str, known: Iterable[str] = FORMATS) -> UsageError:
    return WrongValueError(f"unknown format {quoted(name)}, expected one of {', '.join(known)}")
