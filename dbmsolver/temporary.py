"""Temporary folders. Those that killed processes leave behind are removed, too.

A search without a store of its own keeps gigabytes in a temporary folder. A killed process cannot
remove its folder, so the next process that needs one removes it. A folder is in use as long as
a process holds the lock of one of its files. The system releases the lock when the process ends.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dbmsolver.disk import lock

_PREFIX = "dbmsolver-"
_LOCK = "in-use"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder, and yield the path of an empty folder in it. Remove both at the end.

    First remove this user's folders that no process uses any more. Raise OSError if no folder can
    be made.
    """
    base = Path(tempfile.gettempdir())
    for abandoned in base.glob(f"{_PREFIX}*/{_LOCK}"):
        _remove_abandoned(abandoned)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as path:
        kept = _lock_of(path)
        inner = Path(path, "files")
        try:
            inner.mkdir()
            yield inner
        finally:
            os.close(kept)


def _lock_of(folder: str) -> int:
    """Make a file in a new folder, lock it, and return its handle.

    The file gets its name after it is locked, so no process sees it unlocked. Where the file system
    has no locks, it never gets that name, and nobody removes the folder.
    """
    new = Path(folder, "new")
    opened = os.open(new, os.O_RDWR | os.O_CREAT, 0o600)
    with suppress(OSError):
        lock(opened)
        os.link(new, Path(folder, _LOCK))
    return opened


def _remove_abandoned(path: Path) -> None:
    """Remove the folder of a lock, if it is this user's and no process holds the lock."""
    try:
        if hasattr(os, "getuid") and path.parent.lstat().st_uid != os.getuid():
            return
        opened = os.open(path, os.O_RDWR)
    except OSError:
        return
    try:
        lock(opened)
    except OSError:  # in use, or locks are not known here
        return
    finally:
        os.close(opened)
    shutil.rmtree(path.parent, ignore_errors=True)
