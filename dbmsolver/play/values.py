"""Knowledge of positions: whether they can be won, how many moves are left, a solution.

It only ever grows: whatever a search says is put together with what was known. A session remembers
the positions that it met last, whoever asked for them.
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
from dbmsolver.play.table import Option
from dbmsolver.results import Verdict

_KEPT = 10_000
"""Positions that a session remembers: some ten million bytes, and as much for solutions."""

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
        """Return True if there is nothing left to find out."""
        return self.verdict == Verdict.UNSOLVABLE or self.at_least == self.at_most

    def merged(self, other: Value) -> Value:
        """Return what both say together."""
        if Verdict.UNSOLVABLE in (self.verdict, other.verdict):
            return LOST
        verdict = self.verdict if self.verdict != Verdict.UNDECIDED else other.verdict
        known = [most for most in (self.at_most, other.at_most) if most is not None]
        return Value(verdict, max(self.at_least, other.at_least), min(known, default=None))


UNKNOWN = Value()
LOST = Value(Verdict.UNSOLVABLE)


class _Kept(NamedTuple):
    """A solution of a position: the end of a text of moves, from the move of that number on."""

    position: Position
    codes: str
    start: int
    left: int


class Knowledge:
    """The knowledge of a session of positions, whatever the order of their columns."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._values: OrderedDict[tuple[Rules, Hashable], Value] = OrderedDict()
        self._solutions: OrderedDict[tuple[Rules, Hashable], _Kept] = OrderedDict()

    def value(self, rules: Rules, position: Position) -> Value:
        """Return what is known of a position."""
        if position.is_goal():
            return Value(Verdict.SOLVED, 0, 0)
        return self._values.get((rules, position.canonical()), UNKNOWN)

    def learn(self, rules: Rules, position: Position, value: Value) -> None:
        """Add what a search says of a position."""
        merged = self.value(rules, position).merged(value)
        _keep(self._values, (rules, position.canonical()), merged, self._kept)

    def learn_solution(
        self,
        rules: Rules,
        position: Position,
        moves: Sequence[Move],
        shortest: bool = False,
        whole: bool = False,
    ) -> None:
        """Add a solution of a position; if `whole`, of every position that it goes through, too."""
        codes = codes_of(moves)
        for number, move in enumerate(moves):
            left = len(moves) - number
            self.learn(rules, position, Value(Verdict.SOLVED, left if shortest else 0, left))
            key = rules, position.canonical()
            known = self._solutions.get(key)
            if known is None or known.left >= left:
                _keep(self._solutions, key, _Kept(position, codes, number, left), self._kept)
            if not whole:
                return
            position = position.apply(move)

    def solution(self, rules: Rules, position: Position) -> tuple[Move, ...] | None:
        """Return the shortest solution in hand, None if there is none."""
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
            found.append(_alike(move, there, position))
            there, position = there.apply(move), position.apply(found[-1])
        return tuple(found)

    def settle(self, rules: Rules, position: Position, options: Sequence[Option]) -> None:
        """Let a position and those that a move leads to say something of each other."""
        after = [self.value(rules, option.after) for option in options]
        if not position.is_goal() and all(one.verdict == Verdict.UNSOLVABLE for one in after):
            self.learn(rules, position, LOST)
        root = self.value(rules, position)
        for option, one in zip(options, after, strict=True):
            if root.verdict == Verdict.UNSOLVABLE:
                self.learn(rules, option.after, LOST)
            elif one.verdict != Verdict.UNSOLVABLE and one.at_least < root.at_least - option.cost:
                self.learn(rules, option.after, Value(one.verdict, root.at_least - option.cost))
            if one.at_most is not None and self._is_shorter(root, one, option):
                self._join(rules, position, option)
                root = self.value(rules, position)
        left = [
            option.cost + one.at_least
            for option, one in zip(options, after, strict=True)
            if one.verdict != Verdict.UNSOLVABLE
        ]
        if left and root.verdict != Verdict.UNSOLVABLE and min(left) > root.at_least:
            self.learn(rules, position, Value(root.verdict, min(left), root.at_most))

    @staticmethod
    def _is_shorter(root: Value, after: Value, option: Option) -> bool:
        """Return True if a solution after a move makes a shorter one of the position before it."""
        if after.at_most is None:
            return False
        return root.at_most is None or option.cost + after.at_most < root.at_most

    def _join(self, rules: Rules, position: Position, option: Option) -> None:
        """Take the solution after a single move for one of the position before it."""
        rest = self.solution(rules, option.after)
        if rest is not None and option.cost == 1:
            self.learn_solution(rules, position, (option.move, *rest))


def _alike(move: Move, there: Position, here: Position) -> Move:
    """Return a move in a position that differs only in the order of columns and cells."""
    if there == here:
        return move
    return move._replace(
        source=_place_alike(move.source, there, here),
        destination=_place_alike(move.destination, there, here),
    )


def _place_alike(place: Place, there: Position, here: Position) -> Place:
    """Return where the cards of a place of position ``there`` lie in position ``here``."""
    if place.kind == "column":
        return Place("column", here.columns.index(there.columns[place.index]))
    if place.kind == "freecell":
        return Place("freecell", here.freecells.index(there.freecells[place.index]))
    return place


def _keep(kept: OrderedDict[Key, Item], key: Key, item: Item, most: int) -> None:
    """Put an item behind all others, and forget the oldest ones beyond `most`."""
    kept[key] = item
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
