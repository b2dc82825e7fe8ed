"""A hasty, bounded search for any solution, made before every position is searched for a proof.

It finds most solutions quickly. The states it closes are no part of the proof: they are stored as
records of a kind of their own, for the way back only.
"""

from __future__ import annotations

from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Limit, Limits
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.outcome import GoalMet, LeftOpen, Outcome, Stopped
from dbmsolver.search.recorder import Recorder

STATES = 400_000
"""States that it looks at."""
WEIGHT = 5
"""The weight of the estimate against the moves made."""


class LookAhead(AStarSearch):
    """A look ahead with the limits of a proof, whose recorder is given.

    It has a recorder of its own. Only where it finds a solution does the proof's get its counts.
    """

    def __init__(
        self, codec: StateCodec, recorder: Recorder, limits: Limits, threads: int, memory: int
    ) -> None:
        self._of_proof = recorder
        most = limits.max_states
        super().__init__(
            codec,
            Recorder(recorder.store, recorder.question, limits, resumable=False, keep_closed=True),
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

    def end(self, outcome: Outcome) -> Outcome:
        """Forget the counts where nothing is found. A lack of memory does not end the proof."""
        outcome = super().end(outcome)
        kept, own = self._of_proof.statistics, self.recorder.statistics
        kept.peak_memory = max(kept.peak_memory, own.peak_memory)
        if isinstance(outcome, GoalMet):
            kept.states, kept.forced, kept.evaluated = own.states, own.forced, own.evaluated
            return outcome
        if isinstance(outcome, Stopped) and outcome != Stopped(Limit.MEMORY):
            return outcome
        return LeftOpen()
