"""Beams that come before a proof, in games where they find most solutions in tenths of a second."""

from __future__ import annotations

from dbmsolver.game.kinds import Policy
from dbmsolver.game.rules import Rules
from dbmsolver.kits.choice import are_wide, position_keys
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Limits, Report
from dbmsolver.search.improve.beam import Beam, BeamShape, room_for
from dbmsolver.search.improve.improver import FIRST_OF_PATIENCE, MOST_STATES
from dbmsolver.search.outcome import GoalMet, LeftOpen, Outcome, Search
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step, replay, steps_of

OF_RUNS = (BeamShape(200), BeamShape(1000))
"""The beams where a run of cards is one move."""
_AT_ONCE = 1 << 15
"""States that a beam looks at, at least, between two looks at limits and signals."""


def shapes_ahead(rules: Rules) -> tuple[BeamShape, ...] | None:
    """Return the shapes of the beams that run before a proof in a game with these rules.

    None if no beam runs first, as in most games.
    """
    if rules.is_patience:
        return FIRST_OF_PATIENCE
    return OF_RUNS if rules.has_runs else None


class BeamsOfProof:
    """The beams for a deal that a proof searches, too.

    Beams expand positions; the proof may expand records or classes, and ``keys`` are the keys of
    these. ``most`` is the largest number of states that a beam looks at.
    """

    def __init__(self, keys: StateCodec, policy: Policy, most: int) -> None:
        self._keys = keys
        positions = position_keys(keys.deal, policy)
        assert not are_wide(positions)  # no such game is proved by strata
        self._positions = positions
        self._most = most

    def room_of(self, shape: BeamShape) -> int:
        """Return how many states a beam has room for."""
        return min(self._most, MOST_STATES * shape.width)

    def beam(self, shape: BeamShape) -> Beam:
        """Return a beam from the deal."""
        return Beam(self._positions, shape, self.room_of(shape))

    def steps(self, found: list[Step]) -> list[Step]:
        """Return the steps of a beam's solution as the proof's keys have them."""
        return steps_of(self._keys, replay(self._positions, found))


def _go_on(beam: Beam) -> None:
    """Expand some states of a beam."""
    enough = beam.looked_at + _AT_ONCE
    while beam.looked_at < enough and not beam.step():
        pass


class BeamsAhead(Search):
    """The beams, each in a thread, as many as fit into `memory` bytes.

    The first that finds a solution ends them. What comes of them does not depend on the number of
    threads. ``keys`` are those of the proof.
    """

    def __init__(self, keys: StateCodec, recorder: Recorder, limits: Limits, memory: int) -> None:
        self.recorder = recorder
        self._room = room_for(memory)
        most = room_for(memory, limits.max_states)
        self._beams = BeamsOfProof(keys, recorder.policy, most)
        self._left = list(shapes_ahead(keys.rules) or ())
        self._running: list[Beam] = []
        self._looked_at = 0  # by the beams that are over, but for those after one that is not

    def step(self) -> Outcome | None:
        """Expand some states of each running beam; each thread has one.

        The search ends when a beam has a solution and every earlier one has ended without. If all
        end without a solution, the next search begins.
        """
        while self._left and self._has_room():
            self._running.append(self._beams.beam(self._left.pop(0)))
        going = [beam for beam in self._running if not beam.is_over]
        for _ in self.recorder.in_parallel(_go_on, going):
            pass
        while self._running and self._running[0].is_over:
            beam = self._running.pop(0)
            self._looked_at += beam.looked_at
            if beam.steps is not None:
                return self._solved(beam.steps)
        return None if self._left or self._running else LeftOpen()

    def _has_room(self) -> bool:
        """Return True if there are a thread and memory for one more beam."""
        if not self._running:
            return True
        shapes = [*(beam.shape for beam in self._running), self._left[0]]
        enough = sum(map(self._beams.room_of, shapes)) <= self._room
        return enough and len(self._running) < self.recorder.threads

    def _solved(self, steps: list[Step]) -> Outcome:
        """Keep the solution of a beam as one of the proof."""
        statistics = self.recorder.statistics
        statistics.states = statistics.evaluated = self._looked_at
        self.found = self._beams.steps(steps)
        return GoalMet()

    def report(self) -> Report:
        """Return a snapshot of the beams."""
        looked_at = self._looked_at + sum(beam.looked_at for beam in self._running)
        return self.recorder.report(phase="look ahead", evaluated=looked_at)
