"""Rows on their way to shelves that are not in memory.

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
class _Box:
    rows: list[Rows] = field(default_factory=list)
    nbytes: int = 0
    spilled: list[tuple[int, int]] = field(default_factory=list)  # offset, rows


@dataclass(frozen=True, slots=True)
class Parcel:
    """Some of the rows for a shelf: in memory, or in a file."""

    rows: Rows | None
    spill: Spill | None = None
    offset: int = 0
    shape: tuple[int, int] = (0, 0)

    def open(self) -> Rows:
        """The rows, uint64[*, 4 or 5]."""
        if self.rows is not None:
            return self.rows
        assert self.spill is not None
        rows = np.empty(self.shape, np.uint64)
        self.spill.read_into(self.offset, rows)
        return rows


class Mail:
    """Rows by shelf.  ``strata`` are those of the shelves, ``planes`` of a state, ``memory`` the
    bytes that rows may take; any thread may send.
    """

    def __init__(self, strata: NDArray[np.int64], planes: int, memory: int) -> None:
        self.width = planes + 2
        self.sent = 0
        self._strata = strata
        self._memory = memory
        self._used = 0
        self._boxes: dict[int, _Box] = {}
        self._files: dict[int, Spill] = {}
        self._lock = threading.Lock()

    def send(self, shelf: int, rows: Rows) -> None:
        """Keep rows (an array of their own) for a shelf."""
        with self._lock:
            box = self._boxes.setdefault(shelf, _Box())
            box.rows.append(rows)
            box.nbytes += rows.nbytes
            self._used += rows.nbytes
            self.sent += rows.shape[0]
            while self._used > self._memory:
                fullest = max(self._boxes, key=lambda number: self._boxes[number].nbytes)
                self._spill(fullest, self._boxes[fullest])

    def _spill(self, shelf: int, box: _Box) -> None:
        stratum = int(self._strata[shelf])
        if stratum not in self._files:
            self._files[stratum] = Spill()
        rows = np.concatenate(box.rows)
        box.spilled.append((self._files[stratum].write(rows), rows.shape[0]))
        self._used -= box.nbytes
        box.rows, box.nbytes = [], 0

    def has(self, shelf: int) -> bool:
        """Whether there are rows for a shelf."""
        return shelf in self._boxes

    def waiting(self) -> bool:
        """Whether there are rows for any shelf."""
        return bool(self._boxes)

    def take(self, shelf: int, most: int) -> Iterator[Parcel]:
        """All rows for a shelf, in parcels of at most ``most``; they are kept no longer."""
        with self._lock:
            box = self._boxes.pop(shelf, _Box())
            self._used -= box.nbytes
        gathered: list[Rows] = []
        count = 0
        for rows in box.rows:
            if gathered and count + rows.shape[0] > most:
                yield Parcel(np.concatenate(gathered))
                gathered, count = [], 0
            gathered.append(rows)
            count += rows.shape[0]
        if gathered:
            yield Parcel(np.concatenate(gathered))
        for offset, count in box.spilled:
            spill = self._files[int(self._strata[shelf])]
            for first in range(0, count, most):
                shape = (min(most, count - first), self.width)
                yield Parcel(None, spill, offset + 8 * self.width * first, shape)

    def runs(self, shelf: int) -> NDArray[np.int64]:
        """The runs that the rows for a shelf are to be looked up in, ascending."""
        box = self._boxes[shelf]
        found = [np.unique(rows[:, -1]) for rows in box.rows]
        for offset, count in box.spilled:
            rows = np.empty((count, self.width), np.uint64)
            self._files[int(self._strata[shelf])].read_into(offset, rows)
            found.append(np.unique(rows[:, -1]))
        return np.unique(np.concatenate(found)).astype(np.int64)

    def close(self, lowest: int = 0) -> None:
        """Remove the files of all strata from this one on, whose rows have been taken and used."""
        for stratum in [number for number in self._files if number >= lowest]:
            self._files.pop(stratum).close()
