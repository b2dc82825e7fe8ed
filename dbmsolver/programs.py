"""Processes that run a function of this package: the command of one, and its end."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any


def python_command(function: Callable[..., Any], *arguments: object) -> list[str]:
    """Return the command of a process that calls a function of a module with these arguments.

    The process finds modules where this one does. The arguments are numbers, texts, None, or the
    like: what `repr` writes is what the process reads.
    """
    call = f"{function.__name__}({', '.join(map(repr, arguments))})"
    paths = f"import sys; sys.path[:] = {sys.path!r}"
    return [
        sys.executable,
        "-c",
        f"{paths}; from {function.__module__} import {function.__name__}; {call}",
    ]


def end_with_parent() -> None:
    """End this process at once when its standard input does: the parent holds the other end."""
    threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(0)
