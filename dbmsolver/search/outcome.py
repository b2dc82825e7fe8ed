"""The ends of a search, and the methods that the session calls of every search."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol

from dbmsolver.results import Event, Limit
from dbmsolver.search.trace import Step


@dataclass(frozen=True, slots=True)
class GoalMet:
    """A position with every card home was found.

    `code` is its parent-move code, None where the search itself remembers the way.
    """

    code: int | None = None


@dataclass(frozen=True, slots=True)
class Exhausted:
    """Every state that can be reached is closed, and the goal is not among them."""


@dataclass(frozen=True, slots=True)
class NoneShorter:
    """The best solution is a shortest one.

    Every state that could be part of a shorter one is closed, and the goal is not among them.
    """


@dataclass(frozen=True, slots=True)
class Stopped:
    """The search ended early.

    `limit` is what ended it. None means that it has used up the effort it was allowed: searches
    that come before the main one end so, and the next one begins.
    """

    limit: Limit | None = None


Outcome = GoalMet | Exhausted | NoneShorter | Stopped
Steps = Generator[Event, None, Outcome]
"""A search in progress: reports and commits, at last the outcome.

When it ends, whether with an outcome, by KeyboardInterrupt or by being closed, all finished work is
committed. After any other exception nothing is committed any more.
"""


class Known(Protocol):
    """The best solution that is known."""

    length: int | None


class Search(Protocol):
    """A way to decide a deal."""

    @property
    def shortest(self) -> bool:
        """True if the solution it finds is a shortest one."""

    def run(self) -> Steps:
        """Search until there is an outcome."""

    def path(self, goal: GoalMet) -> list[Step] | None:
        """Return the steps from the deal to the goal, None where they were not kept.

        May be called after `run` only.
        """
