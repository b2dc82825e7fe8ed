"""Searches depth first over positions for any solution, before every state is closed.

Most deals that can be won are won by one of a few short dives; how long a dive takes depends on
chance more than on any rule. Longer ones follow. The states they meet are no part of a proof.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from numpy.typing import NDArray

from dbmsolver.results import Limits, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.outcome import GoalMet, Outcome, Search, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Keys, Step

_STATE_BYTES = 32
"""Memory for each state that a dive may meet, at most."""


class AnyDiving(Protocol):
    """A dive in progress, as kernels have it."""

    @property
    def state(self) -> NDArray[Any]:
        """Numbers, the second of which says how many states were met."""


KeysT = TypeVar("KeysT", bound=Keys)
DivingT = TypeVar("DivingT", bound=AnyDiving)


class PositionDives(Search, Generic[KeysT, DivingT]):
    """Dives, one after the other.

    Where no solution can be shorter than the one they find, the search ends with it, and so it does
    where any will do: without ``best``. Otherwise ``best`` takes the solution, and it is committed.
    ``memory`` is in bytes.
    """

    at_once: ClassVar[int]
    """States that are met before limits are looked at."""
    given_up: ClassVar[int]
    """The result of a dive that has met as many states as it may, and can go on."""
    ends: ClassVar[int]
    """The lowest result of a dive, a length or less than 0, after which there is no other one."""

    def __init__(
        self,
        keys: KeysT,
        recorder: Recorder,
        limits: Limits,
        memory: int,
        best: Best[KeysT] | None,
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        self.room = memory // _STATE_BYTES
        self.left = limits.max_states
        self.best = best
        self.met = 0
        self.found: list[Step] = []
        self._schedule = self._wanted()
        self._diving: DivingT | None = None
        self._most = 0  # the states that this dive meets at most
        self._before = 0  # the states that earlier ones have met

    def step(self) -> Outcome | None:
        """Dive for a moment, until there is a solution, there is none, or no dive is left."""
        if self._diving is None:
            self._diving = self._next_dive()
        if self._diving is None:
            return Stopped()
        diving = self._diving
        limit = min(self._most, int(diving.state[1]) + self.at_once)
        length = self._go_on(diving, limit)
        self.met = self._before + int(diving.state[1])
        if length >= 0:
            return self._solved(self._steps(diving, length))
        if length >= self.ends:
            return Stopped()
        if length != self.given_up or limit == self._most:
            self._diving = None
        return None

    def _next_dive(self) -> DivingT | None:
        """Return the next dive; None if no more is wanted, or no more states may be met."""
        most = min(next(self._schedule, 0), self.room)
        if self.left is not None:
            most = min(most, self.left - self.met)
        if most < 1:
            return None
        self._most, self._before = most, self.met
        return self._begin(most)

    def _solved(self, steps: list[Step]) -> Outcome:
        """Take a solution. It ends the search, or it is kept and the next search begins."""
        self.found = steps
        statistics = self.recorder.statistics
        if self.best is None or self.shortest:
            statistics.states = statistics.evaluated = self.met
            return GoalMet()
        if self.best.offer(steps):
            self.best.keep()
        return Stopped()

    def report(self) -> Report:
        """Return a snapshot of the dives."""
        return replace(self.recorder.report(look_ahead=True), evaluated=self.met)

    def path(self, goal: GoalMet) -> list[Step]:
        """Return the steps from the deal to the goal."""
        return self.found

    # What differs.

    @abstractmethod
    def _wanted(self) -> Iterator[int]:
        """Yield the number of states that each dive meets at most; it begins before the next."""

    @abstractmethod
    def _begin(self, most: int) -> DivingT:
        """Return a new dive that meets at most ``most`` states."""

    @abstractmethod
    def _go_on(self, diving: DivingT, limit: int) -> int:
        """Go on until ``limit`` states are met; return the length of a solution or less than 0."""

    @abstractmethod
    def _steps(self, diving: DivingT, length: int) -> list[Step]:
        """Return the steps of the solution that a dive has found."""
