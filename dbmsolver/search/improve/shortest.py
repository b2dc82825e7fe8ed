"""The search by cost layers below the length of the best solution, and beams beside it.

With one thread a beam is made between two rounds of that search, with several by one of the
threads: then nobody waits for it, and it ends as soon as it would alone. The sooner its solution
comes, the fewer states the search has looked at that are of no use. When the beam has ended, the
round that the search is in is the last of its step, and both threads work on the next.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Event as Flag
from typing import TYPE_CHECKING, Any

from dbmsolver.results import Commit, Report
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.improve.best import Best, Played
from dbmsolver.search.outcome import Outcome, Search, Stopped
from dbmsolver.search.trace import Step

if TYPE_CHECKING:
    from dbmsolver.search.improve.beam import Beam
    from dbmsolver.search.improve.improver import Improver


class ShortestBelow(Search):
    """A search that closes the layers below the best solution's length.

    A solution found there is a shortest one. If there is none, the best solution is.
    """

    def __init__(self, search: AStarSearch, best: Best[Any], improver: Improver) -> None:
        self.search = search
        self.recorder = search.recorder
        self.best = best
        self.improver = improver
        self._between: Beam | None = None
        self._beside: _Beside | None = None
        search.ceiling = best.ceiling

    @property
    def shortest(self) -> bool:
        """True: what is found is shorter than any other solution."""
        return True

    def step(self) -> Outcome | None:
        """Go on with a beam, or close some states and see whether it is time for a beam."""
        if self._between is not None:
            if self._between.step():
                beam, self._between = self._between, None
                self.offer(beam)
            return None
        outcome = self.search.step()
        if outcome is None:
            self.improve()
        return outcome

    def improve(self) -> None:
        """Begin a beam if it is time for one, or take the solution that one has found."""
        if self._beside is not None:
            if self._beside.is_over():
                self.search.lend_thread(None)
                ended, self._beside = self._beside.result(), None
                self.offer(*ended)
            return
        if self.best.ceiling - self.search.layer <= 1:
            return  # this layer would hold the solution
        shape = self.improver.due(self.search.evaluated)
        if shape is None:
            return
        if self.recorder.threads > 1:
            self._beside = _Beside(partial(self.improver.beam, shape), self.best)
            self.search.lend_thread(self._beside.is_over)
        else:
            self._between = self.improver.beam(shape)

    def offer(self, beam: Beam, played: Played | None = None) -> None:
        """Lower the ceiling to the length of a beam's solution if it is shorter than the best."""
        if self.best.end_beam(beam, played):
            self.search.ceiling = self.best.ceiling
            if self.improver.any_solution:
                self.best.tell()

    def report(self) -> Report:
        """Return a snapshot of the search, or of the beam while the search waits for it."""
        report = self.search.report()
        return report if self._between is None else replace(report, phase="improve")

    def commit(self) -> Commit:
        """Commit what is closed and, if the search can be resumed, what is pending."""
        return self.search.commit()

    def end(self, outcome: Outcome) -> Outcome:
        """Take the solution of a beam that has just ended; commit all that is finished."""
        if self._beside is not None:
            self._beside.end()
            if isinstance(outcome, Stopped):
                self.offer(*self._beside.result())
        return self.search.end(outcome)

    def close(self) -> None:
        """End the beam, and the threads of the search."""
        if self._beside is not None:
            self._beside.end()
        self.search.close()

    def path(self) -> list[Step] | None:
        """Return the steps from the deal to the goal."""
        return self.search.path()


class _Beside:
    """A beam that runs in a thread of its own.

    The thread calls ``begin()``, which makes the beam, and does its steps. Then it plays the
    solution by ``best.play``, which would hold up the search for some 10 milliseconds.
    """

    def __init__(self, begin: Callable[[], Beam], best: Best[Any]) -> None:
        self._begin = begin
        self._best = best
        self._ended = Flag()
        self._pool = ThreadPoolExecutor(1)
        self._future: Future[tuple[Beam, Played | None]] = self._pool.submit(self._run)

    def _run(self) -> tuple[Beam, Played | None]:
        beam = self._begin()
        while not self._ended.is_set() and not beam.step():
            pass
        return beam, None if beam.steps is None else self._best.play(beam.steps)

    def is_over(self) -> bool:
        """Return True if the beam has ended, in whatever way."""
        return self._future.done()

    def result(self) -> tuple[Beam, Played | None]:
        """Return the beam, which has ended, and its solution; raise what ended it otherwise."""
        result = self._future.result()
        self.end()
        return result

    def end(self) -> None:
        """End the beam early, and wait for its thread; that takes milliseconds."""
        self._ended.set()
        self._pool.shutdown()
