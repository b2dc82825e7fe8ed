"""Values of a position and of each of its moves, and all of its shortest solutions.

:func:`value`, :func:`value_moves` and :func:`shortest_solutions` take options and limits that are
made already, as commands have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Unpack

from dbmsolver.api.searches import (
    Events,
    Settings,
    answer_of,
    check_callbacks,
    deal_of,
    settings_of,
)
from dbmsolver.arguments import checked_whole
from dbmsolver.errors import UndecidedError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric
from dbmsolver.game.moves import Move
from dbmsolver.results import (
    Event,
    FirstMoves,
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
    deal = deal_of(deal)
    check_callbacks(progress, cancel)
    return answer_of(value(deal, options, limits), progress, cancel)


def value(deal: Deal, options: Options, limits: Limits) -> Events[Result]:
    """Find out whether a position can be won, and its best move: a generator of events."""
    from dbmsolver.search.advice.worth import Clock, worth

    return worth(deal, options, Clock(limits))


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
    deal = deal_of(deal)
    check_callbacks(progress, cancel)
    return answer_of(value_moves(deal, options, limits), progress, cancel)


def value_moves(deal: Deal, options: Options, limits: Limits) -> Events[FirstMoves]:
    """Find out what each legal move leads to; a generator of events."""
    from dbmsolver.search.advice import first_moves as work

    return work.first_moves(deal, options, limits)


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
    with shortest_solutions(deal, options, limits, keep=False) as sequences:
        return answer_of(sequences.count(), progress, cancel)


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
        if most == 0:
            return
        with shortest_solutions(start, options, limits, keep=True) as sequences:
            found = answer_of(sequences.count(), progress, cancel)
            limit = found.limit
            if found.count:
                limit = answer_of(sequences.choose(most), progress, cancel)
            if limit is not None or found.result.verdict == Verdict.UNDECIDED:
                raise UndecidedError(f"the limit {limit} came before the solutions")
            if found.count:
                yield from sequences.solutions()

    return solutions()


def shortest_solutions(deal: Deal, options: Options, limits: Limits, keep: bool) -> Sequences:
    """Return all shortest solutions of a deal, to be used as a context.

    First count them, then choose some, then iterate over these; without `keep` they can only be
    counted. UsageError for a game whose solutions are not counted.
    """
    from dbmsolver.search.sequences.session import Sequences

    return Sequences(deal, options, limits, keep)
