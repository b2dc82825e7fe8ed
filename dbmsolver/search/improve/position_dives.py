"""Searches depth first over positions for any solution, before every state is closed.

Most deals that can be won are won by one of a few short dives; how long a dive takes depends on
chance more than on any rule. Longer ones follow. The states they meet are no part of a proof.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from numpy.typing import NDArray

from dbmsolver.results import Limits, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.outcome import GoalMet, LeftOpen, Outcome, Search, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Keys, Step

_STATE_BYTES = 32
"""Memory for each state that a dive may meet, at most."""
_LEAST = 2
"""The states that a dive meets at least: the deal's and another."""


class AnyDiving(Protocol):
    """A dive in progress, as kernels have it."""

    @property
    def state(self) -> NDArray[Any]:
        """Numbers, the second of which says how many states were met."""


KeysT = TypeVar("KeysT", bound=Keys)
DivingT = TypeVar("DivingT", bound=AnyDiving)


@dataclass(eq=False, slots=True)
class _Dive(Generic[DivingT]):
    """A dive that meets at most `most` states; its schedule has `wanted` for it.

    `number` is its place in the schedule. `result` is that of its last call, of a kernel.
    """

    number: int
    diving: DivingT
    wanted: int
    most: int
    result: int = 0

    @property
    def met(self) -> int:
        """The number of states that it has met."""
        return int(self.diving.state[1])


class PositionDives(Search, Generic[KeysT, DivingT]):
    """Dives made in the order of a schedule.

    Dives that may meet the same number of states run at the same time: one for each thread, or
    fewer if memory is short. The result is that of the dive earliest in the schedule that decides
    the deal, so it does not depend on the number of threads.

    The search ends with the solution that a dive finds if no solution can be shorter, or if there
    is no ``best``: any solution will do then. Otherwise ``best`` takes the solution, which is
    committed to the store. ``memory`` is in bytes.
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
        self.most = limits.max_states
        self.best = best
        self.found: list[Step] = []
        self._left = list(enumerate(self._schedule()))
        self.room = memory // _STATE_BYTES
        self._running: list[_Dive[DivingT]] = []  # in the order of their numbers
        self._decided: _Dive[DivingT] | None = None
        self._met: list[int] = []  # the states that each dive has met

    @property
    def met(self) -> int:
        """The number of states that the dives have met."""
        return sum(self._met)

    def step(self) -> Outcome | None:
        """Dive for a moment, until there is a solution, there is none, or no dive is left."""
        while self._has_room():
            dive = self._next_dive()
            if dive is None:
                break
            self._running.append(dive)
        if not self._running:
            return LeftOpen()
        self._dive_on()
        if self._decided is None or self._running:
            return None
        result = self._decided.result
        return LeftOpen() if result < 0 else self._solved(self._steps(self._decided.diving, result))

    def _has_room(self) -> bool:
        """Return True if there are a thread and memory for one more dive, of the same size."""
        if not (self._left and self._running):
            return bool(self._left)
        beside, wanted = len(self._running), self._left[0][1]
        alike = wanted == self._running[0].wanted
        return alike and beside < self.recorder.threads and (beside + 1) * wanted <= self.room

    def _next_dive(self) -> _Dive[DivingT] | None:
        """Return the next dive; None if no more states may be met."""
        number, wanted = self._left[0]
        most = min(wanted, self.room)
        if self.most is not None:
            reserved = sum(dive.most - dive.met for dive in self._running)
            most = min(most, self.most - self.met - reserved)
        if most < _LEAST:
            return None
        del self._left[0]
        dive = _Dive(number, self._begin(number, most), wanted, most)
        self._met.append(dive.met)
        return dive

    def _dive_on(self) -> None:
        """Continue all running dives; each meets the same number of further states.

        Once a dive decides the deal, only those before it in the schedule continue.
        """
        states = min(self.at_once, *(dive.most - dive.met for dive in self._running))

        def go_on(dive: _Dive[DivingT]) -> None:
            dive.result = self._go_on(dive.diving, dive.met + states)

        for _ in self.recorder.in_parallel(go_on, self._running):
            pass
        running, self._running = self._running, []
        for dive in running:
            self._met[dive.number] = dive.met
            if dive.result >= self.ends:
                self._decided, self._left = dive, []
                del self._met[dive.number + 1 :]
                break
            if dive.result == self.given_up and dive.met < dive.most:
                self._running.append(dive)

    def _solved(self, steps: list[Step]) -> Outcome:
        """Take a solution. It ends the search, or it is kept and the next search begins."""
        self.found = steps
        statistics = self.recorder.statistics
        if self.best is None or self.shortest:
            statistics.states = statistics.evaluated = self.met
            return GoalMet()
        if self.best.offer(steps):
            self.best.keep()
        return LeftOpen()

    def end(self, outcome: Outcome) -> Outcome:
        """End the dives; keep a solution that one has found.

        Where a limit ends them, dives earlier in the schedule may not be finished.
        """
        decided = self._decided
        if isinstance(outcome, Stopped) and decided is not None and decided.result >= 0:
            solved = self._solved(self._steps(decided.diving, decided.result))
            return solved if isinstance(solved, GoalMet) else outcome
        return outcome

    def report(self) -> Report:
        """Return a snapshot of the dives."""
        return replace(self.recorder.report(look_ahead=True), evaluated=self.met)

    def path(self, goal: GoalMet) -> list[Step]:
        """Return the steps from the deal to the goal."""
        return self.found

    # What differs.

    @abstractmethod
    def _schedule(self) -> Sequence[int]:
        """Return the number of states that each dive meets at most."""

    @abstractmethod
    def _begin(self, number: int, most: int) -> DivingT:
        """Return a new dive that meets at most ``most`` states; its number says in which order."""

    @abstractmethod
    def _go_on(self, diving: DivingT, limit: int) -> int:
        """Go on until ``limit`` states are met; return the length of a solution or less than 0."""

    @abstractmethod
    def _steps(self, diving: DivingT, length: int) -> list[Step]:
        """Return the steps of the solution that a dive has found."""
