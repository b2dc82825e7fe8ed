"""Shapes of boards: how long the columns of a deal are, and boards typed row by row."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NoReturn

from dbmsolver.game.cards import cards_in, is_card
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.rules import Rules

At = tuple[int, int]
"""A line and the place of a character in it, counted from 1."""
Word = tuple[str, At]

_WIDTHS = (3, 4, 5)
"""The numbers of characters that a column of a typed table may have."""

COLUMNS = "expected a line for each column; a colon before a line makes it a column"
"""The end of the message about lines that are rows."""
ADVICE = "--rows reads rows"
"""The advice beside it."""


def dealt_lengths(rules: Rules) -> list[int]:
    """Return the number of cards that each column gets when a game is dealt."""
    layout = layout_of(rules.layout)
    _, _, rest = layout.taken_apart(rules.deck)
    left = rules.stock + layout.turned + rules.dealt_to_freecells
    return [len(column) for column in layout.arrange(rest, rules.columns, left)[0]]


def is_shape_of_rows(lengths: Sequence[int], rules: Rules) -> bool:
    """Return True if lines of these lengths are the rows of a fresh deal, not its columns."""
    if len(lengths) in (0, rules.columns) or (rules.off_columns and not rules.layout):
        return False
    if len(lengths) > 1 and list(lengths) != sorted(lengths, reverse=True):
        return False
    turned = [sum(length > place for length in lengths) for place in range(lengths[0])]
    return sorted(turned) == sorted(dealt_lengths(rules))


def words_of(line: str, number: int, start: int = 0) -> list[Word]:
    """Return the words of a line from a place on, each with its place, run-together cards apart.

    Commas and semicolons stand for spaces.
    """
    text = re.sub("[,;]", " ", line)
    return [
        (word, (number, match.start() + offset + 1))
        for match in re.compile(r"\S+").finditer(text, start)
        for offset, word in cards_in(match.group())
    ]


def cells_of(line: str, number: int, start: int, most: int) -> list[Word]:
    """Return the words of a line of freecells from character ``start`` on.

    Freecell Solver writes each freecell in four characters, all blank if it is empty: such a
    freecell becomes the word `-`. In lines of another form, or with more than ``most`` freecells,
    blanks only separate words.
    """
    cells = line[start:].rstrip()
    found: list[Word] = []
    for at in range(0, len(cells), 4):
        cell = cells[at : at + 4]
        name = cell.strip()
        if (name and not is_card(name)) or len(found) == most:
            return words_of(line, number, start)
        found.append((name or "-", (number, start + at + len(cell) - len(cell.lstrip()) + 1)))
    return found


def columns_of_rows(
    rows: Sequence[tuple[int, str]], fail: Callable[[str, At], NoReturn]
) -> list[list[Word]]:
    """Return the words of each column, deepest first, of numbered rows as they lie on a table.

    Where a card is in a row is told by tabs, or by columns of three to five characters; without
    gaps the order tells it. `fail` raises the error for what is none.
    """
    parts = [words_of(line, number) for number, line in rows]
    places = _by_tabs(rows, parts) or _by_width(parts) or _by_order(rows, parts)
    if places is None:
        number = rows[0][0]
        text = "rows with gaps, and columns that are not equally wide: expected tabs, or the same"
        fail(f"{text} number of characters, 3 to 5, for each column", (number, 1))
    columns: list[list[Word]] = [[] for _ in range(1 + max(max(row, default=0) for row in places))]
    for depth, (words, row) in enumerate(zip(parts, places, strict=True)):
        for word, column in zip(words, row, strict=True):
            if len(columns[column]) != depth:
                fail(f"{word[0]!r} lies below a gap, expected columns without", word[1])
            columns[column].append(word)
    return columns


def _by_tabs(
    rows: Sequence[tuple[int, str]], parts: Sequence[Sequence[Word]]
) -> list[list[int]] | None:
    if not any("\t" in line.strip() for _, line in rows):
        return None
    return [
        [line[: place - 1].count("\t") for _, (_, place) in words]
        for (_, line), words in zip(rows, parts, strict=True)
    ]


def _by_width(parts: Sequence[Sequence[Word]]) -> list[list[int]] | None:
    left = min(place for words in parts for _, (_, place) in words)
    starts = [[place - left for _, (_, place) in words] for words in parts]
    for width in _WIDTHS:
        if all(start % width == 0 for row in starts for start in row):
            columns = [[start // width for start in row] for row in starts]
            if len(columns[0]) == 1 + max(map(max, columns)):
                return columns
    return None


def _by_order(
    rows: Sequence[tuple[int, str]], parts: Sequence[Sequence[Word]]
) -> list[list[int]] | None:
    """Return the column of each card of each row, by the order of the cards.

    None if a row is longer than the one above it, or spaces show that columns are left out.
    """
    lengths = list(map(len, parts))
    gaps = any(re.search(r"\S\s{4,}\S", line) for _, line in rows)
    begins = {words[0][1][1] for words in parts}
    if gaps or len(begins) > 1 or lengths != sorted(lengths, reverse=True):
        return None
    return [list(range(length)) for length in lengths]
