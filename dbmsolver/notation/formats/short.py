"""Single-card moves in two characters, such as `1a b8 6h`.

    # game: freecell          what the deal is; a number, or a board line by line after `# |`
    # deal: 3
    26 76 7a a2 6h  # said about the last move before it
    ...

A move is where a card comes from and where it goes. Columns are 1 to 9, then 0, x, y, z; freecells
are the letters from a on, h left out; h is the foundation. Ten moves stand on a line.
"""

from __future__ import annotations

import re

from dbmsolver.errors import quoted
from dbmsolver.game.moves import Place
from dbmsolver.notation.formats.building import OWN_FOUNDATION, Builder
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.preamble import Preamble, opening
from dbmsolver.notation.formats.source import MAX_MOVES, InvalidError, Source
from dbmsolver.notation.formats.xhtml import one_line
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment, Origin, Step

COLUMNS = "1234567890xyz"
FREECELLS = "abcdefgijklmn"
HOME = "h"
PER_LINE = 10

_EXPECTED = "expected two of 1-9 0 x y z (columns), a-g i-n (freecells) and h (home), as in 1a"


def write(solution: Solution) -> str:
    """The solution in single-card moves."""
    lines = opening(solution)
    line: list[str] = []
    for step in solution.single().steps:
        line.append(place_letter(step.source) + place_letter(step.destination))
        if step.comment is not None:
            lines.append(" ".join(line) + "  # " + one_line(step.comment))
            line = []
        elif len(line) == PER_LINE:
            lines.append(" ".join(line))
            line = []
    if line:
        lines.append(" ".join(line))
    return "".join(f"{line}\n" for line in lines)


def read(source: Source, given: Given) -> Solution:
    """Read the moves; the deal is the one that the text names, or the one given."""
    preamble = Preamble(source, given)
    words: list[Origin] = []
    comments: dict[int, str] = {}
    for number, line in source.lines():
        moves, _, comment = line.partition("#")
        for match in re.finditer(r"\S+", moves):
            words.append(Origin(match.group(), number, match.start() + 1))
            if len(words) > MAX_MOVES:
                text = f"more than {MAX_MOVES} moves"
                raise InvalidError(text, source.named(number, match.start() + 1))
        if not words:
            preamble.take(number, comment)
        elif comment.strip():
            comments[len(words) - 1] = comment.strip()
    builder = Builder(preamble.deal(), source.where)
    for index, word in enumerate(words):
        builder.add(_step(word, source))
        if index in comments:
            builder.comment(Comment(comments[index]))
    return builder.solution(preamble.tag, preamble.remarks)


def place_letter(place: Place) -> str:
    """One character for a place."""
    if place.kind == "foundation":
        return HOME
    return (COLUMNS if place.kind == "column" else FREECELLS)[place.index]


def letter_place(letter: str) -> Place | None:
    """The place of a character, if it names one."""
    if letter == HOME:
        return OWN_FOUNDATION
    if letter in COLUMNS:
        return Place("column", COLUMNS.index(letter))
    return Place("freecell", FREECELLS.index(letter)) if letter in FREECELLS else None


def _step(word: Origin, source: Source) -> Step:
    if len(word.text) == 2:
        start, end = (letter_place(letter) for letter in word.text.lower())
        if start is not None and end is not None and start != OWN_FOUNDATION:
            return Step(start, end, origin=word)
    text = f"unknown move {quoted(word.text)}, {_EXPECTED}"
    raise InvalidError(text, source.named(word.line, word.column))
