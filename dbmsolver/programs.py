"""Commands of processes that run a function of this package."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from dbmsolver.process import look_for_garbage_seldom


def python_command(function: Callable[..., Any], *arguments: object) -> list[str]:
    """Return the command of a process that calls a function of a module with these arguments.

    The process finds modules where this one does. The arguments are numbers, texts, None, or the
    like: the process reads what `repr` writes.
    """
    name, module = function.__name__, function.__module__
    call = f"{name}({', '.join(map(repr, arguments))})"
    seldom = look_for_garbage_seldom.__name__
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from {look_for_garbage_seldom.__module__} import {seldom}; {seldom}(); "
        f"from {module} import {name}; {call}"
    )
    return [sys.executable, "-c", program]
