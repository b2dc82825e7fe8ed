"""Searches: a shortest solution, or whether there is one at all.

:func:`search` and :func:`resume` take options and limits that are made already, as commands have
them, and return generators of events; :func:`answer_of` runs these.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack

from dbmsolver.arguments import check_names, checked_function, checked_instance, checked_int
from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.rules import Rules
from dbmsolver.results import (
    Event,
    Keep,
    Limits,
    Method,
    Options,
    Question,
    Result,
)
from dbmsolver.steps import follow

if TYPE_CHECKING:
    from dbmsolver.search.decisions import Decision


Answer = TypeVar("Answer")
Events = Generator[Event, Any, Answer]


class Settings(TypedDict, total=False):
    """Optional settings that :func:`solve` and :func:`prove` take beside the deal."""

    policy: Policy
    """Safe moves home that are made at once: "wkr" (most of them, the default), "horne", "none".

    In the metric "moves" those that a program makes; "max", all there are, is for that only."""
    threads: int | None
    """The number of threads; by default one for each processor."""
    store: Path | str | None
    """A directory that keeps the search; the same call continues it. By default a temporary one."""
    keep: Keep
    """"all" closed states (the default), or "none" of finished strata, to save disk."""
    max_states: int | None
    max_time: float | str | None
    """Seconds, or text as the program's option has it: "10m"."""
    memory: int | str | None
    """Bytes, or text: "512M"; by default half of the machine's memory."""
    max_disk: int | str | None
    """Bytes, or text."""


