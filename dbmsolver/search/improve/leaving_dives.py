"""Searches depth first for any solution of a game whose cards only leave, of one pile or of pairs.

They come before every state is closed.

Most deals that can be won are won by one of a few short dives, each of which tries the places in
another order: how long a dive takes depends on chance more than on any rule. Longer ones follow.
The states they meet are no part of a proof.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from random import Random

import numpy as np

from dbmsolver.core.leaving_dive import EXHAUSTED, Diving, dive, make_diving
from dbmsolver.keys.leaving import LeavingKeys
from dbmsolver.results import Limit, Limits, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import GoalMet, Steps, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step

SCHEDULE = (*(1 << 15,) * 8, *(1 << 17,) * 4, *(1 << 20,) * 2, 1 << 24)
"""The states that each dive meets at most."""
_AT_ONCE = 1 << 18
"""States that are met before limits are looked at."""
_STATE_BYTES = 32
"""Memory for each state that a dive may meet, at most."""


class LeavingDives:
    """The dives.

    Where no solution can be shorter than the one they find, the search ends with it, and so it does
    where any will do: without ``best``. Otherwise ``best`` takes the solution, and it is committed.
    ``memory`` is in bytes.
    """

    def __init__(
        self,
        keys: LeavingKeys,
        recorder: Recorder,
        limits: Limits,
        memory: int,
        best: Best[LeavingKeys] | None,
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        self.room = memory // _STATE_BYTES
        self.left = limits.max_states
        self.best = best
        self.met = 0
        self.steps: list[Step] = []

    @property
    def shortest(self) -> bool:
        """True if the solution is a shortest one: none can be shorter."""
        return self.best is not None and len(self.steps) == self.keys.least

    def run(self) -> Steps:
        """Dive until there is a solution, there is none, or the schedule ends."""
        try:
            return (yield from self._run())
        except Cancelled:
            return Stopped(Limit.INTERRUPT)

    def _run(self) -> Steps:
        length, diving = yield from self._dive_often()
        if length < 0 or diving is None:
            return Stopped(self.recorder.limits.reached())
        self.steps = self.keys.steps_of_dive(diving.path[:length].tolist())
        statistics = self.recorder.statistics
        if self.best is None or self.shortest:
            statistics.states = statistics.evaluated = self.met
            return GoalMet()
        if self.best.offer(self.steps):
            commit = self.recorder.commit(0, 0)
            yield self.best.event()
            yield commit
        return Stopped()

    def _dive_often(self) -> Generator[Report, None, tuple[int, Diving | None]]:
        """Dive by the schedule; return the length of a solution, and the last dive.

        The length is negative without a solution.
        """
        random, length, diving = Random(1), -1, None
        root = self.keys.encode(self.keys.deal.position)
        places = list(range(self.keys.places))
        for wanted in SCHEDULE:
            most = min(wanted, self.room)
            if self.left is not None:
                most = min(most, self.left - self.met)
            if most < 1:
                break
            diving, before = make_diving(root, most, self.keys.most_moves), self.met
            order = np.array(places, np.int64)
            while True:
                limit = min(most, int(diving.state[1]) + _AT_ONCE)
                length = int(dive(self.keys.tables, diving, order, limit))
                self.met = before + int(diving.state[1])
                self.recorder.statistics.measure_memory()
                if length >= EXHAUSTED or self.recorder.limits.reached() is not None:
                    return length, diving
                yield replace(self.recorder.report(look_ahead=True), evaluated=self.met)
                if limit == most:
                    break
            random.shuffle(places)
        return length, diving

    def path(self, goal: GoalMet) -> list[Step]:
        """Return the steps from the deal to the goal."""
        return self.steps
