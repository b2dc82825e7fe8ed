"""The rows of a layout in Standard FreeCell Notation, as they are found in the wild.

The notation has three characters for each column. Read are also rows of four or five characters for
each, rows with tabs between the columns, lower case, `10`, and the suits of Unicode. Lines of moves
have the look of cards in lower case sometimes (`4d 2h`): such a line is a row only as long as a
layout in lower case lacks cards.
"""

from __future__ import annotations

import re

from dbmsolver.game.cards import is_card, suit_letters

_MOVE = "[1-8a-d][1-8a-dhfr]"
LIKE_MOVES = re.compile(rf"\s*\.?{_MOVE}(?:(?:\s+\.?|\.){_MOVE})*\s*", re.ASCII)
"""Moves alone, in lower case. No text can be matched in two ways, so long ones take no longer."""
PREFIXED_MOVES = re.compile(rf"(?:[ .]{_MOVE})+\s*", re.ASCII | re.IGNORECASE)
TOO_WIDE = 100
"""A line of this length, in characters, or more is no row of cards; rows are far shorter."""
_TEN = re.compile(r"10(?=[HSDC])")


def plain(line: str) -> str:
    """Return the line in the notation's own letters."""
    return _TEN.sub("T", suit_letters(line).upper())


class Rows:
    """A reader of one row after the other; the style of the first ones holds for all."""

    def __init__(self) -> None:
        self.width: int | None = None
        """The number of characters of a column, once more than one column was seen."""
        self.lower = False

    def read(self, line: str, missing: int) -> str | None:
        """Return the row with three characters for each column; None if the line is no row."""
        is_lower = line == line.lower()
        if LIKE_MOVES.fullmatch(line) and not (self.lower and missing > 0):
            return None
        letters = suit_letters(line).upper().rstrip()
        if not 0 < len(letters) < TOO_WIDE or PREFIXED_MOVES.fullmatch(line):
            return None
        cells = self.cells(letters)
        if cells is None:
            return None
        self.lower = self.lower or is_lower
        return " ".join(_TEN.sub("T", cell).ljust(2) for cell in cells)

    def cells(self, line: str) -> list[str] | None:
        """Return a name or nothing for each column; None if the line is no row."""
        if "\t" in line:
            return _checked([cell.strip() for cell in line.split("\t")])
        for width in (3, 4, 5) if self.width is None else (self.width,):
            cells = _cells(_TEN.sub("T", line) if width == 3 else line, width)
            if cells is not None:
                if len(cells) > 1:
                    self.width = width
                return cells
        return None


def _cells(line: str, width: int) -> list[str] | None:
    if width == 3 and line[2::3].strip():
        return None
    cells = [line[i : i + width] for i in range(0, len(line), width)]
    if width == 3 and any(cell[:1].isspace() and cell.strip() for cell in cells):
        return None
    return _checked([cell.strip() for cell in cells])


def _checked(cells: list[str]) -> list[str] | None:
    is_row = any(cells) and all(not cell or is_card(cell) for cell in cells)
    return cells if is_row else None