def solve(
    deal: Deal | int,
    *,
    any_solution: bool = False,
    metric: Metric | None = None,
    progress: Callable[[Event], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    **settings: Unpack[Settings],
) -> Result:
    """Find a shortest solution of a deal, or prove that there is none.

    A number stands for the FreeCell deal of that number.

    The verdict is `solved` (`moves` holds the solution, and `shortest` is true), `unsolvable`, or
    `undecided` where a limit ended the search before any solution was found. Where one was found,
    the verdict is `solved`, `moves` holds the best one, `shortest` is false, `limit` says what
    ended the search, and no solution has fewer than `at_least` moves. `settings` are described at
    :class:`Settings`.

    With `any_solution` some solution is found first, mostly in a fraction of a second, then
    shorter ones, and at last that one is a shortest. `progress` is called with a Better for each of
    them. A store keeps the best solution; whether a search in it was begun with `any_solution` or
    without makes no difference to going on.

    `metric` says what is counted: "cards", each card that moves; "runs", a card or a run that moves
    at once; "moves", such moves without those home that a program makes by itself, which `policy`
    names: "horne", "wkr", "none", or "max" for all that are possible. None stands for what a move
    of the game is by its rules; where a run is one move, or with one pile, there is nothing else.

    `progress` is called with a Report some times a second, and with a Commit whenever work has been
    written to the store. `cancel` is asked as often; once it says True, the search commits what it
    has and ends as by a limit, which is `interrupt`. An exception of either, or Ctrl-C, ends
    the search in the same way and is raised.

    Raises StoreError for a store that cannot be used, SystemRefusedError where there is no room for
    it, UsageError (also a TypeError or ValueError) for an argument that cannot be.
    """
    options, limits = settings_of(settings, metric=metric, method="every-position")
    options = replace(options, any_solution=any_solution)
    return _search(Question.SOLVE, deal, options, limits, progress, cancel)


def prove(
    deal: Deal | int,
    *,
    method: Method | Literal["dominating", "every-position"] = "dominating",
    progress: Callable[[Event], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    **settings: Unpack[Settings],
) -> Result:
    """Find out whether a deal has a solution at all.

    The method says what the states of the search are. "dominating": one state stands for many
    positions where the game allows it, which takes far fewer states. In FreeCell and its relatives
    these positions differ by parked cards only, in Klondike by which of two cards a run lies on.
    "every-position": each position is a state. Other games are searched by the latter in any case;
    the result's `method` says which it was.

    A solution may be longer than need be. Everything else is as for :func:`solve`.
    """
    options, limits = settings_of(settings, method=method)
    return _search(Question.PROVE, deal, options, limits, progress, cancel)


def prove_many(
    deals: Iterable[Deal | int],
    *,
    method: Method | Literal["dominating", "every-position"] = "dominating",
    **settings: Unpack[Settings],
) -> Iterator[Decision]:
    """Find out for each of many deals whether it has a solution: a Decision for each.

    Most deals take less than a millisecond, as nothing is made anew for each of them. The order is
    that in which deals are decided, among some thousand at a time. `settings` are as for
    :func:`prove`, without a store; limits are for each deal. What does not end within them is
    `undecided`.
    """
    options, limits = settings_of(settings, method=method)
    if options.store is not None:
        raise UsageError("many deals have no common store, expected none")
    checked_instance("deals", deals, Iterable)

    def decisions() -> Iterator[Decision]:
        from dbmsolver.search.decisions import decide

        yield from decide(map(deal_of, deals), options, limits)

    return decisions()


def settings_of(
    settings: Settings, *, metric: str | None = None, method: str = "every-position"
) -> tuple[Options, Limits]:
    """Return settings as options and limits of a search; UsageError for a value that cannot be."""
    given: dict[str, Any] = {**settings}
    check_names(given, Settings.__annotations__)
    names = ("max_states", "max_time", "memory", "max_disk")
    limits = Limits(**{name: given.pop(name, None) for name in names})
    return Options(**given, metric=metric, method=method), limits  # type: ignore[arg-type]


def deal_of(given: Deal | int) -> Deal:
    """Return a deal, or the FreeCell deal of a number.

    InputError for a position that the rules of its deal cannot have, or a number of no deal;
    UsageError for anything else.
    """
    if isinstance(given, Deal):
        given.validate("the deal")
        return given
    return Deal.from_number(checked_int("deal", given, "a Deal or a whole number"))


def _search(
    question: Question,
    deal: Deal | int,
    options: Options,
    limits: Limits,
    progress: Callable[[Event], None] | None,
    cancel: Callable[[], bool] | None,
) -> Result:
    deal = deal_of(deal)
    check_callbacks(progress, cancel)
    return answer_of(search(question, deal, options, limits), progress, cancel)


def search(question: Question, deal: Deal, options: Options, limits: Limits) -> Events[Result]:
    """Search a deal for a shortest solution, or for any; a generator of events."""
    from dbmsolver.search import session

    return session.run(question, deal, options, limits)


def resume(store: Path, threads: int | None, limits: Limits, cluster: str | None) -> Events[Result]:
    """Continue the search in a store as it was begun; a generator of events.

    Raises StoreError for a store that cannot be used, UsageError for a cluster where the search
    cannot be spread over one.
    """
    from dbmsolver.search import session

    return session.resume(store, threads, limits, cluster)


def check_spread(question: Question, rules: Rules) -> None:
    """Raise UsageError if a search is of a kind that cannot be spread over a cluster."""
    from dbmsolver.search import session

    session.check_spread(question, rules)


def check_spread_of(store: Path) -> None:
    """Raise UsageError if the search in a store cannot be spread over a cluster.

    Raises StoreError for a store that cannot be read.
    """
    from dbmsolver.storage.manifest import deal_of
    from dbmsolver.storage.store import manifest_of

    kept = manifest_of(store)
    check_spread(kept.question, deal_of(kept, str(store)).rules)


def check_callbacks(progress: object, cancel: object = None) -> None:
    """Raise UsageError for what cannot be called, before there is work that needs it."""
    checked_function("progress", progress)
    checked_function("cancel", cancel)


def answer_of(
    events: Events[Answer],
    progress: Callable[[Event], object] | None,
    cancel: Callable[[], bool] | None,
) -> Answer:
    """Run some work to its end and return its answer.

    `progress` is called with each event, and `cancel` is asked after each.
    """
    from dbmsolver.search.limits import Cancelled

    def request() -> Cancelled | None:
        return Cancelled() if cancel is not None and cancel() else None

    return follow(events, progress, request)
