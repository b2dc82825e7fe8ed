"""The check of all closed states: the one loop of the check.

Strata are checked in ascending order, window by window. A *window* is the states of some strata,
and of those that moves lead to from there (:mod:`dbmsolver.verify.windows`). All of them are
entered into one table. Then the states of the first strata are laid out, one by one, and what their
moves lead to is looked up. A window has as many strata as memory allows. Where not even one stratum
fits with those that its moves lead to, a hash divides the window's states into *parts*: all its
states are checked once for each part, with only that part in memory, and what leads to another part
is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock, local
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dbmsolver.arrays import zeros
from dbmsolver.errors import InternalError, StoreError
from dbmsolver.storage.records import describe
from dbmsolver.storage.store import Store
from dbmsolver.verify.blocks import read_block
from dbmsolver.verify.kernels import closed_set
from dbmsolver.verify.kernels import closure as k
from dbmsolver.verify.kernels.closed_set import ClosedSet, States
from dbmsolver.verify.kernels.errors import NOT_CLOSED
from dbmsolver.verify.kernels.expand import make_successors
from dbmsolver.verify.kernels.opening import open_states
from dbmsolver.verify.kernels.record_layout import MOST_MACROS
from dbmsolver.verify.kernels.words import Words
from dbmsolver.verify.keys import Keys
from dbmsolver.verify.refutation import Refuted, reason_of, words_of
from dbmsolver.verify.report import Pace, Progress
from dbmsolver.verify.temporary import mapped_zeros
from dbmsolver.verify.windows import Catalog, StoredBlock, Window

_BLOCK_TIMES = 4
"""The memory that a block takes while it is read, in sizes of its body."""
_LEAST_MEMORY = 1 << 8
"""The memory of states that a window has at least, in bytes."""
_AT_ONCE = 1 << 12
"""States that a thread looks at together."""
_SUCCESSORS = 2 * MOST_MACROS
"""Room for what they lead to: twice as many as can follow from one state."""
_PARENT_BYTES, _MADE_BYTES = 4, 2
_CHECK_TIMES = 4
"""The time that a state takes to be checked, in times that it takes to be read."""

Value = TypeVar("Value")


class Part(NamedTuple):
    """A part of a window's states in memory."""

    window: Window
    made: NDArray[np.int16]  # the moves made to each state of any part; 0 if costs do not count
    closed: ClosedSet
    lock: Lock  # only one thread enters states at a time
    entered: list[int]  # [1]: the states that have been entered


class Worker:
    """Scratch memory of one thread."""

    def __init__(self, keys: Keys) -> None:
        self.table = keys.make_table()
        self.states = closed_set.make_states(_AT_ONCE)
        self.after = make_successors(_SUCCESSORS)


_NO_LIMIT = 1 << 62
"""The limit where no length is claimed: larger than any length, and than any lower bound."""


class _PartFull(Exception):
    """A part has more states than its share of the window's."""


