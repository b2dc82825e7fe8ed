"""The listing: from the goal back, the states of the sweep that lead to it; then the sequences.

Of each level, those states are kept that a move leads from to a kept state of the next. So every
way forward over kept states ends at the goal, and each is a solution. Where a limited number of
sequences is wanted, no more states than that are kept of any level: at least one sequence leads
through each, and the sequences through different states of a level are different.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from dbmsolver.errors import InternalError
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.kernels.states import MAX_MOVES
from dbmsolver.kits.cards.sweep import STATE, Index, leading_moves, make_index, mark_leading
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.search.trace import legal_move
from dbmsolver.storage.levels import Levels, Words

_STATE_BYTES = 8 * STATE + 32
"""Memory of a kept state: its row, and slots of the table by which it is found."""
_REMEMBERED = 1 << 15
"""Positions whose moves are remembered: most sequences end alike."""
_SORT = 1 << 16
"""States that are more than are wanted, before the first of them are chosen."""

Moves = tuple[Move, ...]
Choice = tuple[Move, int, Position]
"""A move from a kept state to a kept one, the row of that one, and its position."""


class Listing:
    """The solutions in the levels of a finished sweep, ``most`` of them at most; all for None.

    ``memory`` is bytes. :meth:`step` finds the states that lead to the goal,
    :meth:`solutions` tells the sequences. Which ones are told depends on the deal and ``most``
    only.
    """

    def __init__(
        self, codec: StateCodec, length: int, levels: Levels, memory: int, most: int | None
    ) -> None:
        self.codec = codec
        self.length = length
        self.levels = levels
        self.memory = memory
        self.most = most
        goal, _ = next(levels.read(length))
        self._kept = [make_index(goal)]  # by level, the goal's first until all are found
        self._level: _Level | None = None  # the one that is looked through
        self._bytes = 0
        self._choices_of: dict[tuple[int, int, Position], list[Choice]] = {}

    def step(self) -> bool:
        """Look at some states of a level; return True once those to keep are found in all levels.

        OutOfBudget where there are too many for the memory.
        """
        if self._level is None:
            if len(self._kept) > self.length:
                self._kept.reverse()
                return True
            depth = self.length - len(self._kept)
            self._level = _Level(self.levels.read(depth), self._kept[-1])
        if self._level.look_at_more(self.codec, self.most):
            self._check_memory(self._level.count)
            return False
        rows = _first(np.concatenate(self._level.leading), self.most)
        self._bytes += rows.shape[0] * _STATE_BYTES
        self._check_memory(0)
        if not rows.shape[0]:
            raise InternalError(
                f"no state of level {self.length - len(self._kept)} leads to the goal"
            )
        self._kept.append(make_index(rows))
        self._level = None
        return False

    def close(self) -> None:
        """Do nothing: a listing holds nothing but memory."""

    def solutions(self) -> Iterator[Moves]:
        """Yield the sequences, each as legal moves from the deal."""
        return islice(self._sequences(), self.most)

    def _check_memory(self, more: int) -> None:
        if self._bytes + more * 2 * _STATE_BYTES > self.memory:
            raise OutOfBudget

    def _sequences(self) -> Iterator[Moves]:
        made: list[Move] = []
        # By level, the choices left to try; a generator for each would call through all of them.
        stack: list[Iterator[Choice | tuple[None, int, Position]]] = [
            iter([(None, 0, self.codec.deal.position)])
        ]
        while stack:
            choice = next(stack[-1], None)
            if choice is None:
                stack.pop()
                if len(stack) > 1:
                    made.pop()
                continue
            move, row, position = choice
            if move is not None:
                made.append(move)
            if len(made) < self.length:
                stack.append(iter(self._choices(len(made), row, position)))
                continue
            if not position.is_goal():
                raise InternalError("a sequence does not end at the goal")
            yield tuple(made)
            if made:
                made.pop()

    def _choices(self, depth: int, row: int, position: Position) -> list[Choice]:
        """Return the moves, with the states they lead to, from a kept state with this position."""
        key = (depth, row, position)
        if key not in self._choices_of:
            if len(self._choices_of) >= _REMEMBERED:
                self._choices_of.clear()
            self._choices_of[key] = list(self._leading_choices(*key))
        return self._choices_of[key]

    def _leading_choices(self, depth: int, row: int, position: Position) -> Iterator[Choice]:
        found, made = np.empty(MAX_MOVES, np.int64), np.empty(MAX_MOVES, np.uint16)
        source = self._kept[depth].rows[row]
        count = leading_moves(self.codec.tables, self._kept[depth + 1], source, found, made)
        for number in range(count):
            card, place = int(made[number]) >> 3, int(made[number]) & 7
            move = legal_move(self.codec, position, (self.codec.card(card), place))
            if move is None:
                raise InternalError(f"move {depth + 1} of a sequence is not legal")
            yield move, int(found[number]), position.apply(move)


class _Level:
    """A level that is looked through for states that lead to the kept ones of the next."""

    def __init__(self, rows: Iterator[tuple[Words, Words]], following: Index) -> None:
        self.rows = rows
        self.following = following
        self.leading = [np.empty((0, STATE), np.uint64)]
        self.count = 0

    def look_at_more(self, codec: StateCodec, most: int | None) -> bool:
        """Look at some states; return False if there are none any more."""
        rows, _ = next(self.rows, (None, None))
        if rows is None:
            return False
        found, made = np.empty(MAX_MOVES, np.int64), np.empty(MAX_MOVES, np.uint16)
        marks = np.zeros(rows.shape[0], np.bool_)
        mark_leading(codec.tables, self.following, rows, found, made, marks)
        self.leading.append(rows[marks])
        self.count += self.leading[-1].shape[0]
        if most is not None and self.count > most + _SORT:
            self.leading = [_first(np.concatenate(self.leading), most)]
            self.count = most
        return True


def _first(rows: Words, most: int | None) -> Words:
    """Return the lowest of these states, ``most`` of them at most, in order."""
    return np.ascontiguousarray(rows[np.lexsort(rows.T[::-1])[:most]])
