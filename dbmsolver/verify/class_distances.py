"""All classes of a deal and their distances, in memory: by the check's own moves, from the deal.

:mod:`dbmsolver.verify.kernels.class_distances` says what is listed, and why it is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from threading import Lock

import numpy as np

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.verify.class_format import ClassFormat
from dbmsolver.verify.kernels import class_distances as k
from dbmsolver.verify.kernels.classes import WON_SIGNATURE, make_board
from dbmsolver.verify.kernels.words import Ints, Words, bits_in
from dbmsolver.verify.report import Pace, Progress, TooMany

_FIRST_SLOTS = 256
_LIFTED = 1 << 14
"""Classes of higher strata that are found before they are entered."""
_SLOT_BYTES = 8 + 1
"""The bytes of a slot: a key, and its distance."""


class _Table:
    """The keys of a signature while they are listed: a hash table that grows."""

    def __init__(self) -> None:
        self.slots = np.empty(0, np.uint64)
        self.entered = 0
        self.lock = Lock()


class ClassDistances:
    """The distances of all classes of a deal; :meth:`run` lists them, ``count`` in all.

    Which moves are forced in positions does not matter: a distance is that by all moves.
    TooMany if they need more than ``memory`` bytes.
    """

    def __init__(self, deal: Deal, threads: int, memory: int) -> None:
        self.form = ClassFormat(deal, "wkr")
        self.game = self.form.game
        self.threads = threads
        self.memory = memory
        self.count = 0
        self._keys = np.empty(0, np.uint64)
        self._tables: list[dict[int, _Table]] = [{} for _ in range(self.game.total + 1)]
        """By stratum and signature, the tables that are not finished."""
        self._runs: list[list[tuple[int, int, int]]] = []
        """By stratum, signatures, and where their keys begin and end."""
        self._bytes = 0
        self._lock = Lock()
        self._stopped = False
        self._pace = Pace()

    def run(self) -> Generator[Progress, None, k.Distances]:
        """List all classes, and work their distances out."""
        if self.form.root[0] != WON_SIGNATURE:
            self._enter(np.array([self.form.root], np.uint64))
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for stratum, tables in enumerate(self._tables):
                    listing = [partial(self._list, *table) for table in tables.items()]
                    yield from self._by_all(pool, listing, "listing classes", stratum)
                    self._finish(tables)
                distances = self._distances()
                for stratum, runs in reversed([*enumerate(self._runs)]):
                    measuring = [partial(self._measure, distances, *run) for run in runs]
                    yield from self._by_all(pool, measuring, "working out distances", stratum)
            finally:
                self._stopped = True
                pool.shutdown(cancel_futures=True)
        return distances

    def _by_all(
        self,
        pool: ThreadPoolExecutor,
        tasks: Iterable[Callable[[], None]],
        phase: str,
        stratum: int,
    ) -> Generator[Progress, None, None]:
        """Do the tasks of a stratum by all threads."""
        last = self.game.total
        done = stratum if phase == "listing classes" else last - stratum
        for task in as_completed([pool.submit(task) for task in tasks]):
            task.result()
            if self._pace.due():
                yield Progress(phase, stratum, last, self.count, 0, done / (last + 1))

    def _list(self, signature: int, table: _Table) -> None:
        """List all classes of a signature, and enter those of higher strata that follow."""
        board = make_board(self.game)
        lifted = np.empty((_LIFTED, 2), np.uint64)
        stack = table.slots[table.slots != k.NONE]
        waiting = stack.size
        while waiting and not self._stopped:
            self._make_room(table, board.after.shape[0])
            if stack.size < table.slots.size:
                stack = np.concatenate((stack, np.empty(table.slots.size, np.uint64)))
            table.entered, waiting, count = k.list_classes(
                self.game, board, np.uint64(signature), table.slots, table.entered, waiting, stack,
                lifted,
            )  # fmt: skip
            if waiting < 0:
                raise InternalError("a move between classes leads to none")
            self._enter(lifted[:count])

    def _enter(self, classes: Words) -> None:
        """Enter classes, signatures and keys, into their tables."""
        signatures = np.unique(classes[:, 0])
        strata = self.game.progress(signatures).tolist()
        for word, stratum in zip(signatures, strata, strict=True):
            keys = classes[classes[:, 0] == word, 1]
            table = self._tables[stratum].setdefault(int(word), _Table())
            with table.lock:
                self._make_room(table, keys.size)
                table.entered += k.enter_keys(table.slots, 0, table.slots.size, keys)

    def _make_room(self, table: _Table, more: int) -> None:
        """Have room in a table for more keys: a quarter of its slots stay empty."""
        needed, there = _slots_for(table.entered + more), table.slots.size
        if needed <= there:
            return
        size = max(needed, 2 * there, _FIRST_SLOTS)
        self._take(_SLOT_BYTES * (size - there))
        slots = np.full(size, k.NONE, np.uint64)
        k.enter_keys(slots, 0, size, table.slots)
        table.slots = slots

    def _take(self, size: int) -> None:
        """Count bytes that are taken, or given back if below 0."""
        with self._lock:
            self._bytes += size
            if self._bytes > self.memory:
                raise TooMany(self.count, "classes", self.memory)

    def _finish(self, tables: dict[int, _Table]) -> None:
        """Move the keys of a stratum to the others, in tables that are no larger than need be."""
        first = self._keys.size
        ends = first + np.cumsum(
            [_slots_for(table.entered) for table in tables.values()], dtype=int
        )
        if ends.size:
            self._keys.resize(ends[-1], refcheck=False)  # no thread has a view of it
            self._keys[first:] = k.NONE
        runs = []
        for (signature, table), end in zip(tables.items(), ends.tolist(), strict=True):
            self._take(_SLOT_BYTES * (end - first - table.slots.size))
            self.count += k.enter_keys(self._keys, first, end - first, table.slots)
            runs.append((signature, first, end))
            table.slots, first = np.empty(0, np.uint64), end
        self._runs.append(runs)

    def _distances(self) -> k.Distances:
        """Return the distances before any is known."""
        runs = [run for of_stratum in self._runs for run in of_stratum]
        signatures = np.array([signature for signature, _, _ in runs], np.uint64)
        firsts = np.array([*(first for _, first, _ in runs), self._keys.size], np.int64)
        table = np.full((1 << (2 * len(runs)).bit_length(), 3), k.NONE, np.uint64)
        k.enter_runs(table, signatures, firsts)
        moves = np.full(self._keys.size, k.LOST, np.uint8)
        return k.Distances(self.game, table, self._keys, moves)

    def _measure(self, distances: k.Distances, signature: int, first: int, end: int) -> None:
        """Work out the distances of a signature's classes; those of higher strata are known."""
        board = make_board(self.game)
        order = self._in_order(distances.keys[first:end])
        lowered = order.size
        while lowered and not self._stopped:
            lowered = k.lower_distances(distances, board, np.uint64(signature), first, order)
            if lowered < 0:
                raise InternalError("a move between classes leads to one that is not listed")
        if (distances.moves[first:end] == k.FURTHEST).any():
            raise InternalError(f"a class has a distance of {k.FURTHEST} moves or more")

    def _in_order(self, keys: Words) -> Ints:
        """Return the places of keys in a table, so that most moves lead to an earlier one.

        Cards that have left the stock do not come back, and few come back from foundations.
        """
        order, size = np.flatnonzero(keys != k.NONE), self.game.pack.size
        keys = keys[order]
        rank = 64 * bits_in(keys & np.uint64((1 << size) - 1)).astype(np.int16)
        for suit in range(4):
            rank -= (keys >> np.uint64(size + 4 * suit) & np.uint64(15)).astype(np.int16)
        return order[np.argsort(rank, kind="stable")]


def _slots_for(entered: int) -> int:
    """Return how many slots keys need of which a quarter, or one at least, stays empty."""
    return entered + entered // 3 + 1
