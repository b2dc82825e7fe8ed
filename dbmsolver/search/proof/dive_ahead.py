"""Dives in memory, made before the search on disk. They decide most deals."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from dbmsolver.keys.choice import CoveringKeys
from dbmsolver.results import Limit, Limits, Report
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import Exhausted, GoalMet, Outcome, Steps, Stopped
from dbmsolver.search.proof.dives import Dived, Dives, Schedule, blocks_of
from dbmsolver.search.proof.record_trace import moves_along
from dbmsolver.search.proof.worker import WorkResult
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import NOTHING
from dbmsolver.search.trace import Step, steps_of

_MOST_THREADS = 2
"""More dives at a time than that seldom find anything sooner."""


class DiveAhead:
    """The dives that precede a proof. `memory` bytes are at their disposal, in all."""

    shortest = False

    def __init__(
        self,
        keys: CoveringKeys,
        recorder: Recorder,
        limits: Limits,
        threads: int,
        memory: int,
        schedule: Schedule = (),
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        most_threads = min(threads, _MOST_THREADS)
        self._dives = Dives(keys, most_threads, memory, limits.max_states, schedule)
        self._won: Dived | None = None

    def run(self) -> Steps:
        """Dive. If all records are exhausted, they go into the next commit."""
        with closing(self._dives.run(self.keys.root)) as running:
            while True:
                try:
                    next(running)
                except StopIteration as end:
                    dived: Dived = end.value
                    return self._decided(dived)
                limit = self.recorder.limits.reached()
                if limit is not None:
                    return Stopped(limit)
                try:
                    yield self._report()
                except Cancelled:
                    return Stopped(Limit.INTERRUPT)

    def _report(self) -> Report:
        """Report which dive it is, and how many records all of them have found."""
        number, found = self._dives.progress()
        report = self.recorder.report()
        return replace(report, phase="dive", dive=(number, len(self._dives.schedule)), states=found)

    def _decided(self, dived: Dived) -> Outcome:
        if dived.outcome == "won":
            statistics = self.recorder.statistics
            statistics.states = statistics.evaluated = self._dives.expanded
            self._won = dived
            return GoalMet()
        if dived.outcome == "open":
            return Stopped()
        for stratum, runs in blocks_of(self.keys, dived):
            result = WorkResult()
            result.add_closed(self.keys.tables, runs, stratum, 0)
            self.recorder.statistics.count(0, stratum, result.states, 0, result.digest)
            self.recorder.add_closed(result.closed)
        # The commit that holds the verdict is the first that says "search".
        fields = {"phase": "search", "waiting": NOTHING.to_json(), "known": dived.parents.size}
        self.recorder.batch.fields |= fields
        return Exhausted()

    def path(self, goal: GoalMet) -> list[Step]:
        """Return the steps from the deal to the goal."""
        assert self._won is not None
        return steps_of(self.keys, moves_along(self.keys, self._won.path))
