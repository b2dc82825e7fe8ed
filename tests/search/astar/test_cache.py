"""Partitions that leave memory and come back: which of them, in how many parts, and with what."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.cost_searches import begun

from dbmsolver.core.meta import IS_CLOSED, META
from dbmsolver.core.shards import BURST, NO_CEILING, shards_of, slices_of
from dbmsolver.game.deals import Deal
from dbmsolver.keys.states import StateCodec
from dbmsolver.search.astar.cache import PartitionCache
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.astar.partitions import Partition
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.search.rows import Rows

CODEC = StateCodec(Deal.from_number(1), "wkr")
MEMORY = 1 << 24


def closed_rows(partition: Partition) -> Rows:
    """Return the closed states that a loaded partition has in memory."""
    found = [queue.states(np.arange(len(queue.rows))) for queue in partition.queues or ()]
    rows = np.concatenate(found)
    return rows[(rows[:, META] & IS_CLOSED) != 0]


def left(search: AStarSearch) -> tuple[Partition, list[list[int]]]:
    """Return the only partition, which leaves memory, and its closed states, in order."""
    (partition,) = search.partitions
    rows = closed_rows(partition)
    for _ in search.checkpoint.write_out(partition):
        pass
    partition.unload()
    return partition, sorted(rows[:, :META].tolist())


@pytest.mark.parametrize("shards", [1, 2, 4])
def test_closed_states_come_back_to_the_tables_of_their_shards(tmp_path: Path, shards: int) -> None:
    with begun(CODEC, tmp_path, 3000) as search:
        partition, rows = left(search)
        list(PartitionCache(search.checkpoint, shards, MEMORY).load(partition))
        assert sorted(closed_rows(partition)[:, :META].tolist()) == rows
        for queue in partition.queues or ():
            states = queue.states(np.arange(len(queue.rows)))
            assert len(states) and (shards_of(CODEC.tables, states, shards) == queue.number).all()
            assert np.count_nonzero(queue.shard.table) == len(states)


@pytest.mark.parametrize("memory", [0, 64])
def test_what_does_not_fit_is_cut_down_to_a_slice(tmp_path: Path, memory: int) -> None:
    """A slice is loaded if there is room for it at all, however little memory there is to be."""
    with begun(CODEC, tmp_path, 3000) as search:
        partition, rows = left(search)
        list(PartitionCache(search.checkpoint, 1, memory).load(partition))
        check_parts(search, partition, rows)


def test_what_turns_out_not_to_fit_is_cut_in_two(tmp_path: Path) -> None:
    """There is memory for the states, but not for a burst of others after them."""
    with begun(CODEC, tmp_path, 25_000) as search:
        partition, rows = left(search)
        assert len(rows) > 2 * BURST
        list(PartitionCache(search.checkpoint, 1, 64 * len(rows)).load(partition))
        assert len(search.partitions) == 2
        check_parts(search, partition, rows)


def check_parts(search: AStarSearch, partition: Partition, rows: list[list[int]]) -> None:
    """Check that partitions are parts of all, and that a loaded one has its closed states."""
    ends = [(other.low, other.high) for other in search.partitions]
    assert len(ends) > 1 and ends[0][0] == 0 and ends[-1][1] == NO_CEILING
    assert [low for low, _ in ends[1:]] == [high for _, high in ends[:-1]]
    mine = [row for row in rows if is_of(partition, row)]
    assert sorted(closed_rows(partition)[:, :META].tolist()) == mine


def is_of(partition: Partition, row: list[int]) -> bool:
    """Return True if a state is in a slice of a partition."""
    one = np.array([[*row, 0]], np.uint64)
    return partition.low <= int(slices_of(CODEC.tables, one, CODEC.locked)[0]) < partition.high


def test_others_leave_memory_before_the_one_that_is_closed(tmp_path: Path) -> None:
    with begun(CODEC, tmp_path, 300) as search:
        (partition,) = search.partitions
        partition.high = NO_CEILING - 1
        other = Partition(NO_CEILING - 1, NO_CEILING, CODEC.tables)
        search.partitions.append(other)
        other.open(1, MEMORY)
        both = partition.nbytes + other.nbytes
        for memory, loaded in ((both, True), (both - 1, False)):
            list(PartitionCache(search.checkpoint, 1, memory).make_room(partition))
            assert (other.queues is not None) == loaded and partition.queues is not None


def test_a_look_ahead_ends_where_memory_does(tmp_path: Path) -> None:
    """It is not worth the store."""
    with begun(CODEC, tmp_path, 300, kind=b"A") as search:
        (partition,) = search.partitions
        list(PartitionCache(search.checkpoint, 1, partition.nbytes).make_room(partition))
        with pytest.raises(OutOfBudget):
            list(PartitionCache(search.checkpoint, 1, partition.nbytes - 1).make_room(partition))
