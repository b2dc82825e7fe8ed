"""The library's front: :func:`solve` and :func:`prove`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Policy
from dbmsolver.results import (
    Commit,
    Keep,
    Limits,
    Method,
    Metric,
    Options,
    Question,
    Report,
    Result,
)
from dbmsolver.search import session

Progress = Callable[[Report | Commit], None]


def solve(
    deal: Deal,
    *,
    policy: Policy = "wkr",
    metric: Metric = "cards",
    threads: int | None = None,
    store: Path | None = None,
    keep: Keep = "all",
    max_states: int | None = None,
    max_time: float | None = None,
    memory: int | None = None,
    max_disk: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Find a shortest solution of a deal, or prove that there is none.

    The verdict is ``solved`` (``shortest`` is true and ``moves`` holds the solution), ``unsolvable``, or ``undecided``
    where a limit (``max_states``, ``max_time`` in seconds, ``memory`` and ``max_disk`` in bytes) ended the search.
    ``store`` keeps the search in a directory, from which the same call continues it.  ``progress`` is called with reports
    and with committed units.  Raises StoreError for a store that cannot be used.
    """
    options = Options(policy=policy, metric=metric, threads=threads, keep=keep, store=store)
    return _answer(
        Question.SOLVE, deal, options, Limits(max_states, max_time, memory, max_disk), progress
    )


def prove(
    deal: Deal,
    *,
    policy: Policy = "wkr",
    threads: int | None = None,
    store: Path | None = None,
    keep: Keep = "all",
    max_states: int | None = None,
    max_time: float | None = None,
    memory: int | None = None,
    max_disk: int | None = None,
    method: Method = Method.DOMINATING,
    progress: Progress | None = None,
) -> Result:
    """Prove a deal unsolvable by exhausting its states, or come upon a solution (not a shortest one).

    ``method`` says what the states are: positions that dominate others, or every position. In games
    without a place to park cards every position is searched in any case. Other arguments and errors
    as for :func:`solve`.
    """
    options = Options(policy=policy, threads=threads, keep=keep, store=store, method=method)
    limits = Limits(max_states, max_time, memory, max_disk)
    return _answer(Question.PROVE, deal, options, limits, progress)


def _answer(
    question: Question, deal: Deal, options: Options, limits: Limits, progress: Progress | None
) -> Result:
    with closing(session.run(question, deal, options, limits)) as events:
        while True:
            try:
                event = next(events)
            except StopIteration as end:
                result: Result = end.value
                return result
            if progress is not None:
                progress(event)
