"""Which partitions of a search by cost layers memory holds: the others are left to the store, and come back when needed."""

from __future__ import annotations

import numpy as np

from dbmsolver.core.shards import COUNT, IS_CLOSED, shards_of
from dbmsolver.results import Limit
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.astar.partitions import Partition
from dbmsolver.search.journal import LimitReached
from dbmsolver.search.rows import strata_of
from dbmsolver.storage.store import parse_closed_key


class PartitionCache:
    """Partitions in ``memory`` bytes, each in ``shards`` shards.

    A partition that is too big for them is cut in two by progress; LimitReached where that is not possible.
    """

    def __init__(self, checkpoint: Checkpoint, shards: int, memory: int) -> None:
        self.checkpoint = checkpoint
        self.partitions = checkpoint.partitions
        self.shards = shards
        self.memory = memory

    def make_room(self, partition: Partition) -> None:
        """Make room when the budget is used up: other partitions, then candidates, then half of this one go to the store."""
        assert partition.parts is not None
        crowded = any(
            int(part.shard.state[COUNT]) + len(part.shard.burst) > 0.9 * part.shard.rows.shape[0]
            for part in partition.parts
        )
        if not crowded and sum(other.nbytes for other in self.partitions) <= self.memory:
            return
        if self.checkpoint.kind != b"C":
            raise LimitReached(Limit.MEMORY)
        for other in self.partitions:
            if other is not partition and other.parts is not None:
                self._evict(other)
        if sum(other.candidate_bytes for other in self.partitions) > self.memory // 8:
            for other in self.partitions:
                if other.candidate_bytes:
                    self.checkpoint.write_out(other)
        if crowded or partition.nbytes - partition.candidate_bytes > 0.6 * self.memory:
            self._split(partition)

    def load(self, partition: Partition) -> None:
        """Bring a frozen partition's closed states back into memory, after making room for it."""
        others = [other for other in self.partitions if other.parts is not None]
        if others and sum(other.nbytes for other in others) > self.memory // 4:
            for other in others:
                self._evict(other)
        elif others:
            self.checkpoint.commit()
        records = self.checkpoint.closed_records(partition)
        if sum(records.values()) * 64 > self.memory:
            middle = _middle_of(records)
            if partition.low < middle < partition.high:
                self.checkpoint.write_out(partition)
                self._cut(partition, middle)
                self.checkpoint.find_candidates(partition)
                self.load(partition)
                return
        parts = partition.open(self.shards, self.memory)
        for key in records:
            rows = self.checkpoint.rows(key)
            owners = shards_of(rows, self.shards)
            for part in parts:
                if not part.add_closed(rows[owners == part.number]):
                    raise LimitReached(Limit.MEMORY)
        for part in parts:
            part.rebuild_table()

    def _evict(self, partition: Partition) -> None:
        """Leave all of a partition to the store."""
        self.checkpoint.write_out(partition)
        partition.drop()
        self.checkpoint.find_candidates(partition)

    def _split(self, partition: Partition) -> None:
        """Leave the upper half of a partition to the store as a partition of its own."""
        self.checkpoint.write_out(partition)
        assert partition.parts is not None
        strata = [strata_of(self.checkpoint.codec, part.rows) for part in partition.parts]
        values, counts = np.unique(np.concatenate(strata), return_counts=True)
        middle = _median(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        if not partition.low < middle < partition.high:
            raise LimitReached(Limit.MEMORY)
        self._cut(partition, middle)
        old = partition.parts
        for before, part, levels in zip(
            old, partition.open(self.shards, self.memory), strata, strict=True
        ):
            part.add_closed(before.rows[((before.rows[:, 4] & IS_CLOSED) != 0) & (levels < middle)])
            part.rebuild_table()
        self.checkpoint.find_candidates(partition)
        for chunk in partition.candidates.pop(self.checkpoint.layer, []):
            assert isinstance(chunk, bytes)
            partition.distribute(self.checkpoint.rows(chunk))

    def _cut(self, partition: Partition, middle: int) -> None:
        """Make two partitions of one that has been left to the store, the upper one beginning at ``middle``."""
        upper = Partition(middle, partition.high, closed=partition.closed)
        partition.high = middle
        self.partitions.insert(self.partitions.index(partition) + 1, upper)
        self.checkpoint.find_candidates(upper)


def _middle_of(records: dict[bytes, int]) -> int:
    """The progress that cuts blocks of closed states, of these sizes, in two halves."""
    sizes: dict[int, int] = {}
    for key, states in records.items():
        stratum = parse_closed_key(key).stratum
        sizes[stratum] = sizes.get(stratum, 0) + states
    return _median(sizes)


def _median(sizes: dict[int, int]) -> int:
    """The key at which half of the values lie below."""
    total = sum(sizes.values())
    below = 0
    for key in sorted(sizes):
        if below and 2 * (below + sizes[key]) > total:
            return key
        below += sizes[key]
    return max(sizes, default=0)
