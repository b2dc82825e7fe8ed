"""Dives and beams for any solution of a wide game. A dive that meets every state is a proof.

A small dive comes first: it decides most deals that lead to few states. Beams follow
(:mod:`dbmsolver.search.wide.beams`), which find most solutions, then a dive in all the memory.

In a dive states are of kinds: by rows dealt, or turns of the stock, and by cards turned up. The
best states of all kinds take turns, so a dive goes deep and stays broad: no kind of states, say
those before a row is dealt, takes all the time.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from dbmsolver.core.wide_search import EXHAUSTED
from dbmsolver.game.moves import Move
from dbmsolver.keys.wide import WideKeys
from dbmsolver.results import Event, Limit, Limits, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import Exhausted, GoalMet, Outcome, Steps, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step
from dbmsolver.search.wide.beams import Beams
from dbmsolver.search.wide.exploring import Exploration, limit_of, most_states
from dbmsolver.search.wide.plans import Weights, schedule_of

ORDER: Weights = (10, 5, 10, 5, 0, 0, 0, 0, 0)
"""The weights of the dives that may be proofs."""
SMALL = 1 << 16
"""The states that the first dive meets at most; the last one has all the memory."""
MODERATE = 4000
"""The width of the widest beams that follow a solution, for a shorter one."""


class WideDives:
    """The searches, in ``memory`` bytes.

    Where any solution will do, ``best`` is None, and they end with the first one. Otherwise
    ``best`` takes the solution, and it is committed. Beams of a moderate width follow then: some
    find a shorter one.
    """

    def __init__(
        self,
        keys: WideKeys,
        recorder: Recorder,
        limits: Limits,
        memory: int,
        best: Best[WideKeys] | None,
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        self.limits = limits
        self.memory = memory
        self.room = most_states(keys, memory)
        self.best = best
        self.met = 0
        self.found: list[Step] = []

    @property
    def shortest(self) -> bool:
        """True if the solution is known to be a shortest one."""
        return False

    def path(self, goal: GoalMet) -> list[Step]:
        """Return the steps from the deal to the goal."""
        return self.found

    def run(self) -> Steps:
        """Search until there is a solution, there is none, or nothing is left to try."""
        try:
            for search in (self._dive(min(SMALL, self.room)), self._beams(), self._large_dive()):
                outcome = yield from search
                if outcome is not None:
                    return outcome
        except Cancelled:
            return Stopped(Limit.INTERRUPT)
        self.recorder.statistics.evaluated = self.met
        # The searches that follow begin with the same memory; after a proof there are none.
        return Stopped(Limit.MEMORY if self.best is None else None)

    def _is_solved(self) -> bool:
        """Return True if a solution is known, and shorter ones are looked for."""
        return self.best is not None and self.best.length is not None

    def _left(self) -> int | None:
        """Return the number of states that may still be met; None if there is no limit."""
        most = self.limits.max_states
        return None if most is None else most - self.met

    def _reached(self, met: int) -> Outcome | None:
        """Return the outcome once so many states were met, if a limit is reached."""
        statistics = self.recorder.statistics
        statistics.measure_memory()
        limit = limit_of(self.recorder, self.limits, met)
        if limit is None:
            return None
        statistics.evaluated = met
        return Stopped(limit)

    def _report(self, met: int, pending: int) -> Report:
        return replace(self.recorder.report(pending=pending, look_ahead=True), evaluated=met)

    def _beams(self) -> Generator[Event, None, Outcome | None]:
        """Make the beams; return None if they end without an outcome."""
        before, schedule = self.met, schedule_of(self.keys.tables)
        beams = Beams(self.keys, schedule, self.recorder.threads, self.memory, self._left())
        running = beams.run()
        try:
            for beam in running:
                self.met = before + beams.kept
                if beam is not None and beam.result >= 0:
                    self.met = before + beams.judged
                    outcome = yield from self._won(beam.moves())
                    if outcome is not None:
                        return outcome
                if (outcome := self._reached(self.met)) is not None:
                    return outcome
                if self._is_solved():
                    beams.left = [plan for plan in beams.left if plan.width <= MODERATE]
                yield self._report(self.met, 0)
        finally:
            running.close()
        self.met = before + beams.kept
        return self._reached(self.met)

    def _large_dive(self) -> Generator[Event, None, Outcome | None]:
        """Dive in all the memory, unless a solution is known."""
        return None if self._is_solved() else (yield from self._dive(self.room))

    def _dive(self, most: int) -> Generator[Event, None, Outcome | None]:
        """Make one dive; return None if it ends without an outcome."""
        before, left = self.met, self._left()
        if left is not None:
            most = min(most, left)
        dive = Exploration(self.keys, np.array(ORDER, np.int64), most, self.memory)
        for met in dive.steps():
            self.met = before + met
            if (outcome := self._reached(self.met)) is not None:
                return outcome
            yield self._report(self.met, dive.open)
        self.met = before + dive.met
        if dive.result >= 0:
            return (yield from self._won(dive.moves()))
        if dive.result == EXHAUSTED:
            return self._exhausted(dive)
        return self._reached(self.met)

    def _won(self, moves: list[Move]) -> Generator[Event, None, Outcome | None]:
        """Take the solution that was found; return None if the search goes on."""
        self.found = self.keys.steps_of(moves)
        statistics = self.recorder.statistics
        statistics.measure_memory()
        if self.best is None:
            statistics.states = statistics.evaluated = self.met
            return GoalMet()
        if self.best.offer(self.found):
            commit = self.recorder.commit(0, 0)
            yield self.best.event()
            yield commit
        return None

    def _exhausted(self, dive: Exploration) -> Outcome:
        """Count what was met: every state that the deal leads to."""
        self.recorder.statistics.count(0, 0, dive.expanded, 0, dive.digest)
        return Exhausted()
