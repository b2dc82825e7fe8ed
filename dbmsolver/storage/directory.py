"""Checks of a directory: a store, the first files of one, or something else."""

from __future__ import annotations

from pathlib import Path

from dbmsolver.errors import StoreError, error_of
from dbmsolver.storage.datafile import DataFile, is_unfinished

_LOCK = "writer.lock"
_FIRST_FILES = {"data.mdb", "lock.mdb", _LOCK}


def is_blank(path: Path) -> bool:
    """Return True if there are only files of a process killed before a store's first commit.

    It takes the lock first. LMDB then writes two meta pages, of which there may be a part.
    """
    names = {file.name for file in path.iterdir()}
    if not names or not names <= _FIRST_FILES:
        return False
    data = path / "data.mdb"
    if _LOCK in names and (data.name not in names or is_unfinished(data)):
        return True
    if not data.is_file():
        return False
    try:
        file = DataFile(data, str(path))
    except StoreError:
        return False
    try:
        return not file.entries()
    finally:
        file.close()


def has_data(path: Path) -> bool:
    """Return True if there is a data file in ``path``.

    Raises StoreError if the directory cannot be read.
    """
    try:
        return (path / "data.mdb").is_file()
    except OSError as error:
        raise error_of(error, StoreError, "cannot be opened", str(path)) from error
