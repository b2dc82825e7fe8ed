"""The text of Standard FreeCell Notation: its lines, before they are given a meaning.

    Game #164                        anything with a number in it, or a tag in place of the number
    2C-3D=BB-  +AC AD    KS          freecells + home: 23 characters; `=` states WKR automoves
    7H KD ...                        up to 18 lines, three characters per column
    any lines of comment
     26 76.72[5a]27 [??]  comment    moves, and after the last of them the rest is a comment

A move is two characters after a space or a period; f or r is the next empty freecell. Lines of
moves in other styles are read as well: moves separated by white space or commas, whatever the line
begins with, and with the number of the deal before the first one. A move such as `46v8`, as
Freecell Solver writes it, is of so many cards, in hexadecimal; in a text that has one, all other
moves to empty columns are of one card. How else a layout can be written is told in `sfn_rows`.
Instead of a layout there can be a board of `boards`, its columns as lines, if one of its lines
begins with a label or a colon. Such boards between moves are held against the replay. Under the
line with which Freecell Solver's output begins, moves name more places: `10` is a column, and
freecells are the letters of `CELLS`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from dbmsolver.errors import InputError, quoted
from dbmsolver.game.boards import LABEL, parse_board
from dbmsolver.game.cards import SUIT_NAMES, is_card, parse_card, rank, suit
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.formats.sfn_rows import LIKE_MOVES, PREFIXED_MOVES, TOO_WIDE, Rows, plain
from dbmsolver.notation.formats.sfn_title import NUMBER, NUMBER_END, find_title, has_number
from dbmsolver.notation.formats.source import InvalidError, Source
from dbmsolver.notation.steps import Origin

MAX_COLUMNS = 8
MAX_FREECELLS = 4
MAX_OUTPUT_COLUMNS = 10
"""The most columns of a game in Freecell Solver's output: with more, `111` has two meanings."""
CELLS = "abcdefgklmnopqrstuvwxyz"
"""The letters of freecells. The notation has four, Freecell Solver writes others, too."""
OUTPUT = re.compile(r"\s*-(?:=-){5,}\s*")
"""The line with which Freecell Solver's output begins."""
MAX_ROWS = 18
MAX_TOKENS = 2000
MAX_DIGITS = 12

_CELL = re.compile(r"[A2-9TJQK][CDHS]")
_TOKEN = re.compile(
    r"(?P<prefix>[ .])?(?:(?P<open>\[)(?P<inner>[ .])?)?"
    r"(?:(?P<move>[1-8a-dA-D][1-8a-dA-DhHfFrR](?:(?<=[1-8][1-8])[vV](?P<cards>[1-9a-dA-D]))?)"
    r"|(?P<end>\?\?))(?P<close>\])?"
)
_FREE_LINE = re.compile(
    r"\s*(?:\[?\.?(?:[1-8a-d][1-8a-dhfr]|[1-8]{2}v[1-9a-d]|\?\?)\]?(?:\s+|$))+",
    re.ASCII | re.IGNORECASE,
)
_OUTPUT_MOVE = re.compile(
    r"(?P<move>(?P<source>10|[1-9a-gk-z])(?P<destination>10|[1-9a-hk-z])"
    r"(?:(?<=[0-9][0-9])v(?P<cards>[1-9a-d]))?)(?:\s+|$)",
    re.ASCII,
)
_OUTPUT_MOVES = re.compile(rf"(?:{re.sub('[?]P<[a-z]+>', '?:', _OUTPUT_MOVE.pattern)})+", re.ASCII)
_NUMBERED = re.compile(
    r"\s*(?P<sign>#\s*)?(?P<number>-?[0-9]{1,12})(?P<end>\s*[:.)])?\s+(?P<moves>\S.*)", re.ASCII
)
"""The number of a deal and its moves on one line, as in collections of a line for each deal."""
_RAW = re.compile(
    r"\s*(?P<number>[0-9]{1,12})\s*[:\t]\s*(?P<moves>(?:[1-8a-d][1-8a-dhr]){2,})\s*", re.ASCII
)
"""The same without anything between the moves."""
_ROW = re.compile(r"\s*(?P<number>-?[0-9]{1,12})[:.)](?=\s)", re.ASCII)
"""The number of a row, or of a deal, which may look like a move, as in `11.`."""
_RULE = re.compile(r"\s*[-=]{3,}\s*")


_TITLE = re.compile(
    rf"\s*(?:#\s*|(?:\w+ )?(?:game|deal)\s*[#:]?\s*){NUMBER}{NUMBER_END}",
    re.ASCII | re.IGNORECASE,
)


class Token(NamedTuple):
    """One move as it is written."""

    source: str
    destination: str
    single: bool
    """True if a period says that one card goes to an empty column."""
    open: bool
    """True if the style of the line does not say how many cards go to an empty column."""
    origin: Origin
    cards: int = 0
    """The number of cards if it is said, 0 otherwise."""


