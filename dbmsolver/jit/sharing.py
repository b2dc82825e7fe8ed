"""One cache of machine code for all processes: what one compiles, the others wait for and read.

numba's own cache lets every process that misses a kernel compile it, and two that save different
types of one kernel at the same time can exchange them. Here a kernel is compiled and saved under a
lock of its own. A process that finds the lock taken waits, and then finds the kernel in the cache.
Locks are taken from callers to callees only, so no two processes wait for each other, and the
system releases those of a process that dies.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import event
from numba.core.caching import FunctionCache, NullCache

WAITING = "dbmsolver:waiting for another process"
"""Kind of the numba event while a kernel is being compiled elsewhere."""


class SharedCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """The cache of one kernel.

    numba calls ``load_overload``, compiles what is not there, and calls ``save_overload``.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._lock_path = Path(self.cache_path) / f"{self._impl.filename_base}.lock"
        self._lock: int | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel compiled for these types; None if this process is the one to compile it."""
        found = super().load_overload(sig, target_context)
        if found is None and self._lock is None:
            if not self.reserve():
                with event.trigger_event(WAITING):
                    self._lock = self._open_lock(fcntl.LOCK_EX)
            # It may have been compiled elsewhere meanwhile.
            found = super().load_overload(sig, target_context)
        if found is not None:
            self._release()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is room on the disk."""
        try:
            super().save_overload(sig, data)
        except OSError:
            pass  # it is compiled again next time
        finally:
            self._release()

    def reserve(self) -> bool:
        """Be the one process that may compile this kernel; False if another one is."""
        try:
            self._lock = self._open_lock(fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _open_lock(self, how: int) -> int | None:
        """The lock, taken; None where the file system has none.

        Then processes may do the same work twice.
        """
        try:
            lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError:
            return None
        try:
            fcntl.flock(lock, how)
        except BaseException as error:
            os.close(lock)
            if not isinstance(error, OSError) or isinstance(error, BlockingIOError):
                raise
            return None
        return lock

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class LateCache:
    """Stands for the cache of a kernel until it is first asked for something.

    Most kernels are only called by others and never ask. Where there is no folder to write to, a
    kernel is compiled each time.
    """

    def __init__(self, kernel: Any, function: Callable[..., Any]) -> None:
        self._kernel = kernel
        self._function = function

    def __getattr__(self, name: str) -> Any:
        try:
            cache = SharedCache(self._function)
        except RuntimeError:
            cache = NullCache()
        self._kernel._cache = cache
        return getattr(cache, name)
