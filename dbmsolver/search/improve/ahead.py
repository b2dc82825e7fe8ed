"""The first searches where any solution is wanted at once.

Dives over dominating positions find a first solution, or that there is none. Short beams make it
shorter. Where a game has no dominance, or moves are counted in another way than card by card, or no
dive comes to a win, the beams find the first one. Klondike and its relatives have dives of their
own (:mod:`dbmsolver.search.improve.patience_dives`). Then the search for a shortest solution
begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.tidying import makes_safe_moves
from dbmsolver.keys.records import RecordKeys
from dbmsolver.results import Event, Limit, Limits, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.improve.improver import Improver
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import GoalMet, Steps, Stopped
from dbmsolver.search.proof.lost_ahead import LostAhead
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step, replay


class AnyAhead:
    """The dives, if there is no solution yet, and the first beams. `memory` is in bytes."""

    shortest = False

    def __init__(
        self, best: Best[Any], recorder: Recorder, limits: Limits, threads: int, memory: int
    ) -> None:
        self.best = best
        self.recorder = recorder
        self.limits = limits
        self.threads = threads
        self.memory = memory
        self._improver = Improver(best, memory, limits.max_states)

    def run(self) -> Steps:
        """Find a solution, and some shorter ones."""
        try:
            if self.best.length is None:
                outcome = yield from self._dive()
                if outcome != Stopped():
                    return outcome
            return (yield from self._beams())
        except Cancelled:
            return Stopped(Limit.INTERRUPT)

    def _dive(self) -> Steps:
        """Look for a first solution; Stopped() where the dives do not decide the deal."""
        codec, recorder = self.best.codec, self.recorder
        if codec.measure.by_room or not has_dominance(codec.rules):
            return Stopped()
        keys = RecordKeys(codec.deal, recorder.policy)
        dives = LostAhead(keys, recorder, self.limits, self.threads, self.memory)
        outcome = yield from dives.outcome()
        if not isinstance(outcome, GoalMet):
            return outcome
        steps = dives.path(outcome)
        moves = replay(keys, steps)
        if makes_safe_moves(codec.deal.position, moves, keys.rules, keys.policy):
            yield from self._better(steps)
        return Stopped()

    def _better(self, steps: list[Step]) -> Iterator[Event]:
        if self.best.offer(steps):
            yield from self._keep()

    def _keep(self) -> Iterator[Event]:
        """Commit the solution at once: nothing else is being written."""
        commit = self.recorder.commit(0, 0)
        yield self.best.event()
        yield commit

    def _beams(self) -> Steps:
        for improved in self._improver.first():
            limit = self.recorder.limits.reached()
            if improved:
                yield from self._keep()
            if limit is not None:
                return Stopped(limit)
            yield self._report()
        return Stopped()

    def _report(self) -> Report:
        beam, report = self._improver.beam, self.recorder.report()
        looked_at = 0 if beam is None else beam.looked_at
        return replace(report, phase="improve", states=looked_at, best=self.best.length)

    def path(self, goal: GoalMet) -> None:
        """Return None: the search never ends with a goal, as a solution is only the beginning."""
