"""Standard input, output and error, made usable if the program was started without them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import IO, Any, TextIO


def open_streams() -> None:
    """Make all three streams usable.

    If one of them is closed, the next file to be opened gets its number, and would be written to by
    mistake. In its place standard input is empty, standard error drops all text, and writing to
    standard output fails, as it should.
    """
    closed = [number for number in range(3) if not _is_open(number)]
    for number in range(3):
        if number not in closed:
            continue
        # The lowest number that is free is this one. Standard output cannot be written to.
        os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)
    if sys.stdin is None or 0 in closed:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # as long as we run
    if sys.stdout is None or 1 in closed:
        sys.stdout = _text(1)
    if sys.stderr is None or 2 in closed:
        sys.stderr = _text(2)
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal's encoding lacks is no reason to end.
        with suppress(AttributeError, ValueError, OSError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def forget_output() -> None:
    """Replace standard output, as Python would report an error when it flushes it at its end."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # not a real file, as in tests
            os.dup2(null, stream.fileno())
    os.close(null)


def output_is_closed() -> bool:
    """Return True if standard output cannot be written to, which is known before a long search."""
    from dbmsolver.disk import is_read_only

    try:
        return is_read_only(1)
    except OSError:
        return True


class MessageStream:
    """A stream for messages that ignores errors: its reader may be gone."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write, if that can be done."""
        with suppress(OSError, ValueError):
            return self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush, if that can be done."""
        with suppress(OSError, ValueError):
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _text(number: int) -> TextIO:
    return open(number, "w", encoding="utf-8", closefd=False)