class Closure:
    """The check of a store's closed states; :meth:`run` carries it out, or raises Refuted.

    The claim is that no solution has fewer moves than ``length``; without a length, that there is
    none at all. ``costs``: the search had layers of costs, which are checked, too. ``sample`` is
    the share of blocks whose states are checked; ``seed`` decides which ones. ``memory`` bytes are
    for closed states, and for blocks that are being read.
    """

    def __init__(
        self,
        store: Store,
        keys: Keys,
        length: int | None,
        costs: bool,
        threads: int,
        memory: int,
        sample: float | None = None,
        seed: int | None = None,
    ) -> None:
        self.store = store
        self.keys = keys
        self.length = length
        self.costs = costs
        self.threads = threads
        self.memory = memory
        self.catalog = Catalog(store, keys.code_bytes)
        self.chosen = self.catalog.sample(sample, seed)
        self.follows_parents = sample is None and keys.codes
        self.counts: dict[tuple[int, int], list[int]] = {}
        """By layer and stratum, checked states without a forced move, and with one. Where these are
        not counted apart, all are among the first."""
        self.digest = 0
        self._parents: dict[int, NDArray[Any]] = {}
        """Of strata that are checked in a later window, the parents found so far."""
        self._scratch = local()
        self._pool = ThreadPoolExecutor(threads)
        self._pace = Pace()
        self._done, self._work = 0, 1

    @property
    def states(self) -> int:
        """States checked."""
        return sum(map(sum, self.counts.values()))

    def rows(self) -> list[tuple[int, int, int, int]]:
        """Return (layer, stratum, states, forced) of the checked states, ascending."""
        return sorted((*place, states, forced) for place, (states, forced) in self.counts.items())

    def run(self) -> Generator[Progress, None, None]:
        """Check everything, or raise Refuted."""
        if self.keys.root_stratum not in self.catalog.strata:
            raise self._no_root()
        try:
            windows = [*self._windows()]
            self._work = sum(map(self._work_of, windows))
            for window in windows:
                yield from self._check_window(window)
        finally:
            self._pool.shutdown(cancel_futures=True)

    def _windows(self) -> Iterator[Window]:
        """Yield the windows; that of the deal is among them, whatever blocks were chosen."""
        # Three quarters of a table's slots have states.
        state_bytes = 4 * 8 * (self.keys.words + 1) // 3
        state_bytes += _PARENT_BYTES * self.follows_parents + _MADE_BYTES * self.costs
        blocks = _BLOCK_TIMES * self.catalog.largest * (self.threads + 1)
        memory = max(self.memory - blocks, self.memory // 4, _LEAST_MEMORY)
        strata = {block.stratum for block in self.chosen} | {self.keys.root_stratum}
        return self.catalog.windows(strata, self.keys.lift, state_bytes, memory)

    def _to_check(self, window: Window) -> list[StoredBlock]:
        """Return the chosen blocks of a window's strata."""
        blocks = (block for stratum in window.checked for block in self.catalog.strata[stratum])
        return [block for block in blocks if block in self.chosen]

    def _work_of(self, window: Window) -> int:
        """Return the work of a window, in states that are read."""
        checked = sum(block.states for block in self._to_check(window))
        return window.parts * (window.states + _CHECK_TIMES * checked)

    def _check_window(self, window: Window) -> Generator[Progress, None, None]:
        parents = self._parents_of(window)
        made = self._zeros(window.states, np.int16, self.costs)
        for number in range(window.parts):
            yield from self._check_part(window, parents, made, number)
        if self.follows_parents:
            self._follow_parents(window, parents)

    def _check_part(
        self, window: Window, parents: NDArray[Any], made: NDArray[np.int16], number: int
    ) -> Generator[Progress, None, None]:
        """Check the chosen blocks of a window with one part of its states in memory."""
        part = yield from self._load(window, parents, made, number)
        if self.keys.root_stratum in window.ranges:
            self._check_root(part.closed)
        checked = self._by_all(self._to_check(window), partial(self._check_block, part))
        for block, (forced, digest) in checked:
            if number == 0:
                forced *= self.keys.counts_forced
                counts = self.counts.setdefault((block.layer, block.stratum), [0, 0])
                counts[0] += block.states - forced
                counts[1] += forced
                self.digest = (self.digest + digest) & 0xFFFFFFFFFFFFFFFF
            yield from self._report("checking", block, _CHECK_TIMES * block.states)

    def _parents_of(self, window: Window) -> NDArray[Any]:
        """Return the parents of a window's states (see `ClosedSet`); some have been found."""
        kind = np.int32 if window.states < np.iinfo(np.int32).max - closed_set.INSIDE else np.int64
        parents = self._zeros(window.states, kind, self.follows_parents)
        for stratum, (first, last) in window.ranges.items():
            if stratum in self._parents:
                parents[first:last] = self._parents.pop(stratum)
        return parents

    def _zeros(self, states: int, kind: type[Any], used: bool) -> NDArray[Any]:
        """Return an array of zeros of a dtype, one for each state of a window.

        It is in a file if it is large and ``used``. One that is not used takes no memory.
        """
        large = used and states * np.dtype(kind).itemsize > self.memory // 4
        return mapped_zeros(states, kind) if large else zeros(states, kind)

    def _load(
        self, window: Window, parents: NDArray[Any], made: NDArray[np.int16], number: int
    ) -> Generator[Progress, None, Part]:
        """Return the closed states of a part of a window; Refuted if one is there twice."""
        states = window.states // window.parts
        slots, words = states + states // 3 + 16, self.keys.words + 1
        while True:
            table = zeros(slots * words, np.uint64).reshape(slots, words)
            closed = ClosedSet(table, parents, number, window.parts)
            part = Part(window, made, closed, Lock(), [0])
            try:
                for block, _ in self._by_all(window.blocks, partial(self._enter, part)):
                    yield from self._report("reading", block, block.states)
                return part
            except _PartFull:
                slots *= 2

    def _by_all(
        self, blocks: Iterable[StoredBlock], task: Callable[[StoredBlock], Value]
    ) -> Iterator[tuple[StoredBlock, Value]]:
        """Do a task for each block by all threads; yield blocks and results in order."""
        begun = [(block, self._pool.submit(task, block)) for block in blocks]
        try:
            for block, future in begun:
                yield block, future.result()
        finally:
            for _, future in begun:
                future.cancel()
            for _, future in begun:
                if not future.cancelled():
                    future.exception()  # waits until it has ended

    def _report(self, phase: str, block: StoredBlock, done: int) -> Iterator[Progress]:
        self._done += done
        if self._pace.due():
            share = min(self._done / self._work, 1.0)
            last = max(self.catalog.strata)
            yield Progress(phase, block.stratum, last, self.states, self.catalog.states, share)

    def _worker(self) -> Worker:
        """Return the scratch memory of this thread."""
        if not hasattr(self._scratch, "worker"):
            self._scratch.worker = Worker(self.keys)
        worker: Worker = self._scratch.worker
        return worker

    def _enter(self, part: Part, block: StoredBlock) -> None:
        """Enter the states of a block that are of a part; count the moves made to all of them."""
        first, worker = part.window.firsts[block.key], self._worker()
        for states, count in self._read(block, worker):
            made = part.made[first : first + count]
            if self.costs and part.closed.part == 0:
                error, wrong = k.count_moves_made(
                    self.keys.tables, states, count, block.layer, worker.table, made
                )
                if error:
                    raise self._wrong(error, states, wrong)
            with part.lock:
                ended, part.entered[0], number = closed_set.enter(
                    part.closed, states, made, count, first, part.entered[0], worker.after.hashes
                )
            if ended == closed_set.TWICE:
                words = words_of(states.rows[number])
                raise Refuted(f"a {self.keys.noun} is closed twice", words)
            if ended == closed_set.FULL:
                raise _PartFull
            first += count

    def _read(self, stored: StoredBlock, worker: Worker) -> Iterator[tuple[States, int]]:
        """Yield the states of a block, some at a time, and how many they are."""
        keys, states = self.keys, worker.states
        where = f"{self.store.path}: {describe(stored.key)}"
        block = read_block(self.store, keys.code_bytes, stored.key)
        if block.codes.size != stored.states:
            raise StoreError("the block has changed", where)
        if (keys.form.progress(block.signatures) != stored.stratum).any():
            raise StoreError("the block's signatures do not belong to its stratum", where)
        signatures = np.repeat(block.signatures, block.counts)
        for first in range(0, stored.states, _AT_ONCE):
            part = slice(first, min(first + _AT_ONCE, stored.states))
            count = part.stop - first
            states.rows[:count] = 0
            states.rows[:count, 0] = signatures[part]
            states.rows[:count, 1 : 1 + block.words] = block.keys[part]
            states.codes[:count] = block.codes[part]
            error, wrong = open_states(keys.form, block.words, stored.layer, states, count)
            if error:
                place = f"{describe(stored.key)}, signature {int(states.rows[wrong, 0]):#x}"
                raise Refuted(f"{reason_of(error, keys.noun)} ({place})")
            yield states, count

    def _check_root(self, closed: ClosedSet) -> None:
        """Raise Refuted if the deal is in this part, and not closed."""
        is_mine, number, made = closed_set.look_up(closed, np.array(self.keys.root, np.uint64))
        if not is_mine:
            return
        if number < 0 or (self.costs and made != self.keys.root_made):
            raise self._no_root()
        closed.parents[number] = closed_set.OUTSIDE

    def _no_root(self) -> Refuted:
        noun = self.keys.noun
        reason = f"the deal is not among the closed {noun}{'e' * noun.endswith('s')}s"
        if self.costs:
            reason += ", or not in the layer of its lower bound"
        return Refuted(reason, self.keys.root)

    def _check_block(self, part: Part, stored: StoredBlock) -> tuple[int, int]:
        """Check the states of a block: (how many have a forced move, their digest)."""
        keys, worker = self.keys, self._worker()
        if stored.layer and not self.costs:
            raise Refuted("a proof has no layers")
        limit = _NO_LIMIT if self.length is None else self.length
        task = k.Task(
            self.costs, limit, np.array(keys.root, np.uint64), keys.root_made, keys.root_code,
            keys.free, self.follows_parents, stored.layer, *part.window.ranges[stored.stratum],
        )  # fmt: skip
        first, forced, digest = part.window.firsts[stored.key], 0, 0
        for states, count in self._read(stored, worker):
            error, index, some, hashes = k.check_states(
                keys.tables, part.closed, task, states, part.made[first : first + count], count,
                first, worker.table, worker.after,
            )  # fmt: skip
            if error == NOT_CLOSED:
                source = worker.after.sources[index]
                raise self._not_closed(states.rows[source], worker.after.rows[index])
            if error:
                raise self._wrong(error, states, index)
            first, forced, digest = first + count, forced + some, digest + hashes
        return forced, digest

    def _wrong(self, error: int, states: States, number: int) -> Refuted:
        """Return the refutation by a state that cannot be closed."""
        return Refuted(reason_of(error, self.keys.noun), words_of(states.rows[number]))

    def _not_closed(self, state: Words, after: Words) -> Refuted:
        """Return the refutation by a closed state, and what it leads to."""
        reason = f"a successor of a closed {self.keys.noun} is not closed"
        if self.length is not None:
            reason += ", though a solution through it could be shorter than the one claimed"
        elif self.costs:
            reason += ", or in too high a layer"
        return Refuted(reason, words_of(state), words_of(after), "the successor")

    def _follow_parents(self, window: Window, parents: NDArray[Any]) -> None:
        """Raise Refuted unless all parents of the checked strata are found, and lead on."""
        for stratum, (first, last) in window.ranges.items():
            if stratum not in window.checked:
                self._parents[stratum] = parents[first:last].copy()
                continue
            number, is_ring = closed_set.follow_chains(parents, first, last)
            if number >= 0:
                reason = "the parent-move code of a closed position is of no move from another one"
                if is_ring:
                    reason = "parent-move codes lead round in a ring, and never to the deal"
                raise Refuted(reason, self._state(window, number))

    def _state(self, window: Window, number: int) -> tuple[int, int, int, int]:
        """Return a state by its number."""
        for block in window.blocks:
            first = window.firsts[block.key]
            if not first <= number < first + block.states:
                continue
            for states, count in self._read(block, self._worker()):
                if number < first + count:
                    return words_of(states.rows[number - first])
                first += count
        raise InternalError("a state is not where it was")
