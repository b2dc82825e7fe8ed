"""Shortest solutions and proofs of unsolvability for FreeCell and its relatives.

>>> from dbmsolver import Deal, prove, solve
>>> solve(Deal.from_number(3)).length
73

The names of this package are those of :mod:`dbmsolver.api`; other modules may change at any time.
They are imported when the first of them is used: the command line does without most of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dbmsolver.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    api = import_module("dbmsolver.api")
    if name not in (*api.__all__, "__all__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(api, name)


def __dir__() -> list[str]:
    names: list[str] = import_module("dbmsolver.api").__all__
    return names
