"""The ends of a search, and the steps in which the session takes it there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

from dbmsolver.kits.states import State
from dbmsolver.results import Commit, Limit, Report
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step


@dataclass(frozen=True, slots=True)
class GoalMet:
    """A position with every card home was found."""


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
    """A limit has ended the search."""

    limit: Limit


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """The outcome of a search that ends without deciding the deal: the next search takes over.

    The last search never has this outcome.
    """


Outcome = GoalMet | Exhausted | NoneShorter | Stopped | LeftOpen


@dataclass(frozen=True, slots=True)
class Win:
    """A path of states that ends in a won state; each state is the parent of the next.

    ``code`` is the parent-move code of the first state, None if that is the deal's own state.
    """

    path: tuple[State, ...]
    code: int | None


class Known(Protocol):
    """The best solution that is known."""

    length: int | None


class Search(ABC):
    """A search for the answer to one deal, which does its work in steps.

    The session (:mod:`dbmsolver.search.session`) calls :meth:`step` again and again. The search is
    over when :meth:`step` returns an outcome, or when a limit is reached. Between two steps the
    session commits what is finished, and reports progress. After the last step the session calls
    :meth:`end`, unless there was an error. In any case it calls :meth:`close`.
    """

    recorder: Recorder
    """The recorder of the run: it counts states, and says when a commit is due."""
    found: list[Step] | None = None
    """The steps from the deal to the goal, where the search itself remembers them."""

    @property
    def shortest(self) -> bool:
        """True if the solution that the search finds is a shortest one."""
        return False

    @property
    def counted(self) -> int:
        """The number of states that the limit of states is compared with."""
        return self.recorder.statistics.closed

    @abstractmethod
    def step(self) -> Outcome | None:
        """Do a bounded amount of work; return the outcome, or None if there is none yet."""

    @abstractmethod
    def report(self) -> Report:
        """Return a snapshot of the search, for progress displays."""

    def commit(self) -> Commit | None:
        """Commit what is finished; return None if nothing is committed before the outcome."""
        return None

    def end(self, outcome: Outcome) -> Outcome:
        """Finish the work that has begun, and commit the result.

        Returns the outcome for the session. That is the given outcome, or LeftOpen() if this search
        comes before the main one and has not decided the deal.
        """
        return outcome

    def close(self) -> None:  # noqa: B027 (most searches hold nothing)
        """End the threads of the search. Nothing is committed any more."""

    def path(self) -> list[Step] | None:
        """Return the steps from the deal to the goal, or None if the search did not keep them.

        The session calls it only after :meth:`end`.
        """
        return self.found
