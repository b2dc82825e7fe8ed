"""Beams for any solution, made before a proof in games where a run is one move.

They find most solutions there, in tenths of a second. The states they look at are no part of
the proof.
"""

from __future__ import annotations

from dataclasses import replace

from dbmsolver.keys.states import StateCodec
from dbmsolver.results import Limit, Limits
from dbmsolver.search.improve.beam import Beam, BeamShape, room_for
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import GoalMet, Outcome, Steps, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step

WIDTHS = (200, 1000)
"""The widths of the beams, one after the other."""
_STATES = 1500
"""The states that a beam looks at, at most, for each of its width."""


class BeamAhead:
    """The beams, in `memory` bytes. The solution, if one is found, need not be a shortest one."""

    shortest = False

    def __init__(self, codec: StateCodec, recorder: Recorder, limits: Limits, memory: int) -> None:
        self.codec = codec
        self.recorder = recorder
        room = room_for(memory)
        self._room = room if limits.max_states is None else min(room, limits.max_states)
        self._looked_at = 0
        self._steps: list[Step] | None = None

    def run(self) -> Steps:
        """Search with one beam after the other, until one finds a solution."""
        try:
            for width in WIDTHS:
                outcome = yield from self._search(BeamShape(width))
                if outcome != Stopped():
                    return outcome
        except Cancelled:
            return Stopped(Limit.INTERRUPT)
        return Stopped()

    def _search(self, shape: BeamShape) -> Steps:
        beam = Beam(self.codec, shape, min(self._room, _STATES * shape.width))
        for _ in beam.run():
            limit = self.recorder.limits.reached()
            if limit is not None:
                return Stopped(limit)
            report = self.recorder.report()
            looked_at = self._looked_at + beam.looked_at
            yield replace(report, phase="look ahead", states=looked_at, evaluated=looked_at)
        self._looked_at += beam.looked_at
        return self._decided(beam)

    def _decided(self, beam: Beam) -> Outcome:
        if beam.steps is None:
            return Stopped()
        self._steps = beam.steps
        statistics = self.recorder.statistics
        statistics.states = statistics.evaluated = self._looked_at
        return GoalMet()

    def path(self, goal: GoalMet) -> list[Step] | None:
        """Return the steps from the deal to the goal."""
        return self._steps
