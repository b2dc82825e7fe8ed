"""The data file of a store, read without LMDB: opened for reading only, and without a lock.

LMDB maps the file and trusts it: if the file is cut short or overwritten, the process dies by a
signal. Here the same pages are read, and their content is checked first
(:mod:`dbmsolver.storage.pages`). A store can also be read in a directory that cannot be written to,
and while another process writes.

LMDB never changes a page that one of the last two commits uses. So the pages read here belong to
one commit, if no more than one other was made meanwhile. Where more were, a method raises
ChangedError, and the caller starts again.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from pathlib import Path

from dbmsolver.errors import ChangedError, StoreError, error_of
from dbmsolver.storage.nodes import Damage, Meta
from dbmsolver.storage.pages import Pages


def is_unfinished(path: Path) -> bool:
    """Return True if LMDB was stopped while it made this file: it has no second meta page yet."""
    try:
        if not path.is_file():
            return False
        size = path.stat().st_size
        with path.open("rb") as file:
            return not size or Pages(file.fileno()).is_first_of_two(size)
    except (OSError, Damage):
        return False


class DataFile:
    """The records of an LMDB file as of its last commit.

    ``where`` names the store in messages; StoreError if the file is not sound.
    """

    def __init__(self, path: Path, where: str) -> None:
        self.where = where
        try:
            # A pipe without a writer must not hold the program up.
            self._file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            message = f"{path.name} cannot be opened"
            raise error_of(error, StoreError, message, where) from None
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise StoreError(f"not a readable store ({path.name} is no file)", where)
            self._pages = Pages(self._file)
            self._meta = self._newest()
            try:
                self._locations, self._used = self._pages.index(self._meta, self._meta.main)
            except Damage as damage:
                raise self._error(damage) from None
            self._keys = list(self._locations)
            self._check_current()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def keys(self, prefix: bytes = b"") -> list[bytes]:
        """Return all keys that begin with ``prefix``, in order."""
        found = bisect_left(self._keys, prefix)
        end = found
        while end < len(self._keys) and self._keys[end].startswith(prefix):
            end += 1
        return self._keys[found:end]

    def get(self, key: bytes, most: int | None = None) -> bytes | None:
        """Return the value of a record (or its first ``most`` bytes), None without one."""
        location = self._locations.get(key)
        if location is None:
            return None
        try:
            value = self._pages.value(self._meta, location, most)
        except Damage as damage:
            raise self._error(damage) from None
        self._check_current()
        return value

    def entries(self) -> int:
        """Return the number of records."""
        return len(self._keys)

    def check_for_writing(self) -> None:
        """Raise StoreError if LMDB might crash when it writes.

        It might if a page has two uses, or if a value's pages belong to something else, too.
        """
        try:
            self._pages.check_uses(self._meta, self._locations, self._used)
        except Damage as damage:
            raise self._error(damage) from None

    def _newest(self) -> Meta:
        try:
            return self._pages.newest()
        except Damage as damage:
            raise self._error(damage) from None

    def _error(self, damage: Damage) -> StoreError:
        """Return the error of a damaged file, or that of a file replaced by another."""
        try:
            self._check_current()
        except ChangedError as changed:
            return changed
        except (StoreError, AttributeError):  # AttributeError: there is no meta page yet
            pass
        return StoreError(f"not a readable store (data.mdb is damaged: {damage})", self.where)

    def _check_current(self) -> None:
        """Raise ChangedError if the pages that were read need not belong to one commit."""
        try:
            newest = self._pages.newest()
        except Damage as damage:
            raise StoreError(
                f"not a readable store (data.mdb is damaged: {damage})", self.where
            ) from None
        if newest.transaction - self._meta.transaction not in (0, 1):
            raise ChangedError("another process changes it too fast for it to be read", self.where)
