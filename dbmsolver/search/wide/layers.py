"""The search for a shortest solution of a wide game, in memory, by layers of moves and bound."""

from __future__ import annotations

import numpy as np

from dbmsolver.core.wide_search import EXHAUSTED, layers_of_closed
from dbmsolver.keys.wide import WideKeys
from dbmsolver.results import Limit, Limits
from dbmsolver.search.improve.best import Best
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import Exhausted, GoalMet, NoneShorter, Outcome, Steps, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step
from dbmsolver.search.wide.exploring import Exploration, limit_of, most_states


class WideLayers:
    """The search; ``memory`` is in bytes. It ends where no solution is shorter than the best one.

    States are closed in ascending order of f = g + h, with a consistent bound h: the first won
    state has a shortest solution, and where no state is left, there is none.
    """

    shortest = True

    def __init__(
        self,
        keys: WideKeys,
        recorder: Recorder,
        limits: Limits,
        memory: int,
        best: Best[WideKeys],
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        self.limits = limits
        self.memory = memory
        self.room = most_states(keys, memory)
        self.best = best
        self.found: list[Step] = []

    def path(self, goal: GoalMet) -> list[Step]:
        """Return the steps from the deal to the goal."""
        return self.found

    def run(self) -> Steps:
        """Close layers until the goal is met, a limit is reached, or nothing is left."""
        limit = self.limits.max_states
        most = self.room if limit is None else min(self.room, limit)
        search = Exploration(self.keys, None, most, self.memory)
        outcome: Outcome | None = None
        try:
            for met in search.steps():
                self.recorder.statistics.measure_memory()
                outcome = self._ended(search, met)
                if outcome is not None:
                    break
                yield self.recorder.report(layer=search.layer, pending=search.open)
        except Cancelled:
            outcome = Stopped(Limit.INTERRUPT)
        if outcome is None:
            outcome = self._end(search)
        self._count(search, whole=outcome == Exhausted())
        return outcome

    def _ended(self, search: Exploration, met: int) -> Outcome | None:
        """Return the reason to end while states are left; None to go on."""
        if self.best.length is not None and search.layer >= self.best.length:
            return NoneShorter()
        limit = limit_of(self.recorder, self.limits, met)
        return None if limit is None else Stopped(limit)

    def _end(self, search: Exploration) -> Outcome:
        """Return the outcome of a search that came to its end."""
        if search.result >= 0:
            self.found = self.keys.steps_of(search.moves())
            return GoalMet()
        if search.result == EXHAUSTED:
            return Exhausted()
        limit = limit_of(self.recorder, self.limits, search.met)
        return Stopped(limit or Limit.MEMORY)

    def _count(self, search: Exploration, whole: bool) -> None:
        """Count the states that are closed, layer by layer."""
        counts = np.zeros(1 << 12, np.int64)
        layers_of_closed(search.frontier, counts)
        statistics = self.recorder.statistics
        for layer in np.flatnonzero(counts).tolist():
            statistics.count(max(1, layer), 0, int(counts[layer]), 0, 0)
        statistics.evaluated = search.met
        if whole:
            statistics.add_digest(search.digest)
