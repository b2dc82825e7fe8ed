"""The plan of an analysis: of a position, of what its moves lead to, and of the game so far.

Dives for all of them come first, in one task: they mostly tell at once which can be won. Then
rounds of searches follow, each with more time than the one before. A round asks whether the
position can be won, how long a shortest solution is, and the same about each move, first about
those of which nothing is known, then about those that look best. If the position is lost, a
bisection of the game so far finds the move that lost it.
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
"""Seconds for each position in the first task, which is about all of them."""
_GROWTH = 3


@dataclass(frozen=True, slots=True)
class SearchTask:
    """A search for a worker: some positions, and the most seconds for each of them."""

    kind: Literal["decide", "prove", "solve"]
    positions: tuple[Position, ...]
    seconds: float


def kernels_of(rules: Rules) -> tuple[Family, Method]:
    """Return the family of a game and the method of its proofs, which decide about kernels."""
    if has_dominance(rules):
        return rules.family, Method.DOMINATING
    return rules.family, Method.CLASSES if has_classes(rules) else Method.EVERY_POSITION


class Analysis:
    """A position to be analysed: its legal moves, the positions before it, what is known."""

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
        """Draw conclusions from what has been learnt, for the position and its moves."""
        self.knowledge.settle(self.rules, self.position, self.options)

    def value(self, position: Position | None = None) -> Value:
        """Return what is known of a position; by default of the analysed one."""
        return self.knowledge.value(self.rules, self.position if position is None else position)

    @property
    def has_solution(self) -> bool:
        """True if a solution from the position is known."""
        return self.knowledge.solution(self.rules, self.position) is not None

    def first_lost(self) -> tuple[int, int]:
        """Return the last position of the game known to be won, and the first known to be lost.

        Each is a number of moves. It is -1 if none is known to be won, and one more than the length
        of the game if none is known to be lost.
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


def tasks(analysis: Analysis) -> Iterator[SearchTask]:
    """Yield the next task; before the one after it is asked for, its answers must be learnt."""
    options = [option.after for option in analysis.options]
    everything = [analysis.position, *options]
    unknown = [
        position for position in everything if analysis.value(position).verdict == Verdict.UNDECIDED
    ]
    if unknown:
        yield SearchTask("decide", tuple(unknown), _FIRST)
    seconds = 1.0
    while True:
        done = True
        for task in _round(analysis, options, seconds):
            done = False
            yield task
        if done:
            return
        seconds *= _GROWTH


def _round(analysis: Analysis, options: Sequence[Position], seconds: float) -> Iterator[SearchTask]:
    """Yield tasks for all positions whose value is not exact yet, each with this time."""
    if analysis.value().verdict == Verdict.UNDECIDED:
        yield SearchTask("prove", (analysis.position,), seconds)
    if analysis.value().verdict == Verdict.UNSOLVABLE:
        yield from _mistake(analysis, seconds)
        return
    if not analysis.value().is_exact or not analysis.has_solution:
        yield SearchTask("solve", (analysis.position,), 2 * seconds)
    # An answer about one move may decide others: each value is read anew.
    for position in options:
        if analysis.value(position).verdict == Verdict.UNDECIDED:
            yield SearchTask("prove", (position,), seconds)
    for position in sorted(options, key=lambda after: analysis.value(after).at_most or 0):
        if not analysis.value(position).is_exact:
            yield SearchTask("solve", (position,), seconds)


def _mistake(analysis: Analysis, seconds: float) -> Iterator[SearchTask]:
    """Yield tasks that find the move after which the game was lost, by bisection."""
    tried = set[int]()
    while True:
        won, lost = analysis.first_lost()
        open_numbers = [number for number in range(won + 1, lost) if number not in tried]
        if not open_numbers:
            return
        middle = open_numbers[len(open_numbers) // 2]
        tried.add(middle)
        yield SearchTask("prove", (analysis.line[middle],), seconds)
