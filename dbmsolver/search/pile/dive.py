"""A search depth first for any solution of a game of one pile, before every state is closed.

It finds most solutions in a fraction of a second. What it meets is no part of a proof.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dbmsolver.core.pile import MOST_MOVES, dive
from dbmsolver.core.tables import PLACE_HOME
from dbmsolver.pile_state import PileKeys
from dbmsolver.results import Limits
from dbmsolver.search.improve.best import Best
from dbmsolver.search.outcome import GoalMet, Steps, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step

STATES = 1 << 20
"""The most states that it meets."""


class PileDive:
    """The dive.

    Where no solution can be shorter than the one it finds, the search ends with it, and so it does
    where any will do: without ``best``. Otherwise ``best`` takes the solution, and it is committed.
    """

    def __init__(
        self,
        keys: PileKeys,
        recorder: Recorder,
        limits: Limits,
        memory: int,
        best: Best[PileKeys] | None,
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        most = min(STATES, memory // 32 if limits.max_states is None else limits.max_states)
        self.most = max(1, most)
        self.best = best
        self.steps: list[Step] = []

    @property
    def shortest(self) -> bool:
        """Whether the solution it finds is a shortest one: a move for each card in a column."""
        return self.best is not None and len(self.steps) == self.keys.in_columns

    def run(self) -> Steps:
        """Dive once."""
        slots = np.zeros(1 << (2 * self.most - 1).bit_length(), np.uint64)
        path = np.zeros(MOST_MOVES + 1, np.int64)
        scratch = np.zeros((2, MOST_MOVES + 2), np.uint64)
        root = np.uint64(self.keys.root)
        length, met = dive(self.keys.tables, root, slots, path, scratch[0], scratch[1], self.most)
        statistics = self.recorder.statistics
        statistics.measure_memory()
        if length < 0:
            limit = self.recorder.limits.reached()
            if limit is not None:
                return Stopped(limit)
            yield replace(self.recorder.report(look_ahead=True), evaluated=int(met))
            return Stopped()
        self.steps = [(int(card), PLACE_HOME) for card in path[:length]]
        if self.best is None or self.shortest:
            statistics.states = statistics.evaluated = int(met)
            return GoalMet()
        if self.best.offer(self.steps):
            commit = self.recorder.commit(0, 0)
            yield self.best.event()
            yield commit
        return Stopped()

    def path(self, goal: GoalMet) -> list[Step]:
        """The steps from the deal to the goal."""
        return self.steps
