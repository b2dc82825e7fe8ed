"""Ctrl-C and other requests to end: between two steps of a search, never in the middle of one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

Step = TypeVar("Step")


def interruptible(
    steps: Generator[Step, None, None],
) -> Generator[Step, Exception | None, None]:
    """Run some steps so that a KeyboardInterrupt waits for the end of the step that it falls into.

    A step changes what the next commit writes, and half of a step must not be committed. A signal
    that comes with the last step finds the search finished and is dropped. An exception that is
    sent is thrown into the steps, which are to end with it.
    """
    try:
        while True:
            with _held_back() as signals:
                step = next(steps, None)
            if step is None:
                return
            if signals:
                with _held_back():
                    steps.throw(KeyboardInterrupt())
            request = yield step
            if request is not None:
                with _held_back(), suppress(StopIteration):
                    steps.throw(request)
    finally:
        with _held_back():
            steps.close()


@contextmanager
def _held_back() -> Iterator[list[int]]:
    """Collect the signals that would raise KeyboardInterrupt, instead of letting them."""
    signals: list[int] = []
    replaced = []

    if threading.current_thread() is threading.main_thread():
        names = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
        for number in [getattr(signal, name) for name in names if hasattr(signal, name)]:
            if signal.getsignal(number) is signal.default_int_handler:
                signal.signal(number, lambda number, _: signals.append(number))
                replaced.append(number)
    try:
        yield signals
    finally:
        for number in replaced:
            signal.signal(number, signal.default_int_handler)
