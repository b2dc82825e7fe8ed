"""The ways to react to a signal that asks the program to end.

It ends at once, raises KeyboardInterrupt, notes the signal, or ignores it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress

from dbmsolver.errors import EXIT_INTERRUPTED


def end_at_once() -> None:
    """Let a request to end do that at once, in one line: before anything has been begun."""
    for number in _requests():
        signal.signal(number, _end)


def raise_on_signals() -> None:
    """Let every request to end raise KeyboardInterrupt: no temporary store is left behind."""
    for number in _requests():
        signal.signal(number, signal.default_int_handler)


def collect_signals() -> list[int]:
    """Let every request to end only be noted, in the list returned."""
    signals: list[int] = []
    for number in _requests():
        signal.signal(number, lambda number, _: signals.append(number))
    return signals


def ignore_signals() -> None:
    """Let nothing come between the answer and the end of the process."""
    for number in _requests():
        signal.signal(number, signal.SIG_IGN)


def _requests() -> list[signal.Signals]:
    """Return the signals that ask a program to end, without those that the user has had ignored.

    A shell ignores SIGINT for programs in the background, nohup SIGHUP. SIGTERM always ends
    the program.
    """
    if threading.current_thread() is not threading.main_thread():
        return []
    others = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
    heeded = [number for number in others if signal.getsignal(number) != signal.SIG_IGN]
    return [signal.SIGTERM, *heeded]


def _end(number: int, frame: object) -> None:
    with suppress(OSError):
        os.write(2, b"dbmsolver: interrupted\n")
    os._exit(EXIT_INTERRUPTED)


def end_with_parent() -> None:
    """End this process at once when its standard input does: the parent holds the other end."""
    threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(0)
