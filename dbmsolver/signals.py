"""The ways to react to a signal that asks the program to end.

It ends at once, raises KeyboardInterrupt, notes the signal, or ignores it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType

from dbmsolver.errors import EXIT_INTERRUPTED

_LLVM = "llvmlite"
_CALLED_BY_LLVM = {"_raw_object_cache_notify", "_raw_object_cache_getbuffer"}
"""Functions of llvmlite that are called from C, which has no use for an exception."""
_MOMENT = 0.01
"""Seconds; such a call takes less."""


def end_at_once() -> None:
    """Let a request to end do that at once, in one line: before anything has been begun."""
    for number in _requests():
        signal.signal(number, _end)


def raise_on_signals() -> None:
    """Let every request to end raise KeyboardInterrupt: no temporary store is left behind."""
    for number in _requests():
        signal.signal(number, interrupt)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal: raise KeyboardInterrupt.

    While LLVM hands machine code over, an exception would be lost, and the code with it. In that
    case the signal is sent again a moment later.
    """
    while frame is not None:
        if frame.f_code.co_name in _CALLED_BY_LLVM and _LLVM in frame.f_code.co_filename:
            again = threading.Timer(_MOMENT, _send, [number])
            again.daemon = True
            again.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _send(number: int) -> None:
    """Send this process a signal; to its main thread, so that it waits no longer, if it does."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)


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
