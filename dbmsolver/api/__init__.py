"""The names that a Python program may import; `dbmsolver` itself has all of them, too.

>>> from dbmsolver import Deal, solve
>>> solve(Deal.from_number(3)).length
73

docs/library.md shows everything with examples. Functions raise a :class:`DbmError`, whose text is
one line. Its subclasses are :class:`UsageError` for an argument that cannot be (it is a TypeError
or a ValueError, too, unless it is about several), :class:`InputError` for a board or a solution
that cannot be read or played, :class:`StoreError` for a store that cannot be used,
:class:`SystemRefusedError` where the system has no room, and :class:`UndecidedError` where a limit
came before an answer that has no other place for that. Nothing is printed. The parts that take long
to load are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dbmsolver.api.advice import all_solutions, count_solutions, first_moves, hint
from dbmsolver.api.searches import prove, prove_many, solve
from dbmsolver.api.solutions import draw_board, read_solution, solution_of, write_solution
from dbmsolver.api.stores import StoredSearch, open_store, verify_store
from dbmsolver.api.surveys import survey_deals
from dbmsolver.errors import (
    DbmError,
    InputError,
    StoreError,
    SystemRefusedError,
    UndecidedError,
    UsageError,
)
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.library import load_rules
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.game.showing import draw_with
from dbmsolver.results import (
    Better,
    Commit,
    FirstMoves,
    Limit,
    Method,
    MoveValue,
    Question,
    Report,
    Result,
    SolutionCount,
    SurveyReport,
    Verdict,
)
from dbmsolver.version import __version__

if TYPE_CHECKING:
    from dbmsolver.notation.formats import Given
    from dbmsolver.notation.solution import Solution
    from dbmsolver.search.decisions import Decision
    from dbmsolver.search.inspect import StoreStatus
    from dbmsolver.verify.report import Verification

__all__ = [
    "GAMES",
    "Better",
    "Commit",
    "DbmError",
    "Deal",
    "Decision",
    "FirstMoves",
    "Given",
    "InputError",
    "Limit",
    "Method",
    "Move",
    "MoveValue",
    "Place",
    "Position",
    "Question",
    "Report",
    "Result",
    "Rules",
    "Solution",
    "SolutionCount",
    "StoreError",
    "StoreStatus",
    "StoredSearch",
    "SurveyReport",
    "SystemRefusedError",
    "UndecidedError",
    "UsageError",
    "Verdict",
    "Verification",
    "__version__",
    "all_solutions",
    "count_solutions",
    "draw_board",
    "first_moves",
    "format_board",
    "hint",
    "load_rules",
    "open_store",
    "prove",
    "prove_many",
    "read_solution",
    "rules_for",
    "solution_of",
    "solve",
    "survey_deals",
    "verify_store",
    "write_solution",
]

_LATE = {
    "Decision": "dbmsolver.search.decisions",
    "Given": "dbmsolver.notation.formats",
    "Solution": "dbmsolver.notation.solution",
    "StoreStatus": "dbmsolver.search.inspect",
    "Verification": "dbmsolver.verify.report",
}
"""Classes that are imported when they are first asked for."""

draw_with(draw_board)


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
