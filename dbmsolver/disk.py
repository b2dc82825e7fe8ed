"""Files as the system has them: whether they are on the disk, which one a path means, and locks."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_FCNTL: Any = import_module("fcntl") if find_spec("fcntl") else None
"""The module of file locks on POSIX systems; None elsewhere."""
_MSVCRT: Any = import_module("msvcrt") if find_spec("msvcrt") else None
"""The module of file locks on Windows; None elsewhere."""

_CHUNK = 1 << 20
"""Bytes that are written at once where a file's room is taken by writing."""


def flush_path(path: Path) -> None:
    """Have a file on the disk, or what a directory says of its files. OSError if that fails."""
    if os.name == "nt" and path.is_dir():
        return  # no directory can be opened there
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def place_of(path: Path) -> Path:
    """Return the file that a path means, links followed; it need not exist."""
    return Path(os.path.realpath(path))


def lock(handle: int, wait: bool = False) -> None:
    """Lock an open file; the lock ends with the handle, or with the process.

    The lock is that of the file, whatever name it was opened by. BlockingIOError if another handle
    has it, unless it is to `wait`; another OSError where the file system has no locks.
    """
    if _FCNTL is not None:
        _FCNTL.flock(handle, _FCNTL.LOCK_EX | (0 if wait else _FCNTL.LOCK_NB))
        return
    if _MSVCRT is None:
        raise OSError("this system has no locks of files")
    place = os.lseek(handle, 0, os.SEEK_CUR)
    os.lseek(handle, 0, os.SEEK_SET)
    try:
        while True:
            try:
                # It waits for ten seconds.
                _MSVCRT.locking(handle, _MSVCRT.LK_LOCK if wait else _MSVCRT.LK_NBLCK, 1)
                return
            except OSError as error:
                if not wait:
                    raise BlockingIOError(*error.args) from None
    finally:
        os.lseek(handle, place, os.SEEK_SET)


def reserve(handle: int, size: int) -> None:
    """Give an open file room for ``size`` bytes, zeros where it had none; OSError without room."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, size)
        return
    place = os.lseek(handle, 0, os.SEEK_END)
    while place < size:
        place += os.write(handle, bytes(min(_CHUNK, size - place)))


def is_read_only(handle: int) -> bool:
    """Return True if an open file cannot be written to; OSError if it is closed."""
    if _FCNTL is None:
        os.fstat(handle)
        return False
    flags: int = _FCNTL.fcntl(handle, _FCNTL.F_GETFL)
    return flags & os.O_ACCMODE == os.O_RDONLY


def is_at(handle: int, path: Path) -> bool:
    """Return True if an open file is the one that a path means."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False