@dataclass
class SfnText:
    """The parts of a text that its lines hold."""

    number: int | None = None
    tag: str = ""
    game: str | None = None
    game_line: int = 1
    cells: list[str] | None = None
    """Two characters for each freecell; blank, a card, or anything else for blocked."""
    home: dict[int, int] = field(default_factory=dict)
    policy: str | None = None
    columns: list[list[int]] = field(default_factory=list)
    board: list[tuple[int, str]] = field(default_factory=list)
    """The lines of a board that stands in place of the layout, with their numbers."""
    layout_line: int | None = None
    """The first line of the layout, if there is one."""
    later: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    """Lines of boards between moves, by the number of moves up to there."""
    is_output: bool = False
    """True if the line with which Freecell Solver's output begins stands before the moves."""
    tokens: list[Token] = field(default_factory=list)
    mark: int | None = None
    """The number of moves before the one in brackets."""
    comments: dict[int, str] = field(default_factory=dict)
    """Comments after moves, by the number of moves up to there."""
    mistyped: str | None = None
    """A message about the first comment that looks like a line of moves with one mistyped."""
    mistyped_row: str | None = None
    """A message about the first comment that looks like a row of the layout with cards mistyped."""
    remarks: list[str] = field(default_factory=list)

    def of_layout(self, fault: str) -> str:
        """Return the message of a fault of the layout: it may come of a row with cards mistyped."""
        return fault if self.mistyped_row is None else f"{fault}; {self.mistyped_row}"


def parse(source: Source) -> SfnText:
    """Read the lines.

    Raises InvalidError for a layout that is none, and for a text without moves.
    """
    reader = _SfnReader(source)
    for number, line in source.lines():
        reader.line(number, line.rstrip("\r\n").replace("\xa0", " "))  # as pages have blanks
    reader.game()
    reader.turn()
    text = reader.text
    if any(token.cards for token in text.tokens):
        text.tokens = [move._replace(single=not move.cards, open=False) for move in text.tokens]
    if not text.tokens and text.layout_line is None:
        raise InvalidError("no moves and no layout, expected a solution", source.named())
    return text


