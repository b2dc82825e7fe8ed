"""Unnamed temporary files for data that does not fit into memory; the system removes them."""

from __future__ import annotations

import os
import threading
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.disk import reserve
from dbmsolver.errors import DiskFullError, InternalError


class Spill:
    """A file that arrays are appended to; any thread may write and read."""

    def __init__(self) -> None:
        self._file = _temporary()
        self._end = 0
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """Bytes that have been written."""
        return self._end

    def write(self, array: NDArray[Any]) -> int:
        """Append an array; return its offset in the file."""
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        with self._lock:
            start = self._end
            self._end += data.nbytes
        place = start
        try:
            while data:
                written = self._write_at(data, place)
                place, data = place + written, data[written:]
        except OSError as error:
            raise _full(error) from error
        return start

    def read_into(self, offset: int, array: NDArray[Any]) -> None:
        """Fill a contiguous array with what stands at an offset."""
        data = array.reshape(-1).view(np.uint8).data
        while data:
            read = self._read_at(data, offset)
            if not read:
                raise InternalError("a temporary file ends before what was written to it")
            offset, data = offset + read, data[read:]

    def _write_at(self, data: memoryview, place: int) -> int:
        """Write some data at an offset; return how many bytes."""
        if hasattr(os, "pwrite"):
            return os.pwrite(self._file.fileno(), data, place)
        with self._lock:
            os.lseek(self._file.fileno(), place, os.SEEK_SET)
            return os.write(self._file.fileno(), data)

    def _read_at(self, data: memoryview, offset: int) -> int:
        """Read some bytes from an offset on; return how many."""
        if hasattr(os, "preadv"):
            return os.preadv(self._file.fileno(), [data], offset)
        with self._lock:
            os.lseek(self._file.fileno(), offset, os.SEEK_SET)
            found = os.read(self._file.fileno(), len(data))
        data[: len(found)] = found
        return len(found)

    def close(self) -> None:
        """Give the file back to the system."""
        self._file.close()


def mapped_zeros(size: int, kind: type[Any]) -> NDArray[Any]:
    """Return an array of zeros in a temporary file, which is removed with the array."""
    with _temporary() as file:
        try:
            # All of it now: for a page that finds no room later there is no error but a signal.
            reserve(file.fileno(), size * np.dtype(kind).itemsize)
        except OSError as error:
            raise _full(error) from error
        return np.memmap(file, kind, "r+", shape=(size,))


def _temporary() -> Any:
    try:
        return TemporaryFile(prefix="dbmsolver-verify-")
    except OSError as error:
        raise _full(error) from error


def _full(error: OSError) -> DiskFullError:
    return DiskFullError(f"a temporary file cannot be written: {error.strerror}")
