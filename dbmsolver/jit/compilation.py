"""Compiling kernels that are not in the cache: telling that it happens, and doing it ahead."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Any

from numba.core import event

from dbmsolver.jit.arguments import type_of
from dbmsolver.jit.sharing import WAITING, SharedCache


class _First(event.Listener):
    """A listener that calls back at the first event only."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def on_start(self, event: event.Event) -> None:
        """Call the callback when the first compilation begins."""
        callback, self.callback = self.callback, None
        if callback is not None:
            callback()

    def on_end(self, event: event.Event) -> None:
        """Ignore the end of a compilation."""


def on_first_compilation(callback: Callable[[], None]) -> None:
    """Call ``callback`` once, when the first kernel that is not in the cache begins to be compiled.

    It may be compiled in this process, or in another process that this one waits for.
    """
    listener = _First(callback)
    event.register("numba:compile", listener)
    event.register(WAITING, listener)


class Clock(event.Listener):
    """A clock that runs while a kernel is compiled, by any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running = 0
        self._since = 0.0
        self._seconds = 0.0

    def on_start(self, event: event.Event) -> None:
        """Start the clock, if it does not run."""
        with self._lock:
            if not self._running:
                self._since = time.monotonic()
            self._running += 1

    def on_end(self, event: event.Event) -> None:
        """Stop the clock at the end of the outermost compilation."""
        with self._lock:
            self._running -= 1
            if not self._running:
                self._seconds += time.monotonic() - self._since

    def seconds(self) -> float:
        """Return the seconds that the clock has run."""
        with self._lock:
            running = time.monotonic() - self._since if self._running else 0.0
            return self._seconds + running


_clock = Clock()
event.register("numba:compile", _clock)
event.register(WAITING, _clock)


def seconds_compiling() -> float:
    """Return the seconds that this process has spent compiling kernels.

    Waiting for another process to compile one counts, too.
    """
    return _clock.seconds()


def is_shared() -> bool:
    """Return True if there is a folder to keep kernels in, for other processes to find."""
    try:
        SharedCache(is_shared)
    except RuntimeError:
        return False
    return True


def compile_ahead(kernel: Any, arguments: tuple[Any, ...], wait: bool = False) -> bool:
    """Compile a kernel for the types of these arguments, into the cache; return True.

    A kernel that is in the cache is passed over. If another process is compiling it, return False
    at once. With ``wait``, wait for that process, and load the kernel from the cache, or compile it
    if it is not there. Without a folder for the cache the kernel is compiled for this process only.
    """
    types = tuple(type_of(argument) for argument in arguments)
    if types in kernel.overloads:
        return True  # numba would not ask the cache, which then would keep the kernel reserved
    if not is_shared():
        kernel.compile(types)
        return True
    if not wait:
        if kernel._cache.holds(types, kernel.targetctx):
            return True
        if not kernel._cache.reserve():
            return False
    try:
        kernel.compile(types)
    finally:
        kernel._cache.release()
    return True
