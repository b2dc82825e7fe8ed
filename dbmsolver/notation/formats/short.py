"""Single-card moves in two characters, such as `1a b8 6h`.

    # game: freecell          names the deal: by a number, or by a board line by line after `# |`;
                              boards of other programs are read without these two characters
    # deal: 3
    26 76 7a a2 6h  # a comment on the last move before it
    ...

The characters of a move are the place that a card comes from and the place that it goes to. Columns
are 1 to 9, then 0, x, y, z; freecells are the letters from a on, h left out; h is the foundation.
Ten moves stand on a line.
"""

from __future__ import annotations

import re

from dbmsolver.errors import InputError, UsageError, quoted
from dbmsolver.game.kinds import MOVES_WORDS
from dbmsolver.game.moves import Place
from dbmsolver.game.rules import Rules
from dbmsolver.notation.formats.building import OWN_FOUNDATION, Builder
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.moves import is_board_line, read_board
from dbmsolver.notation.formats.preamble import Preamble, opening
from dbmsolver.notation.formats.source import MAX_MOVES, InvalidError, Source
from dbmsolver.notation.formats.unsaid import check_things, check_wide
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment, Origin, Step
from dbmsolver.notation.xhtml import one_line

COLUMNS = "1234567890xyz"
FREECELLS = "abcdefgijklmnopq"
HOME = "h"
PER_LINE = 10

_EXPECTED = "expected two of 1-9 0 x y z (columns), a-g i-q (freecells) and h (home), as in 1a"


def write(solution: Solution) -> str:
    """Return the solution in single-card moves.

    UsageError for games that the format has no letters for.
    """
    rules = solution.rules
    check_rules(rules)
    if any(step.source.kind == "foundation" for step in solution.steps):
        what = f"a card comes back from its foundation in {rules.name}"
        raise UsageError(f"{what}: the format short does not say which")
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


def check_rules(rules: Rules) -> None:
    """Raise UsageError for games that the format has no letters for."""
    check_wide(rules, "the format short", "letters")
    if rules.has_runs:
        what = f"{MOVES_WORDS[rules.moves]} in {rules.name}"
        raise UsageError(f"{what}: the format short does not say how many cards move")
    check_things(rules, "the format short", "letters")
    if rules.has_pile:
        raise UsageError(f"{rules.name}: the format short has no letters for a pile and a stock")
    check_columns(rules, "the format short")


def check_columns(rules: Rules, what: str, expected: str = "") -> None:
    """Raise UsageError for a game with more columns than two characters for a move can name.

    ``what`` has the letters, and ``expected`` ends the message.
    """
    if rules.columns > len(COLUMNS):
        text = f"{what} has letters for {len(COLUMNS)} columns, not for {rules.columns}"
        raise UsageError(f"{rules.name}: {text}{expected}")


def read(source: Source, given: Given) -> Solution:
    """Read the moves; the deal is the one that the text names, or the one given."""
    preamble = Preamble(source, given)
    words: list[Origin] = []
    comments: dict[int, str] = {}
    lines = [(number, *line.partition("#")[::2]) for number, line in source.lines()]
    for number, moves, comment in lines[_opening(lines, preamble) :]:
        for match in re.finditer(r"\S+", moves):
            words.append(Origin(match.group(), number, match.start() + 1))
            if len(words) > MAX_MOVES:
                text = f"more than {MAX_MOVES} moves"
                raise InvalidError(text, source.named(number, match.start() + 1))
        if not words:
            preamble.take(number, comment)
        elif comment.strip():
            comments[len(words) - 1] = comment.strip()
    deal = preamble.deal()
    check_wide(deal.rules, "the format short", "letters")
    builder = Builder(deal, source.where, surplus=True)
    for index, word in enumerate(words):
        builder.add(_step(word, source))
        if index in comments:
            builder.comment(Comment(comments[index]))
    return builder.solution(preamble.tag, preamble.remarks)


def _opening(lines: list[tuple[int, str, str]], preamble: Preamble) -> int:
    """Take a board and the comments up to its end; return their number of lines, 0 for none.

    Lines have a number, the text before `#` and the text after it. A move such as `2d` looks like a
    card, too: the board ends where it is whole.
    """
    places: list[int] = []
    certain = 0
    for place, (_, row, _) in enumerate(lines):
        if is_board_line(row):
            places.append(place)
            if not all(map(_names_places, row.split())):
                certain = len(places)
        elif row.strip():
            break
    if not certain:
        return 0
    end = places[certain - 1] + 1
    for number, _, comment in lines[:end]:
        preamble.take(number, comment)
    rules = preamble.rules()
    failure: InputError | None = None
    for size in range(len(places), certain - 1, -1):
        rows = [lines[place][:2] for place in places[:size]]
        try:
            preamble.shown = (rows[0][0], read_board(rows, rules, preamble.source, preamble.given))
        except InputError as error:
            failure = error
            continue
        for number, _, comment in lines[end : places[size - 1] + 1]:
            preamble.take(number, comment)
        return places[size - 1] + 1
    words = [
        Origin(match.group(), number, match.start() + 1)
        for number, row, _ in (lines[place] for place in places)
        for match in re.finditer(r"\S+", row)
    ]
    together = [word for word in words if _is_run_together(word.text)]
    if len(together) + sum(_names_places(word.text) for word in words) == len(words):
        raise _unknown(together[0], preamble.source)
    assert failure is not None
    raise failure


def _is_run_together(word: str) -> bool:
    """Return True if a word is several moves with nothing between them."""
    pairs = [word[at : at + 2] for at in range(0, len(word), 2)]
    return len(pairs) > 1 and all(map(_names_places, pairs))


def place_letter(place: Place) -> str:
    """Return the character for a place."""
    if place.kind == "foundation":
        return HOME
    return (COLUMNS if place.kind == "column" else FREECELLS)[place.index]


def letter_place(letter: str) -> Place | None:
    """Return the place of a character; None if it names none."""
    if letter == HOME:
        return OWN_FOUNDATION
    if letter in COLUMNS:
        return Place("column", COLUMNS.index(letter))
    return Place("freecell", FREECELLS.index(letter)) if letter in FREECELLS else None


def _names_places(word: str) -> bool:
    """Return True if a word is the text of a move."""
    return len(word) == 2 and None not in map(letter_place, word.lower())


def _step(word: Origin, source: Source) -> Step:
    if len(word.text) == 2:
        start, end = (letter_place(letter) for letter in word.text.lower())
        if start is not None and end is not None and start != OWN_FOUNDATION:
            return Step(start, end, origin=word)
    raise _unknown(word, source)


def _unknown(word: Origin, source: Source) -> InvalidError:
    text = f"unknown move {quoted(word.text)}, {_EXPECTED}"
    return InvalidError(text, source.named(word.line, word.column))
