"""Partitions of a search by cost layers: ranges of slices, some of them in memory.

A slice is a part of a stratum, by a hash of signatures (:func:`dbmsolver.kernels.shards.slice_of`).

A partition that is *loaded* keeps the states it has looked at in shards, one for each thread. One
that is not keeps no state in memory: its closed states are in the store, and so are its candidates.
Candidates stay in their slice or lead to one of a higher stratum, so within a layer the partitions
are closed once, in ascending order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.arrays import zeros
from dbmsolver.errors import InternalError
from dbmsolver.kernels.closed_rows import closed_code
from dbmsolver.kernels.layers import order_todo
from dbmsolver.kernels.meta import CODE_MASK, IS_STORED
from dbmsolver.kernels.shards import (
    BUFFER,
    COUNT,
    DONE,
    EVALUATED,
    FIRST_LENT,
    GOAL_ROW,
    IN_HURRY,
    LATER,
    NOWHERE,
    ROW,
    SLICES,
    TODO,
    Shard,
    bytes_of_row,
    count_slices,
    find_unstored,
    hold_closed,
    lend_rows,
    make_shard,
    mark_rows,
    read_rows,
    rehash,
    shards_of,
    slices_of,
    take_later,
    take_rows,
)
from dbmsolver.kits.states import State
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.search.rows import Rows

_OUTGOING = 1 << 18
"""Candidates that can leave a shard before they are sent."""
_FIRST_SLOTS = 1 << 16
_NO_TABLE = np.zeros(1, np.uint32)
_LEAST_LENT = 1 << 9
"""The fewest rows to expand of which half are lent."""
MOST_PART = 1 << 20
"""The most rows that are packed or loaded in one go."""
_PARTS = 8
_LEAST_PART = 1 << 16
"""Rows are packed in eight parts of all that there is room for, but in parts of no fewer rows."""


@dataclass(eq=False, slots=True)
class Loan:
    """Rows of a shard, by their numbers, that the thread of another one, the borrower, expands."""

    lender: ShardQueue
    numbers: NDArray[np.uint32]
    first: int  # row of the borrower with a copy


@dataclass(eq=False, slots=True)
class ShardQueue:
    """A shard with what waits for it.

    All of it belongs to the layer that is being closed, but for the rows in ``waiting``.
    """

    number: int  # of the shard
    tables: Any  # the deal's
    shard: Shard
    incoming: list[Rows] = field(default_factory=list)  # candidates not looked at
    waiting: dict[int, list[NDArray[np.uint32]]] = field(default_factory=dict)  # by layer
    received: int = 0  # candidates
    looked_at: int = 0  # of these candidates
    loans: list[Loan] = field(default_factory=list)  # rows of other shards, the last ones lent last

    @property
    def work(self) -> int:
        """Rows to expand and candidates to look at in this layer."""
        return int(self.shard.state[TODO]) + self.arrived

    @property
    def arrived(self) -> int:
        """Candidates that have come to the shard, and have not been looked at."""
        return sum(len(rows) for rows in self.incoming)

    @property
    def uncounted(self) -> int:
        """The number of states that are closed and not counted: 0 when a layer begins."""
        return int(self.shard.state[DONE])

    @property
    def rows(self) -> NDArray[Any]:
        """The states it has looked at, as they are held."""
        return self.shard.rows[: int(self.shard.state[COUNT])]

    @property
    def nbytes(self) -> int:
        """Memory it takes, scratch aside."""
        return (
            int(self.shard.state[COUNT]) * (bytes_of_row(self.tables) + 8)
            + self.shard.table.nbytes
            + sum(rows.nbytes for batches in self.waiting.values() for rows in batches)
            + sum(rows.nbytes for rows in self.incoming)
        )

    def states(self, numbers: NDArray[Any]) -> Rows:
        """Return rows, by their numbers, as candidates are."""
        found = np.empty((numbers.size, ROW), np.uint64)
        read_rows(self.tables, self.shard.rows, numbers.astype(np.uint32), found)
        return found

    @property
    def goal(self) -> tuple[State, int] | None:
        """The won state that the shard has met, with its parent-move code; None before that."""
        number = int(self.shard.state[GOAL_ROW])
        if number < 0:
            return None
        *state, meta = self.states(np.array([number]))[0].tolist()
        return State(*state), meta & int(CODE_MASK)

    def code_of(self, state: State) -> int | None:
        """Return the parent-move code of a closed state; None if the shard has not closed it."""
        wanted = np.array([[*state, 0]], np.uint64)
        code = int(closed_code(self.tables, self.shard.rows, self.shard.table, wanted))
        return code if code >= 0 else None

    def mark_stored(self, numbers: NDArray[Any]) -> None:
        """Note that rows, given by their numbers, are in the store as they are."""
        mark_rows(self.tables, self.shard.rows, numbers.astype(np.uint32), IS_STORED)

    def unstored(self, weight: int, *, closed: bool) -> Iterator[tuple[int, NDArray[np.uint32]]]:
        """Yield (layer, row numbers) of the rows that the store does not have, in ascending layers.

        They are the closed rows, or the open ones. The layer is g + ``weight`` * h. One with many
        rows comes several times, each time with some of them: packing a row takes memory.
        """
        found, layers = np.empty(len(self.rows), np.uint32), np.empty(len(self.rows), np.uint16)
        count = int(find_unstored(self.tables, self.rows, weight, closed, found, layers))
        found, layers = found[:count], layers[:count]
        size = min(max(len(self.shard.rows) // _PARTS, _LEAST_PART), MOST_PART)
        for layer in np.unique(layers).tolist():
            numbers = found[layers == layer]
            for first in range(0, numbers.size, size):
                yield layer, numbers[first : first + size]

    def count_slices(self, locked: int, counts: NDArray[np.int64]) -> None:
        """Count its states by slice; ``locked`` is the number of cards locked at first."""
        count_slices(self.tables, self.rows, locked, counts)

    def receive(self, rows: Rows) -> None:
        """Take candidates to be looked at."""
        self.received += rows.shape[0]
        self.incoming.append(rows)

    def order_todo(self) -> None:
        """Order the rows to expand in this layer: those likely to be near the goal come first."""
        count = int(self.shard.state[TODO])
        order_todo(self.tables, self.shard, np.empty(count, np.uint32), np.empty(count, np.uint16))

    def hurry(self, others_wait: bool) -> None:
        """Let rounds be short, one that has begun included, if ``others_wait`` for work."""
        self.shard.state[IN_HURRY] = others_wait

    def lend_to(self, other: ShardQueue) -> bool:
        """Lend half of the rows to expand to another shard; return True if it is done.

        It is not if they are few, or if the other one has enough to do, or no room. No thread works
        on either of them. Afterwards both may be worked on, until :meth:`settle`.
        """
        count = int(self.shard.state[TODO])
        if count < max(_LEAST_LENT, 2 * other.work) or not other.has_room_for(count):
            return False
        numbers = np.empty(count // 2, np.uint32)
        first = int(other.shard.state[FIRST_LENT]) - numbers.size
        copies = other.shard.rows[first : first + numbers.size]
        taken = int(lend_rows(self.tables, self.shard, copies, numbers))
        other.loans.append(Loan(self, numbers[:taken], first))
        other.shard.state[FIRST_LENT] = first
        other.add_todo(np.arange(first, first + taken, dtype=np.uint32))
        return True

    def settle(self) -> None:
        """Give back the rows that other shards have lent to this one.

        These shards count the rows that are expanded, and have to expand the rest. No thread works
        on any shard.
        """
        if not self.loans:
            return
        left = self._without_lent(self.shard.todo, TODO)
        self._without_lent(self.shard.done, DONE)
        rows = self.shard.rows
        for loan in self.loans:
            size, lender = loan.numbers.size, loan.lender
            lender.shard.rows[loan.numbers] = rows[loan.first : loan.first + size]
            is_left = np.isin(np.arange(loan.first, loan.first + size), left)
            lender.add_todo(loan.numbers[is_left])
            lender.add_done(loan.numbers[~is_left])
        self.loans.clear()
        self.shard.state[FIRST_LENT] = rows.shape[0]

    def _without_lent(self, numbers: NDArray[np.uint32], column: int) -> NDArray[np.uint32]:
        """Take the rows of other shards out of those to expand, or of those expanded; return them.

        ``column`` of the shard's state says how many ``numbers`` there are.
        """
        state = self.shard.state
        some = numbers[: int(state[column])]
        is_lent = some >= state[FIRST_LENT]
        lent: NDArray[np.uint32] = some[is_lent]
        own = some[~is_lent]
        numbers[: own.size] = own
        state[column] = own.size
        return lent

    def add_todo(self, numbers: NDArray[np.uint32]) -> None:
        """Let rows, given by their numbers, be expanded in this layer, before the others."""
        todo, state = self.shard.todo, self.shard.state
        if int(state[TODO]) + numbers.size > todo.size:  # a row may be there more than once
            others = np.unique(todo[: int(state[TODO])])
            todo[: others.size] = others
            state[TODO] = others.size
        self._add(todo, TODO, numbers)

    def add_done(self, numbers: NDArray[np.uint32]) -> None:
        """Note that rows, given by their numbers, are expanded, and not counted yet."""
        self._add(self.shard.done, DONE, numbers)

    def _add(self, array: NDArray[np.uint32], column: int, numbers: NDArray[np.uint32]) -> None:
        """Add numbers to an array of the shard; ``column`` of its state says how many it has."""
        first = int(self.shard.state[column])
        array[first : first + numbers.size] = numbers
        self.shard.state[column] = first + numbers.size

    def many_wait(self) -> bool:
        """Return True if it is time to sort the rows that have come to wait for higher layers."""
        return 2 * int(self.shard.state[LATER]) > self.shard.later.size

    def sort_later(self, ceiling: int) -> None:
        """Give rows that have come to wait for higher layers to these; not from ``ceiling`` on."""
        rows, layers = take_later(self.shard)
        if not layers.size:
            return
        rows = rows[np.argsort(layers, kind="stable")]  # faster than a mask for each layer
        counts = np.bincount(layers)
        ends = np.cumsum(counts)
        for layer in np.flatnonzero(counts).tolist():
            if layer < ceiling:  # each has memory of its own, and gives it back when it is closed
                some = rows[ends[layer] - counts[layer] : ends[layer]].copy()
                self.waiting.setdefault(layer, []).append(some)

    def check_none_lost(self) -> None:
        """Raise InternalError unless every candidate received waits or was looked at."""
        if self.received != self.looked_at + self.arrived:
            raise InternalError(
                f"internal check failed: of {self.received} candidates {self.looked_at} "
                f"were looked at, {self.arrived} wait"
            )

    def table_is_full(self) -> bool:
        """Return True if the table may be too small for the rows of a full buffer."""
        return self._slots_wanted() > self.shard.table.size

    def enlarge_table(self) -> None:
        """Make sure that a full buffer fits into the table. It is at most three quarters full."""
        if self.table_is_full():
            self.rebuild_table()

    def rebuild_table(self) -> None:
        """Make the table anew with all rows in it, also those just added."""
        slots = self._slots_wanted()
        self.shard = self.shard._replace(table=_NO_TABLE)  # makes room for the new one
        self.shard = self.shard._replace(table=zeros(slots, np.uint32))
        shard = self.shard
        rehash(self.tables, shard.rows, int(shard.state[COUNT]), shard.table, shard.starts)

    def _slots_wanted(self) -> int:
        """Return how many slots a table needs for a full buffer, no fewer than it has now."""
        slots = self.shard.table.size
        while 4 * (int(self.shard.state[COUNT]) + BUFFER) > 3 * slots:
            slots *= 2
        return slots

    def is_crowded(self) -> bool:
        """Return True if there is room for few more states."""
        count = int(self.shard.state[COUNT])
        return bool(count + len(self.shard.buffer) > 0.9 * self.shard.rows.shape[0])

    def has_room_for(self, states: int) -> bool:
        """Return True if there is room for more closed states, and for two full buffers."""
        last = int(self.shard.state[COUNT]) + states
        return bool(last + 2 * BUFFER <= self.shard.state[FIRST_LENT])

    def add_closed(self, rows: Rows) -> None:
        """Add closed states, but not yet to the table; OutOfBudget if there is no room."""
        if not self.has_room_for(rows.shape[0]):
            raise OutOfBudget
        first = int(self.shard.state[COUNT])
        last = first + rows.shape[0]
        hold_closed(self.tables, rows, self.shard.rows, first)
        self.shard.state[COUNT] = last

    def take_share(self, other: ShardQueue, shards: int) -> None:
        """Take the rows of this shard, by its number among ``shards``, from the only one there was.

        InternalError if there is no room.
        """
        places = np.empty(len(other.rows), np.uint32)
        count = int(take_rows(self.tables, other.rows, self.shard, self.number, shards, places))
        if count > self.shard.rows.shape[0]:
            raise InternalError("internal check failed: a shard has no room for its rows")
        self.shard.state[COUNT] = count
        self.rebuild_table()
        for layer, batches in other.waiting.items():
            parts = [_gone_to(places, rows) for rows in batches]
            if any(part.size for part in parts):
                self.waiting[layer] = parts

    def take_uncounted(self) -> NDArray[np.uint32]:
        """Return the numbers of the rows closed since the last call, until others are closed."""
        closed = self.shard.done[: self.uncounted]
        self.shard.state[DONE] = 0
        return closed


@dataclass(eq=False, slots=True)
class Partition:
    """States of the slices from ``low`` up to, not including, ``high``.

    ``tables`` are the deal's. ``candidates`` are by layer: rows, or the keys of their records in
    the store, which may have candidates of other partitions, too.
    """

    low: int
    high: int
    tables: Any
    queues: list[ShardQueue] | None = None  # None if it is not loaded
    candidates: dict[int, list[Rows | bytes]] = field(default_factory=dict)
    closed: int = -1  # the last layer that is closed here
    evaluated_before: int = 0  # states looked at while it was loaded before

    @property
    def strata(self) -> range:
        """The strata that it has slices of."""
        return range(self.low // SLICES, (self.high - 1) // SLICES + 1)

    def own(self, rows: Rows, locked: int) -> Rows:
        """Return those of some rows of its strata that are in its slices."""
        if not self.low % SLICES and not self.high % SLICES:
            return rows
        slices = slices_of(self.tables, rows, locked)
        return rows[(slices >= self.low) & (slices < self.high)]

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
        room = self._room(shards, memory)
        outgoing = min(_OUTGOING, max(room // 4, 2 * BUFFER))
        self.queues = [
            ShardQueue(number, self.tables, make_shard(self.tables, room, _FIRST_SLOTS, outgoing))
            for number in range(shards)
        ]
        return self.queues

    def unload(self) -> None:
        """Give up its shards, if it is loaded."""
        for queue in self.queues or ():
            queue.check_none_lost()
        self.evaluated_before = self.evaluated
        self.queues = None

    def distribute(
        self,
        rows: Rows,
        lock: AbstractContextManager[Any] | None = None,
        sender: ShardQueue | None = None,
    ) -> None:
        """Give candidates to their shards, whose queues ``lock`` guards.

        Those of a ``sender`` are not for its own shard; InternalError if one is.
        """
        assert self.queues is not None
        others = [queue for queue in self.queues if queue is not sender]
        if len(others) == 1:
            parts = [(others[0], rows)]
        else:
            owners = shards_of(self.tables, rows, len(self.queues))
            parts = [(queue, rows[owners == queue.number]) for queue in others]
        if sum(mine.shape[0] for _, mine in parts) != rows.shape[0]:
            raise InternalError("internal check failed: candidates belong to no shard")
        with lock or nullcontext():
            for queue, mine in parts:
                if mine.shape[0]:
                    queue.receive(mine)

    def can_be_divided(self, shards: int, memory: int) -> bool:
        """Return True if the loaded shard's rows fill at most half the room of ``shards``."""
        assert self.queues is not None
        (queue,) = self.queues
        most = self._room(shards, memory) // 2
        if len(queue.rows) <= most:  # whatever belongs to whom
            return True
        owners = shards_of(self.tables, queue.states(np.arange(len(queue.rows))), shards)
        return bool(np.bincount(owners).max() <= most)

    def divide(self, shards: int, memory: int, each: Callable[..., Iterable[Any]]) -> None:
        """Divide the loaded rows, which are in one shard, among ``shards`` new ones.

        :meth:`open` makes the new ones. All closed states have been counted, no layer is being
        closed, and :meth:`can_be_divided`. ``each`` is a map, or that of a pool of threads.
        """
        assert self.queues is not None
        (old,) = self.queues
        new = self.open(shards, memory)
        for _ in each(lambda queue: queue.take_share(old, shards), new):
            pass
        for batch in old.incoming:
            self.distribute(batch)

    @property
    def evaluated(self) -> int:
        """States looked at here, each time they were."""
        now = sum(int(queue.shard.state[EVALUATED]) for queue in self.queues or ())
        return self.evaluated_before + now

    def _room(self, shards: int, memory: int) -> int:
        """Return how many rows each of ``shards`` has room for when all have ``memory`` bytes."""
        return max(memory // (shards * (bytes_of_row(self.tables) + 16)), 4 * BUFFER)


def _gone_to(places: NDArray[np.uint32], rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the new numbers of rows, without those of rows that were dropped."""
    gone = places[rows]
    found: NDArray[np.uint32] = gone[gone != NOWHERE]
    return found
