"""Many solutions in one text: what `solve --all` prints, for people and for programs.

Each is a line of moves in the format `short`. They are read to be checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dbmsolver.errors import quoted
from dbmsolver.game.deals import Deal
from dbmsolver.notation.formats import answers, short
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.json_text import parse
from dbmsolver.notation.formats.source import InvalidError, Source
from dbmsolver.notation.solution import Solution

_JSON = re.compile(r'\{\s*"kind"\s*:\s*"solutions"')
_TITLE = re.compile(r"Deal \S+(?: \([^()]*\))?: solved in .*; [0-9,]+ such solutions?(?=\s)")
_LINE = re.compile(r"\s*[0-9]+\s+(?P<moves>[0-9a-z]{2}(?:\s[0-9a-z]{2})*|No move is needed\.)\s*")
_NUMBERED = re.compile(r"\s*[0-9]+\s+\S.*")
"""A line that begins as such a line does, and no other line of the text."""


def format_of_list(source: Source) -> str | None:
    """Return `text` or `json` if a text holds many solutions in that form, None if it does not."""
    start = source.text.lstrip()
    if _JSON.match(start):
        return "json"
    return "text" if _TITLE.match(start) else None


def each_listed(source: Source, given: Given) -> Iterator[Solution]:
    """Yield the solutions of such a text, each played as far as its moves go.

    InvalidError for a text that is none, IllegalStepError for the first move that is not legal.
    """
    deal, lines = (
        _of_json(source, given) if format_of_list(source) == "json" else _of_text(source, given)
    )
    for where, words in lines:
        yield short.read(Source(words, where), Given(deal=deal))


def _of_text(source: Source, given: Given) -> tuple[Deal, list[tuple[str, str]]]:
    """Return the deal, and for each solution its place in the text and its moves."""
    found: list[tuple[int, re.Match[str]]] = []
    for number, line in source.lines():
        if match := _LINE.fullmatch(line):
            found.append((number, match))
        elif _NUMBERED.fullmatch(line):
            text = f"unknown line {quoted(line.strip())}, expected a number and moves, as in 1a 2h"
            raise InvalidError(text, source.named(number))
    end = found[0][0] if found else None
    lines = []
    for number, match in found:
        words = match["moves"]
        empty = words.startswith("No")
        lines.append((source.named(number, match.start("moves") + 1), "" if empty else words))
    return answers.deal_of_text(source, given, end), lines


def _of_json(source: Source, given: Given) -> tuple[Deal, list[tuple[str, str]]]:
    value, places = parse(source)
    solutions = value.get("solutions")
    if not isinstance(solutions, list) or not all(isinstance(one, str) for one in solutions):
        raise InvalidError("no solutions, expected those of `solve --all`", source.where)
    return answers.deal_of_json(value, places, source, given), [
        (source.place(places["solutions", number]), words) for number, words in enumerate(solutions)
    ]
