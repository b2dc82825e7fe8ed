"""Unnamed temporary files for data that does not fit into memory; the system removes them."""

from __future__ import annotations

from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.disk import reserve
from dbmsolver.errors import DiskFullError


def mapped_zeros(size: int, kind: type[Any]) -> NDArray[Any]:
    """Return an array of zeros in a temporary file, which is removed with the array."""
    try:
        with TemporaryFile(prefix="dbmsolver-verify-") as file:
            # All of it now: for a page that finds no room later there is no error but a signal.
            reserve(file.fileno(), size * np.dtype(kind).itemsize)
            return np.memmap(file, kind, "r+", shape=(size,))
    except OSError as error:
        raise DiskFullError(f"a temporary file cannot be written: {error.strerror}") from error
