"""Dives: short searches in memory that come before a proof on disk, or make it needless.

A dive expands the most promising record first.  It ends with a win, or with all records expanded,
which is a proof, or when it has found as many records as it may.  What is promising differs from
deal to deal, so several orders take turns, with growing limits: no deal that one of them wins
quickly takes long because of another.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.digest import digest_rows
from dbmsolver.kernels.runs import progress_of
from dbmsolver.kits.choice import CoveringKeys
from dbmsolver.kits.records.dive import (
    BROKEN,
    EXHAUSTED,
    LARGEST_BATCH,
    RECORD_BYTES,
    WON,
    Diving,
    dive,
    fingerprints,
    go_on,
    make_diving,
)
from dbmsolver.kits.states import State
from dbmsolver.results import Method
from dbmsolver.search.proof.broken import broken
from dbmsolver.search.rows import packed
from dbmsolver.storage.blocks import Runs

Order = tuple[int, int, int, int]
"""The weights in the priority of a record or a class: of its progress, its free slots (of a
class: empty columns and pairs of which a card can be bared), its cards home, and how few cards are
locked on those that go home next."""

ORDERS: tuple[Order, ...] = (
    (0, 2, 1, 0),
    (1, 2, 0, 1),
    (1, 0, 1, 0),
    (0, 3, 2, 1),
    (2, 1, 0, 0),
    (0, 0, 2, 1),
)
"""Orders for large dives: each wins most deals that small ones leave open, and not the same
ones."""
Schedule = Sequence[tuple[Order, int]]
"""Orders, and the records that each may find."""

SCHEDULE: Schedule = (
    ((4, 4, 4, 1), 1 << 10),
    ((3, 7, 2, 2), 3 << 9),
    ((2, 0, 1, 0), 1 << 10),
    ((2, 10, 4, 0), 3 << 9),
    ((3, 4, 3, 0), 3 << 9),
    ((4, 4, 2, 3), 3 << 9),
    ((3, 10, 1, 1), 3 << 8),
    ((2, 1, 0, 1), 3 << 8),
    ((2, 6, 4, 1), 3 << 8),
    ((2, 1, 0, 0), 3 << 10),
    ((1, 2, 0, 1), 1 << 13),
    ((0, 0, 2, 1), 1 << 14),
    ((0, 3, 2, 1), 1 << 15),
    ((2, 5, 1, 1), 1 << 16),
)
"""Found by trial on deals 100,001 to 102,400 with four freecells: each of the small dives is the
one that decides the most deals, of those that are left, for the records that it finds. The larger
ones decide most of the deals that are hard for those. All of them together find 140,000 records,
which is little beside a large proof.
"""
LARGE: Schedule = (
    ((1, 0, 0, 1), 1 << 15),
    ((1, 2, 0, 0), 1 << 17),
    (ORDERS[0], 1 << 18),
    (ORDERS[1], 1 << 18),
    (ORDERS[2], 1 << 19),
    (ORDERS[3], 1 << 19),
    (ORDERS[4], 1 << 20),
    (ORDERS[5], 1 << 20),
    (ORDERS[1], 1 << 21),
)
"""The dives that may follow where a proof on disk would take longer still."""
CLASS_SCHEDULE: Schedule = (
    ((3, 2, 3, 3), 1 << 8),
    ((0, 0, 2, 0), 1 << 8),
    ((10, 0, 2, 3), 1 << 8),
    ((0, 2, 3, 0), 1 << 9),
    ((10, 0, 3, 1), 1 << 9),
    ((2, 1, 0, 0), 1 << 9),
    ((0, 1, 3, 3), 1 << 12),
    ((0, 2, 1, 0), 1 << 14),
    ((8, 0, 3, 3), 1 << 14),
    ((0, 0, 2, 1), 1 << 17),
    ((1, 0, 0, 3), 1 << 19),
    ((0, 2, 1, 0), 1 << 21),
)
"""The dives for classes of Klondike.

The small ones were found by trial on PySolFC's deals 1 to 100, with three cards turned at once and
with one. The last one wins 21 of 40 deals by threes for which strata took more than three million
classes, chosen at random from those of 1 to 10,000 that can be won. The one before it is unlike its
neighbours: with it, they find a fifth less in the deals 301 to 1,000 of Klondike-Solver that can be
won and that the smaller ones leave open.
"""
CLASS_ORDERS: tuple[Order, ...] = (
    (0, 2, 1, 0),
    (10, 0, 2, 3),
    (0, 1, 3, 1),
    (1, 0, 0, 3),
    (0, 0, 3, 0),
    (2, 1, 0, 0),
)
"""Orders for large dives over classes."""
ANY_PASSES_SCHEDULE: Schedule = (
    *CLASS_SCHEDULE[:-3],
    (CLASS_ORDERS[0], 1 << 20),
    (CLASS_ORDERS[4], 1 << 24),
)
"""The dives for classes of any number of passes.

