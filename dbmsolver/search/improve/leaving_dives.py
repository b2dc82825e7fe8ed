"""Searches depth first for any solution, in games whose cards only leave: of one pile or of pairs.

Most deals that can be won are won by one of a few short dives; how long a dive takes depends on
chance more than on any rule. Each tries the places that cards leave in another order. Longer ones
follow. The states they meet are no part of a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from dbmsolver.kits import leaving_dive
from dbmsolver.kits.leaving import LeavingKeys
from dbmsolver.kits.leaving_dive import EXHAUSTED, GIVEN_UP, LeavingDiving
from dbmsolver.results import Limits, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.outcome import GoalMet, LeftOpen, Outcome, Search, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step

SCHEDULE = (*(1 << 15,) * 8, *(1 << 17,) * 4, *(1 << 20,) * 2, 1 << 24)
"""The states that each dive meets at most."""
_AT_ONCE = 1 << 18
"""States that are met before limits are looked at."""
_STATE_BYTES = 32
"""Memory for each state that a dive may meet, at most."""
_LEAST = 2
"""The states that a dive meets at least: the deal's and another."""


@dataclass(eq=False, slots=True)
class _Dive:
    """A dive that meets at most `most` states; its schedule has `wanted` for it.

    `number` is its place in the schedule. `result` is that of its last call, of a kernel.
    """

    number: int
    diving: LeavingDiving
    wanted: int
    most: int
    result: int = 0

    @property
    def met(self) -> int:
        """The number of states that it has met."""
        return int(self.diving.state[1])


class LeavingDives(Search):
    """Dives made in the order of a schedule.

    Dives that may meet the same number of states run at the same time: one for each thread, or
    fewer if memory is short. A dive that exhausts the deal has met all states, and is the last. The
    result is that of the dive earliest in the schedule that decides the deal, so it does not depend
    on the number of threads.

    The search ends with the solution that a dive finds if no solution can be shorter, or if there
    is no ``best``: any solution will do then. Otherwise ``best`` takes the solution, which is
    committed to the store. ``memory`` is in bytes.
    """

    def __init__(
        self,
        keys: LeavingKeys,
        recorder: Recorder,
        limits: Limits,
        memory: int,
        best: Best[LeavingKeys] | None,
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        self.most = limits.max_states
        self.best = best
        self.found: list[Step] = []
        self._left = list(enumerate(SCHEDULE))
        self.room = memory // _STATE_BYTES
        self._running: list[_Dive] = []  # in the order of their numbers
        self._decided: _Dive | None = None
        self._met: list[int] = []  # the states that each dive has met

    @property
    def shortest(self) -> bool:
        """True if the solution is a shortest one: none can be shorter."""
        return self.best is not None and len(self.found) == self.keys.least

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

    def _next_dive(self) -> _Dive | None:
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
        states = min(_AT_ONCE, *(dive.most - dive.met for dive in self._running))

        def go_on(dive: _Dive) -> None:
            dive.result = self._go_on(dive.diving, dive.met + states)

        for _ in self.recorder.in_parallel(go_on, self._running):
            pass
        running, self._running = self._running, []
        for dive in running:
            self._met[dive.number] = dive.met
            if dive.result >= EXHAUSTED:
                self._decided, self._left = dive, []
                del self._met[dive.number + 1 :]
                break
            if dive.result == GIVEN_UP and dive.met < dive.most:
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
        return self.recorder.report(phase="look ahead", evaluated=self.met)

    def _begin(self, number: int, most: int) -> LeavingDiving:
        """Return a new dive that meets at most ``most`` states; its number says in which order."""
        random, order = Random(1), list(range(self.keys.places))
        for _ in range(number):
            random.shuffle(order)
        root = self.keys.encode(self.keys.deal.position)
        return leaving_dive.make_diving(root, most, self.keys.most_moves, order)

    def _go_on(self, diving: LeavingDiving, limit: int) -> int:
        """Go on until ``limit`` states are met; return the length of a solution or less than 0."""
        return int(leaving_dive.dive(self.keys.tables, diving, limit))

    def _steps(self, diving: LeavingDiving, length: int) -> list[Step]:
        """Return the steps of the solution that a dive has found."""
        return self.keys.steps_of_dive(diving.path[:length].tolist())
