"""Memory of arrays: tables that are read and written at random, and scratch memory of threads."""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGE = 1 << 21
"""Bytes of a large page where pages are 4 KiB otherwise."""
_LINES = 128
"""Bytes of two lines of the processor's cache."""
_SMALL = 1 << 15
"""The most bytes of an array that `apart` copies: of a larger one few bytes are at its ends."""


def zeros(count: int, kind: Any) -> NDArray[Any]:
    """Return an array of `count` zeros of a numpy type, in large pages where the system has them.

    In small pages a table takes a page fault every 4 KiB, and most looks at it miss the processor's
    table of pages, too. In large ones whatever is written clears 2 MiB: an array of which little is
    used should be small. The system has a large array back when it is not needed any more: numpy's
    memory may be kept by the process. Raises MemoryError.
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


def apart(scratch: Any) -> Any:
    """Return the scratch memory of one thread, with its small arrays in cache lines of their own.

    Threads that write to the same line of the processor's cache wait for each other, and two lines
    are fetched together. So each small array is copied to a pair of lines that no other array
    uses. ``scratch`` is an array, or a tuple of arrays, of other values and of such tuples. The
    copies have the same values, and are contiguous. Arrays of more than 32 KiB and other values
    stay as they are.
    """
    if isinstance(scratch, np.ndarray):
        return scratch if scratch.nbytes > _SMALL else _copied_apart(scratch)
    if not isinstance(scratch, tuple):
        return scratch
    parts = [apart(part) for part in scratch]
    return type(scratch)(*parts) if hasattr(scratch, "_fields") else tuple(parts)


def _copied_apart(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of an array, alone in the pairs of cache lines that it uses."""
    memory = np.empty(array.nbytes + 2 * _LINES, np.uint8)
    first = -memory.ctypes.data % _LINES
    copy = memory[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
