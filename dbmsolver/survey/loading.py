"""The rows of a table and of its journal, read without a lock."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

from dbmsolver.disk import place_of
from dbmsolver.errors import StoreError
from dbmsolver.game.rules import Rules
from dbmsolver.survey.formats import ending_of, read_json_lines, read_rows
from dbmsolver.survey.rows import Key, Row, merged


def journal_of(path: Path) -> Path:
    """Return the path of a table's journal, beside the file that the table's path leads to."""
    place = place_of(path)
    return place.with_name(place.name + ".journal")


class TableRows(dict[Key, Row]):
    """The rows of a table by their keys; each is there once."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    def read(self, row: Row) -> None:
        """Add a row that was read from a table; StoreError if the table has it twice."""
        first = self.setdefault(row.key, row)
        if first is not row:
            merged(first, row, self.where)
            raise StoreError(f"{row.title} stands in it twice, expected it once", self.where)

    def put(self, row: Row) -> Row:
        """Add a row, which may replace another one; return the row that is kept.

        StoreError if the two contradict each other.
        """
        key = row.key
        old = self.setdefault(key, row)
        if old is row:
            return row
        kept = merged(old, row, self.where)
        self[key] = kept
        return kept

    def sorted(self) -> list[Row]:
        """Return the rows sorted by rules, then by number, then boards.

        So the table does not depend on the order in which they were added.
        """
        by_rules: dict[Rules, list[Row]] = {}
        for (_, rules), row in self.items():
            by_rules.setdefault(rules, []).append(row)
        return [
            row
            for rules in sorted(by_rules, key=astuple)
            for row in sorted(by_rules[rules], key=_order)
        ]


def _order(row: Row) -> tuple[bool, str, int, str]:
    """Return what rows under the same rules are sorted by."""
    return row.number is None, row.whose, row.number or 0, row.board or ""


def load_rows(path: Path) -> TableRows:
    """Return the rows of a table and of its journal, without a lock; StoreError for no table."""
    ending = ending_of(path)
    rows = TableRows(str(path))
    journal = journal_of(path)
    # The journal first: it is emptied only after its rows are in the table.
    try:
        later = list(read_json_lines(journal))
    except FileNotFoundError:
        later = []
        if not path.exists():
            raise StoreError("no such table", str(path)) from None
    except OSError as error:
        raise StoreError(f"cannot be read ({error.strerror})", str(journal)) from None
    if path.exists():
        for row in read_rows(path, ending):
            rows.read(row)
    for row in later:
        rows.put(row)
    return rows
