"""The deals that a survey is about: numbers, files of numbers, boards, directories of boards."""

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dbmsolver.errors import InputError, UsageError, quoted
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import MAX_BOARD_BYTES, Deal, deal_number
from dbmsolver.game.decks import is_deck
from dbmsolver.game.numbers import Numbers, first_and_last
from dbmsolver.game.rules import Rules
from dbmsolver.game.texts import LINE_END, read_path, read_stream

_ITEM = re.compile(r"(?P<special>-[12])|(?P<first>[0-9]+)(?:-(?P<last>[0-9]+))?")
_LOOKS_LIKE_RANGES = re.compile(r"[-0-9, ]+")
_NUMBERS = "numbers and ranges like 1-1000,11982"
_EXPECTED = f"expected {_NUMBERS}"
MOST = 2**63 - 1
"""The greatest number that every kind of table can hold."""
_BETWEEN_ITEMS = re.compile(r"\s*,\s*|\s+")
MAX_LIST_BYTES = 256 << 20
"""The most bytes of a file of numbers: twenty million numbers take less."""
_BETWEEN = " / "
"""Stands for the end of a line where a board is written in one."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """Numbers, and boards as text with the names of their files."""

    numbers: tuple[range, ...] = ()
    """Ascending, without overlap."""
    boards: tuple[tuple[str, str], ...] = ()
    """(name of the file, text)."""
    unreadable: tuple[InputError, ...] = ()
    """The errors of files that are no text; only of directories, where others are beside them."""
    whose: Numbers = "microsoft"
    """The program that deals the numbers."""
    rows: bool = False
    """True if the lines of boards are the rows of cards as they lie on a table."""

    def __contains__(self, number: int) -> bool:
        """Return True if ``number`` is one of the numbers."""
        place = bisect_right(self.numbers, number, key=lambda some: some.start)
        return place > 0 and number in self.numbers[place - 1]

    def check(self, games: Iterable[Rules]) -> None:
        """Raise InputError if a game cannot be dealt by these numbers."""
        for rules in games:
            for numbers in self.numbers:
                deal_number(numbers[0], rules, self.whose)


@dataclass(frozen=True, slots=True)
class Subject:
    """A deal under some rules, small enough to be sent to another process.

    `number` is None for a board, which `board` holds in one line.
    """

    number: int | None
    board: str | None
    rules: Rules
    whose: Numbers = "microsoft"
    """The program that deals the number."""

    def __reduce__(self) -> tuple[type[Subject], tuple[int | None, str | None, Rules, Numbers]]:
        """Pickle the values alone, to be fast: there are thousands of subjects in a second."""
        return Subject, (self.number, self.board, self.rules, self.whose)

    def deal(self) -> Deal:
        """Return the deal itself; InputError if the rules have none of that number."""
        if self.number is not None:
            if self.whose != "microsoft":
                return Deal(deal_number(self.number, self.rules, self.whose), self.rules)
            return Deal.from_number(self.number, self.rules)
        text = (self.board or "").replace(_BETWEEN, "\n")
        return Deal.from_text(text, self.rules, "board of the table")


def parse_ranges(
    texts: Iterable[str],
    whose: Numbers = "microsoft",
    rows: bool = False,
    own: Collection[Path] = (),
) -> Ranges:
    """Read the deals of a survey: lists of numbers and ranges, paths of files and directories.

    A file holds numbers and ranges, a board, or a deck of digits; `-` is such a file on standard
    input. `whose` names the program that deals the numbers. With `rows` the lines of boards are
    their rows. `own` are the files that the survey writes: in a directory they are no boards.
    UsageError for a range that cannot be, InputError for a number that no deal has, and for a file
    or directory that cannot be read.
    """
    texts = list(texts)
    if texts.count("-") > 1:
        raise UsageError("- stands there twice, expected standard input once")
    numbers: list[range] = []
    boards: list[tuple[str, str]] = []
    unreadable: list[InputError] = []
    for text in texts:
        if looks_like_numbers(text):
            numbers += [_range_of(item.strip(), whose) for item in text.split(",")]
        elif os.path.isdir(text):  # noqa: PTH112  # which raises no error
            some, errors = _boards_in(Path(text), own)
            boards += some
            unreadable += errors
        else:
            whole, where = _read(text)
            if is_list(whole) and not is_deck(whole[:MAX_BOARD_BYTES]):
                numbers += _listed(whole, where, whose)
            elif len(whole) > MAX_BOARD_BYTES:
                raise InputError(f"more than {MAX_BOARD_BYTES} bytes, expected a board", where)
            else:
                boards.append((where, whole))
    if whose != "microsoft" and not numbers:
        raise UsageError(f"numbers {whose} says nothing about boards, expected numbers")
    if rows and not boards:
        raise UsageError("rows says nothing about numbers, expected boards")
    return Ranges(tuple(_merged(numbers)), tuple(boards), tuple(unreadable), whose, rows)


def ranges_or_none(
    texts: Iterable[str] | None, whose: Numbers, rows: bool, own: Collection[Path] = ()
) -> Ranges | None:
    """Return the deals that texts name, or None without a text: the deals of the table.

    `own` are the files that the survey writes.
    """
    if texts is not None:
        return parse_ranges(texts, whose, rows, own)
    if rows or whose != "microsoft":
        said = "rows" if rows else f"numbers {whose}"
        raise UsageError(f"{said} says nothing without ranges of deals, or boards")
    return None


def looks_like_numbers(text: str) -> bool:
    """Return True if a text is meant as numbers and ranges, and not as a path."""
    return text != "-" and _LOOKS_LIKE_RANGES.fullmatch(text) is not None


def is_list(text: str) -> bool:
    """Return True if the text of a file is numbers and ranges: its first line has nothing else.

    No line of a board looks like that.
    """
    first = next((words for _, words in _lines_with_words(text)), "")
    return _LOOKS_LIKE_RANGES.fullmatch(" ".join(first.split())) is not None


def subjects_of(ranges: Ranges, games: Iterable[Rules]) -> Iterator[Subject]:
    """Yield each deal under each of the rules, once; boards that are the same are one deal."""
    for rules in games:
        for numbers in ranges.numbers:
            for number in numbers:
                yield Subject(number, None, rules, ranges.whose)
        for board in boards_under(ranges, rules):
            yield Subject(None, board, rules)


def count_subjects(ranges: Ranges | None, games: Iterable[Rules]) -> int:
    """Return the number of deals that `subjects_of` yields; 0 for no ranges."""
    if ranges is None:
        return 0
    numbers = sum(some.stop - some.start for some in ranges.numbers)
    return sum(numbers + len(boards_under(ranges, rules)) for rules in games)


def boards_under(ranges: Ranges, rules: Rules) -> list[str]:
    """Return the different boards that can be read, each in one line.

    Raises the InputError of the first unreadable file if there is no readable deal.
    """
    return _read_boards(ranges, rules)[0]


def unreadable_under(ranges: Ranges, rules: Rules) -> list[InputError]:
    """Return an error for each file that is no board under these rules."""
    return _read_boards(ranges, rules)[1]


def _read_boards(ranges: Ranges, rules: Rules) -> tuple[list[str], list[InputError]]:
    found: dict[str, None] = {}
    errors: list[InputError] = list(ranges.unreadable)
    for where, text in ranges.boards:
        try:
            found[one_line(Deal.from_text(text, rules, where, rows=ranges.rows))] = None
        except InputError as error:
            errors.append(InputError(error.message, error.where or where))
    if errors and not found and not ranges.numbers:
        raise errors[0]
    return list(found), errors


def one_line(deal: Deal) -> str:
    """Return the board of a deal in one line; freecells that are free are not mentioned."""
    lines = format_board(deal.position).splitlines()
    return _BETWEEN.join(
        line.replace(" -", "") if line.startswith("Freecells") else line for line in lines
    )


def _read(path: str) -> tuple[str, str]:
    """Return the text of a file of numbers or of a board, and the file's name for messages."""
    what = "numbers or a board"
    if path == "-":
        return read_stream(sys.stdin, "<stdin>", what, MAX_LIST_BYTES), "<stdin>"
    missing = f"{_NUMBERS}, the path of a file of them, of a board, or of a directory of boards"
    return read_path(path, what, MAX_LIST_BYTES, missing)


