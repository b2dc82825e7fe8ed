"""Hearing of it when a kernel has to be compiled, instead of being read from numba's cache."""

from __future__ import annotations

import threading
from collections.abc import Callable

from numba.core import event


class _Watch(event.Listener):
    """Compilations call for others; only the outermost ones are reported."""

    def __init__(self, begins: Callable[[], None], ends: Callable[[], None]) -> None:
        self.begins = begins
        self.ends = ends
        self.depth = 0
        self.lock = threading.Lock()

    def on_start(self, event: event.Event) -> None:
        """A compilation begins."""
        with self.lock:
            self.depth += 1
            outermost = self.depth == 1
        if outermost:
            self.begins()

    def on_end(self, event: event.Event) -> None:
        """A compilation ends."""
        with self.lock:
            self.depth -= 1
            outermost = self.depth == 0
        if outermost:
            self.ends()


def watch_compilation(begins: Callable[[], None], ends: Callable[[], None]) -> Callable[[], None]:
    """Call back when a kernel begins to be compiled, and when it is; returns what ends the watch."""
    watch = _Watch(begins, ends)
    event.register("numba:compile", watch)
    return lambda: event.unregister("numba:compile", watch)
