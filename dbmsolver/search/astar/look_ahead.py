"""A hasty, bounded search for any solution, made before every position is searched for a proof.

It finds most solutions quickly. The states it closes are no part of the proof: they are stored as
records of a kind of their own, for the way back only.
"""

from __future__ import annotations

from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Commit, Limit, Limits, Report
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.outcome import GoalMet, LeftOpen, Outcome, Search, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step

STATES = 400_000
"""States that it looks at."""
WEIGHT = 5
"""The weight of the estimate against the moves made."""


class LookAhead(Search):
    """A look ahead with the limits of a proof, whose recorder is given.

    It has a recorder of its own. Only where it finds a solution does the proof's get its counts.
    """

    def __init__(
        self, codec: StateCodec, recorder: Recorder, limits: Limits, threads: int, memory: int
    ) -> None:
        self._of_proof = recorder
        most = limits.max_states
        self.recorder = Recorder(
            recorder.store, recorder.question, limits, resumable=False, keep_closed=True
        )
        self._search = AStarSearch(
            codec,
            self.recorder,
            threads,
            memory,
            weight=WEIGHT,
            kind=b"A",
            effort=STATES if most is None else min(STATES, most),
        )

    @property
    def counted(self) -> int:
        """0: the limit of states bounds the effort instead."""
        return 0

    def step(self) -> Outcome | None:
        """Search for a moment."""
        return self._search.step()

    def report(self) -> Report:
        """Return a snapshot of the look ahead."""
        return self._search.report()

    def commit(self) -> Commit:
        """Commit the states that are closed."""
        return self._search.commit()

    def end(self, outcome: Outcome) -> Outcome:
        """Forget the counts where nothing is found. A lack of memory does not end the proof."""
        outcome = self._search.end(outcome)
        kept, own = self._of_proof.statistics, self.recorder.statistics
        kept.peak_memory = max(kept.peak_memory, own.peak_memory)
        if isinstance(outcome, GoalMet):
            kept.states, kept.forced, kept.evaluated = own.states, own.forced, own.evaluated
            return outcome
        if isinstance(outcome, Stopped) and outcome != Stopped(Limit.MEMORY):
            return outcome
        return LeftOpen()

    def close(self) -> None:
        """End the threads."""
        self._search.close()

    def path(self, goal: GoalMet) -> list[Step]:
        """Return the steps from the deal to the goal."""
        return self._search.path(goal)
