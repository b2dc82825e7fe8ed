"""Values of a position and of each of its moves, and all of its shortest solutions.

:func:`value`, :func:`value_moves` and :func:`shortest_solutions` take options and limits that are
made already: those of a command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Unpack

from dbmsolver.api.searches import Settings, answer_of, check_callbacks, deal_of, settings_of
from dbmsolver.arguments import checked_whole
from dbmsolver.errors import UndecidedError
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Metric
from dbmsolver.game.moves import Move
from dbmsolver.results import (
    Event,
    FirstMoves,
    Limit,
    Limits,
    Options,
    Result,
    SolutionCount,
    Verdict,
)

if TYPE_CHECKING:
    from dbmsolver.search.sequences.session import Sequences


def hint(
    deal: Deal | int,
    *,
    metric: Metric | None = None,
    progress: Callable[[Event], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    **settings: Unpack[Settings],
) -> Result:
    """Say what to do in a position: the first of the result's `moves` is a best one.

    The verdict says whether the position can be won, `length` how many moves are left. A proof
    comes before the search for a shortest solution, so a lost position is quickly seen to be lost.
    Where a limit or `cancel` comes first, `moves` is the best solution so far, as for
    :func:`solve` with `any_solution`. `metric` is as for that, too.
    """
    options, limits = settings_of(settings, metric=metric)
    return value(deal, options, limits, progress, cancel)


def value(
    deal: Deal | int,
    options: Options,
    limits: Limits,
    progress: Callable[[Event], object] | None,
    cancel: Callable[[], bool] | None,
) -> Result:
    """Find out whether a position can be won, and its best move: :func:`hint`."""
    deal = deal_of(deal)
    check_callbacks(progress, cancel)
    from dbmsolver.search.advice.worth import Clock, worth

    return answer_of(worth(deal, options, Clock(limits)), progress, cancel)


def first_moves(
    deal: Deal | int,
    *,
    metric: Metric | None = None,
    progress: Callable[[Event], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    **settings: Unpack[Settings],
) -> FirstMoves:
    """Find out for each legal move whether the deal can be won after it, and in how many moves.

    `max_time` is for all of it. What a limit or `cancel` leaves open is `undecided`, or has only
    bounds of its length. With a store the same call goes on. `metric` is as for :func:`solve`.
    """
    options, limits = settings_of(settings, metric=metric)
    return value_moves(deal, options, limits, progress, cancel)


def value_moves(
    deal: Deal | int,
    options: Options,
    limits: Limits,
    progress: Callable[[Event], object] | None,
    cancel: Callable[[], bool] | None,
) -> FirstMoves:
    """Find out what each legal move leads to: :func:`first_moves`."""
    deal = deal_of(deal)
    check_callbacks(progress, cancel)
    from dbmsolver.search.advice import first_moves as work

    return answer_of(work.first_moves(deal, options, limits), progress, cancel)


def count_solutions(
    deal: Deal | int,
    *,
    progress: Callable[[Event], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    **settings: Unpack[Settings],
) -> SolutionCount:
    """Count the shortest solutions of a deal: the different sequences of moves of the least length.

    Two are different if in some place they move different cards, or one card to different places,
    where all empty columns are one place and all freecells are. Safe moves home may be put off. The
    `count` is exact, 0 for a deal without a solution, None where a limit or `cancel` came first.
    """
    options, limits = settings_of(settings)
    deal = deal_of(deal)
    check_callbacks(progress, cancel)
    with shortest_solutions(deal, options, limits, keep=False) as them:
        return them.count(progress, cancel)


def all_solutions(
    deal: Deal | int,
    most: int | None = None,
    *,
    progress: Callable[[Event], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    **settings: Unpack[Settings],
) -> Iterator[tuple[Move, ...]]:
    """Yield the shortest solutions of a deal, `most` of them at most: each is legal moves.

    They are those that :func:`count_solutions` counts; there can be more than anybody can read. The
    work is done when the first is asked for. Raises UndecidedError where a limit or `cancel` comes
    before that one.
    """
    most = None if most is None else checked_whole("most", most)
    options, limits = settings_of(settings)
    start = deal_of(deal)
    check_callbacks(progress, cancel)

    def solutions() -> Iterator[tuple[Move, ...]]:
        with shortest_solutions(start, options, limits, keep=True) as them:
            found = them.count(progress, cancel)
            limit = found.limit
            if found.count:
                limit = them.choose(most, progress, cancel)
            if limit is not None or found.result.verdict == Verdict.UNDECIDED:
                raise UndecidedError(f"the limit {limit} came before the solutions")
            if found.count:
                yield from them.solutions()

    return solutions()


class ShortestSolutions:
    """All shortest solutions of a deal: counted first, then chosen, then told."""

    def __init__(self, sequences: Sequences) -> None:
        self._sequences = sequences

    def count(
        self,
        progress: Callable[[Event], object] | None,
        cancel: Callable[[], bool] | None,
    ) -> SolutionCount:
        """Count them."""
        return answer_of(self._sequences.count(), progress, cancel)

    def choose(
        self,
        most: int | None,
        progress: Callable[[Event], object] | None,
        cancel: Callable[[], bool] | None,
    ) -> Limit | None:
        """Make ready to tell `most` of them, or all; return the limit that came before the end."""
        return answer_of(self._sequences.choose(most), progress, cancel)

    def solutions(self) -> Iterator[tuple[Move, ...]]:
        """Yield those that were chosen."""
        return self._sequences.solutions()


@contextmanager
def shortest_solutions(
    deal: Deal, options: Options, limits: Limits, keep: bool
) -> Iterator[ShortestSolutions]:
    """Return a context of all shortest solutions of a deal; without `keep` they are only counted.

    UsageError for a game whose solutions are not counted.
    """
    from dbmsolver.search.sequences.session import Sequences

    with Sequences(deal, options, limits, keep=keep) as sequences:
        yield ShortestSolutions(sequences)
