"""Shortest solutions and proofs of unsolvability for FreeCell and its relatives.

>>> from dbmsolver import Deal, prove, solve
>>> solve(Deal.from_number(3)).length
73

The names of this package are those of :mod:`dbmsolver.api`; other modules may change at any time.
They are imported when they are first used: the compiler of the kernels takes a third of a second
to load.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dbmsolver.api import (
        GAMES,
        Better,
        Commit,
        DbmError,
        Deal,
        Given,
        InputError,
        Limit,
        Method,
        Move,
        Place,
        Position,
        Question,
        Report,
        Result,
        Rules,
        Solution,
        StoredSearch,
        StoreError,
        StoreStatus,
        UsageError,
        Verdict,
        Verification,
        draw_board,
        format_board,
        load_rules,
        open_store,
        prove,
        read_solution,
        rules_for,
        solution_of,
        solve,
        verify_store,
        write_solution,
    )
    from dbmsolver.version import __version__

__all__ = [
    "GAMES",
    "Better",
    "Commit",
    "DbmError",
    "Deal",
    "Given",
    "InputError",
    "Limit",
    "Method",
    "Move",
    "Place",
    "Position",
    "Question",
    "Report",
    "Result",
    "Rules",
    "Solution",
    "StoreError",
    "StoreStatus",
    "StoredSearch",
    "UsageError",
    "Verdict",
    "Verification",
    "__version__",
    "draw_board",
    "format_board",
    "load_rules",
    "open_store",
    "prove",
    "read_solution",
    "rules_for",
    "solution_of",
    "solve",
    "verify_store",
    "write_solution",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "dbmsolver.version" if name == "__version__" else "dbmsolver.api"
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
