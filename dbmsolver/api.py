"""What a Python program may import: all of it stands here, and `dbmsolver` itself has these names.

>>> from dbmsolver import Deal, solve
>>> solve(Deal.from_number(3)).length
73

docs/library.md shows everything with examples. Functions raise a :class:`DbmError`, whose text is
one line: :class:`UsageError` for a value that cannot be, :class:`InputError` for a board or a
solution that cannot be read or played, :class:`StoreError` for a store that cannot be used.
Nothing is printed. The parts that take long to load are loaded when they are first used.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack, get_args

from dbmsolver.errors import DbmError, InputError, StoreError, UsageError, quoted
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.library import load_rules
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import GAMES, POLICIES, Policy, Rules, rules_for
from dbmsolver.results import (
    Better,
    Commit,
    Event,
    Keep,
    Limit,
    Limits,
    Method,
    Metric,
    Options,
    Question,
    Report,
    Result,
    Verdict,
)

if TYPE_CHECKING:
    from dbmsolver.notation.formats import Given
    from dbmsolver.notation.solution import Solution
    from dbmsolver.search.inspect import StoreStatus
    from dbmsolver.verify.claim import Progress as VerifyProgress
    from dbmsolver.verify.report import Verification

__all__ = [
    "GAMES",
    "Better",
    "Commit",
    "DbmError",
    "Deal",
    "Given",
    "InputError",
    "Limit",
    "Method",
    "Move",
    "Place",
    "Position",
    "Question",
    "Report",
    "Result",
    "Rules",
    "Solution",
    "StoreError",
    "StoreStatus",
    "StoredSearch",
    "UsageError",
    "Verdict",
    "Verification",
    "draw_board",
    "format_board",
    "load_rules",
    "open_store",
    "prove",
    "read_solution",
    "rules_for",
    "solution_of",
    "solve",
    "verify_store",
    "write_solution",
]

_LATE = {
    "Given": "dbmsolver.notation.formats",
    "Solution": "dbmsolver.notation.solution",
    "StoreStatus": "dbmsolver.search.inspect",
    "Verification": "dbmsolver.verify.report",
}
"""Classes that are imported when they are first asked for."""

Step = TypeVar("Step")
Answer = TypeVar("Answer")


def __getattr__(name: str) -> Any:
    if name in _LATE:
        from importlib import import_module

        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Settings(TypedDict, total=False):
    """What :func:`solve` and :func:`prove` take beside the deal, all of it optional."""

    policy: Policy
    """Safe moves home that are made at once: "wkr" (most of them, the default), "horne", "none"."""
    threads: int | None
    """By default one for each processor."""
    store: Path | str | None
    """A directory that keeps the search; the same call continues it. By default a temporary one."""
    keep: Keep
    """"all" closed states (the default), or "none" of finished strata, to save disk."""
    max_states: int | None
    max_time: float | None
    """Seconds."""
    memory: int | None
    """Bytes; by default half of the machine's memory."""
    max_disk: int | None
    """Bytes."""


