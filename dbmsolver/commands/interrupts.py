"""Ctrl-C, and what else asks a search to end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""All of them end a search as Ctrl-C does: its store is closed, or a temporary one removed."""


class _Interrupts:
    """Signals become KeyboardInterrupt, but none inside of the compiler, which would come out broken."""

    def __init__(self) -> None:
        self.compiling = False
        self.waiting: int | None = None

    def handle(self, number: int, frame: FrameType | None) -> None:
        if self.compiling:
            self.waiting = number
        else:
            raise KeyboardInterrupt

    def begin(self) -> None:
        self.compiling = True

    def end(self) -> None:
        self.compiling = False
        if self.waiting is not None:
            # Python handles signals in the main thread, whichever thread has compiled.
            signal.raise_signal(self.waiting)


@contextmanager
def interruptible(compiling: Callable[[], None]) -> Iterator[None]:
    """Let signals end what is inside by KeyboardInterrupt; calls back when something is compiled."""
    from dbmsolver.core.compilation import watch_compilation

    interrupts = _Interrupts()
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, or a job in the background
                before[number] = signal.signal(number, interrupts.handle)

    def begin() -> None:
        interrupts.begin()
        compiling()

    end_watch = watch_compilation(begin, interrupts.end)
    try:
        yield
    finally:
        end_watch()
        for number, handler in before.items():
            signal.signal(number, handler)
