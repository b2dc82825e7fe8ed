"""One row of a table: a deal, its rules, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import Any, cast, get_args, get_type_hints

from dbmsolver.errors import StoreError, UsageError
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import METRICS, Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.moving import moving, with_moving
from dbmsolver.game.numbers import Numbers
from dbmsolver.game.rules import Rules
from dbmsolver.results import Verdict
from dbmsolver.survey.ranges import Subject

UNFINISHED = "unfinished"
"""The limit of a row that was written before all tasks of its deal were done."""

UNREADABLE = "unreadable"
"""The verdict of a row about a file that is no board."""

_RULES = (
    "columns",
    "freecells",
    "build",
    "fill",
    "dealt_to_freecells",
    "kings_sunk",
    "layout",
)
"""Columns with the names of the rules' fields that they hold."""


_values_of_rules = attrgetter(*_RULES)


class Inquiry(StrEnum):
    """The question that a survey asks about each deal."""

    VERDICT = "verdict"
    """The question whether the deal can be won."""
    SHORTEST = "shortest"
    """The length of a shortest solution, in moves as the game's rules have them."""
    SHORTEST_RUNS = "shortest-runs"
    """The same in runs, where cards move one by one by the rules, or a stock is turned."""
    SHORTEST_TURNS = "shortest-turns"
    SHORTEST_PLAYS = "shortest-plays"
    SHORTEST_MOVES_HORNE = "shortest-moves-horne"
    """The same in moves of the player, with the automoves of that name."""
    SHORTEST_MOVES_WKR = "shortest-moves-wkr"
    SHORTEST_MOVES_MAX = "shortest-moves-max"
    SHORTEST_MOVES_NONE = "shortest-moves-none"
    FEWEST_FREECELLS = "fewest-freecells"
    """The fewest freecells that the deal can be won with."""

    @property
    def is_shortest(self) -> bool:
        """True if the question is about a shortest solution, in any metric."""
        return self.startswith(Inquiry.SHORTEST)

    @property
    def metric(self) -> Metric | None:
        """The metric of lengths; None for the game's own."""
        words = self.split("-")
        return next((metric for metric in METRICS if metric in words), None)

    @property
    def policy(self) -> Policy:
        """The moves home that are made at once."""
        return next((policy for policy in AUTOMOVES if self.endswith(f"-{policy}")), "wkr")

    def measured(self, metric: Metric | None, policy: Policy | None) -> Inquiry:
        """Return the same question in a metric; the policy is for moves of the player only.

        UsageError where there is no such question.
        """
        if policy is not None and metric != "moves":
            raise UsageError(f"automove {policy} says nothing without the metric moves")
        if metric is None:
            return self
        if not self.is_shortest:
            raise UsageError(f"metric {metric}: {self} has none, expected the question shortest")
        if metric == "cards":
            return Inquiry.SHORTEST
        ending = f"-{policy or 'wkr'}" if metric == "moves" else ""
        return Inquiry(f"shortest-{metric}{ending}")

    def check(self, games: Iterable[Rules]) -> None:
        """Raise UsageError for a game without the metric, or without freecells to count."""
        for rules in games:
            measure_of(rules, self.policy, self.metric)
            if self == Inquiry.FEWEST_FREECELLS and not rules.freecells:
                raise UsageError(
                    f"question {self}: {rules.name} has no freecells here, expected a game with "
                    "some, or the question verdict"
                )


Key = tuple[int | str, Rules]
"""The key of a row in its table: number or board, and the rules."""


@dataclass(frozen=True, slots=True)
class Row:
    """The facts about one deal under some rules; docs/surveys.md describes each column.

    Memory is in bytes, times are in seconds. `max_states`, `max_time`, `memory` and `max_disk` are
    the limits that were given.
    """

    deal: str
    number: int | None
    board: str | None
    game: str
    columns: int
    freecells: int
    build: str
    fill: str
    dealt_to_freecells: int
    kings_sunk: bool
    layout: str
    moves: str
    question: str
    verdict: str
    limit: str | None
    length: int | None
    shortest: bool | None
    fewest: int | None
    at_least: int | None
    at_most: int | None
    asked: str | None
    states: int
    evaluated: int
    seconds: float
    peak_memory: int
    digest: str | None
    method: str | None
    program: str
    max_states: int | None
    max_time: float | None
    memory: int | None
    max_disk: int | None

    @property
    def key(self) -> Key:
        """The key of the row, which no other row of the table has."""
        deal = self.board if self.number is None else self.number
        if self.whose != "microsoft":
            deal = self.deal
        assert deal is not None
        return deal, self.rules

    @property
    def rules(self) -> Rules:
        """The rules that the row is about. UsageError if they are none."""
        return _rules(self.moves, self.game, *_values_of_rules(self))

    @property
    def whose(self) -> Numbers:
        """The program that deals the number, which stands before it in the deal's name."""
        if self.number is None:
            return "microsoft"
        return cast(Numbers, self.deal.rpartition(" ")[0] or "microsoft")

    @property
    def subject(self) -> Subject:
        """The deal that the row is about."""
        return Subject(self.number, self.board, self.rules, self.whose)

    @property
    def is_open(self) -> bool:
        """True if larger limits could tell more."""
        if self.verdict == Verdict.SOLVED and self.question.startswith(Inquiry.SHORTEST):
            return not self.shortest
        return self.verdict == Verdict.UNDECIDED

    @property
    def is_finished(self) -> bool:
        """True if the limits allow no more tasks."""
        return self.limit != UNFINISHED

    @property
    def title(self) -> str:
        """The name of the row in messages: `deal 3 (freecell, 2 freecells)`."""
        return f"deal {self.deal} ({self.game}, {self.freecells} freecells)"


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(Row))
"""The names of the columns, in the order of the table."""


