"""JSON as untrusted text: bounded depth, no duplicate keys, and every value's place in the text.

The standard library's reader does not say where a value stood, takes the last of two equal keys,
and has no bound on depth of its own.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from dbmsolver.errors import quoted
from dbmsolver.notation.formats.source import InvalidError, Source
from dbmsolver.notation.solution import Path

MAX_DEPTH = 32
MAX_DIGITS = 18

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}


def parse(source: Source) -> tuple[Any, dict[Path, int]]:
    """Return the value, and the offset in the text of each value in it, by its path."""
    reader = _JsonReader(source)
    value = reader.value((), 0)
    reader.space()
    if reader.offset != len(source.text):
        reader.fail("text after the end of the value")
    return value, reader.places


class _JsonReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.offset = 0
        self.places: dict[Path, int] = {}

    def fail(self, message: str, offset: int | None = None) -> NoReturn:
        place = self.source.place(self.offset if offset is None else offset)
        raise InvalidError(f"{message}, expected JSON", place)

    def space(self) -> str:
        """Pass over white space; return the character after it, or an empty string at the end."""
        match = _SPACE.match(self.text, self.offset)
        assert match is not None
        self.offset = match.end()
        return self.text[self.offset : self.offset + 1]

    def value(self, path: Path, depth: int) -> Any:
        start = self.space()
        self.places[path] = self.offset
        if depth > MAX_DEPTH:
            self.fail(f"nested more than {MAX_DEPTH} deep")
        if start == "{":
            return self.object(path, depth)
        if start == "[":
            return self.array(path, depth)
        if start == '"':
            return self.string()
        if match := _NUMBER.match(self.text, self.offset):
            return self.number(match.group())
        for word, value in _WORDS.items():
            if self.text.startswith(word, self.offset):
                self.offset += len(word)
                return value
        self.fail(f"unexpected {quoted(start)}" if start else "the text ends too early")

    def object(self, path: Path, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.offset += 1
        if self.space() == "}":
            self.offset += 1
            return found
        while True:
            if self.space() != '"':
                self.unexpected("a key in double quotes")
            at = self.offset
            key = self.string()
            if key in found:
                self.fail(f"the key {quoted(key)} a second time, expected it once", at)
            if self.space() != ":":
                self.unexpected("`:`")
            self.offset += 1
            found[key] = self.value((*path, key), depth + 1)
            if self.more("}"):
                return found

    def array(self, path: Path, depth: int) -> list[Any]:
        found: list[Any] = []
        self.offset += 1
        if self.space() == "]":
            self.offset += 1
            return found
        while True:
            found.append(self.value((*path, len(found)), depth + 1))
            if self.more("]"):
                return found

    def more(self, end: str) -> bool:
        """Pass over a comma, or the end; return True if it was the end."""
        found = self.space()
        if found not in (",", end):
            self.unexpected(f"`,` or `{end}`")
        self.offset += 1
        return found == end

    def unexpected(self, expected: str) -> NoReturn:
        found = self.text[self.offset : self.offset + 1]
        what = f"unexpected {quoted(found)}" if found else "the text ends too early"
        self.fail(f"{what} instead of {expected}")

    def string(self) -> str:
        match = _STRING.match(self.text, self.offset)
        if match is None:
            self.fail("a string that does not end, or has a bad character or escape in it")
        found: str = json.loads(match.group())
        if not found.isascii() and any("\ud800" <= letter <= "\udfff" for letter in found):
            self.fail("half of a surrogate pair in a string")
        self.offset = match.end()
        return found

    def number(self, text: str) -> int | float:
        if len(text) > MAX_DIGITS:
            self.fail(f"a number of {len(text)} characters (at most {MAX_DIGITS} are read)")
        self.offset += len(text)
        if re.fullmatch(r"-?[0-9]+", text):
            return int(text)
        number = float(text)
        if number in (float("inf"), float("-inf")):
            self.fail("a number out of range")
        return number
