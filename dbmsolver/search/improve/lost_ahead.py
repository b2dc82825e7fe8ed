"""Dives over dominating positions or classes, made before a search for a shortest solution.

A search by cost layers tells that a deal cannot be won only when it has closed every position.
Dives over states that stand for many positions tell it with a hundredth as many, or less. Where
they find a solution, the search for a shortest one knows it when it begins.
"""

from __future__ import annotations

from typing import Any

from dbmsolver.kits.choice import CoveringKeys
from dbmsolver.results import Limit, Limits
from dbmsolver.search.improve.best import Best
from dbmsolver.search.outcome import Exhausted, GoalMet, LeftOpen, Outcome, Stopped
from dbmsolver.search.proof.dive_ahead import DiveAhead, UncountedDives
from dbmsolver.search.proof.dives import CLASS_ORDERS, Schedule

LAST: Schedule = ((CLASS_ORDERS[2], 1 << 25),)
"""The dive over classes that follows where the others leave a deal open.

Most of these deals are lost. It has room for all classes of any lost deal of PySolFC's 1 to 10,000,
by threes and by ones, and takes some seconds."""


class LostAhead(UncountedDives):
    """The dives that precede a search for a shortest solution; they may use ``memory`` bytes.

    If they show that the deal is lost, the whole search ends. If they find a solution, ``won`` is
    True, and the search for a shorter one follows. Their solution becomes the best one: at once
    with ``any_solution``, otherwise at the next commit, if no other is known by then. Without a
    ``schedule`` they make the usual dives over states of their kind. ``needed`` says that no other
    search follows: if they leave the deal open, the whole search ends with the limit of memory.
    """

    def __init__(
        self,
        best: Best[Any],
        keys: CoveringKeys,
        limits: Limits,
        threads: int,
        memory: int,
        schedule: Schedule = (),
        any_solution: bool = False,
        needed: bool = False,
    ) -> None:
        self.best = best
        self.keys = keys
        self.any_solution = any_solution
        self.needed = needed
        self.won = False
        super().__init__(DiveAhead(keys, best.recorder, limits, threads, memory, schedule))

    def step(self) -> Outcome | None:
        """Dive for a moment. A deal that is exhausted is lost."""
        outcome = self.dives.step()
        if isinstance(outcome, Exhausted):
            self.recorder.clear_closed()
            self.recorder.batch.fields["method"] = self.keys.method
        if isinstance(outcome, GoalMet):
            self.won = True
            return LeftOpen()
        if isinstance(outcome, LeftOpen) and self.needed:
            return Stopped(Limit.MEMORY)
        return outcome

    def end(self, outcome: Outcome) -> Outcome:
        """Forget the counts of dives that do not decide the deal, and take their solution."""
        outcome = super().end(outcome)
        if self.won:
            win = self.dives.win()
            if not self.any_solution:
                self.best.take_later(win)
            elif self.best.take(win()):
                self.best.keep()
        return outcome
