"""The plan of an analysis: of a position, of what its moves lead to, and of the game so far.

First dives for all of them together, which mostly say at once what can be won. Then, in rounds that
take longer each time: whether the position can be won; its shortest length; the same of each move,
the unknown ones first, then those that look best. Where the position is lost, the game so far is
divided again and again, until the move after which it was lost is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from dbmsolver.game.classes import has_classes
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.kinds import Family
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.play.table import Option, options_of
from dbmsolver.play.values import Knowledge, Value
from dbmsolver.results import Method, Verdict

_FIRST = 0.1
"""Seconds for each position in the first look at all of them."""
_GROWTH = 3


@dataclass(frozen=True, slots=True)
class Task:
    """A search for a worker: of some positions, each for so many seconds at most."""

    kind: Literal["decide", "prove", "solve"]
    positions: tuple[Position, ...]
    seconds: float


def kernels_of(rules: Rules) -> tuple[Family, Method]:
    """Return what says which kernels search a game: its family, and the method of its proofs."""
    if has_dominance(rules):
        return rules.family, Method.DOMINATING
    return rules.family, Method.CLASSES if has_classes(rules) else Method.EVERY_POSITION


class Look:
    """A position that somebody looks at: its legal moves, and the positions before it."""

    def __init__(self, rules: Rules, line: Sequence[Position], knowledge: Knowledge) -> None:
        self.rules = rules
        self.line = tuple(line)
        self.position = self.line[-1]
        self.knowledge = knowledge
        self.options: list[Option] = []
        if not self.position.is_goal():
            self.options = options_of(self.position, rules)
        self.settle()

    def settle(self) -> None:
        """Draw conclusions from what has been learnt."""
        self.knowledge.settle(self.rules, self.position, self.options)

    def value(self, position: Position | None = None) -> Value:
        """Return what is known of a position, by default of the one that is looked at."""
        return self.knowledge.value(self.rules, self.position if position is None else position)

    @property
    def has_solution(self) -> bool:
        """Return True if a solution from the position is in hand."""
        return self.knowledge.solution(self.rules, self.position) is not None

    def first_lost(self) -> tuple[int, int]:
        """Find the last position of the game known to be won, and the first known to be lost.

        As numbers of moves: -1 where none is known to be won, the length of the game and one more
        where none is known to be lost.
        """
        won, lost = -1, len(self.line)
        for number, position in enumerate(self.line):
            verdict = self.value(position).verdict
            if verdict == Verdict.SOLVED:
                won = number
            elif verdict == Verdict.UNSOLVABLE:
                lost = number
                break
        return won, lost


def tasks(look: Look) -> Iterator[Task]:
    """Yield what to find out next; the answers are known when the next is asked for."""
    options = [option.after for option in look.options]
    everything = [look.position, *options]
    first = [one for one in everything if look.value(one).verdict == Verdict.UNDECIDED]
    if first:
        yield Task("decide", tuple(first), _FIRST)
    seconds = 1.0
    while True:
        done = True
        for task in _round(look, options, seconds):
            done = False
            yield task
        if done:
            return
        seconds *= _GROWTH


def _round(look: Look, options: Sequence[Position], seconds: float) -> Iterator[Task]:
    """Yield tasks for all positions whose value is still open, each for some time."""
    if look.value().verdict == Verdict.UNDECIDED:
        yield Task("prove", (look.position,), seconds)
    if look.value().verdict == Verdict.UNSOLVABLE:
        yield from _mistake(look, seconds)
        return
    if not look.value().is_exact or not look.has_solution:
        yield Task("solve", (look.position,), 2 * seconds)
    # What is found out of one move may decide all others: they are looked at again.
    for position in options:
        if look.value(position).verdict == Verdict.UNDECIDED:
            yield Task("prove", (position,), seconds)
    for position in sorted(options, key=lambda one: look.value(one).at_most or 0):
        if not look.value(position).is_exact:
            yield Task("solve", (position,), seconds)


def _mistake(look: Look, seconds: float) -> Iterator[Task]:
    """Find the move after which the game was lost: positions in the middle tell the half."""
    tried = set[int]()
    while True:
        won, lost = look.first_lost()
        open_ones = [number for number in range(won + 1, lost) if number not in tried]
        if not open_ones:
            return
        middle = open_ones[len(open_ones) // 2]
        tried.add(middle)
        yield Task("prove", (look.line[middle],), seconds)
