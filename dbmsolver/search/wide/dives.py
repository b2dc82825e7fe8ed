"""Dives for any solution of a wide game, each of which is a proof where it meets every state.

States are of kinds: by rows dealt, or turns of the stock, and by cards turned up. The best states
of all kinds take turns, so a dive goes deep and stays broad: no kind of states, say those before a
row is dealt, takes all the time. What is best differs from dive to dive.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.wide_search import EXHAUSTED
from dbmsolver.keys.wide import WideKeys
from dbmsolver.results import Event, Limit, Limits
from dbmsolver.search.improve.best import Best
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import Exhausted, GoalMet, Outcome, Steps, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step
from dbmsolver.search.wide.exploring import Exploration, limit_of, most_states

ORDERS = (
    (10, 5, 10, 5, 0, 0),
    (10, 0, 10, 3, 0, 0),
    (10, 5, 20, 5, 2, 1),
    (10, 5, 20, 5, 0, 0),
    (10, 10, 30, 10, 3, 1),
    (10, 3, 5, 2, 0, 0),
    (10, 10, 10, 5, 0, 0),
    (10, 5, 20, 5, 1, 0),
)
"""The weights of the orders, as of :func:`dbmsolver.core.wide_values.value`."""
SIZES = (1 << 16, 1 << 20, 1 << 22)
"""The states that each dive of a round meets at most; the last dive has all the memory."""


MODERATE = 1 << 20
"""The states of the largest dives that follow a solution, for a shorter one."""


class WideDives:
    """Dives, one after the other, in growing memory; ``memory`` is in bytes.

    Where any solution will do, ``best`` is None, and the search ends with the first one. Otherwise
    ``best`` takes the solution, and it is committed. Other dives of a moderate size follow then:
    some find a shorter one.
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
        """Dive until there is a solution, there is none, or no dive is left."""
        try:
            for weights, most in self._schedule():
                if most > MODERATE and self._is_solved():
                    break
                outcome = yield from self._dive(weights, most)
                if outcome is not None:
                    return outcome
        except Cancelled:
            return Stopped(Limit.INTERRUPT)
        # The searches that follow begin with the same memory; after a proof there are none.
        return Stopped(Limit.MEMORY if self.best is None else None)

    def _is_solved(self) -> bool:
        """Return True if a solution is known, and shorter ones are looked for."""
        return self.best is not None and self.best.length is not None

    def _schedule(self) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Yield the weights of each dive, and how many states it meets at most."""
        for size in SIZES:
            for weights in ORDERS:
                if size < self.room:
                    yield np.array(weights, np.int64), size
        yield np.array(ORDERS[0], np.int64), self.room

    def _dive(
        self, weights: NDArray[np.int64], most: int
    ) -> Generator[Event, None, Outcome | None]:
        """Make one dive; return None if it ends without an outcome."""
        before, statistics = self.met, self.recorder.statistics
        if self.limits.max_states is not None:
            most = min(most, self.limits.max_states - before)
        dive = Exploration(self.keys, weights, most, self.memory)
        for met in dive.steps():
            self.met = before + met
            statistics.measure_memory()
            if (limit := limit_of(self.recorder, self.limits, self.met)) is not None:
                return Stopped(limit)
            yield replace(
                self.recorder.report(pending=dive.open, look_ahead=True), evaluated=self.met
            )
        self.met = before + dive.met
        statistics.measure_memory()
        if dive.result >= 0:
            return (yield from self._won(dive))
        if dive.result == EXHAUSTED:
            return self._exhausted(dive)
        limit = limit_of(self.recorder, self.limits, self.met)
        return None if limit is None else Stopped(limit)

    def _won(self, dive: Exploration) -> Generator[Event, None, Outcome | None]:
        """Take the solution that was found; return None if the search goes on."""
        self.found = self.keys.steps_of(dive.moves())
        statistics = self.recorder.statistics
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
