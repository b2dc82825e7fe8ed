"""Commands of processes that run a function of this package."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def python_command(function: Callable[..., Any], *arguments: object) -> list[str]:
    """Return the command of a process that calls a function of a module with these arguments.

    The process finds modules where this one does. The arguments are numbers, texts, None, or the
    like: the process reads what `repr` writes.
    """
    name, module = function.__name__, function.__module__
    call = f"{name}({', '.join(map(repr, arguments))})"
    # As `__main__` does: what is loaded stays, and the collector would look through it in vain.
    program = "import gc, sys; gc.set_threshold(300_000); "
    program += f"sys.path[:] = {sys.path!r}; from {module} import {name}; {call}"
    return [sys.executable, "-c", program]
