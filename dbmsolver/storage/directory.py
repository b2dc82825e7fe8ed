"""What a directory holds: a store, the first files of one, or something else."""

from __future__ import annotations

from pathlib import Path

from dbmsolver.errors import StoreError
from dbmsolver.storage.datafile import DataFile


def is_blank(path: Path) -> bool:
    """Whether there is only what a process leaves that is killed before a store's first commit."""
    data = path / "data.mdb"
    known = {"data.mdb", "lock.mdb", "writer.lock"}
    if not data.is_file() or any(file.name not in known for file in path.iterdir()):
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
    """Whether there is a data file in ``path``; StoreError if the directory cannot be read."""
    try:
        return (path / "data.mdb").is_file()
    except OSError as error:
        raise StoreError(f"cannot be opened: {error.strerror}", str(path)) from error
