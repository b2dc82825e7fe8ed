"""Rows on their way to partitions that are not in memory.

They are kept by destination.  When they outgrow their share of memory, those of the destination
that has most go to a temporary file, one for each stratum.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dbmsolver.verify.spill import Spill

Rows = NDArray[np.uint64]


@dataclass(slots=True)
class _Queue:
    rows: list[Rows] = field(default_factory=list)
    nbytes: int = 0
    spilled: list[tuple[int, int]] = field(default_factory=list)  # offset, rows


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Some of the rows for a partition: in memory, or in a file."""

    rows: Rows | None
    spill: Spill | None = None
    offset: int = 0
    shape: tuple[int, int] = (0, 0)

    def open(self) -> Rows:
        """Return the rows, uint64[*, 4 or 5]."""
        if self.rows is not None:
            return self.rows
        assert self.spill is not None
        rows = np.empty(self.shape, np.uint64)
        self.spill.read_into(self.offset, rows)
        return rows


class RowQueues:
    """Rows by partition.

    ``strata`` are those of the partitions, ``planes`` of a state, ``memory`` the bytes that rows
    may take; any thread may send.
    """

    def __init__(self, strata: NDArray[np.int64], planes: int, memory: int) -> None:
        self.width = planes + 2
        self.spilled = 0
        """Bytes in files."""
        self._strata = strata
        self._memory = memory
        self._used = 0
        self._queues: dict[int, _Queue] = {}
        self._files: dict[int, Spill] = {}
        self._lock = threading.Lock()

    def send(self, partition: int, rows: Rows) -> None:
        """Keep rows (an array of their own) for a partition."""
        with self._lock:
            queue = self._queues.setdefault(partition, _Queue())
            queue.rows.append(rows)
            queue.nbytes += rows.nbytes
            self._used += rows.nbytes
            while self._used > self._memory:
                fullest = max(self._queues, key=lambda number: self._queues[number].nbytes)
                self._spill(fullest, self._queues[fullest])

    def _spill(self, partition: int, queue: _Queue) -> None:
        stratum = int(self._strata[partition])
        if stratum not in self._files:
            self._files[stratum] = Spill()
        rows = np.concatenate(queue.rows)
        self.spilled += rows.nbytes
        queue.spilled.append((self._files[stratum].write(rows), rows.shape[0]))
        self._used -= queue.nbytes
        queue.rows, queue.nbytes = [], 0

    def has(self, partition: int) -> bool:
        """Return True if there are rows for a partition."""
        return partition in self._queues

    def waiting(self) -> bool:
        """Return True if there are rows for any partition."""
        return bool(self._queues)

    def take(self, partition: int, most: int) -> Iterator[RowBatch]:
        """Yield all rows for a partition, in batches of at most ``most``; keep them no longer."""
        with self._lock:
            queue = self._queues.pop(partition, _Queue())
            self._used -= queue.nbytes
        gathered: list[Rows] = []
        count = 0
        for rows in queue.rows:
            if gathered and count + rows.shape[0] > most:
                yield RowBatch(np.concatenate(gathered))
                gathered, count = [], 0
            gathered.append(rows)
            count += rows.shape[0]
        if gathered:
            yield RowBatch(np.concatenate(gathered))
        for offset, count in queue.spilled:
            spill = self._files[int(self._strata[partition])]
            for first in range(0, count, most):
                shape = (min(most, count - first), self.width)
                yield RowBatch(None, spill, offset + 8 * self.width * first, shape)

    def runs(self, partition: int) -> NDArray[np.int64]:
        """Return the runs that the rows for a partition are to be looked up in, ascending."""
        queue = self._queues[partition]
        found = [np.unique(rows[:, -1]) for rows in queue.rows]
        for offset, count in queue.spilled:
            rows = np.empty((count, self.width), np.uint64)
            self._files[int(self._strata[partition])].read_into(offset, rows)
            found.append(np.unique(rows[:, -1]))
        return np.unique(np.concatenate(found)).astype(np.int64)

    def close(self, lowest: int = 0) -> None:
        """Remove the files of all strata from this one on, whose rows have been taken and used."""
        for stratum in [number for number in self._files if number >= lowest]:
            self._close(stratum)

    def close_unused(self) -> None:
        """Remove the files of strata for which no rows wait."""
        waiting = {int(self._strata[partition]) for partition in self._queues}
        for stratum in self._files.keys() - waiting:
            self._close(stratum)

    def _close(self, stratum: int) -> None:
        file = self._files.pop(stratum)
        self.spilled -= file.nbytes
        file.close()