class _SfnReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = SfnText()
        self.texts: list[tuple[int, str]] = []
        """Lines of words before the layout, or before the moves if there is none."""
        self.rows: list[tuple[int, str]] = []
        self.reads_rows = Rows()
        self.number_line: int | None = None
        """The line of moves that the number of the deal stands in, if it is one."""

    def line(self, number: int, line: str) -> None:
        text = self.text
        if text.is_output and _OUTPUT_MOVES.fullmatch(line):
            self.output_moves(number, line)
            return
        if not text.tokens and text.mark is None and self.layout(number, line):
            return
        if not line.strip() or _RULE.fullmatch(line):
            text.is_output = text.is_output or OUTPUT.fullmatch(line) is not None
            return
        if text.tokens and LABEL.match(line):
            text.later.setdefault(len(text.tokens), []).append((number, line))
            return
        row = _ROW.match(line)
        if row is None and line[0] in " .[" and self.moves(number, line):
            return
        if match := _RAW.fullmatch(line):
            self.numbered(number, match)
            self.raw_moves(number, match)
            return
        spaced = _spaced(line)
        if _FREE_LINE.fullmatch(spaced):
            self.free_moves(number, spaced)
        elif (match := _NUMBERED.fullmatch(spaced)) and _is_numbered(match):
            self.numbered(number, match)
            self.free_moves(number, spaced, match.start("moves"))
        elif row is not None and PREFIXED_MOVES.fullmatch(line, row.end()):
            self.numbered(number, row)
            self.moves(number, line, row.end())
        else:
            text.mistyped = text.mistyped or _mistyped(number, line)
            self.words(number, line)

    def words(self, number: int, line: str) -> None:
        """Take a line that holds something else than moves."""
        text = self.text
        if text.tokens:
            self.comment(line)
            return
        text.mistyped_row = text.mistyped_row or _mistyped_row(number, line)
        if text.layout_line is None:
            self.texts.append((number, line.strip()))
        else:
            text.remarks.append(_remark(line))

    def numbered(self, number: int, match: re.Match[str]) -> None:
        """Take the number before moves: of the deal, or of the line if the deal is named."""
        if self.number_line is not None:
            text = f"moves of a second deal, after those of line {self.number_line}"
            self.fail(f"{text}; expected one solution in a file", number, 0)
        if not self.text.tokens and not any(has_number(line) for _, line in self.texts):
            self.number_line = number
            self.texts.append((number, f"#{match['number']}"))

    def output_moves(self, number: int, line: str) -> None:
        """Read a line of moves as Freecell Solver writes them."""
        for match in _OUTPUT_MOVE.finditer(line):
            cards = int(match["cards"] or "0", 16)
            origin = Origin(match["move"], number, match.start() + 1)
            move = Token(match["source"], match["destination"], False, True, origin, cards)
            self.add(move, number, match.start())

    def raw_moves(self, number: int, match: re.Match[str]) -> None:
        """Read moves with nothing between them."""
        line = match.string
        for place in range(match.start("moves"), match.end("moves"), 2):
            token = _TOKEN.match(line, place)
            assert token is not None
            self.token(token, number, False, True)

    def layout(self, number: int, line: str) -> bool:
        """Read a line of the layout; False if it is none."""
        text = self.text
        if not self.rows and (LABEL.match(line) or self.goes_on(line)):
            text.layout_line = text.layout_line or number
            text.board.append((number, line))
            return True
        if text.cells is None and not self.rows and not text.board and _is_cells(plain(line)):
            text.layout_line = number
            self.cells(number, plain(line))
            return True
        row = self.reads_rows.read(line, self.missing())
        if row is None or text.board:
            return False
        self.row(number, row)
        return True

    def goes_on(self, line: str) -> bool:
        """Return True if a line is one more of the board, and not moves that look like cards."""
        if not self.text.board or not line.strip() or not all(map(is_card, line.split())):
            return False
        if not LIKE_MOVES.fullmatch(line):
            return True
        try:
            parse_board("\n".join(row for _, row in self.text.board), GAMES["freecell"])
        except InputError:
            return True
        return False

    def missing(self) -> int:
        """Return how many cards the layout lacks so far."""
        cells = sum(bool(_CELL.fullmatch(cell)) for cell in self.text.cells or ())
        return 52 - cells - sum(self.text.home.values()) - sum(map(len, self.text.columns))

    def comment(self, line: str) -> None:
        said = self.text.comments
        key = len(self.text.tokens)
        said[key] = f"{said[key]} {line.strip()}" if key in said else line.strip()

    def moves(self, number: int, line: str, start: int = 0) -> bool:
        """Read a line of moves from an offset on; False if it does not begin with one."""
        offset = start
        while offset < len(line):
            match = _TOKEN.match(line, offset)
            if match is None or not (match["prefix"] or match["open"]):
                break
            single = "." in (match["prefix"] or "") + (match["inner"] or "")
            self.token(match, number, single, False)
            offset = match.end()
        if offset == start:
            return False
        if line[offset:].strip():
            self.comment(line[offset:])
            self.text.mistyped = self.text.mistyped or _mistyped(number, line, offset)
        return True

    def free_moves(self, number: int, line: str, start: int = 0) -> None:
        for match in re.compile(r"\S+").finditer(line, start):
            token = _TOKEN.match(line, match.start())
            if token is not None:
                self.token(token, number, line[match.start()] == "." or "[." in match.group(), True)

    def token(self, match: re.Match[str], number: int, single: bool, is_open: bool) -> None:
        text = self.text
        offset = match.start("move") if match["move"] else match.start("end")
        if match["open"] or match["end"]:
            if text.mark is not None:
                self.fail("brackets a second time, expected one move in them", number, offset)
            text.mark = len(text.tokens)
        if bool(match["open"]) != bool(match["close"]):
            self.fail("one bracket without the other, expected both", number, offset)
        if match["move"]:
            move = match["move"].lower()
            cards = int(match["cards"] or "0", 16)
            origin = Origin(match["move"], number, offset + 1)
            token = Token(move[0], move[1], single, is_open, origin, cards)
            self.add(token, number, offset)

    def add(self, move: Token, number: int, offset: int) -> None:
        """Take one more move."""
        self.text.tokens.append(move)
        if len(self.text.tokens) > MAX_TOKENS:
            self.fail(f"more than {MAX_TOKENS} moves", number, offset)

    def cells(self, number: int, line: str) -> None:
        text = self.text
        line = line.ljust(23)
        if line[23:].strip():
            self.fail("text after the 23 characters of freecells and home", number, 23)
        marks = {line[2], line[5], line[8]}
        if len(marks) > 1:
            self.fail("both - and =, expected one of them between the freecells", number, 2)
        text.policy = "wkr" if marks == {"="} else "horne"
        text.cells = [line[i : i + 2] for i in (0, 3, 6, 9)]
        for offset in (12, 15, 18, 21):
            name = line[offset : offset + 2]
            if name.isspace():
                continue
            if not _CELL.fullmatch(name):
                self.fail(f"{quoted(name)} home, expected a card or blanks", number, offset)
            card = parse_card(name)
            if suit(card) in text.home:
                what = f"the foundation of {SUIT_NAMES[suit(card)]} a second time"
                self.fail(f"{what}, expected each suit once", number, offset)
            text.home[suit(card)] = rank(card)

    def row(self, number: int, line: str) -> None:
        text = self.text
        if text.layout_line is None:
            text.layout_line = number
        if self.rows and self.rows[-1][0] != number - 1:
            fault = "a row of cards apart from the others, expected one block"
            self.fail(text.of_layout(fault), number, 0)
        if len(self.rows) == MAX_ROWS:
            self.fail(f"one row too many, expected at most {MAX_ROWS}", number, 0)
        self.rows.append((number, line))
        names = [line[i : i + 2] for i in range(0, len(line.rstrip()), 3)]
        if len(names) > MAX_COLUMNS:
            self.fail(f"{len(names)} columns, expected at most {MAX_COLUMNS}", number, 24)
        while len(text.columns) < len(names):
            text.columns.append([])
        for index, name in enumerate(names):
            if not name.isspace():
                if len(text.columns[index]) != len(self.rows) - 1:
                    self.fail("a card above a gap, expected columns without", number, index * 3)
                text.columns[index].append(parse_card(name))

    def turn(self) -> None:
        """Take rows for columns if they have the shape of a deal's columns."""
        if [len(line.split()) for _, line in self.rows] == [7, 7, 7, 7, 6, 6, 6, 6]:
            self.text.board, self.text.columns = self.rows, []

    def game(self) -> None:
        """Find the line with the number or the tag; the others are remarks."""
        text = self.text
        title = find_title(self.texts)
        if title is None:
            return
        text.game_line, digits, text.tag, text.game = title
        if digits is not None and len(digits) > MAX_DIGITS:
            self.fail(f"the number {quoted(digits)} is too long", title.line, 0)
        text.number = None if digits is None else int(digits)
        others = [_remark(other) for number, other in self.texts if number != title.line]
        text.remarks[:0] = others

    def fail(self, message: str, number: int, offset: int) -> None:
        raise InvalidError(message, self.source.named(number, offset + 1))


