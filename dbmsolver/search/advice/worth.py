"""The worth of a position: the verdict, and the fewest moves to a win."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.measured import measured
from dbmsolver.results import (
    Event,
    Limit,
    Limits,
    Method,
    Options,
    Question,
    Result,
    Verdict,
    method_for,
)
from dbmsolver.search import session
from dbmsolver.search.limits import Cancelled, searching_clock

Results = Generator[Event, Cancelled | None, Result]


class Clock:
    """The limits of several searches together: each gets the time that the others have left.

    Time in which kernels are compiled does not count.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._started = searching_clock()

    @property
    def seconds(self) -> float:
        """Seconds since the first search began."""
        return searching_clock() - self._started

    @property
    def is_over(self) -> bool:
        """True if no time is left."""
        return self.limits.max_time is not None and self.seconds >= self.limits.max_time

    def rest(self) -> Limits:
        """Return the limits of the next search."""
        if self.limits.max_time is None:
            return self.limits
        return replace(self.limits, max_time=max(self.limits.max_time - self.seconds, 1e-9))


def worth(deal: Deal, options: Options, clock: Clock) -> Results:
    """Find out whether a position can be won, then its shortest solution; a generator of events.

    A proof over dominating positions comes first, in games that have them: where there is no
    solution, it takes far less than a search for a shortest one. The result is that of the search
    that decided. Where a limit ended the second one, its verdict is `solved` with the best solution
    so far.
    """
    proven: Result | None = None
    if method_for(Question.PROVE, deal, Method.DOMINATING) != Method.EVERY_POSITION:
        how = replace(options, store=None, method=Method.DOMINATING, any_solution=False)
        # A proof does not look at what moves are measured by. It tells its solution in cards.
        if options.policy not in POLICIES:
            how = replace(how, policy="wkr")
        how = replace(how, metric=None)
        proven = yield from session.run(Question.PROVE, deal, how, clock.rest())
        if proven.verdict == Verdict.UNSOLVABLE or proven.limit == Limit.INTERRUPT:
            return proven
    options = replace(options, method=Method.EVERY_POSITION, any_solution=True)
    found = yield from session.run(Question.SOLVE, deal, options, clock.rest())
    if proven is None or not proven.moves or found.verdict != Verdict.UNDECIDED:
        return found
    # The proof has a solution, which is not kept in the store of the other search.
    moves = measured(deal.position, proven.moves, found.measure)
    if moves is None:
        return found
    return replace(found, verdict=Verdict.SOLVED, moves=moves, shortest=False)
