"""Shortest solutions and proofs of unsolvability for FreeCell and its relatives.

>>> from dbmsolver import Deal, Rules, prove, solve
>>> solve(Deal.from_number(3)).length
73

The names below are imported when they are first used: the kernels' compiler takes a third of a second to load.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dbmsolver.api import prove, solve
    from dbmsolver.game.deals import Deal
    from dbmsolver.game.rules import GAMES, Rules
    from dbmsolver.results import Limits, Options, Result
    from dbmsolver.version import __version__

_HOMES = {
    "solve": "api",
    "prove": "api",
    "Deal": "game.deals",
    "Limits": "results",
    "Options": "results",
    "Result": "results",
    "Rules": "game.rules",
    "GAMES": "game.rules",
    "__version__": "version",
}

__all__ = ["GAMES", "Deal", "Limits", "Options", "Result", "Rules", "__version__", "prove", "solve"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"dbmsolver.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
