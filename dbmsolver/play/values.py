"""Knowledge of positions: whether they can be won, how many moves are left, a solution.

It only grows: each answer of a search is merged with what was known. A session remembers the
positions that it met last, for all pages.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.notation.steps import moving_card
from dbmsolver.play.codes import codes_of, read_line
from dbmsolver.play.table import Option, measure_of_play
from dbmsolver.results import Verdict

_KEPT = 10_000
"""Positions that a session remembers: about ten million bytes, and as many for solutions."""

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Value:
    """Knowledge of one position: the fewest moves left are from `at_least` to `at_most`."""

    verdict: Verdict = Verdict.UNDECIDED
    at_least: int = 0
    at_most: int | None = None

    @property
    def is_exact(self) -> bool:
        """True if there is nothing left to find out."""
        return self.verdict == Verdict.UNSOLVABLE or self.at_least == self.at_most

    def merged(self, other: Value) -> Value:
        """Return the facts of both values."""
        if Verdict.UNSOLVABLE in (self.verdict, other.verdict):
            return LOST
        verdict = self.verdict if self.verdict != Verdict.UNDECIDED else other.verdict
        known = [most for most in (self.at_most, other.at_most) if most is not None]
        return Value(verdict, max(self.at_least, other.at_least), min(known, default=None))


UNKNOWN = Value()
LOST = Value(Verdict.UNSOLVABLE)


class _StoredSolution(NamedTuple):
    """A solution of a position: the codes of moves from number `start` on; `left` is its length."""

    position: Position
    codes: str
    start: int
    left: int


class Knowledge:
    """The knowledge of a session; positions that differ in the order of columns are the same."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._values: OrderedDict[tuple[Rules, Hashable], Value] = OrderedDict()
        self._solutions: OrderedDict[tuple[Rules, Hashable], _StoredSolution] = OrderedDict()

    def value(self, rules: Rules, position: Position) -> Value:
        """Return what is known of a position."""
        if position.is_goal():
            return Value(Verdict.SOLVED, 0, 0)
        return self._values.get((rules, position.canonical()), UNKNOWN)

    def learn(self, rules: Rules, position: Position, value: Value) -> None:
        """Merge what a search found out about a position."""
        merged = self.value(rules, position).merged(value)
        _put(self._values, (rules, position.canonical()), merged, self._kept)

    def learn_solution(
        self,
        rules: Rules,
        position: Position,
        moves: Sequence[Move],
        shortest: bool = False,
        whole: bool = False,
    ) -> None:
        """Add a solution of a position; if `whole`, also of every position on its way."""
        codes, measure = codes_of(moves), measure_of_play(rules)
        left = measure.length(moves)
        for number, move in enumerate(moves):
            self.learn(rules, position, Value(Verdict.SOLVED, left if shortest else 0, left))
            key = rules, position.canonical()
            known = self._solutions.get(key)
            if known is None or known.left >= left:
                _put(
                    self._solutions, key, _StoredSolution(position, codes, number, left), self._kept
                )
            if not whole:
                return
            position = position.apply(move)
            left -= measure.cost(move)

    def solution(self, rules: Rules, position: Position) -> tuple[Move, ...] | None:
        """Return the shortest known solution, None if there is none."""
        if position.is_goal():
            return ()
        known = self._solutions.get((rules, position.canonical()))
        if known is None:
            return None
        found: list[Move] = []
        there = known.position
        for step in read_line(known.codes)[known.start :]:
            card = moving_card(there, step)
            move = Move(card, step.source, step.destination, count=step.count)
            found.append(_translated(move, there, position))
            there, position = there.apply(move), position.apply(found[-1])
        return tuple(found)

    def settle(self, rules: Rules, position: Position, options: Sequence[Option]) -> None:
        """Deduce facts about a position from those after its moves, and the other way round."""
        after = [self.value(rules, option.after) for option in options]
        if not position.is_goal() and all(value.verdict == Verdict.UNSOLVABLE for value in after):
            self.learn(rules, position, LOST)
        root = self.value(rules, position)
        for option, value in zip(options, after, strict=True):
            least = root.at_least - option.cost
            if root.verdict == Verdict.UNSOLVABLE:
                self.learn(rules, option.after, LOST)
            elif value.verdict != Verdict.UNSOLVABLE and value.at_least < least:
                self.learn(rules, option.after, Value(value.verdict, least))
            if value.at_most is not None and self._is_shorter(root, value, option):
                self._join(rules, position, option)
                root = self.value(rules, position)
        left = [
            option.cost + value.at_least
            for option, value in zip(options, after, strict=True)
            if value.verdict != Verdict.UNSOLVABLE
        ]
        if left and root.verdict != Verdict.UNSOLVABLE and min(left) > root.at_least:
            self.learn(rules, position, Value(root.verdict, min(left), root.at_most))

    @staticmethod
    def _is_shorter(root: Value, after: Value, option: Option) -> bool:
        """Return True if the known solution after a move gives the position a shorter one."""
        if after.at_most is None:
            return False
        return root.at_most is None or option.cost + after.at_most < root.at_most

    def _join(self, rules: Rules, position: Position, option: Option) -> None:
        """Learn the solution of a position that begins with this move, if it is a single one."""
        rest = self.solution(rules, option.after)
        if rest is not None and option.cost <= 1:
            self.learn_solution(rules, position, (option.move, *rest))


def _translated(move: Move, there: Position, here: Position) -> Move:
    """Return a move in a position that differs only in the order of columns and cells."""
    if there == here:
        return move
    return move._replace(
        source=_translated_place(move.source, there, here),
        destination=_translated_place(move.destination, there, here),
    )


def _translated_place(place: Place, there: Position, here: Position) -> Place:
    """Return the place of position ``here`` with the cards of a place of position ``there``."""
    if place.kind == "column":
        return Place("column", here.columns.index(there.columns[place.index]))
    if place.kind == "freecell":
        return Place("freecell", here.freecells.index(there.freecells[place.index]))
    return place


def _put(kept: OrderedDict[Key, Item], key: Key, item: Item, most: int) -> None:
    """Add an item as the newest, and remove the oldest ones beyond `most`."""
    kept[key] = item
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
