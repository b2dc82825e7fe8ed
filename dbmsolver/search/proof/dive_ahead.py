"""Dives in memory, made before the search on disk. They decide most deals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dbmsolver.game.moves import Move
from dbmsolver.kits.choice import CoveringKeys
from dbmsolver.results import Limit, Limits, Report
from dbmsolver.search.ledger import NOTHING
from dbmsolver.search.outcome import Exhausted, GoalMet, LeftOpen, Outcome, Search, Stopped
from dbmsolver.search.proof.dives import Dived, Dives, Schedule, blocks_of
from dbmsolver.search.proof.record_trace import moves_along
from dbmsolver.search.proof.worker import WorkResult
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step, steps_of

_MOST_THREADS = 2
"""More dives at a time than that seldom find anything sooner."""


class DiveAhead(Search):
    """The dives that precede a proof. `memory` bytes are at their disposal, in all."""

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

    @property
    def won(self) -> bool:
        """True if a dive has won."""
        return self._won is not None

    def step(self) -> Outcome | None:
        """Dive for a moment. If all records are exhausted, they go into the next commit."""
        dived = self._dives.step()
        return None if dived is None else self._decided(dived)

    def report(self) -> Report:
        """Report which dive it is, and how many records all of them have found."""
        number, found = self._dives.progress()
        dive = number, len(self._dives.schedule)
        return self.recorder.report(phase="dive", states=found, dive=dive)

    def close(self) -> None:
        """End the dives."""
        self._dives.close()

    def _decided(self, dived: Dived) -> Outcome:
        if dived.outcome == "won":
            statistics = self.recorder.statistics
            statistics.states = statistics.evaluated = self._dives.expanded
            self._won = dived
            return GoalMet()
        if dived.outcome == "open":
            return LeftOpen()
        for stratum, runs in blocks_of(self.keys, dived):
            result = WorkResult()
            result.add_closed(self.keys.tables, runs, stratum, 0)
            self.recorder.statistics.count(0, stratum, result.states, 0, result.digest)
            self.recorder.add_closed(result.closed)
        # The commit that holds the verdict is the first that says "search".
        fields = {"phase": "search", "waiting": NOTHING.to_json(), "known": dived.parents.size}
        self.recorder.batch.fields |= fields
        return Exhausted()

    def win(self) -> Callable[[], list[Move]]:
        """Return a function that returns legal moves from the deal to the win that was found.

        The function does not keep the memory of the dives in use.
        """
        assert self._won is not None
        return partial(moves_along, self.keys, self._won.path)

    def path(self) -> list[Step]:
        """Return the steps from the deal to the goal."""
        return steps_of(self.keys, self.win()())


class UncountedDives(DiveAhead):
    """Dives over states of another kind than those of the next search.

    If the dives close every state that can be reached, they are the whole proof. If not, their
    counts are dropped, and the next search decides the deal, even if a dive has won: that win may
    not be a solution of the deal, or not a shortest one. With ``needed`` no next search can decide
    the deal: if the dives do not prove anything, the whole search ends with the limit of memory.
    """

    def __init__(
        self,
        keys: CoveringKeys,
        recorder: Recorder,
        limits: Limits,
        threads: int,
        memory: int,
        schedule: Schedule = (),
        needed: bool = False,
    ) -> None:
        super().__init__(keys, recorder, limits, threads, memory, schedule)
        self.needed = needed
        recorder.statistics.recall(recorder.store.manifest.without_counts())

    def step(self) -> Outcome | None:
        """Dive for a moment. If all states are exhausted, they are the whole proof."""
        outcome = super().step()
        if isinstance(outcome, Exhausted):
            self.recorder.batch.fields["method"] = self.keys.method
        if isinstance(outcome, GoalMet):
            return LeftOpen()
        if isinstance(outcome, LeftOpen) and self.needed:
            return Stopped(Limit.MEMORY)
        return outcome

    def end(self, outcome: Outcome) -> Outcome:
        """Forget the counts of dives that do not decide the deal."""
        if not isinstance(outcome, Exhausted):
            self.recorder.statistics.recall(self.recorder.store.manifest)
        return outcome
