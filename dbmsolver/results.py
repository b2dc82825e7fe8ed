"""Questions to a search, its options and limits, its reports on the way, and its answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal, get_args

from dbmsolver.arguments import (
    MOST_THREADS,
    checked_choice,
    checked_duration,
    checked_flag,
    checked_path,
    checked_size,
    checked_text,
    checked_whole,
    set_checked,
)
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.classes import is_in_a_class
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.kinds import METRICS, Metric, Policy
from dbmsolver.game.measures import Measure, counted, length_words, spoiling_words, usual_metric
from dbmsolver.game.moves import Move
from dbmsolver.game.rules import Rules
from dbmsolver.game.titles import title

Keep = Literal["all", "none"]


class Question(StrEnum):
    """A question about a deal; the values are those of commands, of JSON and of stores."""

    SOLVE = "solve"
    """Find a shortest solution."""
    PROVE = "prove"
    """Find out whether there is a solution."""


class Method(StrEnum):
    """The kind of states that a search goes through."""

    DOMINATING = "dominating"
    """One record for all positions that parking moves reach from it."""
    CLASSES = "classes"
    """One class for positions of Klondike that differ only in which of two cards others lie on."""
    CLASSES_ANY_PASSES = "classes-any-passes"
    """Classes of the same deal with any number of passes through the stock.

    If none of them leads to a win, no game with a limited number does.
    """
    EVERY_POSITION = "every-position"
    """Every position."""

    @property
    def of_classes(self) -> bool:
        """True if a state is a class of positions of Klondike."""
        return self in (Method.CLASSES, Method.CLASSES_ANY_PASSES)


class Bound(StrEnum):
    """The lower bound that the layers of a search for a shortest solution are counted with."""

    POSITIONS = "positions"
    """The bound that a position gives by itself."""
    CLASSES = "classes"
    """That bound, or the distance of the position's class from a win, if that is more."""


