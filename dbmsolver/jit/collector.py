"""The garbage collector, which is off while numba compiles.

numba makes millions of objects that live as long as a compilation. The collector looks through them
again and again and finds little: that takes a seventh of the time or more.
"""

from __future__ import annotations

import gc

from numba.core import event


class _Pause(event.Listener):
    """A listener that turns the collector off from the first start to the last end.

    A kernel's callees are compiled meanwhile. numba compiles in one thread at a time.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._was_on = False

    def on_start(self, event: event.Event) -> None:
        """Turn the collector off, if it is on."""
        if not self._depth:
            self._was_on = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        """Turn it on again if it was; also after a compilation that failed."""
        self._depth -= 1
        if not self._depth and self._was_on:
            gc.enable()


def pause_while_compiling() -> None:
    """Keep the collector off during every compilation of this process from now on."""
    event.register("numba:compile", _Pause())
