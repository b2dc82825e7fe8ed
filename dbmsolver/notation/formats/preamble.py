"""The comment lines before the moves of a text, which say which deal it solves.

# game: freecell
# freecells: 3         if the number is not the game's
# columns: 8
# deal: 11982          or the board, line by line:
# | 3D 7H ...
# moves: runs, suit-runs or single; whole-suits; reserve: if the game's are others
# tag: another name of the deal
# anything else is a remark
"""

from __future__ import annotations

import re

from dbmsolver.errors import DbmError, UsageError
from dbmsolver.game.deals import Deal, format_board
from dbmsolver.game.moving import moving
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, changed, usual_rules
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.source import InvalidError, Source
from dbmsolver.notation.solution import Solution

_NUMBER = re.compile(r"-?[0-9]{1,12}")
_KEYS = ("game", "freecells", "columns", "deal", "tag", "build", "fill", "moves")


def opening(solution: Solution, board: bool = True) -> list[str]:
    """Return the comment lines that name the game and the deal of a solution.

    UsageError if the rules have the name of a shipped game, and more or fewer columns than that
    game can have: read again, they would be refused.
    """
    rules = solution.rules
    lines = [f"# game: {rules.name}"]
    game = GAMES.get(rules.name)
    if game is not None:
        try:
            changed(game, rules.freecells, rules.columns)
        except UsageError as error:
            raise UsageError(
                f"no name for the rules, as {rules.name} is a game of this program: {error.message}"
            ) from None
    for key in ("columns", "freecells", "build", "fill"):
        if game is None or getattr(rules, key) != getattr(game, key):
            lines.append(f"# {key}: {getattr(rules, key)}")
    if moving(rules) != (moving(game) if game else "single"):
        lines.append(f"# moves: {moving(rules)}")
    if solution.number is not None and usual_rules(rules) == rules:
        lines.append(f"# deal: {solution.number}")
    elif board:
        lines += [f"# | {line}" for line in format_board(solution.initial).splitlines()]
    if solution.tag:
        lines.append(f"# tag: {_line(solution.tag)}")
    return lines + [f"# {_line(remark)}" for remark in solution.remarks]


class Preamble:
    """The game and the deal that comment lines have named so far."""

    def __init__(self, source: Source, given: Given) -> None:
        self.source = source
        self.given = given
        self.values: dict[str, tuple[str, int]] = {}
        self.board: list[tuple[int, str]] = []
        self.shown: tuple[int, Position] | None = None
        """A board that the text has in another way, and its first line."""
        self.remarks: tuple[str, ...] = ()

    def take(self, number: int, comment: str) -> None:
        """Take the text of one comment line, without its `#`."""
        key, colon, value = comment.partition(":")
        key, value = key.strip().lower(), value.strip()
        if comment.strip().startswith("|"):
            self.board.append((number, comment.strip()[1:]))
        elif colon and key in _KEYS:
            if key in self.values:
                text = f"{key} a second time, expected only that of line {self.values[key][1]}"
                raise InvalidError(text, self.source.named(number))
            self.values[key] = (value, number)
        elif comment.strip():
            self.remarks += (comment.strip(),)

    @property
    def tag(self) -> str:
        """The tag of the deal that is said, an empty text if none is."""
        return self.values.get("tag", ("", 0))[0]

    def rules(self) -> Rules:
        """Return the rules as far as they are said or given; those of FreeCell where nothing is."""
        said: dict[str, tuple[str | int, str]] = {}
        for key in ("game", "freecells", "columns", "build", "fill", "moves"):
            if key in self.values:
                value, line = self.values[key]
                number = self._count(key) if key in ("freecells", "columns") else value
                said[key] = (number, self.source.named(line))
        return self.given.rules(said, self.source.named())

    def deal(self) -> Deal:
        """Return the deal that the text names, or the one given."""
        rules = self.rules()
        said, line = None, 1
        if self.board:
            # Blank lines keep the numbers of lines, and mean nothing in a board.
            line = self.board[0][0]
            lines = [""] * self.board[-1][0]
            for at, row in self.board:
                lines[at - 1] = row
            said = Deal(self.given.board(lines, rules, self.source.where), rules)
        elif self.shown is not None:
            line = self.shown[0]
            said = Deal(self.shown[1], rules)
        if "deal" in self.values:
            line = self.values["deal"][1]
            said = self.numbered(said, rules)
        return self.given.start(said, rules, self.source.named(line))

    def numbered(self, board: Deal | None, rules: Rules) -> Deal:
        """Return the deal of the number in the text; InvalidError if `board` is another deal."""
        value, line = self.values["deal"]
        if not _NUMBER.fullmatch(value):
            text = f"no deal number {value[:24]!r}, expected digits"
            raise InvalidError(text, self.source.named(line))
        try:
            deal = Deal.from_number(int(value), rules)
        except DbmError as error:
            raise InvalidError(str(error), self.source.named(line)) from None
        if board is not None and board.position != deal.position:
            raise self.given.not_dealt("board", deal.number, self.source.named(line))
        return deal

    def _count(self, key: str) -> int:
        value, line = self.values[key]
        if not _NUMBER.fullmatch(value):
            raise InvalidError(
                f"no number {value[:24]!r}, expected digits", self.source.named(line)
            )
        return int(value)


def _line(text: str) -> str:
    return " ".join(text.split())
