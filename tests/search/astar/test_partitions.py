"""Candidates of a search by cost belong to one partition and one shard: others are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from helpers.cost_searches import begun

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.kernels.shards import (
    BUFFER,
    COUNT,
    EVALUATED,
    LATER,
    NO_CEILING,
    ROW,
    SLICES,
    bytes_of_row,
    shards_of,
    slices_of,
)
from dbmsolver.kernels.states import SIGNATURE
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.astar.partitions import Partition

CODEC = StateCodec(Deal.from_number(1), "wkr")
MEMORY = 1 << 20


def some_rows(count: int, signatures: int) -> np.ndarray:
    """Return candidates of so many signatures."""
    rows = np.zeros((count, ROW), np.uint64)
    rows[:, SIGNATURE] = np.arange(count) % signatures
    return rows


def test_candidates_go_to_their_shards() -> None:
    """A sender keeps what is its own: it does not send that."""
    partition, rows = Partition(0, NO_CEILING, CODEC.tables), some_rows(200, 200)
    queues = partition.open(4, MEMORY)
    owners = shards_of(CODEC.tables, rows, 4)
    partition.distribute(rows)
    sender = queues[2]
    partition.distribute(rows[owners != 2], sender=sender)
    for queue in queues:
        mine = rows[owners == queue.number]
        batches = [mine] if queue is sender else [mine, mine]
        assert [batch.tolist() for batch in queue.incoming] == [one.tolist() for one in batches]
        assert queue.received == len(batches) * len(mine)
    with pytest.raises(InternalError, match="candidates belong to no shard"):
        partition.distribute(rows, sender=sender)


@pytest.mark.parametrize(
    ("first", "last"),
    [(0, 256), (0, 100), (100, 256), (50, 100), (-256, 512), (-256, 40), (9, 512)],
)
def test_a_stratum_in_parts(first: int, last: int) -> None:
    """Of the rows of a stratum a partition takes those of its slices, wherever it ends."""
    signatures = [
        sum(height << 4 * suit for suit, height in enumerate(heights))
        for heights in product(range(9), repeat=4)
        if sum(heights) == 8
    ]
    rows = some_rows(len(signatures), 1)
    rows[:, SIGNATURE] = signatures
    slices = slices_of(CODEC.tables, rows, CODEC.locked)
    start = int(slices[0]) // SLICES * SLICES
    partition = Partition(start + first, start + last, CODEC.tables)
    mine = partition.own(rows, CODEC.locked)
    inside = (first <= slices - start) & (slices - start < last)
    assert mine.tolist() == rows[inside].tolist()
    assert 0 < len(mine) <= len(rows)
    assert start // SLICES in partition.strata
    assert len(partition.strata) == len({number // SLICES for number in range(first, last)})


def test_what_is_received_is_looked_at() -> None:
    """A partition that leaves memory takes no candidates with it."""
    partition, rows = Partition(0, NO_CEILING, CODEC.tables), some_rows(5, 5)
    (queue,) = partition.open(1, MEMORY)
    partition.distribute(rows)
    queue.check_none_lost()
    queue.incoming.clear()
    with pytest.raises(InternalError, match="of 5 candidates 0 were looked at, 0 wait"):
        partition.unload()
    queue.looked_at = 5
    partition.unload()
    assert partition.queues is None


def test_states_looked_at_are_counted_across_loads() -> None:
    partition = Partition(0, NO_CEILING, CODEC.tables)
    for more, total in ((5, 5), (3, 8)):
        for queue in partition.open(2, MEMORY):
            queue.shard.state[EVALUATED] = more * queue.number
        assert partition.evaluated == total
    partition.unload()
    assert partition.evaluated == 8


def test_a_share_without_room() -> None:
    rows = some_rows(5 * BUFFER, 1)
    (old,) = Partition(0, NO_CEILING, CODEC.tables).open(1, 16 * MEMORY)
    old.add_closed(rows)
    owner = int(shards_of(CODEC.tables, rows[:1], 2)[0])
    queues = Partition(0, NO_CEILING, CODEC.tables).open(2, MEMORY)
    queues[1 - owner].take_share(old, 2)
    assert len(queues[1 - owner].rows) == 0
    with pytest.raises(InternalError, match="a shard has no room for its rows"):
        queues[owner].take_share(old, 2)


def test_candidates_between_partitions(tmp_path: Path) -> None:
    """Slices that no partition has show when a candidate is of one of them."""
    with begun(CODEC, tmp_path, 100) as search:
        (first,) = search.partitions
        first.high = 1
        search.partitions.append(Partition(NO_CEILING - 1, NO_CEILING, CODEC.tables))
        with pytest.raises(InternalError, match="candidates belong to no partition"):
            for _ in range(100):
                search.step()


def test_states_are_in_the_partition_that_has_their_slice(tmp_path: Path) -> None:
    """Two are divided at a slice that many states are of."""
    with begun(CODEC, tmp_path / "one", 3000) as search:
        (queue,) = search.checkpoint.queues
        rows = queue.states(np.arange(len(queue.rows)))
    cut = int(np.bincount(slices_of(CODEC.tables, rows, CODEC.locked)).argmax())
    with begun(CODEC, tmp_path / "two", 0) as search:
        (first,) = search.partitions
        first.high = cut
        search.partitions.append(Partition(cut, NO_CEILING, CODEC.tables))
        while search.evaluated < 3000:
            assert search.step() is None
        for partition in search.partitions:
            (queue,) = partition.queues or ()
            slices = slices_of(CODEC.tables, queue.states(np.arange(len(queue.rows))), CODEC.locked)
            assert slices.size > 100
            assert (slices >= partition.low).all() and (slices < partition.high).all()


def test_what_waits_is_counted_wherever_it_is() -> None:
    """In candidates of a layer, in queues, and as rows that wait for a layer."""
    partition = Partition(0, NO_CEILING, CODEC.tables)
    rows = some_rows(30, 30)
    partition.candidates = {4: [rows[:10], b"a record in the store"], 5: [rows[10:12]]}
    assert (partition.pending, partition.candidate_bytes) == (12, rows[:12].nbytes)
    (queue,) = partition.open(1, MEMORY)
    empty = partition.nbytes
    partition.distribute(rows)
    assert partition.pending == 12 + 30
    assert partition.nbytes == empty + rows.nbytes
    queue.waiting[6] = [np.arange(7, dtype=np.uint32)]
    assert partition.pending == 12 + 30 + 7
    assert partition.nbytes == empty + rows.nbytes + 7 * 4
    queue.add_closed(rows)
    states = 30 * (bytes_of_row(CODEC.tables) + 8)
    assert partition.nbytes == empty + rows.nbytes + 7 * 4 + states


def test_rows_that_come_to_wait_are_sorted_by_layer() -> None:
    """There is none from the ceiling on; it is time when half of the room is used."""
    (queue,) = Partition(0, NO_CEILING, CODEC.tables).open(1, MEMORY)
    queue.shard.later[:4], queue.shard.later_layer[:4] = [8, 7, 5, 6], [71, 70, 72, 70]
    queue.shard.state[LATER] = 4
    queue.sort_later(72)
    waiting = {layer: [rows.tolist() for rows in some] for layer, some in queue.waiting.items()}
    assert waiting == {70: [[7, 6]], 71: [[8]]}
    assert queue.shard.state[LATER] == 0
    half = queue.shard.later.size // 2
    for count, many in ((half, False), (half + 1, True)):
        queue.shard.state[LATER] = count
        assert queue.many_wait() == many


def test_a_shard_has_room_for_full_buffers() -> None:
    """It is crowded when one more would take the last tenth of its room."""
    (queue,) = Partition(0, NO_CEILING, CODEC.tables).open(1, 0)
    assert len(queue.shard.outgoing) == 2 * BUFFER
    last = int(0.9 * len(queue.shard.rows)) - BUFFER
    for count, crowded in ((last, False), (last + 1, True)):
        queue.shard.state[COUNT] = count
        assert queue.is_crowded() == crowded


def test_threads_give_candidates_in_turn() -> None:
    """The lock is held while shards get them; a shard that gets none is left alone."""
    partition, rows = Partition(0, NO_CEILING, CODEC.tables), some_rows(200, 200)
    queues = partition.open(4, MEMORY)
    rows = rows[shards_of(CODEC.tables, rows, 4) == 2]
    seen: list[list[int]] = []

    @contextmanager
    def lock() -> Iterator[None]:
        seen.append([len(queue.incoming) for queue in queues])
        yield
        seen.append([len(queue.incoming) for queue in queues])

    partition.distribute(rows, lock())
    assert seen == [[0, 0, 0, 0], [0, 0, 1, 0]]


def test_what_waits_goes_to_the_new_shards() -> None:
    """Candidates, and rows that wait for a layer."""
    partition, rows = Partition(0, NO_CEILING, CODEC.tables), some_rows(50, 50)
    (old,) = partition.open(1, 16 * MEMORY)
    partition.distribute(rows)
    old.add_closed(rows)
    old.waiting[6] = [np.arange(20, dtype=np.uint32), np.arange(30, 50, dtype=np.uint32)]
    partition.divide(4, 16 * MEMORY, map)
    owners = shards_of(CODEC.tables, rows, 4)
    for queue in partition.queues or ():
        assert [one.tolist() for one in queue.incoming] == [rows[owners == queue.number].tolist()]
    waiting = [
        signature
        for queue in partition.queues or ()
        for numbers in queue.waiting.get(6, [])
        for signature in queue.states(numbers)[:, SIGNATURE].tolist()
    ]
    assert sorted(waiting) == [*range(20), *range(30, 50)]
