"""The first searches where any solution is wanted at once.

Dives over dominating positions find a first solution, or that there is none. Short beams make it
shorter. Where a game has no dominance, or moves are counted in another way than card by card, or no
dive comes to a win, the beams find the first one. Klondike and its relatives have dives of their
own (:mod:`dbmsolver.search.improve.patience_dives`). Then the search for a shortest solution
begins.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.keys.records import RecordKeys
from dbmsolver.results import Limits, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.improve.improver import AnyBeam, Improver
from dbmsolver.search.outcome import GoalMet, Outcome, Search, Stopped
from dbmsolver.search.proof.lost_ahead import LostAhead
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step


class AnyAhead(Search):
    """The dives, if there is no solution yet, and the first beams. `memory` is in bytes."""

    def __init__(
        self, best: Best[Any], recorder: Recorder, limits: Limits, threads: int, memory: int
    ) -> None:
        self.best = best
        self.recorder = recorder
        self._improver = Improver(best, memory, limits.max_states)
        self._shapes = list(self._improver.first)
        self._beam: AnyBeam | None = None
        self._dives: LostAhead | None = None
        codec = best.codec
        by_cards = not codec.measure.by_room
        if best.length is None and by_cards and has_dominance(codec.rules):
            keys = RecordKeys(codec.deal, recorder.policy)
            self._dives = LostAhead(keys, recorder, limits, threads, memory)

    def step(self) -> Outcome | None:
        """Dive for a moment, or go on with a beam."""
        if self._dives is not None:
            return self._dive(self._dives)
        if self._beam is None:
            if not self._shapes:
                return Stopped()
            self._beam = self._improver.beam(self._shapes.pop(0))
        if self._beam.step():
            steps, self._beam = self._beam.steps, None
            if steps is not None:
                self._offer(steps)
        return None

    def _dive(self, dives: LostAhead) -> Outcome | None:
        """Look for a first solution for a moment; only a lost deal ends the search."""
        outcome = dives.step()
        if outcome is None:
            return None
        outcome = dives.end(outcome)
        if outcome != Stopped():
            return outcome
        if dives.won and self.best.take(dives.path(GoalMet()), dives.keys):
            self.best.keep()
        dives.close()
        self._dives = None
        return None

    def _offer(self, steps: list[Step]) -> None:
        if self.best.offer(steps):
            self.best.keep()

    def report(self) -> Report:
        """Return a snapshot of the dives, or of the beam."""
        if self._dives is not None:
            return self._dives.report()
        looked_at = 0 if self._beam is None else self._beam.looked_at
        return replace(self.recorder.report(), phase="improve", states=looked_at)

    def end(self, outcome: Outcome) -> Outcome:
        """Forget the counts of dives that do not decide the deal."""
        return outcome if self._dives is None else self._dives.end(outcome)

    def close(self) -> None:
        """End the dives."""
        if self._dives is not None:
            self._dives.close()

    def path(self, goal: GoalMet) -> None:
        """Return None: the search never ends with a goal, as a solution is only the beginning."""