class Verdict(StrEnum):
    """The answer to either question."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    UNDECIDED = "undecided"
    """A limit ended the search, and no solution was found by then."""


class Limit(StrEnum):
    """The limit that ended a search before its end."""

    MAX_STATES = "max-states"
    MAX_TIME = "max-time"
    MEMORY = "memory"
    MAX_DISK = "max-disk"
    DISK_FULL = "disk full"
    INTERRUPT = "interrupt"


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a run; ``None`` means none.  Reaching one ends the run as ``undecided``.

    `memory` and `max_disk` are bytes, `max_time` seconds. The search keeps within `memory`; None
    stands for half of the machine's memory. Made of numbers, or of text as options have it: "512M",
    "10m". UsageError for what cannot be.
    """

    max_states: int | None = None
    max_time: float | None = None
    memory: int | None = None
    max_disk: int | None = None

    def __post_init__(self) -> None:
        if self.max_states is not None:
            set_checked(self, "max_states", checked_whole("max_states", self.max_states, least=1))
        if self.max_time is not None:
            set_checked(self, "max_time", checked_duration("max_time", self.max_time))
        if self.memory is not None:
            set_checked(self, "memory", checked_size("memory", self.memory, least=1))
        if self.max_disk is not None:
            set_checked(self, "max_disk", checked_size("max_disk", self.max_disk))


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a search: everything that is not the deal and not a limit.

    Raises UsageError for values that do not fit together.
    """

    policy: Policy = "wkr"
    """The rule for moves home made at once; in the metric "moves", for those a program makes."""
    metric: Metric | None = None
    """The metric: what counts as one move. None for the metric of the game."""
    threads: int | None = None
    keep: Keep = "all"
    store: Path | None = None
    method: Method = Method.DOMINATING
    """The method of a proof: every position, or else whichever method has the fewest states for the
    deal. Shortest solutions need every position. With one of the two over classes a proof is by
    that one alone, where classes can be searched."""
    any_solution: bool = False
    """True if a search for a shortest solution looks for any solution first, then for shorter ones.
    """
    cluster: str | None = None
    """The address of a Ray cluster that the work of a proof is spread over."""
    lost_ahead: bool = True
    """True if dives over classes may prove a deal lost before a search for a shortest solution
    closes all its positions. False if these positions are to be counted."""
    bound: Bound | None = None
    """The bound of a search for a shortest solution, so that its layers can be compared with those
    of another search. None: it begins with that of positions, and takes that of classes if the
    search takes long."""

    def __post_init__(self) -> None:
        checked_choice("policy", self.policy, AUTOMOVES)
        checked_choice("metric", self.metric, (None, *METRICS))
        checked_choice("keep", self.keep, get_args(Keep))
        set_checked(self, "method", Method(checked_choice("method", self.method, list(Method))))
        set_checked(self, "any_solution", checked_flag("any_solution", self.any_solution))
        if self.threads is not None:
            most = MOST_THREADS
            set_checked(self, "threads", checked_whole("threads", self.threads, 1, most))
        if self.store is not None:
            set_checked(self, "store", checked_path("store", self.store))
        if self.cluster is not None:
            checked_text("cluster", self.cluster)


@dataclass(frozen=True, slots=True)
class Report:
    """A moment of a running search, for progress displays."""

    question: str
    """The question of the search, or what a check does."""
    phase: Literal["look ahead", "dive", "improve", "classes", "search", "count"]
    """The first two come before a search: hasty searches for a solution. "improve" is a hasty
    search for a shorter one. In "classes" all classes of positions are listed, and `states` says
    how many there are so far. "count" comes after it: all solutions of the shortest length are
    counted, move by move; `layer` says how many moves, of `last_layer`."""
    states: int
    evaluated: int
    memory: int
    disk: int
    elapsed: float
    layer: int | None = None
    stratum: int = 0
    last_stratum: int = 0
    forced: int = 0
    pending: int = 0
    closed_bytes: int = 0
    share: float | None = None  # of the current stratum that is closed, where it can be told
    done: float | None = None  # of all the work, where its end is known; a search's seldom is
    dive: tuple[int, int] | None = None  # the number of the dive, and of how many
    best: int | None = None  # the length of the best solution so far
    last_layer: int | None = None


@dataclass(frozen=True, slots=True)
class Better:
    """A solution shorter than those before it, on the way to a shortest one."""

    moves: tuple[Move, ...]
    elapsed: float
    length: int
    """The moves of the solution, as the metric counts them."""
    metric: Metric
    rules: Rules


@dataclass(frozen=True, slots=True)
class Commit:
    """One committed transaction, for logs: the states and bytes that it added."""

    number: int
    layer: int | None
    stratum: int
    states: int
    forced: int
    pending: int
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SurveyReport:
    """The progress of a survey of many deals.

    `deals` of `total` are finished, `new` of them by this run: `solved`, `unsolvable` or
    `undecided`. `later` are put back until there is more memory for them.
    """

    question: str
    elapsed: float
    done: float
    """`deals` as a share of `total`."""
    deals: int
    total: int
    new: int
    solved: int
    unsolvable: int
    undecided: int
    later: int


Event = Report | Commit | Better | SurveyReport
"""A message of a running search."""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of a search.

    `states` counts closed states without the forced ones, which `forced` counts; for a shortest
    solution those of the layers below it, which are whole. `evaluated` counts the states looked
    at. `moves` is filled for `solved`, and `shortest` says whether that solution is proven to be
    one; where a limit ended the search before, `limit` says which, and `moves` is the best solution
    that was found by then. `at_least` is a length that no
    solution falls short of; it is None for a proof, and for a deal without a solution. `digest` is
    the sum modulo 2**64 of XXH3-64 over the public keys of all closed states (16 hexadecimal
    digits). `disk` and `peak_memory` are bytes, `seconds` the time of all runs on the store
    together. `keep` says whether the store has kept its closed states, so that the answer can be
    verified.
    """

    question: Question
    deal: Deal
    policy: Policy
    metric: Metric
    verdict: Verdict
    limit: Limit | None
    shortest: bool
    moves: tuple[Move, ...]
    states: int
    forced: int
    evaluated: int
    seconds: float
    peak_memory: int
    disk: int
    digest: str | None
    store: Path | None
    method: Method
    """The kind of states: positions, or records that dominate positions."""
    strata: tuple[tuple[int, int, int, int], ...] = field(default=())
    """(layer, stratum, states, forced) of every stratum with states; layer 0 in a proof."""
    at_least: int | None = None
    keep: Keep = "all"
    bound: Bound = Bound.POSITIONS
    """The bound that layers are counted with."""

    def __str__(self) -> str:
        """Return the deal's title, the verdict and the length of the solution, for people."""
        name = title(self.deal)
        if self.length is not None:
            length = counted(self.length, *length_words(self.metric, self.deal.rules))
            proven = "shortest" if self.shortest else f"not shown to be shortest{self._reason()}"
            return f"{name}: solved in {length}, {proven}"
        lost = self.verdict == Verdict.UNSOLVABLE
        spoiling = spoiling_words(self.metric, self.policy) if lost else ""
        return f"{name}: {self.verdict}{spoiling}{self._reason()}"

    def _reason(self) -> str:
        """Return the reason for which the search ended early, if it did."""
        return "" if self.limit is None else f" ({self.limit})"

    @property
    def measure(self) -> Measure:
        """The measure of the result's moves: the unit of a move, and its cost."""
        return Measure(self.deal.rules, self.policy, self.metric)

    @property
    def length(self) -> int | None:
        """Length of the solution in the metric, None where there is none, or none was kept."""
        if self.verdict != Verdict.SOLVED or not (self.moves or self.deal.position.is_goal()):
            return None
        return self.measure.length(self.moves)


