"""The search by cost layers below the length of the best solution, and beams beside it.

With one thread a beam is made between two rounds of that search, with several by one of the
threads: then nobody waits for it, and it ends as soon as it would alone. The sooner its solution
comes, the fewer states the search has looked at that are of no use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from threading import Event as Flag
from typing import TYPE_CHECKING, Any, Protocol

from dbmsolver.results import Event, Report
from dbmsolver.search.improve.best import Best
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import GoalMet, Search, Steps, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step

if TYPE_CHECKING:
    from dbmsolver.search.improve.improver import AnyBeam, Improver


class Layered(Search, Protocol):
    """A search by cost layers."""

    recorder: Recorder

    @property
    def layer(self) -> int:
        """The layer that is being closed."""

    @property
    def evaluated(self) -> int:
        """The number of states looked at."""

    @property
    def ceiling(self) -> int:
        """The length of the best solution: only layers below it are closed."""

    @ceiling.setter
    def ceiling(self, length: int) -> None: ...

    def lend_thread(self, lent: bool) -> None:
        """Do with one thread less while one is lent to something else."""

    def report(self) -> Report:
        """Return how far the search is."""


class ShortestBelow:
    """A search that closes the layers below the best solution's length.

    A solution found there is a shortest one. If there is none, the best solution is.
    """

    shortest = True

    def __init__(self, search: Layered, best: Best[Any], improver: Improver) -> None:
        self.search = search
        self.best = best
        self.improver = improver
        self._beside: _Beside | None = None
        search.ceiling = best.ceiling

    def run(self) -> Steps:
        """Search until the best solution is proven to be a shortest one, or a limit is reached."""
        steps = self.search.run()
        try:
            with closing(steps):
                outcome = yield from self._run(steps)
        finally:
            if self._beside is not None:
                self._beside.end()
        if isinstance(outcome, Stopped) and self._beside is not None:
            found = self._beside.steps()  # it may just have come to its end
            if found is not None:
                self.best.offer(found)
        return outcome

    def _run(self, steps: Steps) -> Steps:
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
        """Make a beam if it is time for one, or take the solution that one has found."""
        if self._beside is not None:
            if self._beside.is_over():
                self.search.lend_thread(False)
                steps, self._beside = self._beside.steps(), None
                yield from self._offer(steps)
            return
        if self.best.ceiling - self.search.layer <= 1:
            return  # this layer would hold the solution
        beam = self.improver.due(self.search.evaluated)
        if beam is not None and self.search.recorder.threads > 1:
            self.search.lend_thread(True)
            self._beside = _Beside(beam)
        elif beam is not None:
            yield from self._between(beam)

    def _between(self, beam: AnyBeam) -> Iterator[Event]:
        """Make a beam while the search waits; it ends early where a limit is reached."""
        for _ in beam.run():
            if self.search.recorder.limits.reached() is not None:
                return
            yield self._with_best(replace(self.search.report(), phase="improve"))
        yield from self._offer(beam.steps)

    def _offer(self, steps: list[Step] | None) -> Iterator[Event]:
        """Lower the ceiling to the length of a solution that is shorter than the best one."""
        if steps is not None and self.best.offer(steps):
            self.search.ceiling = self.best.ceiling
            if self.improver.any_solution:
                yield self.best.event()

    def _with_best(self, event: Event) -> Event:
        return replace(event, best=self.best.length) if isinstance(event, Report) else event

    def path(self, goal: GoalMet) -> list[Step] | None:
        """Return the steps from the deal to the goal."""
        return self.search.path(goal)


class _Beside:
    """A beam that a thread of its own makes."""

    def __init__(self, beam: AnyBeam) -> None:
        self._beam = beam
        self._ended = Flag()
        self._pool = ThreadPoolExecutor(1)
        self._future: Future[None] = self._pool.submit(self._run)

    def _run(self) -> None:
        for _ in self._beam.run():
            if self._ended.is_set():
                return

    def is_over(self) -> bool:
        """Return True if the beam has ended, in whatever way."""
        return self._future.done()

    def steps(self) -> list[Step] | None:
        """Return the solution that was found, None without one.

        Raises the exception that ended the beam otherwise.
        """
        self._future.result()
        self.end()
        return self._beam.steps

    def end(self) -> None:
        """End the beam early, and wait for its thread; that takes milliseconds."""
        self._ended.set()
        self._pool.shutdown()
