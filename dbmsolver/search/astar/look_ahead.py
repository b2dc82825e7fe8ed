"""A hasty, bounded search for any solution, made before every position is searched for a proof.

It finds most solutions quickly. The states it closes are no part of the proof: they are stored as
records of a kind of their own, for the way back only.
"""

from __future__ import annotations

from dataclasses import replace

from dbmsolver.keys.states import StateCodec
from dbmsolver.results import Limit, Limits
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.outcome import GoalMet, Outcome, Steps, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step

STATES = 400_000
"""States that it looks at."""
WEIGHT = 5
"""The weight of the estimate against the moves made."""


class LookAhead:
    """A look ahead with the limits of the proof that it precedes, whose counts `recorder` keeps."""

    shortest = False

    def __init__(
        self, codec: StateCodec, recorder: Recorder, limits: Limits, threads: int, memory: int
    ) -> None:
        self.recorder = recorder
        most = limits.max_states
        self._own = Recorder(
            recorder.store,
            recorder.question,
            replace(limits, max_states=None),  # which bounds the effort instead
            resumable=False,
            keep_closed=True,
        )
        self._search = AStarSearch(
            codec,
            self._own,
            threads,
            memory,
            weight=WEIGHT,
            kind=b"A",
            effort=STATES if most is None else min(STATES, most),
        )

    def run(self) -> Steps:
        """Search; where nothing is found, forget the counts."""
        kept, own = self.recorder.statistics, self._own.statistics
        try:
            outcome = yield from self._search.run()
        finally:
            kept.peak_memory = max(kept.peak_memory, own.peak_memory)
        return self._decided(outcome)

    def _decided(self, outcome: Outcome) -> Outcome:
        if isinstance(outcome, GoalMet):
            kept, own = self.recorder.statistics, self._own.statistics
            kept.states, kept.forced, kept.evaluated = own.states, own.forced, own.evaluated
            return outcome
        if isinstance(outcome, Stopped) and outcome.limit != Limit.MEMORY:
            return outcome
        return Stopped()

    def path(self, goal: GoalMet) -> list[Step]:
        """Return the steps from the deal to the goal."""
        return self._search.path(goal)
