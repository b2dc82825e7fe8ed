"""Tables of rows as files: .csv, .jsonl and .parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from dbmsolver.disk import flush_path
from dbmsolver.errors import StoreError, UsageError
from dbmsolver.game.texts import RepeatedNameError, members_once
from dbmsolver.survey.checks import checked_row
from dbmsolver.survey.parquet import pyarrow, read_parquet, write_parquet
from dbmsolver.survey.rows import COLUMNS, Row, column_types

ENDINGS = (".parquet", ".csv", ".jsonl")
LINES = (".csv", ".jsonl")
"""The formats that a row can be appended to."""

_AT_ONCE = 1024
"""Rows that are turned into text at a time, before they are written."""

_values = attrgetter(*COLUMNS)
_TRUTHS = [index for index, name in enumerate(COLUMNS) if column_types()[name][0] is bool]
"""Indexes of the columns with true or false."""

_WORDS = {True: "true", False: "false"}
_VALUES = {word: value for value, word in _WORDS.items()}


def ending_of(path: Path) -> str:
    """Return the ending of a table's name, which says its format; UsageError for another one."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"no table of that kind, expected one of {', '.join(ENDINGS)}", str(path))
    if ending == ".parquet":
        pyarrow()
    return ending


def lines_of(rows: Iterable[Row], ending: str) -> str:
    """Return rows as lines of a .csv or .jsonl file, each with its end."""
    if ending == ".jsonl":
        return "".join(json.dumps(values_of(row)) + "\n" for row in rows)
    return _csv_lines(map(_csv_words, rows))


def first_line(ending: str) -> str:
    """Return the first line of a .csv or .jsonl file."""
    return _csv_lines([COLUMNS]) if ending == ".csv" else ""


def values_of(row: Row) -> dict[str, Any]:
    """Return the values of a row by the names of its columns."""
    return dict(zip(COLUMNS, _values(row), strict=True))


def read_rows(path: Path, ending: str) -> Iterator[Row]:
    """Yield the rows of a file; StoreError for one that is no table of a survey.

    Of a .csv or .jsonl file a last line without its end is left out: a process was killed while it
    wrote that line.
    """
    try:
        if ending == ".parquet":
            yield from read_parquet(path)
        elif ending == ".csv":
            yield from _read_csv(path)
        else:
            yield from read_json_lines(path)
    except OSError as error:
        raise StoreError(f"cannot be read ({error.strerror})", str(path)) from None
    except csv.Error as error:
        raise StoreError(f"no table of a survey ({error})", str(path)) from None


def read_json_lines(path: Path) -> Iterator[Row]:
    """Yield the rows of a file with a JSON object in each line."""
    for number, line in enumerate(whole_lines(path), start=1):
        try:
            values = json.loads(line, object_pairs_hook=members_once)
        except RepeatedNameError as error:
            raise StoreError(f"{error}, expected it once", _at(path, number)) from None
        except (ValueError, RecursionError):
            raise StoreError("no JSON, expected a row of a survey", _at(path, number)) from None
        yield checked_row(values, _at(path, number))


def whole_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file with their ends, without a last line that has no end.

    StoreError for a line that is no text, or if there is no whole line, and what there is does not
    begin as a table does.
    """
    begin = _FIRST_WORDS if path.suffix.lower() != ".csv" else first_line(".csv")
    with open(path, "rb") as file:
        for number, line in enumerate(file):
            if line.endswith(b"\n"):
                try:  # a spreadsheet may have put a byte order mark before the first
                    yield line.decode("utf-8" if number else "utf-8-sig")
                except UnicodeDecodeError as error:
                    raise StoreError(f"no table of a survey ({error})", str(path)) from None
                continue
            rest = line.decode("utf-8", "replace")
            if not number and not (begin.startswith(rest) or rest.startswith(begin)):
                raise StoreError("not the columns of a survey, expected another file", str(path))


def begins_as_written(path: Path) -> bool:
    """Return True if lines may follow in a table, as its first one is as it is written here.

    Another program may have changed the order of columns, or the ends of lines.
    """
    begin = first_line(path.suffix.lower()).encode("utf-8")
    with open(path, "rb") as file:
        found = file.read(len(begin))
    return not found or found == begin


def write_table(rows: Iterable[Row], path: Path, ending: str) -> None:
    """Write a whole table to a new file, and have it on the disk when this returns."""
    if ending == ".parquet":
        write_parquet(rows, path)
    else:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(first_line(ending))
            coming = iter(rows)
            while some := list(islice(coming, _AT_ONCE)):
                file.write(lines_of(some, ending))
    flush_path(path)


_FIRST_WORDS = '{"deal": "'
"""The beginning of every row in JSON."""


def _at(path: Path, number: int) -> str:
    return f"{path}, line {number}"


def _csv_lines(rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _csv_words(row: Row) -> list[Any]:
    """Return the values of a row as csv takes them: lower case for a bool. None is empty for it."""
    values = list(_values(row))
    for index in _TRUTHS:
        if values[index] is not None:
            values[index] = _WORDS[values[index]]
    return values


def _read_csv(path: Path) -> Iterator[Row]:
    reader = csv.reader(whole_lines(path))
    names = next(reader, None)
    if names is None:
        return
    if sorted(names) != sorted(COLUMNS):
        raise StoreError("not the columns of a survey, expected another file", str(path))
    for words in reader:
        where = _at(path, reader.line_num)
        if len(words) != len(names):
            raise StoreError(f"{len(words)} values, expected {len(names)}", where)
        values = {name: _value(name, word) for name, word in zip(names, words, strict=True)}
        yield checked_row(values, where)


def _value(name: str, word: str) -> Any:
    """Return the value of a word of a .csv file; the word itself if it cannot be a value."""
    kind, optional = column_types()[name]
    if not word and optional:
        return None
    try:
        return _VALUES.get(word, word) if kind is bool else kind(word)
    except ValueError:
        return word
