"""The search by cost layers below the length of the best solution, and beams between its rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dbmsolver.results import Event, Report
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.improve.best import Best
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import GoalMet, Steps
from dbmsolver.search.trace import Step

if TYPE_CHECKING:
    from dbmsolver.search.improve.improver import Improver


class ShortestBelow:
    """Closes the layers below the best solution's length. What it finds there is a shortest one.

    Where there is nothing, the best solution is. Without an ``improver`` no beams are made.
    """

    shortest = True

    def __init__(self, search: AStarSearch, best: Best[Any], improver: Improver | None) -> None:
        self.search = search
        self.best = best
        self.improver = improver
        search.ceiling = best.ceiling

    def run(self) -> Steps:
        """Search until the best solution is proven to be a shortest one, or a limit is reached."""
        steps = self.search.run()
        with closing(steps):
            advance: Callable[[], Event] = partial(next, steps)
            while True:
                try:
                    event = advance()
                except StopIteration as end:
                    return end.value  # type: ignore[no-any-return]  # an Outcome
                advance = partial(next, steps)
                try:
                    yield self._with_best(event)
                    yield from self._improve()
                except Cancelled as request:
                    advance = partial(steps.throw, request)

    def _improve(self) -> Iterator[Event]:
        """Make a beam if it is time for one; it ends early where a limit is reached."""
        shape = None
        if self.improver is not None:
            shape = self.improver.due(self.search.statistics.evaluated)
        if self.improver is None or shape is None:
            return
        for improved in self.improver.make(shape):
            if improved:
                self.search.ceiling = self.best.ceiling
                yield self.best.event()
            if self.search.recorder.limits.reached() is not None:
                return
            yield self._with_best(replace(self.search.report(), phase="improve"))

    def _with_best(self, event: Event) -> Event:
        return replace(event, best=self.best.length) if isinstance(event, Report) else event

    def path(self, goal: GoalMet) -> list[Step]:
        """The steps from the deal to the goal."""
        return self.search.path(goal)
