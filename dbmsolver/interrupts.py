"""Ctrl-C and other requests to end: between two steps of a search, never in the middle of one."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from dbmsolver.errors import EXIT_INTERRUPTED

Step = TypeVar("Step")


def interruptible(steps: Generator[Step, None, None]) -> Generator[Step, None, None]:
    """The same steps; a KeyboardInterrupt that falls into one is raised at its end, where it stops.

    What a step changes in memory is what the next commit writes: half of a step must not be committed. A signal
    that comes with the last step finds the search finished and is dropped.
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
            yield step
    finally:
        with _held_back():
            steps.close()


def end_at_once() -> None:
    """Let a request to end do that at once, in one line: for the time in which nothing has been begun."""
    for number in _requests():
        signal.signal(number, _end)


def raise_on_signals() -> None:
    """Let every request to end raise KeyboardInterrupt: no temporary store is left behind."""
    for number in _requests():
        signal.signal(number, signal.default_int_handler)


def ignore_signals() -> None:
    """Let nothing come between the answer and the end of the process."""
    for number in _requests():
        signal.signal(number, signal.SIG_IGN)


def _requests() -> list[signal.Signals]:
    """The signals that ask a program to end, without those that the user has had ignored.

    A shell ignores SIGINT for what it starts in the background, nohup SIGHUP. SIGTERM always ends the program.
    """
    if threading.current_thread() is not threading.main_thread():
        return []
    others = (signal.SIGINT, signal.SIGHUP)
    heeded = [number for number in others if signal.getsignal(number) != signal.SIG_IGN]
    return [signal.SIGTERM, *heeded]


def _end(number: int, frame: object) -> None:
    with suppress(OSError):
        os.write(2, b"dbmsolver: interrupted\n")
    os._exit(EXIT_INTERRUPTED)


@contextmanager
def _held_back() -> Iterator[list[int]]:
    """Collect the signals that would raise KeyboardInterrupt, instead of letting them; a second one ends the process.

    Nothing is committed then: what was committed last stands.
    """
    signals: list[int] = []
    replaced = []

    def collect(number: int, frame: object) -> None:
        if signals:
            _end(number, frame)
        signals.append(number)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.default_int_handler:
                signal.signal(number, collect)
                replaced.append(number)
    try:
        yield signals
    finally:
        for number in replaced:
            signal.signal(number, signal.default_int_handler)
