"""Tables of rows as files: .csv, .jsonl and .parquet."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from dbmsolver.disk import flush_path
from dbmsolver.errors import StoreError, SystemRefusedError, UsageError, quoted
from dbmsolver.game.numbers import NUMBERS
from dbmsolver.results import Verdict
from dbmsolver.survey.rows import COLUMNS, UNREADABLE, Inquiry, Row, column_types, number_name

ENDINGS = (".parquet", ".csv", ".jsonl")
LINES = (".csv", ".jsonl")
"""The formats that a row can be appended to."""

_AT_ONCE = 1024
"""Rows that are made text before they are written."""

_values = attrgetter(*COLUMNS)
_TRUTHS = [place for place, name in enumerate(COLUMNS) if column_types()[name][0] is bool]
"""Places of the columns with true or false."""

_WORDS = {True: "true", False: "false"}
_VALUES = {word: value for value, word in _WORDS.items()}


def ending_of(path: Path) -> str:
    """Return the format that the name of a table says; UsageError for another one."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"no table of that kind, expected one of {', '.join(ENDINGS)}", str(path))
    if ending == ".parquet":
        _parquet()
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
            yield from _read_parquet(path)
        elif ending == ".csv":
            yield from _read_csv(path)
        else:
            yield from read_json_lines(path)
    except OSError as error:
        raise StoreError(f"cannot be read ({error.strerror})", str(path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise StoreError(f"no table of a survey ({error})", str(path)) from None


def read_json_lines(path: Path) -> Iterator[Row]:
    """Yield the rows of a file with a JSON object in each line."""
    for number, line in enumerate(whole_lines(path).split("\n")[:-1], start=1):
        try:
            values = json.loads(line)
        except ValueError:
            raise StoreError("no JSON, expected a row of a survey", _at(path, number)) from None
        yield checked_row(values, _at(path, number))


def whole_lines(path: Path) -> str:
    """Return the text of a file up to the end of its last whole line.

    StoreError for a file that has no whole line and does not begin as a table does.
    """
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1].decode("utf-8")
    begin = _FIRST_WORDS if path.suffix.lower() != ".csv" else first_line(".csv")
    rest = data.decode("utf-8", "replace")
    if not whole and not (begin.startswith(rest) or rest.startswith(begin)):
        raise StoreError("not the columns of a survey, expected another file", str(path))
    return whole


def write_table(rows: Iterable[Row], path: Path, ending: str) -> None:
    """Write a whole table to a new file, and have it on the disk when this returns."""
    if ending == ".parquet":
        _write_parquet(rows, path)
    else:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(first_line(ending))
            coming = iter(rows)
            while some := list(islice(coming, _AT_ONCE)):
                file.write(lines_of(some, ending))
    flush_path(path)


def checked_row(values: Any, where: str) -> Row:
    """Return a row of these values; StoreError if they make none."""
    if not isinstance(values, dict) or tuple(sorted(values)) != tuple(sorted(COLUMNS)):
        raise StoreError("not the columns of a survey, expected another file", where)
    for name, (kind, optional) in column_types().items():
        value = values[name]
        if value is None and optional:
            continue
        if kind is float and type(value) is int:
            value = values[name] = float(value)
        if type(value) is not kind:
            said = f"{name} is {quoted(repr(value))}"
            raise StoreError(f"{said}, expected {_KINDS[kind]}", where)
        if kind is str and name not in _DIFFERENT:
            values[name] = sys.intern(str(value))  # a million rows have it in common
    row = Row(**values)
    _check_values(row, where)
    return row


_DIFFERENT = {"deal", "board", "digest", "asked"}
"""Columns of text with another value in each row."""

_FIRST_WORDS = '{"deal": "'
"""The beginning of every row in JSON."""

_KINDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def _check_values(row: Row, where: str) -> None:
    if row.question not in set(Inquiry):
        raise StoreError(f"unknown question {quoted(row.question)}", where)
    if row.verdict not in {*Verdict, UNREADABLE}:
        raise StoreError(f"unknown verdict {quoted(row.verdict)}", where)
    if (row.number is None) == (row.board is None):
        raise StoreError("expected a number or a board, one of them", where)
    if row.number is not None and (
        row.whose not in NUMBERS or row.deal != number_name(row.number, row.whose)
    ):
        raise StoreError(f"deal {quoted(row.deal)} is none with the number {row.number}", where)
    try:
        rules = row.rules
    except (UsageError, TypeError, ValueError) as error:
        raise StoreError(f"no rules ({error})", where) from None
    assert rules is not None


def _at(path: Path, number: int) -> str:
    return f"{path}, line {number}"


def _csv_lines(rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _csv_words(row: Row) -> list[Any]:
    """Return the values of a row as csv takes them: lower case for a bool. None is empty for it."""
    values = list(_values(row))
    for place in _TRUTHS:
        if values[place] is not None:
            values[place] = _WORDS[values[place]]
    return values


def _read_csv(path: Path) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(whole_lines(path)))
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


def _parquet() -> Any:
    """Return the library for .parquet; UsageError where it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            "tables in .parquet need pyarrow (pip install 'dbmsolver[parquet]'), "
            "expected .csv or .jsonl without it"
        ) from None
    return pyarrow


def _schema(arrow: Any) -> Any:
    kinds = {int: arrow.int64(), float: arrow.float64(), str: arrow.string(), bool: arrow.bool_()}
    return arrow.schema(
        [
            arrow.field(name, kinds[kind], nullable=optional)
            for name, (kind, optional) in column_types().items()
        ]
    )


def _write_parquet(rows: Iterable[Row], path: Path) -> None:
    arrow = _parquet()
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for row in rows:
        for name, column in columns.items():
            column.append(getattr(row, name))
    kinds = {name: kind for name, (kind, _) in column_types().items()}
    repeated = [name for name, kind in kinds.items() if kind is str and name not in _DIFFERENT]
    encodings = {name: "DELTA_BINARY_PACKED" for name, kind in kinds.items() if kind is int}
    table = arrow.table(columns, schema=_schema(arrow))
    try:
        arrow.parquet.write_table(
            table,
            path,
            compression="zstd",
            compression_level=9,
            use_dictionary=repeated,
            column_encoding={**encodings, "deal": "DELTA_BYTE_ARRAY"},
        )
    except arrow.ArrowException as error:
        raise SystemRefusedError(f"cannot be written ({error})", str(path)) from None


def _read_parquet(path: Path) -> Iterator[Row]:
    arrow = _parquet()
    try:
        file = arrow.parquet.ParquetFile(path)
        if sorted(file.schema_arrow.names) != sorted(COLUMNS):
            raise StoreError("not the columns of a survey, expected another file", str(path))
        for batch in file.iter_batches():
            for values in batch.to_pylist():
                yield checked_row(values, str(path))
    except arrow.ArrowException as error:
        reason = str(error).splitlines()[0][:100] if str(error) else "damaged"
        raise StoreError(f"no readable .parquet file ({reason})", str(path)) from None
