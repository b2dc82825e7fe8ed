"""A proof that takes turns with beams: a deal that can be won need not be searched to its end.

Dives go deep, and miss solutions where there is little room. With one freecell, beams find most of
these in seconds; a proof may need hours. Each beam is wider than the one before. Beams look at few
states in comparison with the proof. Counts decide when a beam begins, not the clock, so a proof
with a limit of states ends in the same way on a slow machine.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Method, Report
from dbmsolver.search.improve.beam import Beam, room_for
from dbmsolver.search.improve.beams_ahead import BeamsOfProof, shapes_ahead
from dbmsolver.search.improve.improver import FIRST, LATER, STATES
from dbmsolver.search.outcome import GoalMet, Outcome
from dbmsolver.search.proof.strata import ProofSearch
from dbmsolver.search.proof.workers import Workers
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step

SHARE = 0.04
"""The states that all beams may look at, for each state that one worker of the proof closes.

All workers pause while a beam runs. It looks at a state in half to three quarters of the time in
which a worker closes a record or a class, so beams take at most three hundredths of all time.
"""
_OF_POSITIONS = 0.4
"""The factor of SHARE where positions are closed, in games without a stock.

A worker closes such a position in three fifths of the time in which a beam looks at one.
"""


class BesideProof(ProofSearch):
    """The proof, and beams, one at a time, in `memory` bytes. A beam's solution ends both."""

    def __init__(
        self, keys: StateCodec, recorder: Recorder, workers: Workers, threads: int, memory: int
    ) -> None:
        super().__init__(keys, recorder, workers, threads, memory)
        self._room = room_for(memory // 8, recorder.limits.limits.max_states)
        rules = keys.rules
        positions = keys.method == Method.EVERY_POSITION and not rules.is_patience
        self._share = SHARE * (_OF_POSITIONS if positions else 1.0)
        widest = max((shape.width for shape in shapes_ahead(rules) or ()), default=0)
        self._shapes = [shape for shape in (*FIRST, *LATER) if shape.width > widest]
        self._beam: Beam | None = None
        self._looked_at = 0  # by all beams that are over
        self._leave_out_earlier()

    @cached_property
    def _beams(self) -> BeamsOfProof:
        """The beams of this proof, made for the first of them: most proofs end before it."""
        return BeamsOfProof(self.codec, self.recorder.policy, self._room)

    def step(self) -> Outcome | None:
        """Go on with the proof, or with the beam that is under way or due."""
        if self._beam is None:
            self._beam = self._due()
            if self._beam is None:
                return super().step()
        if not self._beam.step():
            return None
        steps, self._looked_at = self._beam.steps, self._looked_at + self._beam.looked_at
        self._beam = None
        if steps is None:
            return None
        statistics = self.recorder.statistics
        if not statistics.closed:  # else the counts are those of the proof
            statistics.states = statistics.evaluated = self._looked_at
        self.found = self._beams.steps(steps)
        return GoalMet()

    def _due(self) -> Beam | None:
        """Return the next beam if it is time for it."""
        if not self._is_due():
            return None
        return self._beams.beam(self._shapes.pop(0))

    def _is_due(self) -> bool:
        """Return True if the next beam fits within SHARE and the memory, and no dive runs."""
        if not self._shapes or self.is_diving:
            return False
        states = STATES * self._shapes[0].width
        return states <= self._room and self._looked_at + states <= self._allowed

    @property
    def _allowed(self) -> float:
        """The states that all beams may look at so far."""
        return self._share * self.recorder.statistics.closed / self.workers.count

    def _leave_out_earlier(self) -> None:
        """Remove the beams that earlier runs of the proof have run, except the last of them.

        That one may have been interrupted, and runs again.
        """
        while len(self._shapes) > 1:
            first, second = (STATES * shape.width for shape in self._shapes[:2])
            if second > self._room or self._looked_at + first + second > self._allowed:
                return
            self._looked_at += first
            del self._shapes[0]

    def report(self) -> Report:
        """Return a snapshot of the proof, or of the beam while the proof waits for it."""
        report = super().report()
        return report if self._beam is None else replace(report, phase="look ahead")

    def path(self) -> list[Step] | None:
        """Return the steps from the deal to the goal."""
        return super().path() if self.found is None else self.found
