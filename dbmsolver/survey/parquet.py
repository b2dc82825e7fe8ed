"""Tables of rows as .parquet files, read and written in groups of rows."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from math import isnan
from operator import attrgetter
from pathlib import Path
from typing import Any

from dbmsolver.errors import StoreError, SystemRefusedError, UsageError
from dbmsolver.survey.checks import DIFFERENT, can_be, check_values, checked_row
from dbmsolver.survey.rows import COLUMNS, Row, column_types

GROUP = 1 << 17
"""Rows that are written or read at a time: more are no faster, and take more memory."""

_REPEATED = [
    name for name, (kind, _) in column_types().items() if kind is str and name not in DIFFERENT
]
"""Columns of text in which many rows have the same value."""

_common = attrgetter(
    *_REPEATED,
    "columns",
    "freecells",
    "dealt_to_freecells",
    "kings_sunk",
)
"""The values of a row that are checked once for all rows that share them."""


def pyarrow() -> Any:
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


def write_parquet(rows: Iterable[Row], path: Path) -> None:
    """Write rows to a new file. SystemRefusedError if there is no room."""
    arrow = pyarrow()
    schema = _schema(arrow)
    whole = [name for name, (kind, _) in column_types().items() if kind is int]
    encodings = dict.fromkeys(whole, "DELTA_BINARY_PACKED")
    coming = iter(rows)
    try:
        with arrow.parquet.ParquetWriter(
            path,
            schema,
            compression="zstd",
            compression_level=9,
            use_dictionary=_REPEATED,
            column_encoding={**encodings, "deal": "DELTA_BYTE_ARRAY"},
        ) as file:
            while some := list(islice(coming, GROUP)):
                columns = [list(map(attrgetter(name), some)) for name in COLUMNS]
                file.write_table(arrow.table(columns, schema=schema), row_group_size=GROUP)
    except arrow.ArrowException as error:
        raise SystemRefusedError(f"cannot be written ({error})", str(path)) from None


def read_parquet(path: Path) -> Iterator[Row]:
    """Yield the rows of a file; StoreError for one that is no table of a survey.

    An empty file is a table without rows, as it is in the other formats.
    """
    arrow = pyarrow()
    if not path.stat().st_size:
        return
    try:
        file = arrow.parquet.ParquetFile(path)
        if sorted(file.schema_arrow.names) != sorted(COLUMNS):
            raise StoreError("not the columns of a survey, expected another file", str(path))
        for batch in file.iter_batches(GROUP):
            yield from _rows_of([batch.column(name).to_pylist() for name in COLUMNS], str(path))
    except arrow.ArrowException as error:
        reason = str(error).splitlines()[0][:100] if str(error) else "damaged"
        raise StoreError(f"no readable .parquet file ({reason})", str(path)) from None


def _rows_of(columns: list[list[Any]], where: str) -> Iterator[Row]:
    """Yield the rows that have these columns, each of one type; StoreError for what is no row."""
    for index, (name, (kind, optional)) in enumerate(column_types().items()):
        kinds = {kind, type(None)} if optional else {kind}
        if not set(map(type, columns[index])) <= kinds or not _can_be(name, columns[index]):
            for values in zip(*columns, strict=True):
                yield checked_row(dict(zip(COLUMNS, values, strict=True)), where)
            return
        if name in _REPEATED:
            same = {text: text and sys.intern(text) for text in set(columns[index])}
            columns[index] = list(map(same.__getitem__, columns[index]))
    right = set()
    for row in map(Row, *columns):
        common = _common(row)
        number = row.number
        is_usual = number is not None and row.board is None and row.deal == str(number)
        if common not in right or not is_usual:
            check_values(row, where)
            right.add(common)
        yield row


def _can_be(name: str, values: list[Any]) -> bool:
    """Return True if a column can hold all these values; None for one that is empty."""
    there = set(values) - {None}
    if not there or isinstance(next(iter(there)), str):
        return True
    return can_be(name, min(there)) and can_be(name, max(there)) and not any(map(isnan, there))


def _schema(arrow: Any) -> Any:
    kinds = {int: arrow.int64(), float: arrow.float64(), str: arrow.string(), bool: arrow.bool_()}
    return arrow.schema(
        [
            arrow.field(name, kinds[kind], nullable=optional)
            for name, (kind, optional) in column_types().items()
        ]
    )
