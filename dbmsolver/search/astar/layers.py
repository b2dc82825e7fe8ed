"""Search by cost layers: the shortest solution, or that there is none.

Layers f = g + h are closed in ascending order. Once there are enough states for several threads,
the signatures are divided among shards. A layer is closed in rounds; in each, a shard looks at the
candidates that others have sent, and expands what follows.

Before a search without a goal ends, its counts must agree: every candidate that was given to a
shard has been looked at, every state that was looked at is closed, and there are no fewer of them
than any commit knew of.

Where a solution is known, only layers below its length, the ceiling, are closed, and what waits for
higher ones is dropped: nothing there is part of a shorter solution, as h never exceeds the moves to
come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Condition

from dbmsolver.errors import InternalError
from dbmsolver.kernels.shards import (
    FAULT,
    NO_CEILING,
    slices_of,
    take_outgoing,
)
from dbmsolver.kits.states import State, StateCodec
from dbmsolver.results import Commit, Report
from dbmsolver.search.astar.cache import PartitionCache
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.astar.finder import LoadedFinder
from dbmsolver.search.astar.partitions import MOST_PART, Partition, ShardQueue
from dbmsolver.search.astar.rounds import Round
from dbmsolver.search.astar.workers import ShardWorkers
from dbmsolver.search.outcome import Exhausted, GoalMet, LeftOpen, NoneShorter, Outcome, Search
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.rows import Rows
from dbmsolver.search.trace import Step, steps_to

ENOUGH = 1 << 18
"""The number of states looked at from which on dividing them among shards pays."""
_PARALLEL = 2_000
"""The fewest states in a round for which waking threads pays."""
_SHARD_BYTES = 1 << 22
"""Memory of a shard, at least: in less it is crowded at once, however many threads there are."""
_MOST_ROUNDS = 32
"""The rounds of each shard before limits and memory are looked at again."""
_ROUND_BYTES = 1 << 25
"""The bytes of the memory budget that each of these rounds needs: it fills about 2 % of them."""
GIVEN_PART = 8
"""Candidates that come from the store at a time take this part of the memory, about."""


class AStarSearch(Search):
    """A search by cost layers in progress.

    A ``weight`` other than 1 finds some solution sooner, which need not be a shortest one. ``kind``
    is the kind of record that closed states are stored as. ``effort`` bounds the states looked at;
    a search that has used it up ends without a goal.
    """

    def __init__(
        self,
        codec: StateCodec,
        recorder: Recorder,
        threads: int,
        memory: int,
        *,
        weight: int = 1,
        kind: bytes = b"C",
        effort: int | None = None,
    ) -> None:
        self.codec = codec
        self.tables = codec.tables
        self.bound = codec.bounds
        self.recorder = recorder
        self.statistics = recorder.statistics
        self.threads = threads
        self.weight = weight
        self.effort = effort
        self.goal: tuple[State, int] | None = None  # and its parent-move code
        self.shards = 1
        self.most_shards = 1
        while self.most_shards < threads and memory >= 2 * self.most_shards * _SHARD_BYTES:
            self.most_shards *= 2
        self.checkpoint = Checkpoint(codec, recorder, weight, kind)
        self._memory = memory
        self.cache = PartitionCache(self.checkpoint, self.shards, memory)
        self.partitions = self.checkpoint.partitions
        self.evaluated_before = recorder.statistics.evaluated
        self._rounds = min(max(memory // _ROUND_BYTES, 1), _MOST_ROUNDS)
        self._changed = Condition()  # held while threads give candidates to each other
        self._pool: ThreadPoolExecutor | None = None
        self._closing: Partition | None = None
        self._preparation: Iterator[None] | None = None  # of what comes before states are closed
        self._is_back: Callable[[], bool] | None = None  # a thread that is lent

    @property
    def layer(self) -> int:
        """The layer being closed."""
        return self.checkpoint.layer

    @property
    def evaluated(self) -> int:
        """The number of states looked at."""
        return self.statistics.evaluated

    @property
    def ceiling(self) -> int:
        """The length of the best solution that is known. It may fall while the search runs."""
        return self.checkpoint.ceiling

    @ceiling.setter
    def ceiling(self, length: int) -> None:
        self.checkpoint.ceiling = length

    def lend_thread(self, is_back: Callable[[], bool] | None) -> None:
        """Use one thread fewer, until this is called with None.

        ``is_back()`` returns True when the thread is free again. The step that is under way ends
        early then, so that the caller can end the loan.
        """
        self._is_back = is_back

    def _is_thread_back(self) -> bool:
        return self._is_back is not None and self._is_back()

    def lend_memory(self, size: int) -> None:
        """Keep states in ``size`` bytes less than the search was given."""
        self.cache.memory = max(self._memory - size, 0)

    @property
    def shortest(self) -> bool:
        """True if the solution it finds is a shortest one."""
        return self.weight == 1

    def step(self) -> Outcome | None:
        """Close some states of the lowest layer, in one partition.

        Candidates above the ceiling do not count as pending.
        """
        pool = self._pool or self._begin()
        while True:
            if not self._prepared():  # a piece of it is done
                return None
            if self._closing is None:
                return Exhausted() if self.ceiling == NO_CEILING else NoneShorter()
            if self._work(pool, self._closing):
                break
            if self.layer in self._closing.candidates:
                continue  # the next of them come from the store
            self._closing.closed = self.layer
            self._closing = None
        evaluated = sum(other.evaluated for other in self.partitions)
        self.statistics.evaluated = self.evaluated_before + evaluated
        return self._ended()

    def _prepared(self) -> bool:
        """Do a piece of the work that closing states waits for; return True if none is left.

        That work is making room, and loading the partition whose turn it is.
        """
        if self._preparation is None:
            self._preparation = self._prepare()
        if next(self._preparation, self) is self:
            self._preparation = None
            return True
        return False

    def _prepare(self) -> Iterator[None]:
        """Make room for more states, or load the next partition; yield None between two pieces."""
        if self._closing is not None and self.layer < self.ceiling:
            yield from self.cache.make_room(self._closing)
            if self._closing.queues is not None:
                if not any(queue.incoming for queue in self._closing.queues):
                    yield from self._give(self._closing)
                return
        while True:
            self._closing = self._next_partition()
            if self._closing is None:
                return
            yield from self._load(self._closing)
            if self.layer < self.ceiling:  # which may have fallen meanwhile
                return

    def _begin(self) -> ThreadPoolExecutor:
        """Start the threads, and load what an earlier run has left; return the threads."""
        self._pool = ThreadPoolExecutor(self.threads)
        self.checkpoint.each = self._pool.map
        self.checkpoint.restore()
        return self._pool

    def commit(self) -> Commit:
        """Commit what is closed and, if the search can be resumed, what is pending."""
        if self._pool is None:  # a commit writes anew what an earlier run has left
            self._begin()
        return self.checkpoint.commit()

    def end(self, outcome: Outcome) -> Outcome:
        """Commit all that is finished; InternalError, and no commit, if states are lost."""
        if isinstance(outcome, (Exhausted, NoneShorter)):
            self.checkpoint.check_none_lost()
        self.commit()
        self.close()
        return outcome

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self.checkpoint.each = map

    def path(self) -> list[Step]:
        """Return the steps from the deal to the goal."""
        assert self.goal is not None
        steps = steps_to(LoadedFinder(self.checkpoint), *self.goal)
        assert steps is not None
        return steps

    def _ended(self) -> Outcome | None:
        """Return why it ends before nothing is pending; None: it goes on."""
        if self.goal is not None:
            return GoalMet()
        looked_at = self.statistics.evaluated - self.evaluated_before
        if self.effort is not None and looked_at > self.effort:
            return LeftOpen()
        return None

    def _next_partition(self) -> Partition | None:
        """Return the partition to close next; None if no partition has candidates.

        It is the first that has candidates of the current layer. If there is none, the layer ends,
        its closed states are counted, and it is the first that has candidates of the next layer.
        """
        waiting = [
            (layer, number)
            for number, partition in enumerate(self.partitions)
            for layer in partition.layers
            if layer < self.ceiling
        ]
        current = [place for place in waiting if place[0] == self.layer]
        if not current:
            self.checkpoint.flush()
        if not waiting:
            return None
        self.checkpoint.layer, number = min(current or waiting)
        return self.partitions[number]

    def _load(self, partition: Partition) -> Iterator[None]:
        """Bring a partition into memory, with its first candidates for this layer.

        Yields None between two pieces of the work.
        """
        self._divide()
        if partition.queues is None:
            yield from self.cache.load(partition)
        # Those in memory come first, all of them: a partition that leaves it may lose none.
        partition.candidates.get(self.layer, []).sort(key=lambda one: isinstance(one, bytes))
        yield from self._give(partition)

    def _give(self, partition: Partition) -> Iterator[None]:
        """Give a partition its candidates for this layer, but only some of those in the store.

        These would take memory until they are looked at, and a partition that leaves memory before
        that writes them once more. The layer stays in the partition's candidates until none are
        left. Yields None between two pieces of the work.
        """
        batches = partition.candidates.get(self.layer, [])
        most = self.cache.memory // GIVEN_PART
        given = size = 0
        while batches and (size <= most or not isinstance(batches[0], bytes)):
            some = batches[: self.threads]
            for rows in self.checkpoint.rows_of(some, partition):
                partition.distribute(rows)
                given += len(rows)
                size += rows.nbytes
            del batches[: len(some)]
            if given > MOST_PART:
                given = 0
                yield
        if not batches:
            partition.candidates.pop(self.layer, None)

    def _divide(self) -> None:
        """Divide all that is loaded among more shards, once there is enough for all threads.

        Not while there is no room for it, which comes when states go to the store.
        """
        known = self.statistics.closed + sum(other.evaluated for other in self.partitions)
        if self.shards == self.most_shards or known < ENOUGH:
            return
        loaded = [partition for partition in self.partitions if partition.queues is not None]
        how = self.most_shards, self.cache.memory
        if not all(partition.can_be_divided(*how) for partition in loaded):
            return
        self.checkpoint.flush()
        self.shards = self.cache.shards = self.most_shards
        for partition in loaded:
            partition.divide(*how, self.checkpoint.each)

    def _work(self, pool: ThreadPoolExecutor, partition: Partition) -> bool:
        """Do some rounds of this layer in a partition; return True if there was work."""
        assert partition.queues is not None
        this = Round(
            tables=self.tables,
            bound=self.bound,
            locked=self.codec.locked,
            weight=self.weight,
            layer=self.layer,
            ceiling=self.ceiling,
            highest=partition.high - 1,
            shards=self.shards,
        )
        busy = [queue for queue in partition.queues if this.is_wanted(queue)]

        def distribute(queue: ShardQueue) -> bool:
            self._distribute(partition, queue)
            return self.goal is None and not queue.is_crowded() and not self._is_thread_back()

        work = sum(queue.work for queue in busy)
        if len(busy) > 1 and (work > _PARALLEL or any(self.layer in p.waiting for p in busy)):
            threads = self.threads - (self._is_back is not None)
            workers = ShardWorkers(
                partition.queues,
                this.is_wanted,
                this.work_on,
                distribute,
                max(self._rounds * threads // self.threads, 1),
                self._changed,
            )
            workers.work(pool, threads)
        else:
            for queue in busy:
                this.work_on(queue)
            for queue in busy:
                distribute(queue)
        for queue in partition.queues:
            queue.sort_later(self.ceiling)
        return bool(busy)

    def _distribute(self, partition: Partition, queue: ShardQueue) -> None:
        """Give candidates that left a shard to their owners. The thread that has it calls this."""
        if queue.many_wait():
            queue.sort_later(self.ceiling)
        outgoing = take_outgoing(queue.shard)
        if outgoing.shape[0]:
            self._send(partition, queue, outgoing)
        if queue.shard.state[FAULT]:
            raise InternalError("internal check failed: a class of positions is not listed")
        self.goal = queue.goal or self.goal

    def _send(self, partition: Partition, sender: ShardQueue, candidates: Rows) -> None:
        """Give candidates of this layer, which come from a shard, to their partitions."""
        parts = [(partition, candidates)]
        if len(self.partitions) > 1:
            slices = slices_of(self.tables, candidates, self.codec.locked)
            parts = [
                (other, candidates[(slices >= other.low) & (slices < other.high)])
                for other in self.partitions
            ]
        if sum(rows.shape[0] for _, rows in parts) != candidates.shape[0]:
            raise InternalError("internal check failed: candidates belong to no partition")
        for other, rows in parts:
            if rows.shape[0] and other is partition:
                partition.distribute(rows, self._changed, sender)
            elif rows.shape[0]:
                with self._changed:
                    other.candidates.setdefault(self.layer, []).append(rows)

    @property
    def pending(self) -> int:
        """Candidates for this layer or a higher one."""
        return sum(partition.pending for partition in self.partitions)

    def report(self) -> Report:
        """Return a snapshot for progress displays."""
        counts = sum(queue.uncounted for queue in self.checkpoint.queues)
        return self.recorder.report(
            phase="search" if self.checkpoint.kind == b"C" else "look ahead",
            layer=self.layer,
            states=self.statistics.states + counts,
            pending=self.pending,
        )
