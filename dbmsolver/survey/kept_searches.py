"""Searches that are kept beside a table until they are finished."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from dbmsolver.errors import UsageError
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.rows import Inquiry

_NAME = re.compile("[0-9a-f]{16}")
_FILES = {"data.mdb", "lock.mdb", "writer.lock"}


def store_name(question: Inquiry, subject: Subject) -> str:
    """Return the name of the store of a deal's search."""
    text = repr((question, subject.number, subject.whose, subject.board, subject.rules))
    return blake2b(text.encode(), digest_size=8).hexdigest()


def make_folder(folder: Path) -> None:
    """Make the folder for the stores of searches, unless it exists; UsageError if that fails."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        reason = f"cannot be made ({error.strerror}), expected a folder for unfinished searches"
        raise UsageError(reason, str(folder)) from None


def remove_searches(folder: Path) -> None:
    """Remove all stores of searches in a folder, and the folder if it is empty then.

    Files of other programs stay.
    """
    with suppress(OSError):
        for store in sorted(folder.iterdir()):
            if _NAME.fullmatch(store.name) and _is_store(store):
                shutil.rmtree(store, ignore_errors=True)
        folder.rmdir()


def _is_store(path: Path) -> bool:
    """Return True if a path is a directory that has files of a store, and nothing else."""
    if path.is_symlink() or not path.is_dir():
        return False
    names = {file.name for file in path.iterdir()}
    return names <= _FILES
