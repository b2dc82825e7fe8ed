"""The search for a shortest solution of a wide game, in memory, by layers of moves and bound."""

from __future__ import annotations

import numpy as np

from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.kits.wide.search import EXHAUSTED, layers_of_closed
from dbmsolver.results import Limit, Limits, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.outcome import Exhausted, GoalMet, NoneShorter, Outcome, Search, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step, steps_of
from dbmsolver.search.wide.exploring import Exploration, most_states


class WideLayers(Search):
    """The search; ``memory`` is in bytes. It ends where no solution is shorter than the best one.

    States are closed in ascending order of f = g + h, with a consistent bound h: the first won
    state has a shortest solution, and where no state is left, there is none.
    """

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
        self.best = best
        self.found: list[Step] = []
        room, limit = most_states(keys, memory), limits.max_states
        most = room if limit is None else min(room, limit)
        self._search = Exploration(keys, None, most, memory)

    @property
    def shortest(self) -> bool:
        """True: the first won state has a shortest solution."""
        return True

    @property
    def counted(self) -> int:
        """The number of states that were met."""
        return self._search.met

    def step(self) -> Outcome | None:
        """Close some states, until the goal is met, no room is left, or nothing is."""
        search = self._search
        if search.step():
            return self._outcome()
        if self.best.length is not None and search.layer >= self.best.length:
            return NoneShorter()
        return None

    def _outcome(self) -> Outcome:
        """Return the outcome of a search that came to its end."""
        search = self._search
        if search.result >= 0:
            self.found = steps_of(self.keys, search.moves())
            return GoalMet()
        if search.result == EXHAUSTED:
            return Exhausted()
        is_limited = self.recorder.limits.states_reached(search.met)
        return Stopped(Limit.MAX_STATES if is_limited else Limit.MEMORY)

    def report(self) -> Report:
        """Return a snapshot of the search."""
        return self.recorder.report(layer=self._search.layer, pending=self._search.open)

    def end(self, outcome: Outcome) -> Outcome:
        """Count the states that are closed, layer by layer."""
        search, statistics = self._search, self.recorder.statistics
        counts = np.zeros(1 << 12, np.int64)
        layers_of_closed(search.frontier, counts)
        for layer in np.flatnonzero(counts).tolist():
            statistics.count(max(1, layer), 0, int(counts[layer]), 0, 0)
        statistics.evaluated = search.met
        if outcome == Exhausted():
            statistics.add_digest(search.digest)
        return outcome
