"""A text being read: its size is bounded, and its errors say line and column."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from dbmsolver.errors import InputError, quoted
from dbmsolver.game.texts import LINE_END, decoded

MAX_BYTES = 4 << 20
"""More than any solution needs with a position before each of its moves."""

MAX_LINE = 40_000
"""More than the characters of `MAX_MOVES` moves on one line."""

MAX_LINES = 100_000

MAX_MOVES = 10_000
"""More than any solution of a game that people play."""


class InvalidError(InputError):
    """A text that does not parse."""


@dataclass
class Source:
    """The text of a file, and its name for messages."""

    text: str
    where: str = "<text>"
    first: int = 1
    """The number of its first line, where it is a part of a file."""
    _starts: list[int] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.text = self.text.removeprefix("\ufeff")
        # The count of characters first: encoding a huge text would cost its memory again.
        size = len(self.text)
        if size > MAX_BYTES or len(self.text.encode("utf-8", "replace")) > MAX_BYTES:
            raise InvalidError(f"more than {MAX_BYTES} bytes, expected a solution", self.where)

    @classmethod
    def of_bytes(cls, data: bytes, where: str = "<text>") -> Source:
        """Decode a file's bytes."""
        if len(data) > MAX_BYTES:
            raise InvalidError(f"more than {MAX_BYTES} bytes, expected a solution", where)
        try:
            return cls(decoded(data), where)
        except UnicodeDecodeError as error:
            if error.encoding != "utf-8":
                message = f"not text in {error.encoding.upper()}, which it begins like"
                raise InvalidError(f"{message}, expected a solution", where) from None
            before = cls(data[: error.start].decode("utf-8"), where)
            place = before.place(len(before.text))
            message = f"byte {data[error.start]:#04x} is not text in UTF-8, expected a solution"
            raise InvalidError(message, place) from None

    @classmethod
    def load(cls, path: str | Path) -> Source:
        """Read a file, no more of it than the bound."""
        where = str(path) if str(path).isprintable() else quoted(str(path), 200)
        try:
            with open(path, "rb") as file:
                return cls.of_bytes(file.read(MAX_BYTES + 1), where)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"cannot be read ({reason}), expected a solution", where) from None

    def lines(self) -> list[tuple[int, str]]:
        """Return the lines with their numbers; InvalidError for too many, or one too long."""
        lines = list(enumerate(re.split(LINE_END, self.text), start=self.first))
        if len(lines) > MAX_LINES:
            text = f"more than {MAX_LINES} lines, expected a solution"
            raise InvalidError(text, self.named(MAX_LINES + 1))
        for number, line in lines:
            if len(line) > MAX_LINE:
                text = f"a line of {len(line)} characters, expected at most {MAX_LINE}"
                raise InvalidError(text, self.named(number, MAX_LINE + 1))
        return lines

    def at(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, counted from 1."""
        if not self._starts:
            self._starts = [0, *(match.end() for match in re.finditer(LINE_END, self.text))]
        line = bisect_right(self._starts, offset)
        return line + self.first - 1, offset - self._starts[line - 1] + 1

    def place(self, offset: int) -> str:
        """Return the place of an offset, in words for messages."""
        line, column = self.at(offset)
        return self.named(line, column)

    def named(self, line: int | None = None, column: int = 1) -> str:
        """Return a line, by default the first one, and a column, in words for messages."""
        return f"{self.where}, line {line or self.first}, column {column}"