Most deals that can be won with any number of passes are won by a small dive. The last one is large
enough for most proofs; it takes some seconds.
"""
_LEAST = 1 << 11
_NOT_FOUND = -2
"""The number in place of the parents of records that have not been found yet."""
_PAUSE = 0.1
"""Seconds between two looks at limits and signals."""


class Dived(NamedTuple):
    """The end of a series of dives."""

    outcome: Literal["won", "exhausted", "open"]
    expanded: int
    """Records expanded by all dives."""
    path: tuple[State, ...] = ()
    """The records from the first one to the win."""
    rows: NDArray[np.uint64] = np.empty((0, 3), np.uint64)
    """All records, if they have been exhausted: signature and planes."""
    parents: NDArray[np.int32] = np.empty(0, np.int32)
    """The number of each one's parent, -1 for the first."""


class Diver:
    """Scratch memory for the dives of one thread, each for at most ``most`` records."""

    def __init__(self, most: int) -> None:
        self.most = max(1 << (most.bit_length() - 1), _LEAST)
        self.diving = make_diving(_LEAST)
        self._limit = 0
        self._known = 0

    def forget(self, limit: int) -> None:
        """Forget what the last dive has found; the next may find ``limit`` records."""
        self._known = 0
        self._make_room(limit)

    def dive(self, keys: CoveringKeys, start: State, order: Order, limit: int) -> Dived:
        """Make one dive from a record, for at most ``limit`` records."""
        self.forget(limit)
        words = (np.uint64(word) for word in start[:3])
        how = keys.locked, self._limit, order, _largest_batch(keys)
        return self._ended(*dive(keys.tables, self.diving, *words, *how))

    def go_on(self, keys: CoveringKeys, order: Order, limit: int) -> Dived:
        """Go on with the dive before, in another order, until it has ``limit`` records in all.

        What it has found is kept; records that are not expanded yet are taken in the new order.
        """
        self._make_room(limit)
        how = keys.locked, self._limit, order, _largest_batch(keys)
        return self._ended(*go_on(keys.tables, self.diving, self._known, *how))

    def _make_room(self, limit: int) -> None:
        """Make room for ``limit`` records in all; those that are known are kept."""
        limit, known = min(limit, self.most), self._known
        room = 1 << (limit - 1).bit_length()
        if self.diving.parents.size < room:
            # Another thread may hold the flag that ends a dive, so that it stays the same.
            before, self.diving = self.diving, make_diving(room)._replace(stop=self.diving.stop)
            for name in ("rows", "parents", "following", "free"):
                getattr(self.diving, name)[:known] = getattr(before, name)[:known]
        self._limit = limit
        self.diving.parents[known:limit] = _NOT_FOUND  # all of them take longer than a small dive

    def _ended(self, outcome: int, count: int, expanded: int) -> Dived:
        """Return the end of a dive that has found ``count`` records."""
        self._known = count
        if outcome == WON:
            path = [
                State(signature, off, low, 0)
                for signature, off, low in way_back(self.diving, count - 1).tolist()
            ]
            return Dived("won", expanded, path=tuple(path))
        if outcome == EXHAUSTED:
            rows, parents = self.diving.rows[:count], self.diving.parents[:count]
            return Dived("exhausted", expanded, rows=rows, parents=parents)
        if outcome == BROKEN:
            raise broken()
        return Dived("open", expanded)

    def found(self) -> int:
        """Return how many records the dive has found so far; another thread may ask."""
        parents = self.diving.parents[: self._limit]
        # They are found in the order of their numbers.
        return bisect_left(range(parents.size), True, key=lambda i: parents[i] == _NOT_FOUND)


def _largest_batch(keys: CoveringKeys) -> int:
    """Return the most records that a dive takes together.

    In FreeCell it takes one after the other, as the counts of published tables are of such dives.
    """
    return LARGEST_BATCH if keys.method.of_classes else 1


def schedule_of(keys: CoveringKeys) -> Schedule:
    """Return the dives that come before a proof."""
    if keys.method == Method.CLASSES_ANY_PASSES:
        return ANY_PASSES_SCHEDULE
    return CLASS_SCHEDULE if keys.method.of_classes else SCHEDULE


