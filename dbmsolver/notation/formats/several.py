"""Several solutions in one text, each of which is checked by itself.

A new one begins as this program's own texts do, with a comment line that names the game or the deal
or with the answer of `solve`; with each output of Freecell Solver; with each line that names a deal
above lines of moves; and with each line of a deal's number and its moves, as in collections with a
line for each deal. Numbers before moves are numbers of lines where the deal is named before, and
in a text that begins as this program's own do they are moves. Pages follow each other, too. Among
moves of Klondike a new solution begins with each deal.
"""

from __future__ import annotations

import re

from dbmsolver.notation.formats import answers, klondike_moves
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.moves import is_board_line
from dbmsolver.notation.formats.sfn_text import (
    OUTPUT,
    is_deal_with_moves,
    is_line_of_moves,
    is_title,
)
from dbmsolver.notation.formats.source import InvalidError, Source

_OPENING = re.compile(
    rf"#\s*game\s*:|#\s*deal\s*:\s*-?[0-9]|{answers.ANSWER.pattern}", re.ASCII | re.IGNORECASE
)
"""The first line of a text that this program wrote, of one solution."""
_DEAL = re.compile(r"#\s*(?:\||deal\s*:\s*-?[0-9]+\s*$)", re.ASCII | re.IGNORECASE)
"""A comment of such a text that says the deal."""
_STRUCTURED = re.compile(r"\s*[{<]")
_PAGE = re.compile(r"^\s*<!doctype html\b", re.ASCII | re.IGNORECASE | re.MULTILINE)
"""The beginning of a page. In the solution of one that this program wrote no line begins so."""


def parts(source: Source, given: Given) -> list[Source]:
    """Return the solutions of a text, as texts; one if there is no sign of several."""
    if _STRUCTURED.match(source.text):
        return _pages(source)
    try:
        lines = source.lines()
    except InvalidError:  # what it is read as says so
        return [source]
    is_klondike = _is_klondike(source.text)
    starts = _own(lines)
    if len(starts) < 2 and is_klondike:
        starts = klondike_moves.starts(source)
    elif len(starts) < 2:
        starts = [number for number, line in lines if OUTPUT.fullmatch(line)]
    if len(starts) < 2 and not is_klondike:
        is_own = _is_own(lines)
        # A comment such as `# 3 cards` names no deal; others write `#3`.
        starts = _titles([each for each in lines if not (is_own and each[1].startswith("# "))])
        if not starts and not is_own and given.deal is None:
            starts = [number for number, line in lines if is_deal_with_moves(line)]
    if len(starts) < 2:
        return [source]
    first = lines[0][0]
    ends = [*starts[1:], first + len(lines)]
    texts = [line for _, line in lines]
    return [
        Source("\n".join(texts[start - first : end - first]), source.where, start)
        for start, end in zip(starts, ends, strict=True)
    ]


def _is_klondike(text: str) -> bool:
    """Return True if a text is output of Klondike's solvers: its numbered piles are no deals."""
    if answers.ANSWER.match(text.lstrip()):
        return False
    tells = klondike_moves.format_of_moves(text) is not None
    return tells or klondike_moves.tells_of_none(text)


def _pages(source: Source) -> list[Source]:
    """Return the pages in a text, each as one; the text itself if it has fewer than two."""
    starts = [match.start() for match in _PAGE.finditer(source.text)]
    if len(starts) < 2:
        return [source]
    ends = [*starts[1:], len(source.text)]
    return [
        Source(source.text[start:end], source.where, source.at(start)[0])
        for start, end in zip(starts, ends, strict=True)
    ]


def _own(lines: list[tuple[int, str]]) -> list[int]:
    """Return the lines with which texts of this program begin, each with more than comments.

    Moves before the first of them are a text, too.
    """
    starts: list[int] = []
    more = True
    for number, line in lines:
        if _OPENING.match(line):
            if more:
                starts.append(number)
            more = answers.ANSWER.match(line) is not None
        elif line.strip() and not line.lstrip().startswith("#"):
            more = True
            if not starts and is_line_of_moves(line):
                starts.append(lines[0][0])
    return starts if more else starts[:-1]


def _is_own(lines: list[tuple[int, str]]) -> bool:
    """Return True if a text has the form that this program writes.

    It begins with a comment that names the game, and says its deal, or has its board, before its
    moves. A collection by somebody else may begin with such a comment, but no deal follows.
    """
    names_game = says_deal = False
    for _, line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            has_board = OUTPUT.fullmatch(line) is not None or is_board_line(line)
            return names_game and (says_deal or has_board)
        names_game = names_game or _OPENING.match(line) is not None
        says_deal = says_deal or _DEAL.match(line) is not None
    return names_game


def _titles(lines: list[tuple[int, str]]) -> list[int]:
    """Return the lines that name a deal, each with moves behind it before the next one."""
    starts: list[int] = []
    moves = True
    for number, line in lines:
        if is_title(line):
            if moves:
                starts.append(number)
            moves = False
        elif starts and (is_line_of_moves(line) or is_deal_with_moves(line)):
            moves = True
    return starts if moves else starts[:-1]
