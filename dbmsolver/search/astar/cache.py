"""A cache of partitions, which keeps them in memory while they fit the budget.

The others are written to the store, and loaded when they are needed.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping

import numpy as np

from dbmsolver.kernels.shards import SLICES, shards_of
from dbmsolver.kernels.states import CARDS
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.astar.partitions import MOST_PART, Partition, ShardQueue
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.storage.records import parse_closed_key


class PartitionCache:
    """The partitions of a search. Those loaded take ``memory`` bytes, with ``shards`` shards each.

    A partition that is too large for them is cut in two, between strata if that makes two parts
    of some size, else between slices of a stratum; OutOfBudget where it is a single slice.
    """

    def __init__(self, checkpoint: Checkpoint, shards: int, memory: int) -> None:
        self.checkpoint = checkpoint
        self.partitions = checkpoint.partitions
        self.shards = shards
        self.memory = memory

    def make_room(self, partition: Partition) -> Iterator[None]:
        """Make room if the memory budget is used up; yield None between two pieces of the work.

        First the other partitions leave memory, then candidates. If that is not enough, the given
        partition leaves it, too, and is cut in two: it is not loaded any more at the end.
        """
        assert partition.queues is not None
        crowded = any(queue.is_crowded() for queue in partition.queues)
        if not crowded and sum(other.nbytes for other in self.partitions) <= self.memory:
            return
        if self.checkpoint.kind != b"C":
            raise OutOfBudget
        for other in self._loaded:
            if other is not partition:
                yield from self.evict(other)
        if sum(other.candidate_bytes for other in self.partitions) > self.memory // 8:
            for other in self.partitions:
                if other.candidate_bytes:
                    yield from self.checkpoint.write_out(other)
        if crowded or partition.nbytes - partition.candidate_bytes > 0.6 * self.memory:
            yield from self.split(partition)

    def load(self, partition: Partition) -> Iterator[None]:
        """Load a partition's closed states; yield None between two pieces of the work.

        Others leave memory first, if they take much of it. If the partition is too large, it is
        cut in two, as often as needed, and its lower part is loaded.
        """
        others = self._loaded
        if sum(other.nbytes for other in others) > self.memory // 4:
            for other in others:
                yield from self.evict(other)
        while True:
            records = self.checkpoint.closed_records(partition)
            small = _states_of(records, partition) * 64 <= self.memory
            if small and (yield from self._fill(partition, records)):
                return
            middle = _middle_of(records, partition)
            if not partition.low < middle < partition.high:
                break
            yield from self.checkpoint.write_out(partition)
            self.cut(partition, middle)
        if not (yield from self._fill(partition, records)):
            raise OutOfBudget

    @property
    def _loaded(self) -> list[Partition]:
        """The partitions that are loaded."""
        return [partition for partition in self.partitions if partition.queues is not None]

    def _fill(self, partition: Partition, records: dict[bytes, int]) -> Generator[None, None, bool]:
        """Load the closed states of some blocks; return False if a shard has no room for them.

        Yields None between two pieces of the work.
        """
        queues = partition.open(self.shards, self.memory)
        loaded = 0
        for rows in self.checkpoint.rows_of(records, partition):
            owners = shards_of(partition.tables, rows, self.shards)
            for queue in queues:
                mine = rows[owners == queue.number]
                if not queue.has_room_for(len(mine)):
                    partition.unload()
                    return False
                queue.add_closed(mine)
            loaded += len(rows)
            if loaded > MOST_PART:
                loaded = 0
                yield
        if records:
            for _ in self.checkpoint.each(ShardQueue.rebuild_table, queues):
                pass
        return True

    def evict(self, partition: Partition) -> Iterator[None]:
        """Write a partition to the store and unload it; yield None between pieces of the work."""
        yield from self.checkpoint.write_out(partition)
        partition.unload()
        self.checkpoint.find_candidates(partition)

    def split(self, partition: Partition) -> Iterator[None]:
        """Unload a partition and cut it in two; yield None between two pieces of the work."""
        assert partition.queues is not None
        counts = np.zeros((2 * CARDS + 1) * SLICES, np.int64)
        for queue in partition.queues:
            queue.count_slices(self.checkpoint.codec.locked, counts)
        middle = _middle(
            {number: int(counts[number]) for number in np.flatnonzero(counts).tolist()}
        )
        if not partition.low < middle < partition.high:
            raise OutOfBudget
        yield from self.checkpoint.write_out(partition)
        partition.unload()
        self.cut(partition, middle)

    def cut(self, partition: Partition, middle: int) -> None:
        """Make two partitions of one that is in the store; the upper one starts at ``middle``."""
        upper = Partition(middle, partition.high, partition.tables, closed=partition.closed)
        partition.high = middle
        self.partitions.insert(self.partitions.index(partition) + 1, upper)
        self.checkpoint.find_candidates(partition)
        self.checkpoint.find_candidates(upper)


def _share(partition: Partition, stratum: int) -> float:
    """Return the part of a stratum's slices that a partition has."""
    first, last = stratum * SLICES, (stratum + 1) * SLICES
    return (min(last, partition.high) - max(first, partition.low)) / SLICES


def _states_of(records: dict[bytes, int], partition: Partition) -> float:
    """Return about how many states of blocks, given by key and size, are of a partition."""
    return sum(
        states * _share(partition, parse_closed_key(key).stratum) for key, states in records.items()
    )


def _middle_of(records: dict[bytes, int], partition: Partition) -> int:
    """Return the slice that divides a partition's closed states in two parts.

    ``records`` maps the key of each block to its number of states. Those of a stratum are taken to
    be spread evenly over its slices.
    """
    sizes: dict[int, float] = {}
    for key, states in records.items():
        stratum = parse_closed_key(key).stratum
        first = max(stratum * SLICES, partition.low)
        last = min((stratum + 1) * SLICES, partition.high)
        for number in range(first, last):
            sizes[number] = sizes.get(number, 0) + states / SLICES
    return _middle(sizes)


def _middle(sizes: Mapping[int, float]) -> int:
    """Return the slice at which to divide others, given how many states each has.

    It is the first of a stratum if a quarter of the states lies on either side of it.
    """
    strata: dict[int, float] = {}
    for number, states in sizes.items():
        strata[number // SLICES] = strata.get(number // SLICES, 0) + states
    stratum, total = _median(strata), sum(sizes.values())
    below = sum(states for number, states in strata.items() if number < stratum)
    if 4 * below >= total and 4 * (total - below) >= total:
        return stratum * SLICES
    return _median(sizes)


def _median(sizes: Mapping[int, float]) -> int:
    """Return the key at which half of the values lie below."""
    total = sum(sizes.values())
    below = 0.0
    for key in sorted(sizes):
        if below and 2 * (below + sizes[key]) > total:
            return key
        below += sizes[key]
    return max(sizes, default=0)