def solve(
    deal: Deal,
    *,
    any_solution: bool = False,
    metric: Metric = "cards",
    progress: Callable[[Event], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    **settings: Unpack[Settings],
) -> Result:
    """Find a shortest solution of a deal, or prove that there is none.

    The verdict is `solved` (`moves` holds the solution, and `shortest` is true), `unsolvable`, or
    `undecided` where a limit ended the search. `settings` are described at :class:`Settings`.

    With `any_solution` some solution is found first, mostly in a fraction of a second, then
    shorter ones, and at last that one is a shortest. `progress` is called with a Better for each of
    them. Where a limit ends the search before that, the verdict is `solved` all the same, `moves`
    holds the best solution, `shortest` is false, `limit` says what ended the search, and no
    solution has fewer than `at_least` moves. A store keeps the best solution; whether a search in
    it was begun with `any_solution` or without makes no difference to going on.

    `progress` is called with a Report some times a second, and with a Commit whenever work has been
    written to the store. `cancel` is asked as often; once it says True, the search commits what it
    has and ends `undecided`, its limit being `interrupt`. An exception of either, or Ctrl-C, ends
    the search in the same way and is raised.

    Raises StoreError for a store that cannot be used, UsageError for a value that cannot be.
    """
    options, limits = _settings(settings, metric=metric, method="every-position")
    options = replace(options, any_solution=any_solution)
    return _search(Question.SOLVE, deal, options, limits, progress, cancel)


def prove(
    deal: Deal,
    *,
    method: Method | Literal["dominating", "every-position"] = "dominating",
    progress: Callable[[Event], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    **settings: Unpack[Settings],
) -> Result:
    """Find out whether a deal has a solution at all.

    The method says what the states of the search are. "dominating": one position stands for all
    those that differ from it by parked cards only, which takes far fewer states. "every-position":
    each position is a state. Games without a place to park cards are searched by the latter in any
    case; the result's `method` says which it was.

    A solution may be longer than need be. Everything else is as for :func:`solve`.
    """
    options, limits = _settings(settings, metric="cards", method=method)
    return _search(Question.PROVE, deal, options, limits, progress, cancel)


def _settings(settings: Settings, *, metric: str, method: str) -> tuple[Options, Limits]:
    given: dict[str, Any] = {**settings, "metric": metric}
    for name, known in (("policy", POLICIES), ("keep", get_args(Keep)), ("metric", ("cards",))):
        if name in given:
            _check_choice(name, given[name], known)
    _check_choice("method", method, list(Method))
    given["method"] = Method(method)
    if given.get("store") is not None:
        given["store"] = Path(given["store"])
    names = ("max_states", "max_time", "memory", "max_disk")
    limits = Limits(**{name: given.pop(name, None) for name in names})
    return Options(**given), limits


def _check_choice(what: str, value: object, known: Any) -> None:
    if value not in known:
        expected = ", ".join(map(str, known))
        raise UsageError(f"unknown {what} {quoted(str(value))}, expected one of {expected}")


def _search(
    question: Question,
    deal: Deal,
    options: Options,
    limits: Limits,
    progress: Callable[[Event], None] | None,
    cancel: Callable[[], bool] | None,
) -> Result:
    from dbmsolver.search import session
    from dbmsolver.search.limits import Cancelled

    with closing(session.run(question, deal, options, limits)) as events:
        request: Cancelled | None = None
        while True:
            try:
                event = events.send(request)
            except StopIteration as end:
                result: Result = end.value
                return result
            if progress is not None:
                progress(event)
            request = Cancelled() if cancel is not None and cancel() else None


def read_solution(
    source: Path | str, from_format: str | None = None, given: Given | None = None
) -> Solution:
    """Read a solution that this or another program wrote.

    The source is a Path, or text. The format is found by the content and the ending of the name,
    unless it is given: universal-json, universal-xml, sfn, moves, short, html, or what `solve`
    prints (text, json). What the text leaves open, such as the deal, is given as
    `Given(deal=Deal.from_number(3))`.

    Raises InputError for what cannot be read or played; `Solution.check()` also says whether it
    wins.
    """
    from dbmsolver.notation import formats

    text = source if isinstance(source, Path) else formats.Source(source)
    return formats.read(text, from_format, given)


def write_solution(
    solution: Solution, to_format: str, *, policy: Policy = "horne", runs: bool = False
) -> str:
    """A solution as text of a format: universal-json, universal-xml, sfn, moves, short or html.

    `policy` says which safe moves home are left out (sfn). With `runs`, runs of cards are one move
    each (universal-json, universal-xml, moves, html). Raises UsageError where that cannot be.
    """
    from dbmsolver.notation import formats

    return formats.write(solution, to_format, policy, runs)


def solution_of(result: Result) -> Solution:
    """The solution that a search found; UsageError if it found none."""
    from dbmsolver.notation.solution import Solution

    if result.length is None:
        raise UsageError(f"the result is {result.verdict} and has no moves, expected a solution")
    return Solution.from_moves(result.deal, result.moves, result.policy)


def draw_board(position: Position, title: str) -> str:
    """A picture of a position with a title, as SVG."""
    from dbmsolver.notation.pictures import board

    return board.draw_board(position, title)


@dataclass(frozen=True, slots=True)
class StoredSearch:
    """A search in a store, to be looked at: nothing is written, and it may be running meanwhile.

    Every method raises StoreError where the store cannot be read, or belies its own answer.
    """

    path: Path
    deal: Deal

    def status(self) -> StoreStatus:
        """Verdict, and counts of states by layer and stratum, as of the last commit."""
        from dbmsolver.search import inspect

        return inspect.status(self.path)

    def lookup(self, position: Position) -> list[Move] | None:
        """Moves from the deal to a position that the search has met; None if it has not."""
        from dbmsolver.search import inspect

        return inspect.lookup(self.path, position)

    def answer(self) -> Result:
        """The answer of a finished search, or the best solution so far of one for a shortest."""
        from dbmsolver.search import session

        return session.answer(self.path)

    def certificate(self) -> str:
        """The certificate of a finished search: claim, counts and digest, as JSON."""
        from dbmsolver.search import inspect
        from dbmsolver.verify import certificate

        return certificate.dump(inspect.certificate(self.path))


def open_store(path: Path | str) -> StoredSearch:
    """The search in a store, to be read only; StoreError if there is none."""
    from dbmsolver.search import inspect

    return StoredSearch(Path(path), inspect.deal(Path(path)))


def verify_store(
    path: Path | str,
    *,
    threads: int | None = None,
    memory: int | None = None,
    sample: float | None = None,
    depth: Literal["lemma", "full"] | None = None,
    progress: Callable[[VerifyProgress], None] | None = None,
) -> Verification:
    """Check that what the finished search in a store claims is right.

    This is a program of its own, with keys and moves of its own. `sample` is a share of the store's
    blocks from 0 to 1, to check only these. `depth` is for proofs over dominating positions: "full"
    lists every position that the records cover and takes only the rules of the game for granted,
    "lemma" takes the lemmas of docs/dominance.md for granted, too; without it the store's size
    decides. The report's `valid` says it, `reason` and `position` are the first counterexample.
    Raises StoreError for a store that claims nothing, UsageError for a depth that it cannot have.
    """
    from dbmsolver.verify import check

    if sample is not None and not 0 < sample <= 1:
        raise UsageError(f"{sample} is no share, expected more than 0 and at most 1")
    if depth is not None:
        _check_choice("depth", depth, ("lemma", "full"))
    steps = check.verify(Path(path), threads=threads, memory=memory, sample=sample, depth=depth)
    return _last(steps, progress)


def _last(steps: Generator[Step, None, Answer], progress: Callable[[Step], None] | None) -> Answer:
    """What a generator returns; each of its events goes to `progress`."""
    with closing(steps):
        while True:
            try:
                event = next(steps)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
            if progress is not None:
                progress(event)
