"""The comment lines before the moves of a text, which say which deal it solves.

# game: freecell
# freecells: 3         if the number is not the game's
# columns: 8
# deal: 11982          or the board, line by line:
# | 3D 7H ...
# moves: runs, suit-runs or single; whole-suits; reserve: if the game's are others
# tag: another name of the deal
# anything else is a remark
# "tag: mine"          a remark that would say something else stands in quotes, as a string of JSON
"""

from __future__ import annotations

import json
import re

from dbmsolver.errors import DbmError, UsageError
from dbmsolver.game.boards import shown_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.moving import moving
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, changed, usual_rules
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.source import MAX_LINE, InvalidError, Source
from dbmsolver.notation.solution import Solution

_NUMBER = re.compile(r"-?[0-9]{1,12}")
_KEYS = ("game", "freecells", "columns", "deal", "tag", "build", "fill", "moves")


def opening(solution: Solution, board: bool = True) -> list[str]:
    """Return the comment lines that name the game and the deal of a solution.

    UsageError if the rules have the name of a shipped game, and more or fewer columns than that
    game can have, or for a remark that is too long for a line: read again, they would be refused.
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
        lines += [f"# | {line}" for line in shown_board(solution.initial, rules).splitlines()]
    if solution.tag:
        lines.append(f"# tag: {_line(solution.tag)}")
    for remark in solution.remarks:
        lines.append(f"# {_spelled(remark)}")
        if len(lines[-1]) > MAX_LINE:
            text = f"a remark of {len(remark)} characters, expected one that fits a comment line"
            raise UsageError(f"{text} of {MAX_LINE}")
    return lines


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
        comment = comment.strip()
        if comment.startswith("|"):
            self.board.append((number, comment[1:]))
        elif key := _key(comment):
            if key in self.values:
                text = f"{key} a second time, expected only that of line {self.values[key][1]}"
                raise InvalidError(text, self.source.named(number))
            self.values[key] = (comment.partition(":")[2].strip(), number)
        elif comment:
            self.remarks += (_unquoted(comment),)

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


def _key(comment: str) -> str | None:
    """Return the key that a comment gives a value to; None for any other text."""
    key, colon, _ = comment.partition(":")
    key = key.strip().lower()
    return key if colon and key in _KEYS else None


def _spelled(remark: str) -> str:
    """Return a remark as its comment line has it: in quotes where it would be read otherwise."""
    return remark if _is_read_bare(remark) else json.dumps(remark, ensure_ascii=False)


def _is_read_bare(remark: str) -> bool:
    """Return True if a comment line that has a remark without quotes is read as that remark."""
    return (
        remark != ""
        and remark == remark.strip()
        and not re.search(r"[\r\n]", remark)
        and not remark.startswith("|")
        and _key(remark) is None
        and _unquoted(remark) == remark
    )


def _unquoted(comment: str) -> str:
    """Return the remark that a comment is.

    Quotes are taken away only where `_spelled` has put them: others belong to the remark, as they
    always did in texts of earlier versions and of people.
    """
    if len(comment) < 2 or comment[0] != '"' or comment[-1] != '"':
        return comment
    try:
        remark = json.loads(comment)
    except ValueError:
        return comment
    return remark if _spelled(remark) == comment else comment