@dataclass(frozen=True, slots=True)
class SolutionCount:
    """The number of shortest solutions of a deal.

    `result` is the answer of the search for the length. `count` is None if a limit came first; then
    `limit` says which. It is 0 for a deal without a solution. `states` counts the positions that
    the count went through. `seconds` is the time of the search and the count together.
    """

    result: Result
    count: int | None
    limit: Limit | None
    states: int
    seconds: float
    peak_memory: int
    disk: int

    @property
    def length(self) -> int | None:
        """The moves of each of the solutions; None where there is none, or none is known."""
        return self.result.length if self.result.shortest else None

    def __str__(self) -> str:
        """For people: how many there are, and how long they are."""
        if not self.count:
            known = "" if self.limit is None else f"; solutions not counted ({self.limit})"
            return f"{self.result}{known}"
        number = counted(self.count, "shortest solution", "shortest solutions")
        words = length_words(self.result.metric, self.result.deal.rules)
        length = counted(self.length or 0, *words)
        return f"{title(self.result.deal)}: {number} of {length}"


@dataclass(frozen=True, slots=True)
class MoveValue:
    """The value of one move: the verdict, and the moves needed, after it.

    `verdict` says whether the deal can still be won; it is `undecided` if a limit came first, and
    then `limit` says which. The fewest moves left, without this one, are from `at_least` to
    `at_most`. If the two are equal, `length` is that number. Values that are not known are None.
    """

    move: Move
    verdict: Verdict
    at_least: int | None
    at_most: int | None
    limit: Limit | None

    @property
    def length(self) -> int | None:
        """The fewest moves that are left after the move, None if they are not known exactly."""
        return self.at_most if self.at_most == self.at_least else None

    def __str__(self) -> str:
        """For people: the move, and what it leads to."""
        left = "" if self.at_most is None else f", {self.at_most} left"
        if self.length is None and left:
            left += f" or less, at least {self.at_least or 0}"
        return f"{self.move}: {self.verdict}{left}"


@dataclass(frozen=True, slots=True)
class FirstMoves:
    """The values of all legal moves from a position.

    `result` is the answer of the search from the position itself and, where a limit ended that, of
    those after its moves. `limit` is the last one that left a value open.
    """

    result: Result
    values: tuple[MoveValue, ...]
    limit: Limit | None
    seconds: float
    peak_memory: int

    @property
    def shortest(self) -> tuple[Move, ...]:
        """The moves that a shortest solution begins with, as far as that is known."""
        if not self.result.shortest:
            return ()
        cost = self.result.measure.cost
        return tuple(
            value.move
            for value in self.values
            if value.length is not None and value.length + cost(value.move) == self.result.length
        )

    @property
    def only(self) -> Move | None:
        """The one move that does not lose, if it is known to be the only one."""
        kept = [value for value in self.values if value.verdict != Verdict.UNSOLVABLE]
        if len(kept) != 1 or kept[0].verdict != Verdict.SOLVED:
            return None
        return kept[0].move

    def __str__(self) -> str:
        """For people: the answer of the position, and a line for each move."""
        return "\n".join(map(str, (self.result, *self.values)))


def method_ahead(question: Question, deal: Deal, metric: Metric | None) -> Method:
    """Return the method of the dives that come before a search for a shortest solution.

    It is EVERY_POSITION where there are none. Most lost deals of Klondike have a few thousand
    classes, and millions of positions. A proof is told in the game's usual metric, for which None
    stands, so there are no dives in others.
    """
    lost = method_for(Question.PROVE, deal, Method.DOMINATING)
    usual = metric in (None, usual_metric(deal.rules))
    if question == Question.SOLVE and lost == Method.CLASSES and usual:
        return lost
    return Method.EVERY_POSITION


def method_for(question: Question, deal: Deal, wanted: Method) -> Method:
    """Return the method of a search of a deal.

    A proof has fewer states than positions where the game and the deal allow it, unless every
    position is wanted. Other searches have every position.
    """
    if question != Question.PROVE or wanted == Method.EVERY_POSITION:
        return Method.EVERY_POSITION
    if has_dominance(deal.rules):
        return Method.DOMINATING
    if is_in_a_class(deal.position, deal.rules):
        return Method.CLASSES
    return Method.EVERY_POSITION
