"""Beam search: a solution that is short, without a proof, in little time.

States are expanded level by level, by the number of moves made. Of each level only the most
promising states are kept, as many as the beam is wide. Promising is a low bound on the moves to
come, and, if asked for, few cards in freecells. States that cannot be part of a solution shorter
than a given length are dropped. So the first solution met is shorter than that; with a beam of
some thousand states it is a shortest one for most deals.

The kernels are those of the search by cost layers. With the weight 0 a layer is a level.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError
from dbmsolver.kernels.hooks import undo_code
from dbmsolver.kernels.layers import expand_layer, insert_candidates, requeue
from dbmsolver.kernels.meta import CODE_MASK, META
from dbmsolver.kernels.shards import (
    BURST,
    CEILING,
    COUNT,
    EVALUATED,
    GOAL_ROW,
    NO_CEILING,
    TODO,
    make_shard,
    take_later,
)
from dbmsolver.kernels.states import HIGH, LOW, OFF, SIGNATURE
from dbmsolver.kits.states import State, StateCodec
from dbmsolver.search.astar.partitions import ShardQueue
from dbmsolver.search.rows import Rows, layers_of
from dbmsolver.search.trace import Step

BYTES = 96
"""Memory of a state that a beam has looked at: its row, its share of the hash table, its places in
the lists of rows.
"""
_LATER = 1 << 18
_SLOTS = 1 << 14
_STOP = 1 << 13
"""States that are expanded between two looks at limits and signals."""
_BITS = np.array([byte.bit_count() for byte in range(256)], np.uint8)


class BeamShape(NamedTuple):
    """The settings of a beam."""

    width: int
    """States that are expanded in a level."""
    cells: int = 0
    """The weight of a card in a freecell against a state; that of a move to come is 2.

    In Klondike and its relatives, which have none, 1 makes the moves to come count double.
    """


class AnyBeam(Protocol):
    """A beam of any family of games."""

    steps: list[Step] | None
    """The solution that it has found, if it has."""

    @property
    def gave_up(self) -> bool:
        """True if the beam ended for want of room."""

    @property
    def looked_at(self) -> int:
        """The states looked at, those that were dropped included."""

    def step(self) -> bool:
        """Search for a moment; return True once the beam is over."""


class Beam:
    """A beam search from the deal; it finds `steps`.

    A solution has to be shorter than ``ceiling`` moves. The beam gives up when it has looked at
    ``room`` states that may be part of one; ``gave_up`` is True then.
    """

    def __init__(
        self, codec: StateCodec, shape: BeamShape, room: int, ceiling: int = NO_CEILING
    ) -> None:
        self.codec = codec
        self.shape = shape
        self.steps: list[Step] | None = None
        self.gave_up = False
        self.level = 0
        self._bound = codec.bounds
        self._queue = ShardQueue(
            0, codec.tables, make_shard(codec.tables, room + 2 * BURST, _SLOTS, _LATER)
        )
        self._queue.shard.state[CEILING] = ceiling
        self._starts = [0]  # the first row of each level, but for what free moves have led to
        self._random = np.random.default_rng(shape.width)
        self._found: list[NDArray[np.uint32]] = []  # rows of the next level
        root = np.array([[*codec.root, codec.root_code]], np.uint64)
        insert_candidates(*self._constants(), root, 0)
        self._starts.append(int(self._queue.shard.state[COUNT]))

    @property
    def looked_at(self) -> int:
        """The states looked at, those that were dropped included."""
        return int(self._queue.shard.state[EVALUATED])

    def step(self) -> bool:
        """Expand some states of the level; return True once the beam is over."""
        if self._level_is_over() and not self._begin_level():
            return True
        self.gave_up = not self._expand()
        return self.gave_up

    def _begin_level(self) -> bool:
        """Go on to the next level; return False, with the steps to the goal if it is met."""
        self.level += 1
        if self._queue.shard.state[GOAL_ROW] < 0:
            self._look_at(np.concatenate(self._found) if self._found else np.empty(0, np.uint32))
        if self._level_is_over():
            if self._queue.shard.state[GOAL_ROW] >= 0:
                self.steps = self._path()
            return False
        self._found = []
        self._starts.append(int(self._queue.shard.state[COUNT]))
        return True

    def _constants(self) -> tuple[object, ...]:
        tables = self.codec.tables
        return tables, self._bound, self._queue.shard, self.level, 0, self.codec.locked

    def _level_is_over(self) -> bool:
        """Return True if the goal is met, or no state of the level is left to expand."""
        state = self._queue.shard.state
        return bool(state[GOAL_ROW] >= 0 or not state[TODO])

    def _expand(self) -> bool:
        """Expand some states of the level; return True if there is room for more."""
        self._queue.enlarge_table()
        expand_layer(*self._constants(), 0, 1, NO_CEILING, _STOP)
        self._found.append(take_later(self._queue.shard)[0])
        shard = self._queue.shard
        return bool(shard.state[COUNT] + BURST <= shard.rows.shape[0])

    def _look_at(self, found: NDArray[np.uint32]) -> None:
        """Work out the whole bound of the level's states, and keep the best.

        Those that cannot be part of a solution are left out.
        """
        state = self._queue.shard.state
        first = 0
        while first < found.size and state[GOAL_ROW] < 0:
            self._queue.enlarge_table()
            first = int(requeue(*self._constants(), found, first))
        if state[GOAL_ROW] >= 0:
            return
        todo = self._queue.shard.todo[: int(state[TODO])]
        rows = self._queue.rows[todo]
        kept = todo[layers_of(rows[:, META], 1) < state[CEILING]]
        if kept.size > self.shape.width:
            cost = self._cost(self._queue.rows[kept])
            # Which come first among the lowest depends on the processor; in order, it does not.
            lowest = np.sort(np.argpartition(cost, self.shape.width)[: self.shape.width])
            kept = kept[lowest]
        self._queue.shard.todo[: kept.size] = kept
        state[TODO] = kept.size

    def _cost(self, rows: Rows) -> NDArray[np.float64]:
        """Return the cost of each state of one level, float64[states]: the lowest are kept.

        Equal states come in any order.
        """
        cost: NDArray[np.float64] = self._random.random((rows.shape[0],))
        cost += 2.0 * layers_of(rows[:, META], 1)
        if self.shape.cells:
            parked = np.ascontiguousarray(rows[:, OFF] & ~rows[:, LOW])
            bits = _BITS[parked.view(np.uint8)].reshape(-1, 8)
            cost += self.shape.cells * bits.sum(axis=1, dtype=np.int64)
        return cost

    def _path(self) -> list[Step]:
        """Return the steps from the deal to the goal.

        A state's parent is a row of the level before, or of its own level after a free move.
        """
        codec, rows = self.codec, self._queue.rows
        row = rows[int(self._queue.shard.state[GOAL_ROW])]
        steps: list[Step] = []
        free = codec.measure.has_free_moves
        while tuple(row[:META].tolist()) != codec.root:
            level = int(layers_of(row[None, META], 0)[0])
            state, code = State(*row[:META].tolist()), int(row[META] & CODE_MASK)
            steps.append(codec.step(state, code))
            parent = undo_code(codec.tables, *row[:META], code)
            first = self._starts[max(level - 1, 0)]
            last = level + 2 if free else level
            end = self._starts[last] if last < len(self._starts) else rows.shape[0]
            before = rows[first:end]
            same = np.ones(before.shape[0], np.bool_)
            for column in (SIGNATURE, OFF, LOW, HIGH):
                same &= before[:, column] == np.uint64(parent[column])
            found = np.flatnonzero(same)
            if found.size != 1:
                raise InternalError(f"a parent is missing before level {level} of a beam")
            row = before[found[0]]
        return steps[::-1]


def room_for(memory: int) -> int:
    """Return the number of states that a beam can look at in ``memory`` bytes."""
    return max(memory // BYTES, 4 * BURST)
