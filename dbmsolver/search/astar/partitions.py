"""Partitions of a search by cost layers: ranges of progress, some of them in memory.

A partition that is *loaded* keeps the states it has looked at in shards, one for each thread. One
that is not keeps no state in memory: its closed states are in the store, and so are its candidates.
Candidates never lead to lower progress, so within a layer the partitions are closed once, in
ascending order.
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
    IS_CLOSED,
    META,
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
"""Candidates that can leave a shard before they are sent."""
_FIRST_SLOTS = 1 << 16


@dataclass(eq=False, slots=True)
class ShardQueue:
    """A shard with what waits for it.

    All of it belongs to the layer that is being closed, but for the rows in ``waiting``.
    """

    number: int  # of the shard
    shard: Shard
    inbox: list[Rows] = field(default_factory=list)  # candidates not looked at
    waiting: dict[int, list[NDArray[np.uint32]]] = field(default_factory=dict)  # by layer
    flushed: int = 0  # of the closed states, how many have been handed over
    received: int = 0  # candidates
    looked_at: int = 0  # of these candidates

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
            + sum(rows.nbytes for batches in self.waiting.values() for rows in batches)
            + sum(rows.nbytes for rows in self.inbox)
        )

    @property
    def unclosed(self) -> Rows:
        """States looked at that are not closed."""
        rows: Rows = self.rows[(self.rows[:, META] & IS_CLOSED) == 0]
        return rows

    def receive(self, rows: Rows) -> None:
        """Put candidates into the inbox."""
        self.received += rows.shape[0]
        self.inbox.append(rows)

    def check_books(self) -> None:
        """Check that every candidate received is in the inbox or was looked at; InternalError."""
        waiting = sum(rows.shape[0] for rows in self.inbox)
        if self.received != self.looked_at + waiting:
            raise InternalError(
                f"the books do not balance: of {self.received} candidates {self.looked_at} "
                f"were looked at, {waiting} wait"
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
        """Make the table anew, at most half full, with all rows in it, also those just added."""
        count = int(self.shard.state[COUNT])
        slots = self.shard.table.size
        while 2 * (count + BURST) > slots:
            slots *= 2
        self.shard = self.shard._replace(table=np.zeros(slots, np.uint64))
        rehash(self.shard.rows, count, self.shard.table)

    def add_closed(self, rows: Rows) -> bool:
        """Add closed states, but not yet to the table; whether there was room."""
        count = int(self.shard.state[COUNT])
        if count + rows.shape[0] + 2 * BURST > self.shard.rows.shape[0]:
            return False
        self.shard.rows[count : count + rows.shape[0]] = rows
        self.shard.rows[count : count + rows.shape[0], META] |= IS_CLOSED
        self.shard.state[COUNT] = count + rows.shape[0]
        return True

    def fresh_closed(self) -> Rows:
        """States expanded since the last call."""
        first, self.flushed = self.flushed, int(self.shard.state[DONE])
        return self.shard.rows[self.shard.done[first : self.flushed]]


@dataclass(eq=False, slots=True)
class Partition:
    """States with a progress from ``low`` up to, not including, ``high``.

    ``candidates`` are by layer: rows, or the keys of their records in the store.
    """

    low: int
    high: int
    queues: list[ShardQueue] | None = None  # None if it is not loaded
    candidates: dict[int, list[Rows | bytes]] = field(default_factory=dict)
    closed: int = -1  # the last layer that is closed here
    evaluated_before: int = 0  # states looked at while it was loaded before

    @property
    def layers(self) -> set[int]:
        """Layers that something waits for."""
        waiting = {layer for queue in self.queues or () for layer in queue.waiting}
        return waiting | set(self.candidates)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return sum(queue.nbytes for queue in self.queues or ()) + self.candidate_bytes

    @property
    def candidate_bytes(self) -> int:
        """Memory of the candidates that are not in the store."""
        return sum(
            rows.nbytes
            for batches in self.candidates.values()
            for rows in batches
            if not isinstance(rows, bytes)
        )

    @property
    def pending(self) -> int:
        """Candidates that wait in memory."""
        return sum(
            queue.work + sum(rows.size for batches in queue.waiting.values() for rows in batches)
            for queue in self.queues or ()
        ) + self.candidate_bytes // (8 * ROW)

    def open(self, shards: int, memory: int) -> list[ShardQueue]:
        """Load the partition with empty shards, which have room for what ``memory`` bytes hold."""
        self.unload()
        room = max(memory // (shards * 8 * (ROW + 2)), 4 * BURST)
        outgoing = min(_OUTGOING, max(room // 4, 2 * BURST))
        self.queues = [
            ShardQueue(number, make_shard(room, _FIRST_SLOTS, outgoing)) for number in range(shards)
        ]
        return self.queues

    def unload(self) -> None:
        """Give up its shards, if it is loaded."""
        for queue in self.queues or ():
            queue.check_books()
        self.evaluated_before = self.evaluated
        self.queues = None

    def distribute(self, rows: Rows) -> None:
        """Put candidates into the inboxes of their shards."""
        assert self.queues is not None
        owners = shards_of(rows, len(self.queues))
        for queue in self.queues:
            mine = rows[owners == queue.number]
            if mine.shape[0]:
                queue.receive(mine)

    @property
    def evaluated(self) -> int:
        """States looked at here, each time they were."""
        now = sum(int(queue.shard.state[EVALUATED]) for queue in self.queues or ())
        return self.evaluated_before + now