def way_back(diving: Diving, number: int) -> NDArray[np.uint64]:
    """Return the records from the first of a dive to record ``number`` (uint64[steps, 3])."""
    numbers = []
    while number >= 0:
        numbers.append(number)
        number = int(diving.parents[number])
    return diving.rows[numbers[::-1]]


def room_for(memory: int, threads: int) -> int:
    """Return how many records each thread's dives may find in ``memory`` bytes for all threads."""
    return max(memory // (RECORD_BYTES * threads), _LEAST)


class Dives:
    """The dives of a schedule, made by some threads; each may find `most` records at most.

    They begin with the record `start`, or with the deal's. The outcome is that of the first in the
    schedule that decides the deal, so it does not depend on the threads.
    """

    def __init__(
        self,
        keys: CoveringKeys,
        threads: int,
        memory: int,
        most: int | None,
        schedule: Schedule = (),
        start: State | None = None,
    ) -> None:
        self.keys = keys
        self.threads = threads
        self.schedule = schedule or schedule_of(keys)
        self.start = start or keys.root
        room = room_for(memory, threads)
        self.limit = room if most is None else min(room, most)
        self.expanded = 0
        self._found = 0
        self._begun = 0
        self._idle = [Diver(self.limit) for _ in range(threads)]
        self._running: dict[Future[Dived], tuple[int, Diver]] = {}
        self._left = list(enumerate(self.schedule))
        self._decided: dict[int, Dived] = {}
        self._pool = ThreadPoolExecutor(threads)

    def progress(self) -> tuple[int, int]:
        """Return how many dives have begun, and how many records they have found."""
        running = sum(diver.found() for _, diver in list(self._running.values()))
        return self._begun, self._found + running

    def step(self) -> Dived | None:
        """Dive for a moment; return the outcome of all dives once it is known."""
        self._submit()
        done, _ = wait(self._running, _PAUSE, FIRST_COMPLETED)
        for task in done:
            number, diver = self._running.pop(task)
            self._idle.append(diver)
            dived = task.result()
            self.expanded += dived.expanded
            self._found += diver.found()
            if dived.outcome != "open":
                self._decided[number] = dived
                self._left = []
        if self._left or any(
            number < min(self._decided, default=number + 1) for number, _ in self._running.values()
        ):
            return None
        self.close()
        if self._decided:
            return self._decided[min(self._decided)]
        return Dived("open", self.expanded)

    def _submit(self) -> None:
        """Begin with the next dives of the schedule where threads are idle."""
        while self._left and self._idle:
            number, (order, limit) = self._left.pop(0)
            diver = self._idle.pop()
            limit = min(limit, self.limit)
            diver.forget(limit)  # at once: what it found last is not to be told as found now
            diver.diving.stop[0] = 0
            self._begun = number + 1
            task = self._pool.submit(diver.dive, self.keys, self.start, order, limit)
            self._running[task] = number, diver

    def close(self) -> None:
        """End the dives early, and their threads."""
        for _, diver in self._running.values():
            diver.diving.stop[0] = 1
        self._pool.shutdown()


def blocks_of(keys: CoveringKeys, dived: Dived) -> Iterator[tuple[int, Runs]]:
    """Yield the records of an exhausted dive as (stratum, runs), as closed records are stored.

    Only the records of one stratum at a time are copied: there may be many millions of them.
    """
    codes = fingerprints(dived.rows)
    signatures = np.ascontiguousarray(dived.rows[:, 0])
    strata = progress_of(keys.tables, signatures, keys.locked)
    for stratum in np.unique(strata):
        chosen = np.flatnonzero(strata == stratum)
        parents = dived.parents[chosen]
        rows = np.zeros((chosen.size, 5), np.uint64)
        rows[:, :3] = dived.rows[chosen]
        rows[:, 4] = np.where(parents < 0, 0, codes[parents])
        for number, runs in packed(keys, rows):
            yield number, replace(runs, extra=None)


def digest_of(keys: CoveringKeys, rows: NDArray[np.uint64]) -> int:
    """Return the digest of records (uint64[*, 3]), as a search that closes them has it."""
    return int(digest_rows(keys.tables, rows))


@contextmanager
def stopped_after(stop: NDArray[np.uint8], seconds: float | None) -> Iterator[None]:
    """Stop the dives that heed the flag ``stop`` after that time; None for no limit."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, lambda: stop.fill(1))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        stop.fill(0)
