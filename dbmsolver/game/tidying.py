"""Shorter wins: cards that are parked twice are parked once, and safe moves are made at once.

Both the given moves and the result win. The result need not be a shortest solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dbmsolver.game.cards import CARDS, rank, suit
from dbmsolver.game.dominance.parking import ParkingBoard
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home

HOME, CELL, EMPTY = -1, -2, -3


class _Step(NamedTuple):
    """A move without the numbers of columns and freecells, so that others may come between."""

    card: int
    to: int
    """HOME, CELL, EMPTY (an empty column), or the card that it is put on."""


def tidied(start: Position, moves: Sequence[Move], rules: Rules, policy: Policy) -> list[Move]:
    """Return as many moves or fewer that win, with each safe move where it becomes possible.

    Where that spoils a later move, it returns the given moves without detours.
    """
    game = _Player(rules, policy)
    board = ParkingBoard(start)
    if game.wins(board, _steps(start, moves)):
        moves = board.moves
    shorter = without_detours(moves)
    board = ParkingBoard(start)
    if len(shorter) < len(moves) and game.wins(board, _steps(start, shorter)):
        return board.moves
    return shorter


def without_detours(moves: Sequence[Move]) -> list[Move]:
    """Return the moves without needless parking.

    A card is parked needlessly if it could wait where it was, or go where it goes next at once.
    That is so if nothing happens meanwhile where the card was, or where it goes, and nothing is put
    on it. All other moves stay as they are, and legal.
    """
    kept = list(moves)
    index = 0
    while index < len(kept):
        if not _shorten(kept, index):
            index += 1
    return kept


def _shorten(moves: list[Move], first: int) -> bool:
    """Make one move of the card's move at ``first`` and of its next move, if that can be done."""
    card, source, by = moves[first][:3]
    if by.kind == "foundation":
        return False
    touched: set[Place] = set()
    for second in range(first + 1, len(moves)):
        other = moves[second]
        if other.card == card:
            break
        touched |= {other.source, other.destination}
    else:
        return False
    to = moves[second].destination
    if by in touched:
        return False
    joined = Move(card, source, to)
    if source not in touched:
        moves[first : second + 1] = [*moves[first + 1 : second]]
        if source != to:
            moves.insert(second - 1, joined)
        return True
    if to not in touched:
        moves[second : second + 1] = []
        moves[first] = joined
        return True
    return False


def _steps(start: Position, moves: Sequence[Move]) -> list[_Step]:
    steps = []
    position = start
    for move in moves:
        kind, index = move.destination
        to = {"foundation": HOME, "freecell": CELL, "column": EMPTY}[kind]
        if kind == "column" and position.columns[index]:
            to = position.columns[index][-1]
        steps.append(_Step(move.card, to))
        position = position.apply(move)
    return steps


class _Player(NamedTuple):
    """A game's rules and policy, for playing steps on a board."""

    rules: Rules
    policy: Policy

    def wins(self, board: ParkingBoard, steps: Sequence[_Step]) -> bool:
        """Return True if all steps can be made, with safe moves between them, and win."""
        self.make_safe_moves(board)
        for step in steps:
            if not self.make(board, step):
                return False
            self.make_safe_moves(board)
        return all(height == 13 for height in board.heights)

    def make(self, board: ParkingBoard, step: _Step) -> bool:
        """Make a step, unless it has no effect any more; return False if it is not possible."""
        card, to = step
        if rank(card) <= board.heights[suit(card)]:
            return True
        if to == HOME:
            return rank(card) == board.heights[suit(card)] + 1 and board.home(card)
        if to == CELL:
            return card in board.cells or board.move(card, board.free_cell())
        if to == EMPTY:
            alone = [card] in board.columns
            return alone or board.move(card, board.empty_column())
        return _lies_on(board, card, to) or board.move(card, _column_of(board, to))

    def make_safe_moves(self, board: ParkingBoard) -> None:
        """Make safe moves as long as there are any, the lowest suit first."""
        index = 0
        while index < 4:
            card = 4 * board.heights[index] + index
            if (
                card < CARDS
                and is_safe_home(self.rules, card, board.heights, self.policy)
                and board.home(card)
            ):
                index = 0
            else:
                index += 1


def _column_of(board: ParkingBoard, top: int) -> Place | None:
    """Return the column with this top card."""
    place = board.place_of(top)
    return place if place is not None and place.kind == "column" else None


def _lies_on(board: ParkingBoard, card: int, under: int) -> bool:
    return any(
        card in column[1:] and column[column.index(card) - 1] == under for column in board.columns
    )
