"""Partitions of a search by cost layers: ranges of progress, of which memory holds as many as it can.

A partition that is *resident* keeps the states it has looked at in shards, one for each thread.  A *frozen* one keeps nothing:
its closed states are in the store, what waits is too, as candidates.  Candidates never lead to lower progress, so within
a layer the partitions are worked through once, in ascending order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.shards import (
    BURST,
    COUNT,
    DONE,
    EVALUATED,
    GOAL_ROW,
    IS_CLOSED,
    ROW,
    TODO,
    Shard,
    make_shard,
    rehash,
    shards_of,
)
from dbmsolver.errors import InternalError
from dbmsolver.search.rows import Rows

_OUTGOING = 1 << 18
_FIRST_SLOTS = 1 << 16
NO_CEILING = 1 << 30


@dataclass(eq=False, slots=True)
class ShardQueue:
    """A shard with what waits for it."""

    number: int
    shard: Shard
    inbox: list[Rows] = field(default_factory=list)
    waiting: dict[int, list[NDArray[np.uint32]]] = field(default_factory=dict)
    flushed: int = 0
    received: int = 0  # candidates, and how many of them have been looked at
    taken: int = 0

    @property
    def work(self) -> int:
        """Rows to expand and candidates to look at in this layer."""
        return int(self.shard.state[TODO]) + sum(len(rows) for rows in self.inbox)

    @property
    def rows(self) -> Rows:
        """The states it has looked at."""
        return self.shard.rows[: int(self.shard.state[COUNT])]

    @property
    def nbytes(self) -> int:
        """Memory it takes, scratch aside."""
        return (
            int(self.shard.state[COUNT]) * 8 * (ROW + 1)
            + self.shard.table.nbytes
            + sum(rows.nbytes for chunks in self.waiting.values() for rows in chunks)
            + sum(rows.nbytes for rows in self.inbox)
        )

    @property
    def unclosed(self) -> int:
        """States looked at that are not closed."""
        return int(np.count_nonzero((self.rows[:, 4] & IS_CLOSED) == 0))

    def receive(self, rows: Rows) -> None:
        """Put candidates into the inbox."""
        self.received += rows.shape[0]
        self.inbox.append(rows)

    def check_books(self) -> None:
        """Every candidate received must be in the inbox or have been looked at; InternalError if not."""
        waiting = sum(rows.shape[0] for rows in self.inbox)
        if self.received != self.taken + waiting:
            raise InternalError(
                f"the books do not balance: of {self.received} candidates {self.taken} were looked at, "
                f"{waiting} wait"
            )

    def table_is_full(self) -> bool:
        """Whether a burst might not fit."""
        return 4 * (int(self.shard.state[COUNT]) + BURST) > 3 * self.shard.table.size

    def enlarge_table(self) -> None:
        """Keep the table at most half full."""
        count = int(self.shard.state[COUNT])
        slots = self.shard.table.size
        if 2 * (count + BURST) > slots:
            self.rebuild_table()

    def rebuild_table(self) -> None:
        """Make the table anew, at most half full, with all rows in it: after rows were put in by hand."""
        count = int(self.shard.state[COUNT])
        slots = self.shard.table.size
        while 2 * (count + BURST) > slots:
            slots *= 2
        self.shard = self.shard._replace(table=np.zeros(slots, np.uint64))
        rehash(self.shard.rows, count, self.shard.table)

    def add_closed(self, rows: Rows) -> bool:
        """Put closed states in, but not yet into the table; whether there was room."""
        count = int(self.shard.state[COUNT])
        if count + rows.shape[0] + 2 * BURST > self.shard.rows.shape[0]:
            return False
        self.shard.rows[count : count + rows.shape[0]] = rows
        self.shard.rows[count : count + rows.shape[0], 4] |= IS_CLOSED
        self.shard.state[COUNT] = count + rows.shape[0]
        return True

    def fresh_closed(self) -> Rows:
        """States expanded since the last call."""
        first, self.flushed = self.flushed, int(self.shard.state[DONE])
        return self.shard.rows[self.shard.done[first : self.flushed]]


@dataclass(eq=False, slots=True)
class Partition:
    """States with a progress from ``low`` up to, not including, ``high``.

    ``candidates`` wait for a layer: rows, or the keys of their records in the store.
    """

    low: int
    high: int
    parts: list[ShardQueue] | None = None
    candidates: dict[int, list[Rows | bytes]] = field(default_factory=dict)
    closed: int = -1  # the last layer that is closed here
    evaluated_before: int = 0  # in shards it had, and has no more

    @property
    def layers(self) -> set[int]:
        """Layers that something waits for."""
        waiting = {layer for part in self.parts or () for layer in part.waiting}
        return waiting | set(self.candidates)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return sum(part.nbytes for part in self.parts or ()) + self.candidate_bytes

    @property
    def candidate_bytes(self) -> int:
        """Memory of the candidates that are not in the store."""
        return sum(
            rows.nbytes
            for chunks in self.candidates.values()
            for rows in chunks
            if not isinstance(rows, bytes)
        )

    @property
    def pending(self) -> int:
        """Candidates that wait in memory."""
        return sum(
            part.work + sum(rows.size for chunks in part.waiting.values() for rows in chunks)
            for part in self.parts or ()
        ) + self.candidate_bytes // (8 * ROW)

    def open(self, shards: int, memory: int) -> list[ShardQueue]:
        """Empty shards for the partition, with room for what ``memory`` bytes hold."""
        self.drop()
        room = max(memory // (shards * 8 * (ROW + 2)), 4 * BURST)
        away = min(_OUTGOING, max(room // 4, 2 * BURST))
        self.parts = [
            ShardQueue(number, make_shard(room, _FIRST_SLOTS, away)) for number in range(shards)
        ]
        for part in self.parts:
            part.shard.state[GOAL_ROW] = -1
        return self.parts

    def drop(self) -> None:
        """Do without its shards, if it has any."""
        for part in self.parts or ():
            part.check_books()
        self.evaluated_before = self.evaluated
        self.parts = None

    def distribute(self, rows: Rows) -> None:
        """Put candidates into the inboxes of their shards."""
        assert self.parts is not None
        owners = shards_of(rows, len(self.parts))
        for part in self.parts:
            mine = rows[owners == part.number]
            if mine.shape[0]:
                part.receive(mine)

    @property
    def evaluated(self) -> int:
        """States looked at here, each time they were."""
        now = sum(int(part.shard.state[EVALUATED]) for part in self.parts or ())
        return self.evaluated_before + now
