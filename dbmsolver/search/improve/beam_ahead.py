"""Beams for any solution, made before a proof in games where a run is one move.

They find most solutions there, in tenths of a second. The states they look at are no part of
the proof.
"""

from __future__ import annotations

from dataclasses import replace

from dbmsolver.keys.states import StateCodec
from dbmsolver.results import Limits, Report
from dbmsolver.search.improve.beam import Beam, BeamShape, room_for
from dbmsolver.search.outcome import GoalMet, Outcome, Search, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step

WIDTHS = (200, 1000)
"""The widths of the beams, one after the other."""
_STATES = 1500
"""The states that a beam looks at, at most, for each of its width."""


class BeamAhead(Search):
    """The beams, in `memory` bytes. The solution, if one is found, need not be a shortest one."""

    def __init__(self, codec: StateCodec, recorder: Recorder, limits: Limits, memory: int) -> None:
        self.codec = codec
        self.recorder = recorder
        room = room_for(memory)
        self._room = room if limits.max_states is None else min(room, limits.max_states)
        self._widths = list(WIDTHS)
        self._beam: Beam | None = None
        self._before = 0  # states that earlier beams have looked at
        self._steps: list[Step] | None = None

    @property
    def _looked_at(self) -> int:
        """The states that all beams have looked at."""
        return self._before + (0 if self._beam is None else self._beam.looked_at)

    def step(self) -> Outcome | None:
        """Go on with a beam, until one finds a solution."""
        if self._beam is None:
            if not self._widths:
                return Stopped()
            shape = BeamShape(self._widths.pop(0))
            self._beam = Beam(self.codec, shape, min(self._room, _STATES * shape.width))
        if not self._beam.step():
            return None
        self._steps, self._before, self._beam = self._beam.steps, self._looked_at, None
        if self._steps is None:
            return None
        statistics = self.recorder.statistics
        statistics.states = statistics.evaluated = self._looked_at
        return GoalMet()

    def report(self) -> Report:
        """Return a snapshot of the beams."""
        report, looked_at = self.recorder.report(), self._looked_at
        return replace(report, phase="look ahead", states=looked_at, evaluated=looked_at)

    def path(self, goal: GoalMet) -> list[Step] | None:
        """Return the steps from the deal to the goal."""
        return self._steps