@cache
def column_types() -> dict[str, tuple[type, bool]]:
    """Return for each column its type, and True if it may be empty."""
    found = {}
    for name, hint in get_type_hints(Row).items():
        if name in COLUMNS:
            kinds = [kind for kind in get_args(hint) if kind is not type(None)] or [hint]
            found[name] = (kinds[0], bool(get_args(hint)))
    return found


@cache
def _rules(moves: str, game: str, *values: Any) -> Rules:
    fields = dict(zip(_RULES, values, strict=True))
    # Moves and build come first: they decide which columns and layouts are possible.
    rules = with_moving(Rules(game, 1, 0, "any", "any"), moves, fields["build"])
    return replace(rules, **fields)


@cache
def rules_columns(rules: Rules) -> dict[str, Any]:
    """Return the columns of a row that tell its rules."""
    fields = {name: getattr(rules, name) for name in _RULES}
    return {"game": rules.name, **fields, "moves": moving(rules)}


def key_of(subject: Subject) -> Key:
    """Return the key of the row about a deal."""
    deal = subject.board if subject.number is None else subject.number
    assert deal is not None
    if subject.whose != "microsoft":
        return name_of(subject), subject.rules
    return deal, subject.rules


def name_of(subject: Subject, deal: Deal | None = None) -> str:
    """Return the name of a deal: its number, after the name of another program, or its board's."""
    if subject.number is not None:
        return number_name(subject.number, subject.whose)
    return (deal or subject.deal()).name


def number_name(number: int, whose: Numbers) -> str:
    """Return the name of the deal that a program deals for a number."""
    return str(number) if whose == "microsoft" else f"{whose} {number}"


def merged(old: Row, new: Row, where: str) -> Row:
    """Return one row with the facts of two rows about the same deal.

    It is the one that is not open. Of two open ones it is the new one, with the better bounds and
    the shorter solution of both. StoreError if they contradict each other.
    """
    reason = contradiction(old, new)
    if reason is not None:
        raise StoreError(f"{new.title}: {reason}, a contradiction with an earlier row", where)
    if not old.is_open:
        return old
    if not new.is_open:
        return new
    most = [bound for bound in (old.at_most, new.at_most) if bound is not None]
    least = [bound for bound in (old.at_least, new.at_least) if bound is not None]
    changes: dict[str, Any] = {
        "at_least": max(least, default=None),
        "at_most": min(most, default=None),
    }
    if old.length is not None and (new.length is None or old.length < new.length):
        changes |= {"length": old.length, "verdict": old.verdict, "shortest": old.shortest}
    return replace(new, **changes)


def contradiction(old: Row, new: Row) -> str | None:
    """Return, in words, why the new row cannot be right if the old one is; None if both can."""
    for name in ("verdict", "fewest"):
        before, after = getattr(old, name), getattr(new, name)
        unknown = {None, Verdict.UNDECIDED} & {before, after}
        if not unknown and before != after:
            return f"{name} {after}, was {before}"
    if old.shortest and new.shortest and old.length != new.length:
        return f"length {new.length}, was {old.length}"
    for row, other, words in ((old, new, "was"), (new, old, "is")):
        if None not in (row.at_least, other.at_most) and row.at_least > other.at_most:  # type: ignore[operator]
            return f"at most {other.at_most}, but it {words} at least {row.at_least}"
    same_search = old.verdict == new.verdict == Verdict.UNSOLVABLE and old.method == new.method
    if same_search and None not in (old.digest, new.digest) and old.digest != new.digest:
        return f"digest {new.digest}, was {old.digest}"
    return None
