"""Files as the system has them: whether they are on the disk, which one a path means, and locks."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def flush_path(path: Path) -> None:
    """Have a file on the disk, or what a directory says of its files. OSError if that fails."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def place_of(path: Path) -> Path:
    """Return the file that a path means, links followed; it need not exist."""
    return Path(os.path.realpath(path))


def lock(handle: int) -> None:
    """Lock an open file; the lock ends with the handle, or with the process.

    The lock is that of the file, whatever name it was opened by. BlockingIOError if another handle
    has it, another OSError where the file system has no locks.
    """
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_at(handle: int, path: Path) -> bool:
    """Return whether an open file is the one that a path means."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False
