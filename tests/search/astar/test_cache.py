"""Partitions that leave memory and come back: which of them, in how many parts, and with what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.cost_searches import begun

from dbmsolver.game.deals import Deal
from dbmsolver.kernels.meta import IS_CLOSED, META
from dbmsolver.kernels.shards import BUFFER, NO_CEILING, ROW, SLICES, shards_of, slices_of
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.astar import cache as cache_module
from dbmsolver.search.astar.cache import PartitionCache
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.astar.partitions import Partition
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.search.rows import Rows
from dbmsolver.storage.records import BlockKey, closed_key

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
    """There is memory for the states, but not for a full buffer of others after them."""
    with begun(CODEC, tmp_path, 25_000) as search:
        partition, rows = left(search)
        assert len(rows) > 2 * BUFFER
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


def crowd(partition: Partition) -> None:
    """Leave a loaded partition no room for more than a full buffer of states."""
    for queue in partition.queues or ():
        rows = queue.shard.rows[: len(queue.rows) + BUFFER]
        queue.shard = queue.shard._replace(rows=rows)


def pending_of(search: AStarSearch) -> list[list[int]]:
    """Return all candidates that partitions have records of, in order."""
    return sorted(
        row
        for partition in search.partitions
        for keys in partition.candidates.values()
        for key in keys
        for row in search.checkpoint.rows(bytes(key), partition)[:, :META].tolist()
    )


def test_a_crowded_partition_is_cut_in_two_in_any_memory(tmp_path: Path) -> None:
    """Both parts leave memory, and know what waits for them; a single slice cannot be cut."""
    with begun(CODEC, tmp_path, 3000) as search:
        (partition,) = search.partitions
        (queue,) = partition.queues or ()
        states = queue.states(np.arange(len(queue.rows)))
        cache = PartitionCache(search.checkpoint, 1, 1 << 40)
        waiting = states[(states[:, META] & IS_CLOSED) == 0][:, :META].tolist()
        assert list(cache.make_room(partition)) == [] and len(search.partitions) == 1
        partition.closed = search.layer - 1
        crowd(partition)
        list(cache.make_room(partition))
        lower, upper = search.partitions
        assert lower is partition and lower.queues is upper.queues is None
        assert 0 == lower.low < lower.high == upper.low < upper.high == NO_CEILING
        assert upper.closed == lower.closed == search.layer - 1
        assert pending_of(search) == sorted(waiting)
        list(PartitionCache(search.checkpoint, 1, 0).load(partition))
        assert partition.high == partition.low + 1
        crowd(partition)
        with pytest.raises(OutOfBudget):
            list(cache.make_room(partition))


@pytest.mark.parametrize(
    ("states", "candidates", "beside", "written", "is_split"),
    [
        (0.55, 0.5, False, True, False),
        (0.7, 0.4, False, True, True),
        (0.58, 0.1, True, False, False),
    ],
)
def test_what_leaves_memory_first(
    tmp_path: Path, states: float, candidates: float, beside: bool, written: bool, is_split: bool
) -> None:
    """Other partitions, then candidates, if they take much; then states, in shares of memory."""
    with begun(CODEC, tmp_path, 3000) as search:
        (partition,) = search.partitions
        (queue,) = partition.queues or ()
        if beside:
            partition.high = NO_CEILING - 1
            other = Partition(NO_CEILING - 1, NO_CEILING, CODEC.tables)
            search.partitions.append(other)
            other.open(4, MEMORY)
        memory = int(partition.nbytes / states)
        rows = queue.states(np.arange(1))
        partition.candidates = {
            search.layer + 1: [rows.repeat(int(candidates * memory) // rows.nbytes, axis=0)]
        }
        list(PartitionCache(search.checkpoint, 1, memory).make_room(partition))
        assert (partition.candidate_bytes == 0) == written
        assert (partition.queues is None) == is_split
        assert (len(search.partitions) == 2) == (is_split or beside)
        assert all(other.queues is None for other in search.partitions[1:])


def test_others_leave_memory_for_one_that_is_loaded(tmp_path: Path) -> None:
    """They may keep a quarter of it. They know what waits for them, in this layer, too."""
    with begun(CODEC, tmp_path, 3000) as search:
        (partition,) = search.partitions
        (queue,) = partition.queues or ()
        states = queue.states(np.arange(len(queue.rows)))
        waiting = states[(states[:, META] & IS_CLOSED) == 0][:, :META].tolist()
        partition.high, partition.closed = NO_CEILING - 1, search.layer - 1
        other = Partition(NO_CEILING - 1, NO_CEILING, CODEC.tables)
        search.partitions.append(other)
        size = partition.nbytes
        for memory, loaded in ((4 * size, True), (4 * size - 1, False)):
            list(PartitionCache(search.checkpoint, 1, memory).load(other))
            assert (partition.queues is not None) == loaded and other.queues is not None
            other.unload()
        assert pending_of(search) == sorted(waiting)


@pytest.mark.parametrize(("more", "parts"), [(0, 1), (-1, 2)])
def test_a_partition_is_loaded_at_once_where_its_states_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int, parts: int
) -> None:
    """If not, it is cut in two, and its candidates are found again; it is loaded in many steps."""
    monkeypatch.setattr(cache_module, "MOST_PART", 100)
    with begun(CODEC, tmp_path, 3000) as search:
        partition, rows = left(search)
        search.checkpoint.find_candidates(partition)
        before = pending_of(search)
        layer = max(partition.layers)
        loose = search.checkpoint.rows(bytes(partition.candidates[layer][0]), partition)[:7]
        partition.candidates[layer].append(loose)
        steps = list(PartitionCache(search.checkpoint, 1, 64 * len(rows) + more).load(partition))
        assert len(search.partitions) == parts and len(steps) > 3
        if parts == 2:
            assert pending_of(search) == sorted([*before, *loose[:, :META].tolist()])


class Sizes:
    """Stands for a checkpoint whose store has a block of so many states for each stratum."""

    kind = b"C"
    each = map

    def __init__(self, sizes: dict[int, int]) -> None:
        self.sizes = sizes
        self.partitions = [Partition(0, NO_CEILING, CODEC.tables)]

    def closed_records(self, partition: Partition) -> dict[bytes, int]:
        return {
            closed_key(b"C", BlockKey(70, stratum, 0, 0, 0)): states
            for stratum, states in self.sizes.items()
            if stratum in partition.strata
        }

    def rows_of(self, keys: Iterable[bytes], partition: Partition) -> Iterator[Rows]:
        return (np.zeros((0, ROW), np.uint64) for _ in keys)

    def write_out(self, partition: Partition) -> Iterator[None]:
        return iter(())

    def find_candidates(self, partition: Partition) -> None: ...


@pytest.mark.parametrize(
    ("sizes", "most", "cuts"),
    [
        ({10: 1000}, 1000, []),
        ({10: 600, 11: 400}, 700, [11 * SLICES]),
        ({10: 400, 11: 600}, 700, [11 * SLICES]),
        ({10: 800, 11: 200}, 500, [10 * SLICES + 160]),
        ({10: 200, 11: 800}, 500, [11 * SLICES + 96]),
        ({10: 800, 11: 200}, 400, [10 * SLICES + 80, 10 * SLICES + 160, 11 * SLICES]),
        ({10: 100, 11: 500, 12: 400}, 700, [11 * SLICES + 204]),
    ],
)
def test_a_cut_is_between_strata_where_that_makes_two_parts_of_some_size(
    sizes: dict[int, int], most: int, cuts: list[int]
) -> None:
    """If not, half of the states are below it."""
    checkpoint: Any = Sizes(sizes)
    cache = PartitionCache(checkpoint, 1, 64 * most)
    for partition in checkpoint.partitions:  # which become more
        list(cache.load(partition))
        partition.unload()
    assert [partition.low for partition in checkpoint.partitions] == [0, *cuts]
