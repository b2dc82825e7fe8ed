"""LMDB for a store that is written: the environment, its lock, and the meaning of errors."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import lmdb

from dbmsolver.disk import lock, reserve
from dbmsolver.errors import (
    DbmError,
    DiskFullError,
    StoreError,
    StoreInUseError,
    SystemRefusedError,
    error_of,
)
from dbmsolver.process import free_address_space
from dbmsolver.storage.datafile import DataFile, is_unfinished

MAP_SIZE = 1 << 42
"""Address space that LMDB asks for: the most bytes that a store can have."""
_LEAST_MAP = 1 << 24
_MAP_SHARE = 4
"""If address space is limited, LMDB asks for one part in this many of what is free."""
_LOCK_FILE = 8192
"""Bytes of LMDB's lock file for its usual number of readers."""
_FULL_WORDS = (
    "No space left",
    "MAP_FULL",
    "File too large",
    "quota exceeded",
    "Input/output error",  # what LMDB makes of a write that was cut short
)
"""The words of LMDB's messages when a disk, the map, or a limit on files or users is full."""


class Environment:
    """The records of a store that this process alone may change.

    It has the methods of :class:`~dbmsolver.storage.datafile.DataFile`, and writes. ``durable``:
    a commit is on the disk when it returns, and fails if the data file is no longer there.
    ``new``: there is no record yet; a file that another process left unfinished is made anew.
    StoreError if another process has the lock, or if LMDB cannot be trusted with the data file.
    """

    def __init__(self, path: Path, *, durable: bool, new: bool = False) -> None:
        self._path = path
        self._locks = [take_lock(path)]
        try:
            data = path / "data.mdb"
            if data.is_file() or not data.exists():
                self._locks.append(_lock_file(data, path))
            if new and is_unfinished(data):
                os.truncate(data, 0)
            _check_data_file(path)
            _reserve(path)
            self._env = self._opened(durable)
            self._file = data.stat() if durable else None
        except BaseException:
            self._release()
            raise

    def close(self) -> None:
        """Close the environment and release the lock."""
        self._env.close()
        self._release()

    def _release(self) -> None:
        while self._locks:
            os.close(self._locks.pop())

    def _opened(self, durable: bool) -> lmdb.Environment:
        """Open LMDB's environment, with as much address space as it can get.

        SystemRefusedError if that is too little.
        """
        free = free_address_space()
        size = MAP_SIZE if free is None else min(MAP_SIZE, free // _MAP_SHARE)
        while True:
            try:
                return lmdb.open(
                    str(self._path),
                    map_size=size,
                    sync=durable,
                    metasync=durable,
                    map_async=not durable,
                    max_dbs=0,
                    readahead=True,
                )
            except lmdb.MemoryError:
                size //= 2
                if size < _LEAST_MAP:
                    text = "no address space for the store (ulimit -v), expected more"
                    raise SystemRefusedError(text, str(self._path)) from None
            except lmdb.Error as error:
                raise self._error(error, "not a readable store") from error

    def _error(self, error: lmdb.Error, what: str) -> DbmError:
        """Return the error to raise for one of LMDB: the store is bad, or the disk is full."""
        where = str(self._path)
        if isinstance(error, lmdb.MapFullError) and self._env.info()["map_size"] < MAP_SIZE:
            return DiskFullError("cannot write (the store's address space is full)", where)
        if _is_full(error):
            return DiskFullError(f"cannot write ({error})", where)
        if isinstance(error, lmdb.MemoryError):
            return SystemRefusedError(f"out of memory ({error})", where)
        return StoreError(f"{what} ({error})", where)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except lmdb.Error as error:
            raise self._error(error, "not a readable store") from error

    def keys(self, prefix: bytes = b"") -> list[bytes]:
        """Return all keys that begin with ``prefix``, in order."""
        result = []
        with self._readable(), self._env.begin(buffers=False) as txn, txn.cursor() as cursor:
            found = cursor.set_range(prefix) if prefix else cursor.first()
            while found:
                key = cursor.key()
                if not key.startswith(prefix):
                    break
                result.append(bytes(key))
                found = cursor.next()
        return result

    def get(self, key: bytes, most: int | None = None) -> bytes | None:
        """Return the value of a record (or its first ``most`` bytes), None without one."""
        with self._readable(), self._env.begin(buffers=True) as txn:
            value = txn.get(key)
            return None if value is None else bytes(value[:most])

    def entries(self) -> int:
        """Return the number of records."""
        return int(self._env.stat()["entries"])

    def _check_there(self) -> None:
        """Raise StoreError if the data file in the store's folder is gone, or is not the open one.

        Without this check, records would go to a deleted file and be lost.
        """
        if self._file is None:
            return
        with suppress(FileNotFoundError, NotADirectoryError):
            if os.path.samestat((self._path / "data.mdb").stat(), self._file):
                return
        raise StoreError("the store was removed, or replaced, during the search", str(self._path))

    @contextmanager
    def write(self) -> Iterator[lmdb.Transaction]:
        """Open LMDB's transaction, committed at the end; DiskFullError without room for it."""
        try:
            with self._env.begin(write=True, buffers=True) as txn:
                yield txn
                self._check_there()
        except lmdb.Error as error:
            raise self._error(error, "cannot write") from error


def _is_full(error: lmdb.Error) -> bool:
    """Return True if the disk or the map is full."""
    full = isinstance(error, lmdb.DiskError | lmdb.MapFullError)
    return full or any(words in str(error) for words in _FULL_WORDS)


def _reserve(path: Path) -> None:
    """Allocate LMDB's lock file on the disk; DiskFullError if the disk is full.

    LMDB would map a file with a hole: if that cannot be filled, the process dies by a signal.
    """
    try:
        handle = os.open(path / "lock.mdb", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            reserve(handle, _LOCK_FILE)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
            raise error_of(error, StoreError, "cannot be opened", str(path)) from error


def _check_data_file(path: Path) -> None:
    """Raise StoreError if there is a data file that LMDB might crash on."""
    data = path / "data.mdb"
    if not data.exists() or not data.stat().st_size:
        return
    file = DataFile(data, str(path))
    try:
        file.check_for_writing()
    finally:
        file.close()


def take_lock(path: Path) -> int:
    """Lock the store for this process; the system releases the lock when the process ends."""
    return _lock_file(path / "writer.lock", path)


def _lock_file(file: Path, path: Path) -> int:
    """Open and lock a file of a store; make it if it is not there.

    The lock belongs to the file itself: a file with names in two directories has one lock.
    """
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise error_of(error, StoreError, "cannot be opened", str(path)) from error
    try:
        lock(handle)
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            raise StoreInUseError(
                "another search or command is using this store", str(path)
            ) from error
        raise error_of(error, StoreError, "cannot be locked", str(path)) from error
    return handle