def is_deal_with_moves(line: str) -> bool:
    """Return True if a line has the number of a deal, and its moves."""
    match, row = _NUMBERED.fullmatch(_spaced(line)), _ROW.match(line)
    return (
        bool(_RAW.fullmatch(line))
        or (match is not None and _is_numbered(match))
        or (row is not None and PREFIXED_MOVES.fullmatch(line, row.end()) is not None)
    )


def is_line_of_moves(line: str) -> bool:
    """Return True if a line has moves alone."""
    return _FREE_LINE.fullmatch(_spaced(line)) is not None


def is_title(line: str) -> bool:
    """Return True if a line begins with a deal's number, or a word before it, and has no moves."""
    return _TITLE.match(line) is not None and not is_deal_with_moves(line)


def _mistyped(number: int, line: str, offset: int = 0) -> str | None:
    """Return in words that a line is a comment from a mistyped move on; None if it has none.

    It is read from an offset on, behind moves. Where more words than one are no moves beside those
    that are, it is taken for a comment that is meant as one.
    """
    words = [] if line.lstrip().startswith("#") else list(re.finditer(r"\S+", line[offset:]))
    wrong = [word for word in words if _FREE_LINE.fullmatch(word.group()) is None]
    moves = len(words) - len(wrong)
    if not wrong or not (moves or offset) or len(wrong) > moves + 1:
        return None
    place = f"line {number}, column {offset + wrong[0].start() + 1}"
    beginning = "from it on the line" if offset else "the line"
    return f"{quoted(wrong[0].group())} in {place} is no move, so {beginning} is a comment"


def _mistyped_row(number: int, line: str) -> str | None:
    """Return a message why a line is read as a comment; None if it is not like a row of cards.

    A line is like a row of cards if it is not too wide for one, and if at least half of what stands
    between its blanks are cards.
    """
    words = list(re.finditer(r"\S+", line)) if len(line) < TOO_WIDE else []
    wrong = [word for word in words if not is_card(word.group())]
    if not words or 2 * len(wrong) > len(words):
        return None
    if not wrong:
        return f"line {number} is read as a comment: its cards are not below those of other lines"
    name, column = quoted(wrong[0].group()), wrong[0].start() + 1
    return f"line {number} is read as a comment: {name} in column {column} is no card"


def _spaced(line: str) -> str:
    """Return the line with blanks in place of commas and semicolons, which may separate moves."""
    return line.replace(",", " ").replace(";", " ")


def _is_numbered(match: re.Match[str]) -> bool:
    """Return True if a number before moves is that of the deal, and not itself a move."""
    if not _FREE_LINE.fullmatch(match["moves"]):
        return False
    return bool(match["sign"] or match["end"]) or not _FREE_LINE.fullmatch(match["number"])


def _is_cells(line: str) -> bool:
    return len(line) >= 12 and line[11] == "+" and all(line[i] in "-=" for i in (2, 5, 8))


def _remark(line: str) -> str:
    return line.strip().removeprefix("#").strip()
