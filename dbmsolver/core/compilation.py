"""Hearing of it when a kernel has to be compiled, instead of being read from numba's cache."""

from __future__ import annotations

from collections.abc import Callable

from numba.core import event


class _FirstCompilation(event.Listener):
    """Calls back at the first compilation only."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def on_start(self, event: event.Event) -> None:
        """A compilation begins."""
        callback, self.callback = self.callback, None
        if callback is not None:
            callback()

    def on_end(self, event: event.Event) -> None:
        """A compilation ends."""


def on_first_compilation(callback: Callable[[], None]) -> None:
    """Call back once, when the first kernel that is not in the cache begins to be compiled."""
    event.register("numba:compile", _FirstCompilation(callback))
