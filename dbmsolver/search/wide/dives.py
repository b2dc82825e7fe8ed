"""Dives and beams for any solution of a wide game. A dive that meets every state is a proof.

A small dive comes first: it decides most deals that lead to few states. Beams follow
(:mod:`dbmsolver.search.wide.beams`), which find most solutions, then a dive in all the memory.

In a dive states are of kinds: by rows dealt, or turns of the stock, and by cards turned up. The
best states of all kinds take turns, so a dive goes deep and stays broad: no kind of states, say
those before a row is dealt, takes all the time.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.game.moves import Move
from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.kits.wide.search import EXHAUSTED
from dbmsolver.results import Limit, Limits, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.outcome import (
    Exhausted,
    GoalMet,
    LeftOpen,
    NoneShorter,
    Outcome,
    Search,
    Stopped,
)
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step, steps_of
from dbmsolver.search.wide.beams import Beams
from dbmsolver.search.wide.exploring import Exploration, most_states
from dbmsolver.search.wide.plans import Weights, schedule_of

ORDER: Weights = (10, 5, 10, 5, 0, 0, 0, 0, 0)
"""The weights of the dives that may be proofs."""
SMALL = 1 << 16
"""The states that the first dive meets at most; the last one has all the memory."""
MODERATE = 4000
"""The width of the widest beams that follow a solution, for a shorter one."""


class WideDives(Search):
    """The searches, in ``memory`` bytes.

    Where any solution will do, ``best`` is None, and they end with the first one. Otherwise
    ``best`` takes the solution, and it is committed. Beams of a moderate width follow then: some
    find a shorter one.
    """

    def __init__(
        self,
        keys: WideKeys,
        recorder: Recorder,
        limits: Limits,
        memory: int,
        best: Best[WideKeys] | None,
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        self.limits = limits
        self.memory = memory
        self.room = most_states(keys, memory)
        self.best = best
        self.met = 0
        self.found: list[Step] = []
        self._before = 0  # states that earlier searches have met
        self._dive: Exploration | None = None
        self._beams: Beams | None = None
        self._next = [self._begin_small_dive, self._begin_beams, self._begin_large_dive]

    @property
    def counted(self) -> int:
        """The number of states that were met."""
        return self.met

    def step(self) -> Outcome | None:
        """Search for a moment, until there is a solution, there is none, or nothing is left."""
        if self._dive is not None:
            return self._go_on_diving(self._dive)
        if self._beams is not None:
            return self._go_on_with_beams(self._beams)
        if self._next:
            self._before = self.met
            self._next.pop(0)()
            return None
        # The searches that follow begin with the same memory; after a proof there are none.
        return Stopped(Limit.MEMORY) if self.best is None else LeftOpen()

    def _begin_small_dive(self) -> None:
        self._dive = self._dive_of(min(SMALL, self.room))

    def _begin_beams(self) -> None:
        schedule = schedule_of(self.keys.tables)
        self._beams = Beams(self.keys, schedule, self.recorder.threads, self.memory, self._left())

    def _begin_large_dive(self) -> None:
        """Dive in all the memory, unless a solution is known."""
        if not self._is_solved():
            self._dive = self._dive_of(self.room)

    def _dive_of(self, most: int) -> Exploration:
        """Return a dive that meets at most ``most`` states, and no more than are left."""
        left = self._left()
        most = most if left is None else min(most, left)
        return Exploration(self.keys, np.array(ORDER, np.int64), most, self.memory)

    def _is_solved(self) -> bool:
        """Return True if a solution is known, and shorter ones are looked for."""
        return self.best is not None and self.best.length is not None

    def _left(self) -> int | None:
        """Return the number of states that may still be met; None if there is no limit."""
        most = self.limits.max_states
        return None if most is None else most - self.met

    def _go_on_diving(self, dive: Exploration) -> Outcome | None:
        is_over = dive.step()
        self.met = self._before + dive.met
        if not is_over:
            return None
        self._dive = None
        if dive.result >= 0:
            return self._won(dive.moves())
        if dive.result == EXHAUSTED:
            # Every state that the deal leads to.
            self.recorder.statistics.count(0, 0, dive.expanded, 0, dive.digest)
            return Exhausted()
        return None

    def _go_on_with_beams(self, beams: Beams) -> Outcome | None:
        if beams.are_over:
            beams.close()
            self._beams = None
            return None
        beam = beams.step()
        if beam is not None and beam.result >= 0:
            self.met = self._before + beams.judged
            if (outcome := self._won(beam.moves())) is not None:
                return outcome
        self.met = self._before + beams.kept
        if self._is_solved():
            beams.left = [plan for plan in beams.left if plan.width <= MODERATE]
        return None

    def _won(self, moves: list[Move]) -> Outcome | None:
        """Take the solution that was found; return None if the search goes on.

        It does not where no solution can be shorter: it has as many moves as the deal needs.
        """
        self.found = steps_of(self.keys, moves)
        if self.best is None:
            statistics = self.recorder.statistics
            statistics.states = statistics.evaluated = self.met
            return GoalMet()
        if self.best.offer(self.found):
            self.best.keep()
        length = self.best.length
        return NoneShorter() if length is not None and length <= self.keys.least else None

    def report(self) -> Report:
        """Return a snapshot of the dive, or of the beams."""
        pending = 0 if self._dive is None else self._dive.open
        return self.recorder.report(phase="look ahead", evaluated=self.met, pending=pending)

    def end(self, outcome: Outcome) -> Outcome:
        """Count the states that were met."""
        if isinstance(outcome, (Stopped, LeftOpen, NoneShorter)):
            self.recorder.statistics.evaluated = self.met
        return outcome

    def close(self) -> None:
        """End the beams."""
        if self._beams is not None:
            self._beams.close()
