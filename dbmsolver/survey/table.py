"""The table of a survey: every row is kept at once, and none is lost when the process dies.

Beside the table TABLE lies the journal TABLE.journal while a survey runs. Rows of a .csv or .jsonl
table that are new are appended to the table itself. All others go to the end of the journal: rows
of a .parquet table, which cannot grow, and rows that replace an open one. Now and then, and at the
end, the whole table is written anew from both: to a file beside it, which then replaces it. Then
the journal is emptied. A process killed in between leaves rows in both, and they are the same.
A line that was being written when the process was killed is cut off by the next one.

The journal is also the lock of the table. It lies beside the file itself, so a process that opens
the table by a symbolic link finds it. The file is locked, too, for a process that opens it by a
hard link. The journal is removed when the survey ends.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from dbmsolver.closable import Closable
from dbmsolver.disk import flush_path, is_at, lock, place_of
from dbmsolver.errors import StoreError, SystemRefusedError, UsageError
from dbmsolver.survey.formats import (
    LINES,
    begins_as_written,
    ending_of,
    first_line,
    lines_of,
    write_table,
)
from dbmsolver.survey.loading import journal_of, load_rows
from dbmsolver.survey.rows import Inquiry, Row
from dbmsolver.version import PROGRAM

SYNC_SECONDS = 1.0
"""Seconds after which written rows are flushed to the disk."""

LEAST_REWRITE_SECONDS = 20.0
"""The fewest seconds between two times that the whole table is written."""

REWRITE_SHARE = 50
"""Writing the whole table takes at most one part in this many of the time."""

_BLOCK = 1 << 16
"""Bytes that are read at a time to find the end of the last line."""


class SurveyTable(Closable):
    """A table that this process alone may change.

    UsageError if it cannot be written, StoreError if another process has it, if it is damaged, or
    if another version of the program or another question made it.
    """

    def __init__(self, path: Path, question: Inquiry) -> None:
        self.path = path
        self.ending = ending_of(path)
        self.journal = journal_of(path)
        self._target = place_of(path)
        if path.is_dir():
            raise UsageError("a directory, expected a file for the table", str(path))
        if path.exists() and not path.is_file():
            raise UsageError("no plain file, expected one for the table", str(path))
        if path.exists() and not os.access(path, os.W_OK):
            raise UsageError("cannot be written, expected a file that can be", str(path))
        self._journal_file = _locked(self.journal, path)
        self._file: int | None = None
        self._held: int | None = None
        try:
            if path.exists():
                self._held = _held(path, path)
            self.rows = load_rows(path)
            self._check(question)
            _cut_last_line(self.journal)
            if self.ending in LINES and path.exists():
                _cut_last_line(path)
            self._replaced = self.journal.stat().st_size > 0
            if self.ending in LINES and path.exists() and not begins_as_written(path):
                self.rewrite()
            else:
                self._append()
        except BaseException:
            if not os.fstat(self._journal_file).st_size:
                self.journal.unlink(missing_ok=True)
            self._close_file()
            os.close(self._journal_file)
            raise
        self._synced = time.monotonic()
        self._written = time.monotonic()
        self._cost = 0.0

    def put(self, rows: Iterable[Row]) -> list[Row]:
        """Keep rows; return them as they are kept.

        SystemRefusedError if the disk is full. StoreError if a row contradicts the table; the rows
        before it are kept.
        """
        kept: list[Row] = []
        new: list[Row] = []
        later: list[Row] = []
        try:
            for row in rows:
                before = len(self.rows)
                kept.append(self.rows.put(row))
                is_new = len(self.rows) > before
                (new if is_new and self._file is not None else later).append(kept[-1])
        finally:
            if new and self._file is not None:
                _write(self._file, lines_of(new, self.ending), self.path)
            if later:
                _write(self._journal_file, lines_of(later, ".jsonl"), self.journal)
                self._replaced = True
        return kept

    def flush(self) -> None:
        """Flush rows to the disk, once a second; write the whole table if that is due."""
        now = time.monotonic()
        if now - self._synced > SYNC_SECONDS:
            self._synced = now
            for handle in (self._journal_file, self._file):
                if handle is not None:
                    os.fsync(handle)
        rest = max(LEAST_REWRITE_SECONDS, REWRITE_SHARE * self._cost)
        if self._replaced and self.ending not in LINES and now - self._written > rest:
            self.rewrite()

    def rewrite(self) -> None:
        """Write the whole table in order, then empty the journal."""
        begun = time.monotonic()
        target = self._target
        beside = target.with_name(f".{target.name}.{os.getpid()}")
        new = None
        try:
            write_table(self.rows.sorted(), beside, self.ending)
            if self.path.exists():
                beside.chmod(self.path.stat().st_mode & 0o777)
            new = _held(beside, self.path)
            beside.replace(target)
            self._close_file()
            self._held, new = new, None
            flush_path(target.parent)
            os.ftruncate(self._journal_file, 0)
        except OSError as error:
            raise SystemRefusedError(f"cannot be written ({error.strerror})", str(self.path)) from (
                None
            )
        finally:
            if new is not None:
                os.close(new)
            with suppress(OSError):
                beside.unlink(missing_ok=True)
        self._append()
        self._replaced = False
        self._written = time.monotonic()
        self._cost = self._written - begun

    def close(self) -> None:
        """Write the table, remove the journal, and release the lock."""
        try:
            self.rewrite()
            self._close_file()
            self.journal.unlink(missing_ok=True)
        finally:
            self._close_file()
            os.close(self._journal_file)

    def _check(self, question: Inquiry) -> None:
        for row in self.rows.values():
            if row.program != PROGRAM:
                said = f"made by {row.program}, this is {PROGRAM}"
                raise StoreError(f"{said}; expected a table of this version", str(self.path))
            if row.question != question:
                said = f"its question is {row.question}, not {question}"
                raise StoreError(f"{said}; expected a table of this question", str(self.path))

    def _append(self) -> None:
        """Open the table to append rows to it, if rows can be appended to its format."""
        if self.ending not in LINES:
            return
        try:
            handle = os.open(self._target, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        except OSError as error:
            raise UsageError(f"cannot be written ({error.strerror})", str(self.path)) from None
        self._file = handle
        if self._held is None:
            self._held = _held(self._target, self.path)
        if not os.fstat(handle).st_size:
            _write(handle, first_line(self.ending), self.path)

    def _close_file(self) -> None:
        """Close the file of the table, which releases its lock."""
        for handle in (self._file, self._held):
            if handle is not None:
                os.close(handle)
        self._file = self._held = None


def _locked(journal: Path, table: Path) -> int:
    """Return the journal, open for appending, and locked for this process."""
    while True:
        try:
            handle = os.open(journal, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        except OSError as error:
            raise UsageError(
                f"cannot be written ({error.strerror}), expected a place for a table", str(table)
            ) from None
        _lock(handle, table)
        # The process that had the lock may have removed the file in the meantime.
        if is_at(handle, journal):
            return handle
        os.close(handle)


def _held(path: Path, table: Path) -> int:
    """Open and lock the file of a table: it may have other names, by hard links."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError as error:
        raise StoreError(f"cannot be opened ({error.strerror})", str(table)) from None
    _lock(handle, table)
    if not is_at(handle, path):
        os.close(handle)
        raise StoreError("another process is making this table", str(table))
    return handle


def _lock(handle: int, table: Path) -> None:
    """Lock an open file; if that fails, close it and raise StoreError."""
    try:
        lock(handle)
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            raise StoreError("another process is making this table", str(table)) from None
        raise StoreError(f"cannot be locked ({error.strerror})", str(table)) from None


def _cut_last_line(path: Path) -> None:
    """Cut off a last line that has no end."""
    with open(path, "r+b") as file:
        end = offset = file.seek(0, os.SEEK_END)
        last = -1
        while offset > 0 and last < 0:
            offset = max(offset - _BLOCK, 0)
            file.seek(offset)
            last = file.read(_BLOCK).rfind(b"\n")
        if offset + last + 1 < end:
            file.truncate(offset + last + 1)


def _write(handle: int, text: str, path: Path) -> None:
    """Append lines, all of them or nothing."""
    data = text.encode("utf-8")
    before = os.fstat(handle).st_size
    try:
        written = os.write(handle, data)
        reason = "no room" if written < len(data) else None
    except OSError as error:
        reason = error.strerror
    if reason is not None:
        with suppress(OSError):
            os.ftruncate(handle, before)
        raise SystemRefusedError(f"cannot be written ({reason})", str(path))
