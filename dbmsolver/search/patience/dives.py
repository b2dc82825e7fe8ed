"""Searches depth first for any solution of Klondike and its relatives, before all are closed.

Most deals that can be won are won by one of a few short dives, whose moves are tried in an order
with some chance in it. Longer ones follow. What they meet is no part of a proof.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from dbmsolver.core.patience_dive import GIVEN_UP, Diving, dive, make_diving
from dbmsolver.errors import InternalError
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Limit, Limits, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import GoalMet, Steps, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step
from dbmsolver.search.turning import with_turns

SCHEDULE = (*(1 << 13,) * 8, *(1 << 16,) * 8, *(1 << 19,) * 4)
"""The number of states that each dive meets at most."""
_AT_ONCE = 1 << 17
"""States that are met before limits are looked at."""
_STATE_BYTES = 32
"""Memory for each state that a dive may meet, at most."""


class PatienceDives:
    """Dives in order, each with more states than those before or with another seed.

    Where any solution will do, without ``best``, the search ends with the one they find. Otherwise
    ``best`` takes it, and it is committed. ``memory`` is in bytes.
    """

    shortest = False

    def __init__(
        self,
        keys: PatienceKeys,
        recorder: Recorder,
        limits: Limits,
        memory: int,
        best: Best[PatienceKeys] | None,
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        self.room = memory // _STATE_BYTES
        self.left = limits.max_states
        self.best = best
        self.met = 0
        self.steps: list[Step] = []

    def run(self) -> Steps:
        """Dive until there is a solution, or the schedule ends."""
        try:
            return (yield from self._run())
        except Cancelled:
            return Stopped(Limit.INTERRUPT)

    def _run(self) -> Steps:
        diving = yield from self._dive_often()
        if diving is None:
            return Stopped(self.recorder.limits.reached())
        self.steps = self._steps(diving)
        statistics = self.recorder.statistics
        if self.best is None:
            statistics.states = statistics.evaluated = self.met
            return GoalMet()
        if self.best.offer(self.steps):
            commit = self.recorder.commit(0, 0)
            yield self.best.event()
            yield commit
        return Stopped()

    def _dive_often(self) -> Generator[Report, None, Diving | None]:
        """Dive with each number of the schedule, and yield reports.

        Returns the dive that found a solution, or None.
        """
        root = self.keys.words(self.keys.root)
        for seed, wanted in enumerate(SCHEDULE):
            most = min(wanted, self.room)
            if self.left is not None:
                most = min(most, self.left - self.met)
            if most < 1:
                break
            diving, before = make_diving(root, most, seed), self.met
            while True:
                limit = min(most, int(diving.state[1]) + _AT_ONCE)
                length = int(dive(self.keys.tables, diving, limit))
                self.met = before + int(diving.state[1])
                self.recorder.statistics.measure_memory()
                if length >= 0:
                    return diving
                if self.recorder.limits.reached() is not None:
                    return None
                yield replace(self.recorder.report(look_ahead=True), evaluated=self.met)
                if length != GIVEN_UP or limit == most:
                    break
        return None

    def _steps(self, diving: Diving) -> list[Step]:
        """Return the steps of the solution that a dive has found."""
        key, plays = self.keys.root, list[Step]()
        depth = int(diving.state[0])
        for level in range(depth + 1):
            words = diving.words[level + 1] if level < depth else None
            code = int(diving.path[level])
            if words is None:
                key = self.keys.goal
            else:
                key = int(words[0]) | int(words[1]) << 64 | int(words[2]) << 128
            plays.append((self.keys.card_of(code), self.keys.place(key, code)))
        steps = with_turns(self.keys.deal, plays)
        if steps is None:
            raise InternalError("a solution that was found cannot be played")
        return steps

    def path(self, goal: GoalMet) -> list[Step]:
        """Return the steps from the deal to the goal."""
        return self.steps
