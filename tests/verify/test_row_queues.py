"""Rows on their way: each is handed out once, to its own partition, from memory or from a file."""

from __future__ import annotations

import numpy as np
import pytest

from dbmsolver.verify.row_queues import RowQueues, Rows

STRATA = np.array([0, 0, 1, 3], np.int64)
PLANES = 2
ROW = 8 * (PLANES + 2)
"""Bytes of a row."""


def rows_of(first: int, count: int, run: int = 0) -> Rows:
    """Return rows that differ in each word, all for one run."""
    rows = np.arange((PLANES + 2) * count, dtype=np.uint64).reshape(count, -1) + np.uint64(first)
    rows[:, -1] = run
    return rows


def taken(queues: RowQueues, partition: int, most: int) -> list[list[list[int]]]:
    """Return the rows of each batch."""
    return [batch.open().tolist() for batch in queues.take(partition, most)]


def test_rows_in_memory_come_in_batches() -> None:
    """Arrays of rows are put together, up to the size; a larger one stays whole."""
    queues = RowQueues(STRATA, PLANES, 1 << 20)
    sent = [rows_of(100 * number, count) for number, count in enumerate((3, 2, 1, 7, 2))]
    for rows in sent:
        queues.send(2, rows)
    queues.send(1, rows_of(900, 1))
    assert [queues.has(partition) for partition in range(4)] == [False, True, True, False]
    parts = [np.concatenate(sent[first:last]).tolist() for first, last in ((0, 2), (2, 3), (3, 4))]
    assert taken(queues, 2, 5) == [*parts, sent[4].tolist()]
    assert (queues.has(2), queues.waiting(), queues.spilled) == (False, True, 0)
    assert taken(queues, 2, 5) == []
    assert taken(queues, 1, 5) == [rows_of(900, 1).tolist()]
    assert not queues.waiting()


def test_rows_beyond_the_memory_go_to_files() -> None:
    """Rows of the partition with most go first; all that fits stays in memory."""
    queues = RowQueues(STRATA, PLANES, 10 * ROW)
    small, large, more = rows_of(0, 4, 5), rows_of(100, 6, 7), rows_of(200, 3, 6)
    queues.send(0, small)
    queues.send(1, large)
    assert queues.spilled == 0
    queues.send(1, more)
    assert queues.spilled == 9 * ROW
    last = rows_of(300, 2, 7)
    queues.send(1, last)
    assert queues.spilled == 9 * ROW
    assert queues.runs(0).tolist() == [5]
    assert queues.runs(1).tolist() == [6, 7]
    filed = np.concatenate([large, more]).tolist()
    assert taken(queues, 1, 4) == [last.tolist(), filed[:4], filed[4:8], filed[8:]]
    assert taken(queues, 0, 4) == [small.tolist()]
    queues.close()
    assert queues.spilled == 0


def test_rows_go_to_a_file_more_than_once() -> None:
    queues = RowQueues(STRATA, PLANES, 0)
    sent = [rows_of(100 * number, 3, 9 - number) for number in range(3)]
    for rows in sent:
        queues.send(2, rows)
    assert queues.spilled == 9 * ROW
    assert queues.runs(2).tolist() == [7, 8, 9]
    assert taken(queues, 2, 3) == [rows.tolist() for rows in sent]
    queues.close()


def test_memory_is_free_again_once_rows_are_taken() -> None:
    queues = RowQueues(STRATA, PLANES, 10 * ROW)
    for partition in range(4):
        queues.send(partition, rows_of(partition, 10))
        assert taken(queues, partition, 100) == [rows_of(partition, 10).tolist()]
    queues.send(0, rows_of(0, 11))
    assert queues.spilled == 11 * ROW
    for partition in (1, 2):
        queues.send(partition, rows_of(partition, 5))
    assert queues.spilled == 11 * ROW
    queues.close()


@pytest.mark.parametrize(("lowest", "left"), [(0, 0), (1, 12), (2, 24), (3, 24), (4, 37)])
def test_files_are_removed_from_a_stratum_on(lowest: int, left: int) -> None:
    """Partitions of one stratum have one file."""
    queues = RowQueues(STRATA, PLANES, 0)
    for partition, count in ((0, 5), (1, 7), (2, 12), (3, 13)):
        queues.send(partition, rows_of(0, count))
    assert queues.spilled == 37 * ROW
    queues.close(lowest)
    assert queues.spilled == left * ROW
    queues.close()


def test_files_of_rows_that_wait_are_kept() -> None:
    queues, counts = RowQueues(STRATA, PLANES, 0), (5, 7, 12, 13)
    for partition, count in enumerate(counts):
        queues.send(partition, rows_of(100 * partition, count))
    for partition in (1, 2, 3, 0):
        rows = rows_of(100 * partition, counts[partition]).tolist()
        assert taken(queues, partition, 99) == [rows]
        if partition == 3:
            queues.close_unused()
            assert queues.spilled == 12 * ROW
    queues.close_unused()
    assert queues.spilled == 0
