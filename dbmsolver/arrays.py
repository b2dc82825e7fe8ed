"""Large arrays of zeros, for tables that are read and written at random."""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGE = 1 << 21
"""Bytes of a large page where pages are 4 KiB otherwise."""


def zeros(count: int, kind: Any) -> NDArray[Any]:
    """Return an array of `count` zeros of a numpy type, in large pages where the system has them.

    numpy asks for large pages only where an array need not be cleared. In small ones a table takes
    a page fault every 4 KiB, and most looks at it miss the processor's table of pages, too. The
    system has a large array back when it is not needed any more: numpy's memory may be kept by the
    process. Raises MemoryError.
    """
    size = count * np.dtype(kind).itemsize
    if size < 2 * _LARGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(count, kind)
    try:
        memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"{size} bytes for a table: {error.strerror}") from None
    with suppress(OSError):  # a system without them
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, kind)
