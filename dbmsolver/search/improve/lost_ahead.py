"""Dives over dominating positions or classes, made before a search for a shortest solution.

A search by cost layers tells that a deal cannot be won only when it has closed every position.
Dives over states that stand for many positions tell it with a hundredth as many, or less. Where
they find a solution, the search for a shortest one knows it when it begins.
"""

from __future__ import annotations

from typing import Any

from dbmsolver.kits.choice import CoveringKeys
from dbmsolver.results import Limits
from dbmsolver.search.improve.best import Best
from dbmsolver.search.outcome import Exhausted, Outcome
from dbmsolver.search.proof.dive_ahead import UncountedDives
from dbmsolver.search.proof.dives import CLASS_ORDERS, Schedule

LAST: Schedule = ((CLASS_ORDERS[2], 1 << 25),)
"""The dive over classes that follows where the others leave a deal open.

Most of these deals are lost. It has room for all classes of any lost deal of PySolFC's 1 to 10,000,
by threes and by ones, and takes some seconds."""


class LostAhead(UncountedDives):
    """The dives that precede a search for a shortest solution; they may use ``memory`` bytes.

    If they show that the deal is lost, the whole search ends. If they find a solution, the search
    for a shorter one follows. Their solution becomes the best one: at once with ``any_solution``,
    otherwise at the next commit, if no other is known by then. Without a ``schedule`` they make the
    usual dives over states of their kind.
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
        super().__init__(keys, best.recorder, limits, threads, memory, schedule, needed)
        self.best = best
        self.any_solution = any_solution

    def step(self) -> Outcome | None:
        """Dive for a moment. Closed states of a proof replace those that the store has."""
        outcome = super().step()
        if isinstance(outcome, Exhausted):
            self.recorder.clear_closed()
        return outcome

    def end(self, outcome: Outcome) -> Outcome:
        """Forget the counts of dives that do not decide the deal, and take their solution."""
        outcome = super().end(outcome)
        if self.won:
            win = self.win()
            if not self.any_solution:
                self.best.take_later(win)
            elif self.best.take(win()):
                self.best.keep()
        return outcome
