"""Search by cost layers: the shortest solution, or that there is none.

Layers f = g + h are closed in ascending order.  The signatures are dealt out to as many shards as there are threads; a
layer is closed in rounds, in each of which every shard takes in what the others have sent and expands what follows.

Before a search without a goal ends, its books must balance: every candidate that was handed to a shard has been looked at,
every state that was looked at is closed, and there are no fewer of them than any commit knew of.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat

import numpy as np

from dbmsolver.core.bound import make_bound_tables
from dbmsolver.core.layers import expand_layer, insert_candidates, requeue
from dbmsolver.core.shards import DONE, GOAL_ROW, take_outgoing
from dbmsolver.errors import InternalError
from dbmsolver.results import Commit, Report
from dbmsolver.search.astar.cache import PartitionCache
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.astar.partitions import Partition, ShardQueue
from dbmsolver.search.journal import Journal, LimitReached
from dbmsolver.search.rows import Rows, strata_of
from dbmsolver.state import StateCodec

_STOP = 1 << 14
_PARALLEL = 2_000
"""Below this much work in a round, starting threads costs more than it saves."""


class AStarSearch:
    """A search by cost layers in progress; :meth:`run` carries it to its end.

    ``weight`` other than 1 makes it a hasty search: the first solution found is any solution.  ``kind`` is the kind of
    record closed states are stored as.  ``effort`` bounds the states looked at; a search that has used it up ends without
    a goal.
    """

    def __init__(
        self,
        codec: StateCodec,
        journal: Journal,
        threads: int,
        memory: int,
        *,
        weight: int = 1,
        kind: bytes = b"C",
        effort: int | None = None,
    ) -> None:
        self.codec = codec
        self.tables = codec.tables
        self.bound = make_bound_tables(codec.tables, codec.deal.position.columns)
        self.journal = journal
        self.threads = threads
        self.weight = weight
        self.effort = effort
        self.goal: tuple[int, int] | None = None  # (g, parent-move code)
        self.shards = 1
        while self.shards < threads:
            self.shards *= 2
        self.checkpoint = Checkpoint(codec, journal, weight, kind)
        self.cache = PartitionCache(self.checkpoint, self.shards, memory)
        self.partitions = self.checkpoint.partitions
        self.evaluated_before = journal.evaluated

    @property
    def layer(self) -> int:
        """The layer being closed."""
        return self.checkpoint.layer

    def run(self) -> Iterator[Report | Commit]:
        """Close layers until the goal is met or nothing is pending; then ``goal`` says which.

        Raises LimitReached.  Whether it comes to its end or is stopped, everything finished until then is committed;
        after an error nothing is.
        """
        self.checkpoint.restore()
        finished = False
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while self.goal is None and not self._exhausted() and not finished:
                    layers = [layer for partition in self.partitions for layer in partition.layers]
                    if layers:
                        self.checkpoint.layer = min(layers)
                        yield from self._close_layer(pool)
                    finished = not layers
            except (LimitReached, KeyboardInterrupt, GeneratorExit):
                self.checkpoint.commit()
                raise
        self.checkpoint.commit()
        if finished:
            self.checkpoint.check_books()

    def _close_layer(self, pool: Executor) -> Iterator[Report | Commit]:
        partition: Partition | None = self.partitions[0]
        while partition is not None and self.goal is None and not self._exhausted():
            if self.layer in partition.layers:
                yield from self._close_partition(pool, partition)
            # Partitions may have been split meanwhile.
            above = [other for other in self.partitions if other.low >= partition.high]
            partition = min(above, key=lambda other: other.low, default=None)
        self.checkpoint.flush()

    def _close_partition(self, pool: Executor, partition: Partition) -> Iterator[Report | Commit]:
        """Close this layer's states in one partition."""
        if partition.parts is None:
            self.cache.load(partition)
        for chunk in partition.candidates.pop(self.layer, []):
            partition.distribute(self.checkpoint.rows(chunk) if isinstance(chunk, bytes) else chunk)
        while self.goal is None:
            assert partition.parts is not None
            busy = [part for part in partition.parts if part.work or self.layer in part.waiting]
            if not busy:
                partition.closed = self.layer
                return
            work = sum(part.work for part in busy)
            ceiling = partition.high - 1
            if len(busy) > 1 and (work > _PARALLEL or any(self.layer in p.waiting for p in busy)):
                list(pool.map(self._round, busy, repeat(ceiling)))
            else:
                for part in busy:
                    self._round(part, ceiling)
            for part in partition.parts:
                self._hand_out(partition, part)
            evaluated = sum(other.evaluated for other in self.partitions)
            self.journal.evaluated = self.evaluated_before + evaluated
            self.journal.check_limits()
            if self._exhausted():
                return
            self.cache.make_room(partition)
            if self.journal.due():
                yield self.checkpoint.commit()
            yield self.report()

    def _exhausted(self) -> bool:
        looked_at = self.journal.evaluated - self.evaluated_before
        return self.effort is not None and looked_at > self.effort

    def _round(self, part: ShardQueue, ceiling: int) -> None:
        """Wake, take in and expand what a shard has to do; runs in a thread of its own.

        Ends early where room for outgoing candidates ran out: what is left is done in the next round.
        """
        constants = (self.layer, self.weight, self.codec.locked)
        waiting = part.waiting.pop(self.layer, [])
        while waiting:
            part.enlarge_table()
            rows = waiting.pop()
            first = int(requeue(self.tables, self.bound, part.shard, *constants, rows, 0))
            if first < rows.size:
                part.waiting[self.layer] = [*waiting, rows[first:]]
                return
        while part.inbox:
            part.enlarge_table()
            candidates = part.inbox.pop()
            first = int(
                insert_candidates(self.tables, self.bound, part.shard, *constants, candidates, 0)
            )
            part.taken += first
            if first < candidates.shape[0]:
                part.inbox.append(candidates[first:])
                if not part.table_is_full():
                    return
        stopped = True
        while stopped:
            part.enlarge_table()
            stopped = expand_layer(
                self.tables,
                self.bound,
                part.shard,
                *constants,
                part.number,
                self.shards,
                ceiling,
                _STOP,
            )
            if not part.table_is_full():
                return

    def _hand_out(self, partition: Partition, part: ShardQueue) -> None:
        """Give the candidates that left a shard to whom they belong."""
        later, layers, outgoing = take_outgoing(part.shard)
        if layers.size:
            order = np.argsort(layers, kind="stable")
            values, starts = np.unique(layers[order], return_index=True)
            for layer, rows in zip(
                values.tolist(), np.split(later[order], starts[1:]), strict=True
            ):
                part.waiting.setdefault(layer, []).append(rows)
        if outgoing.shape[0]:
            self._send(partition, outgoing)
        goal = int(part.shard.state[GOAL_ROW])
        if goal >= 0 and self.goal is None:
            meta = int(part.shard.rows[goal, 4])
            self.goal = (meta >> 16) & 0x7FFF, meta & 0xFFFF

    def _send(self, partition: Partition, candidates: Rows) -> None:
        """Give candidates of this layer that come from one partition to their partitions."""
        if len(self.partitions) == 1:
            partition.distribute(candidates)
            return
        strata = strata_of(self.codec, candidates)
        sent = 0
        for other in self.partitions:
            rows = candidates[(strata >= other.low) & (strata < other.high)]
            sent += rows.shape[0]
            if rows.shape[0] and other is partition:
                partition.distribute(rows)
            elif rows.shape[0]:
                other.candidates.setdefault(self.layer, []).append(rows)
        if sent != candidates.shape[0]:
            raise InternalError("the books do not balance: candidates that belong to no zone")

    @property
    def pending(self) -> int:
        """Candidates that wait, for this layer or a higher one."""
        return sum(partition.pending for partition in self.partitions)

    def report(self) -> Report:
        """A snapshot for progress displays."""
        counts = sum(
            int(part.shard.state[DONE]) - part.flushed
            for partition in self.partitions
            for part in partition.parts or ()
        )
        report = self.journal.report(
            layer=self.layer,
            stratum=0,
            last_stratum=0,
            pending=self.pending,
            look_ahead=self.checkpoint.kind != b"C",
        )
        return replace(report, states=report.states + counts)
