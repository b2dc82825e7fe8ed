"""Beam search: a solution that is short, without a proof, in little time.

States are expanded level by level, by the number of moves made. Of each level only the most
promising states are kept, as many as the beam is wide. Promising is a low bound on the moves to
come, and, if asked for, few cards that are held back: in freecells; or face down, in the stock or
the reserve. States that cannot be part of a solution shorter than a given length are dropped. So
the first solution met is shorter than that; with a beam of some thousand states it is a shortest
one for most deals.

The kernels are those of the search by cost layers. With the weight 0 a layer is a level.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError
from dbmsolver.kernels.layers import expand_layer, insert_candidates, rate_rows, requeue
from dbmsolver.kernels.shards import (
    BUFFER,
    CEILING,
    COUNT,
    EVALUATED,
    GOAL_ROW,
    NO_CEILING,
    TODO,
    make_shard,
)
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.astar.partitions import ShardQueue
from dbmsolver.search.trace import Step, with_turns

BYTES = 96
"""Memory of a state that a beam has looked at: its row, its share of the hash table, its places in
the lists of rows.
"""
_LATER = 1 << 18
_SLOTS = 1 << 14
_STOP = 1 << 13
"""States that are expanded between two looks at limits and signals."""

Places = NDArray[np.uint32]
"""Numbers of rows."""


class BeamShape(NamedTuple):
    """The settings of a beam."""

    width: int
    """States that are expanded in a level."""
    held_back: int = 0
    """The weight of a card that is held back against a state; that of a move to come is 2."""


class Beam:
    """A beam search from the deal; it finds `steps`, if it finds a solution.

    A solution has to be shorter than ``ceiling`` moves. The beam gives up when it has looked at
    ``room`` states that may be part of one; ``gave_up`` is True then. ``is_over`` is True after the
    last step.
    """

    def __init__(
        self, codec: StateCodec, shape: BeamShape, room: int, ceiling: int = NO_CEILING
    ) -> None:
        self.codec = codec
        self.shape = shape
        self.steps: list[Step] | None = None
        self.gave_up = False
        self.is_over = False
        self.level = 0
        self._bound = codec.bounds
        self._queue = ShardQueue(
            0, codec.tables, make_shard(codec.tables, room + 2 * BUFFER, _SLOTS, _LATER)
        )
        self._queue.shard.state[CEILING] = ceiling
        self._random = np.random.default_rng(shape.width)
        root = np.array([[*codec.root, codec.root_code]], np.uint64)
        insert_candidates(*self._constants(), root, 0)

    @property
    def looked_at(self) -> int:
        """The states looked at, those that were dropped included."""
        return int(self._queue.shard.state[EVALUATED])

    def step(self) -> bool:
        """Expand some states of the level; return True once the beam is over."""
        state = self._queue.shard.state
        if state[GOAL_ROW] >= 0:
            self.steps = self._path()
            self.is_over = True
        elif state[TODO]:
            has_room = self._expand()
            self.is_over = self.gave_up = bool(not has_room and state[GOAL_ROW] < 0)
        elif waiting := self._queue.waiting:
            self.level = min(waiting)
            self._begin_level(np.concatenate(waiting.pop(self.level)))
        else:
            self.is_over = True
        return self.is_over

    def _constants(self) -> tuple[object, ...]:
        tables = self.codec.tables
        return tables, self._bound, self._queue.shard, self.level, 0, self.codec.locked

    def _expand(self) -> bool:
        """Expand some states of the level; return True if there is room for more."""
        self._queue.enlarge_table()
        expand_layer(*self._constants(), 0, 1, NO_CEILING, _STOP)
        self._queue.sort_later(NO_CEILING)
        shard = self._queue.shard
        return bool(shard.state[COUNT] + BUFFER <= shard.rows.shape[0])

    def _begin_level(self, found: Places) -> None:
        """Begin a level with the rows that were ``found`` for it.

        Compute the full bound of each state. Drop those that are on no solution below the ceiling.
        Keep the best of the rest, as many as the beam is wide.
        """
        shard, first = self._queue.shard, 0
        while first < found.size and shard.state[GOAL_ROW] < 0:
            self._queue.enlarge_table()
            first = int(requeue(*self._constants(), found, first))
        if shard.state[GOAL_ROW] >= 0:
            return
        kept = shard.todo[: int(shard.state[TODO])]
        rates = np.empty((kept.size, 2), np.int64)
        rate_rows(self.codec.tables, self._queue.rows, kept, rates)
        useful = rates[:, 0] < shard.state[CEILING]
        kept, rates = kept[useful], rates[useful]
        if kept.size > self.shape.width:
            cost = self._random.random((kept.size,))  # equal states come in any order
            cost += 2.0 * rates[:, 0] + self.shape.held_back * rates[:, 1]
            # Which come first among the lowest depends on the processor; in order, it does not.
            lowest = np.sort(np.argpartition(cost, self.shape.width)[: self.shape.width])
            kept = kept[lowest]
        shard.todo[: kept.size] = kept
        shard.state[TODO] = kept.size

    def _path(self) -> list[Step]:
        """Return the steps from the deal to the goal."""
        codec = self.codec
        assert self._queue.goal is not None
        state, code = self._queue.goal
        steps: list[Step] = []
        while state != codec.root:
            steps.append(codec.step(state, code))
            state = codec.parent(state, code)
            found = self._queue.code_of(state)
            if found is None:
                raise InternalError("a parent is missing among the states of a beam")
            code = found
        played = with_turns(codec, steps[::-1])
        if played is None:
            raise InternalError("a solution that a beam has found cannot be played")
        return played


def room_for(memory: int, most: int | None = None) -> int:
    """Return the number of states that a beam can look at in ``memory`` bytes.

    It is no larger than ``most``, the limit of states, if there is one.
    """
    room = max(memory // BYTES, 4 * BUFFER)
    return room if most is None else min(room, most)
