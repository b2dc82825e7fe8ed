"""The deal that a text in Standard FreeCell Notation is about: the line with a number or a tag."""

from __future__ import annotations

import re
from typing import NamedTuple

from dbmsolver.game.shipped import GAMES

NUMBER = r"-?(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}(?![0-9])|[0-9]+)"
"""A number, which may have commas between its thousands."""
NUMBER_END = r"(?!\w|\.[0-9])"
"""The end of a number beside a sign or a word; a sentence may end there, too."""
_WITH_SIGN = re.compile(rf"#\s*({NUMBER}){NUMBER_END}", re.ASCII)
_WITH_WORD = re.compile(
    rf"\b(?:game|deal|layout)\b[^0-9\"]{{0,60}}?((?<!\w){NUMBER}){NUMBER_END}", re.I | re.A
)
_ALONE = re.compile(rf"(?<![\w.]){NUMBER}(?![\w.])", re.ASCII)
_TAG = re.compile(r'"([^"]*)"')
# The longest first: the names of some games begin with those of others.
_GAMES = "|".join(name.replace("_", "[_ ]") for name in sorted(GAMES, key=len, reverse=True))
_GAME = re.compile(rf"\b(?:{_GAMES})\b", re.IGNORECASE)


class Title(NamedTuple):
    """The deal that a line names."""

    line: int
    """The number of the line."""
    digits: str | None
    """The number of the deal as it is written, without commas, if there is one."""
    tag: str
    """The text that names the deal in place of a number, or beside it."""
    game: str | None
    """The name of the game."""


def has_number(line: str) -> bool:
    """Return True if a number stands alone in the line."""
    return _ALONE.search(line) is not None


def find_title(lines: list[tuple[int, str]]) -> Title | None:
    """Return the title among numbered lines of words; None without lines.

    That is the first line with a number after a sign, or after a word such as "game"; the first
    line, if there is none.
    """
    if not lines:
        return None
    for pattern in (_WITH_SIGN, _WITH_WORD):
        for number, line in lines:
            if match := pattern.search(_TAG.sub('""', line)):
                return _title(number, line, match[1])
    number, line = lines[0]
    match = _ALONE.search(_TAG.sub('""', line))
    return _title(number, line, match.group() if match else None)


def _title(number: int, line: str, digits: str | None) -> Title:
    quoted = _TAG.search(line)
    tag = quoted[1] if quoted else "" if digits is not None else line
    game = _GAME.search(_TAG.sub("", line))
    name = game.group().lower().replace(" ", "_") if game else None
    return Title(number, digits and digits.replace(",", ""), tag, name)
