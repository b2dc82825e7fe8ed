"""From a path of classes to legal moves, on the readable model of Klondike.

A move between classes is one move of cards, with the turns of the stock before it. Where a card is
to go home and a run lies on it, the run first moves to the other card of its rank and colour. Once
a class is won, the cards go home one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dbmsolver.game.cards import rank, suit
from dbmsolver.game.classes import Class, Classes, ClassMove
from dbmsolver.game.moves import WASTE, Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.turns import turns_before, turns_to


class Follower:
    """A game that follows a path of classes: ``position`` is where it is, ``moves`` what it made.

    ValueError if the path cannot be played.
    """

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self.position: Position = classes.deal
        self.moves: list[Move] = []

    def follow(self, path: Sequence[Class | None]) -> None:
        """Play along a path that begins with the deal's class; None stands for a won class."""
        before = self.classes.root
        for after in path[1:]:
            move, before = self._move_to(before, after)
            self._play(move)

    def _move_to(self, before: Class, after: Class | None) -> tuple[ClassMove, Class]:
        """Return the move that leads from a class to the next one, and that one."""
        for move, found in self.classes.moves(before, frozenset()):
            if found == after or (after is None and self.classes.is_won(found)):
                return move, found
        raise ValueError("a class does not follow from the one before it")

    def _play(self, move: ClassMove) -> None:
        """Play a move between classes."""
        if move.source == "stock":
            self._turn_up(move.card)
            self._move(move.card, WASTE, 1, move.target)
        elif move.source == "home":
            self._move(move.card, Place("foundation", suit(move.card)), 1, move.target)
        else:
            if move.target == "home":
                self._bare(move.card)
            index, depth = self._find(move.card)
            count = len(self.position.columns[index]) - depth
            self._move(move.card, Place("column", index), count, move.target)

    def _turn_up(self, card: int) -> None:
        """Turn the stock until a card is the last of the waste."""
        turns = turns_before(self.position, card, self.classes.rules)
        if turns is None:
            raise ValueError("a card of the stock cannot be turned up")
        for turn in turns:
            self._apply(turn)

    def _bare(self, card: int) -> None:
        """Move what lies on a card to the other card of its rank and colour."""
        index, depth = self._find(card)
        run = self.position.columns[index][depth + 1 :]
        if run:
            other, above = self._find(card ^ 2)
            if len(self.position.columns[other]) != above + 1:
                raise ValueError("a card cannot be bared")
            source, goal = Place("column", index), Place("column", other)
            self._apply(Move(run[0], source, goal, count=len(run)))

    def _find(self, card: int) -> tuple[int, int]:
        """Return the column of a card, and how many cards are under it there."""
        for index, column in enumerate(self.position.columns):
            if card in column:
                return index, column.index(card)
        raise ValueError("a card is in no column")

    def _move(self, card: int, source: Place, count: int, target: str) -> None:
        """Move a card, with ``count - 1`` cards on it, home, to another card or an empty column."""
        if target == "home":
            goal = Place("foundation", suit(card))
        else:
            goal = Place("column", self._column_for(card, target))
        self._apply(Move(card, source, goal, count=count))

    def _column_for(self, card: int, target: str) -> int:
        """Return the column that a card can go to."""
        rules = self.classes.rules
        for index, column in enumerate(self.position.columns):
            if target == "space" and not column:
                return index
            if target == "card" and column and rules.can_stack(card, column[-1]):
                return index
        raise ValueError("no column takes a card")

    def _apply(self, move: Move) -> None:
        """Make a move of the readable model."""
        self.position = self.position.apply(move)
        self.moves.append(move)

    def finish(self) -> None:
        """Take all cards home, from a position of a won class."""
        while not self.position.is_goal():
            heights = self.position.foundations
            waiting = [4 * height + index for index, height in enumerate(heights) if height < 13]
            card = min(waiting, key=rank)
            place = Place("foundation", suit(card))
            if card in (*self.position.waste, *self.position.stock):
                self._turn_up(card)
                self._apply(Move(card, WASTE, place))
            else:
                index, _ = self._find(card)
                self._apply(Move(card, Place("column", index), place))


def moves_along(classes: Classes, path: Sequence[Class | None]) -> tuple[list[Move], Position]:
    """Return legal moves from the deal along a path of classes, and where they lead.

    The path begins with the deal's class; None stands for a won class, from which all cards go
    home. ValueError if a class does not follow from the one before it.
    """
    follower = Follower(classes)
    follower.follow(path)
    if path[-1] is None:
        follower.finish()
    return follower.moves, follower.position


def shifts_to(start: Position, goal: Position, rules: Rules) -> list[Move]:
    """Return moves from a position towards another of its class.

    They move runs to the other card of the rank and colour of the one they lie on, and turn the
    stock. Where two runs would have to change places they do not come to the goal.
    """
    moves: list[Move] = []
    position = start
    under = {upper: lower for column in goal.columns for lower, upper in pairwise(column)}
    for card in sorted(under, reverse=True):
        shift = _shift(position, card, under[card], rules)
        if shift is not None:
            moves.append(shift)
            position = position.apply(shift)
    return moves + (turns_to(position, goal, rules) or [])


def _shift(position: Position, card: int, onto: int, rules: Rules) -> Move | None:
    """Return the move of a run that begins with ``card`` to a bare card, if it can be made."""
    goal = next((i for i, column in enumerate(position.columns) if column[-1:] == (onto,)), None)
    for index, column in enumerate(position.columns):
        if card not in column or goal is None or goal == index:
            continue
        depth = column.index(card)
        if depth > position.hidden[index] and rules.can_stack(card, column[depth - 1]):
            source, target = Place("column", index), Place("column", goal)
            return Move(card, source, target, count=len(column) - depth)
    return None
