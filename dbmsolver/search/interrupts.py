"""Ctrl-C and other requests to end: between two steps of a search, never in the middle of one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dbmsolver.signals import interrupt


@contextmanager
def held_back() -> Iterator[list[int]]:
    """Hold back the signals that would raise KeyboardInterrupt; yield the list that collects them.

    Such a signal in the middle of a step would leave half of the step to be committed.
    """
    signals: list[int] = []
    replaced = []
    if threading.current_thread() is threading.main_thread():
        names = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
        for number in [getattr(signal, name) for name in names if hasattr(signal, name)]:
            handler = signal.getsignal(number)
            if handler in (interrupt, signal.default_int_handler):
                signal.signal(number, lambda number, _: signals.append(number))
                replaced.append((number, handler))
    try:
        yield signals
    finally:
        for number, handler in replaced:
            signal.signal(number, handler)