def _listed(text: str, where: str, whose: Numbers) -> Iterator[range]:
    """Yield the numbers and ranges of a file; InputError says which line has something else."""
    for number, words in _lines_with_words(text):
        for item in _BETWEEN_ITEMS.split(words.removesuffix(",").rstrip()):
            try:
                yield _range_of(item, whose)
            except (UsageError, InputError) as error:
                raise InputError(str(error), f"{where}, line {number}") from None


def _lines_with_words(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines in which there is more than blanks and a comment, with their numbers."""
    for number, line in enumerate(re.split(LINE_END, text.removeprefix("\ufeff")), start=1):
        if words := line.partition("#")[0].strip():
            yield number, words


def _range_of(item: str, whose: Numbers) -> range:
    match = _ITEM.fullmatch(item)
    is_microsoft = whose == "microsoft"
    if match is None or (match["special"] and not is_microsoft):
        raise UsageError(f"{quoted(item)} is no range of deals, {_EXPECTED}")
    if match["special"]:
        return range(int(item), int(item) + 1)
    first, last = _number(match["first"]), _number(match["last"] or match["first"])
    least, most = first_and_last(whose)
    most = min(most, MOST)
    for number in (first, last):
        if not least <= number <= most:
            expected = f"expected one from {least} to {most}"
            expected += ", or -1 or -2" if is_microsoft else f", as of {whose}"
            raise InputError(f"no such number, {expected}", quoted(item))
    if last < first:
        raise UsageError(f"{quoted(item)} ends before it begins, {_EXPECTED}")
    return range(first, last + 1)


def _number(digits: str) -> int:
    """Return the number of some digits; of a greater one than tables hold, another such number."""
    # int() refuses thousands of digits. Its first twenty are a number above MOST, too.
    return int(digits.lstrip("0")[:20] or "0")


def _merged(numbers: Iterable[range]) -> Iterator[range]:
    """Yield the same numbers in ascending order, each once."""
    open_range: range | None = None
    for following in sorted(numbers, key=lambda r: r.start):
        if open_range is None:
            open_range = following
        elif following.start <= open_range.stop:
            open_range = range(open_range.start, max(open_range.stop, following.stop))
        else:
            yield open_range
            open_range = following
    if open_range is not None:
        yield open_range


def _boards_in(
    folder: Path, own: Collection[Path]
) -> tuple[list[tuple[str, str]], list[InputError]]:
    """Return the boards in the files of a directory, by name, and the errors of other files.

    Hidden files and those of `own` are left out. InputError if there is no file.
    """
    written = {path.resolve() for path in own}
    try:
        files = (p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
        paths = sorted(p for p in files if p.resolve() not in written)
    except OSError as error:
        reason = f"cannot be read ({error.strerror}), expected a directory of boards"
        raise InputError(reason, str(folder)) from None
    if not paths:
        raise InputError("no file in it, expected a directory of boards", str(folder))
    boards, errors = [], []
    for path in paths:
        try:
            text, where = read_path(str(path), "a board", MAX_BOARD_BYTES)
            boards.append((where, text))
        except InputError as error:
            errors.append(error)
    return boards, errors
