"""All classes of positions of a deal of Klondike are listed, and their distances worked out.

:mod:`dbmsolver.kits.klondike.class_distances` says what for. It is done in memory, in steps, by all
threads: a thread takes a signature. Signatures of one stratum do not lead to each other.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from dbmsolver.errors import InternalError
from dbmsolver.kernels.hashing import EMPTY
from dbmsolver.kernels.states import Words
from dbmsolver.kits.klondike.class_distances import (
    LOST,
    NO_SUCCESSOR,
    TOO_FAR,
    ClassDistances,
    list_signature,
    measure_signature,
    number_of_signature,
)
from dbmsolver.kits.klondike.classes import class_progress
from dbmsolver.kits.klondike.distances import distances_of, listed_keys
from dbmsolver.kits.klondike.keys import PatienceKeys

_AT_ONCE = 1 << 18
"""The classes that a step begins with; a signature is not divided."""
_MOST_SIGNATURES = 1 << 24
"""The signatures of a deal whose classes are listed, at most."""
_SLOTS = 4, 3
"""A table has four slots for three classes."""
_BYTES = 8 + 9 * _SLOTS[0] / _SLOTS[1]
"""The bytes that a class takes at most: in a list of keys, and a slot with its distance."""
_BYTES_WAITING = 16
"""The bytes that a class takes which waits for its signature: twice while it is put in order."""


class ClassListing:
    """The listing of all classes of a deal, in steps. ``keys`` are the keys of its positions.

    ``classes`` is how many classes are listed so far, ``measured`` of how many the distance is
    known. After the last step ``distances`` has all of them, or is None if they need more than
    ``memory`` bytes. ``is_lost`` is True then if the deal cannot be won.
    """

    def __init__(self, keys: PatienceKeys, threads: int, memory: int) -> None:
        self.keys = listed_keys(keys.deal)
        self.distances: ClassDistances | None = None
        self.is_lost = False
        self.classes = 0
        self.measured = 0
        self._memory = memory
        self._tables = distances_of(self.keys, keys.game.counted)
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._waiting: dict[int, dict[int, list[Words]]] = {}  # by stratum and signature
        self._waiting_keys = 0
        self._listed: dict[int, list[tuple[int, Words]]] = {}  # signatures and keys, by stratum
        self._is_measuring = False

    def step(self) -> bool:
        """List or measure the classes of some signatures; return True once all is done."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads)
            root = self.keys.root
            if root.signature != self.keys.goal:
                self._put(root.signature, np.array([root.off], np.uint64))
        if self._waiting:
            goes_on = self._list(self._pool)
        elif not self._is_measuring:
            goes_on = self._make_room()
        elif self._listed:
            goes_on = self._measure(self._pool)
        else:
            self.distances, goes_on = self._tables, False
            self.is_lost = self._distance_of_root() == LOST
        if not goes_on:
            self.close()
        return not goes_on

    @property
    def nbytes(self) -> int:
        """The bytes that it takes, with the tables to come; 0 once it has ended without them."""
        is_over = self._pool is None and self.distances is None
        return 0 if is_over else int(self.classes * _BYTES) + self._waiting_keys * _BYTES_WAITING

    @property
    def share(self) -> float | None:
        """The part of the distances that is worked out; None before all classes are listed."""
        return self.measured / self.classes if self._is_measuring and self.classes else None

    def close(self) -> None:
        """End the threads, and free the lists."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        self._waiting, self._listed, self._waiting_keys = {}, {}, 0

    def _stratum(self, signature: int) -> int:
        return int(class_progress(self.keys.tables, np.uint64(signature), self.keys.locked))

    def _put(self, signature: int, keys: Words) -> None:
        """Let classes of a signature wait to be listed."""
        of_stratum = self._waiting.setdefault(self._stratum(signature), {})
        of_stratum.setdefault(signature, []).append(keys)
        self._waiting_keys += keys.size

    def _list(self, pool: ThreadPoolExecutor) -> bool:
        """List the classes of some signatures of the lowest stratum.

        Returns False if there is no memory for more.
        """
        stratum = min(self._waiting)
        waiting = self._waiting[stratum]
        groups: list[tuple[int, Words]] = []
        begun = 0
        while waiting and begun < _AT_ONCE:
            signature, lists = waiting.popitem()
            keys = np.concatenate(lists)
            begun += keys.size
            groups.append((signature, keys))
        if not waiting:
            del self._waiting[stratum]
        self._waiting_keys -= begun
        tables = self.keys.tables
        found = pool.map(
            lambda group: list_signature(tables, np.uint64(group[0]), group[1]), groups
        )
        for (signature, _), (keys, leaving, columns, targets) in zip(groups, found, strict=True):
            self._listed.setdefault(stratum, []).append((signature, keys))
            self.classes += keys.size
            for column in np.unique(columns).tolist():
                self._put(int(targets[column]), leaving[columns == column])
        return self.nbytes <= self._memory

    def _make_room(self) -> bool:
        """Make the tables of all listed classes; return False if there are too many signatures."""
        self._is_measuring = True
        t = self._tables
        signatures = int(np.prod(t.sizes + 1))
        if signatures > _MOST_SIGNATURES:
            return False
        slots = np.zeros(signatures + 1, np.int64)
        times, over = _SLOTS
        for groups in self._listed.values():
            for signature, keys in groups:
                number = number_of_signature(t, np.uint64(signature))
                slots[number + 1] = keys.size * times // over + 1
        starts = np.cumsum(slots)
        self._tables = t._replace(
            starts=starts,
            keys=np.full(int(starts[-1]), EMPTY),
            values=np.empty(int(starts[-1]), np.uint8),
        )
        return True

    def _measure(self, pool: ThreadPoolExecutor) -> bool:
        """Work out the distances of some signatures of the highest stratum.

        Returns False if one of them does not fit into a byte.
        """
        stratum = max(self._listed)
        listed = self._listed[stratum]
        groups: list[tuple[int, Words]] = []
        begun = 0
        while listed and begun < _AT_ONCE:
            groups.append(listed.pop())
            begun += groups[-1][1].size
        if not listed:
            del self._listed[stratum]
        tables = self._tables
        found = pool.map(lambda one: measure_signature(tables, np.uint64(one[0]), one[1]), groups)
        results = set(found)
        if NO_SUCCESSOR in results:
            raise InternalError("internal check failed: a successor of a class is not listed")
        self.measured += begun
        return TOO_FAR not in results

    def _distance_of_root(self) -> int:
        """Return the distance of the deal's class, 0 if it is won."""
        t, root = self._tables, self.keys.root
        if root.signature == self.keys.goal:
            return 0
        number = number_of_signature(t, np.uint64(root.signature))
        start, end = int(t.starts[number]), int(t.starts[number + 1])
        places = np.flatnonzero(t.keys[start:end] == np.uint64(root.off))
        return int(t.values[start + int(places[0])])
