"""The check of all closed states, shelf by shelf in ascending strata, by all threads."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.verify.catalog import Catalog
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels.arrange import Board, make_board
from dbmsolver.verify.kernels.expand import MOST_ROWS, UNKNOWN, Work, expand
from dbmsolver.verify.kernels.shelf import (
    PARENT,
    ROW,
    by_shelf,
    find_run,
    follow_chains,
    look_up,
    piece_of,
    too_short,
)
from dbmsolver.verify.kernels.words import hash_state
from dbmsolver.verify.refutation import Refuted, words_of
from dbmsolver.verify.shelves import Loaded, Shelves

Numbers = NDArray[np.int32] | NDArray[np.int64]
Words4 = tuple[int, int, int, int]
_UNIT = 1 << 15
_ROWS_PER_STATE = 12


@dataclass(frozen=True, slots=True)
class Claim:
    """What is to be checked: with ``length``, that no solution is shorter; without, that there is
    none.
    """

    root: Words4
    length: int | None

    @property
    def costs(self) -> bool:
        """Whether moves are counted."""
        return self.length is not None


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a check has come."""

    stratum: int
    last_stratum: int
    states: int
    all_states: int


class Desk(NamedTuple):
    """A thread's scratch memory."""

    work: Work
    board: Board
    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    missing: NDArray[np.int64]


class Closure:
    """The check of a catalogue's states; :meth:`run` carries it out, or raises Refuted.

    ``sample`` is the share of blocks whose states are checked, chosen at random by ``seed``.
    """

    def __init__(
        self,
        form: Format,
        catalog: Catalog,
        shelves: Shelves,
        claim: Claim,
        threads: int,
        memory: int,
        sample: float | None = None,
        seed: int | None = None,
    ) -> None:
        self.form = form
        self.catalog = catalog
        self.shelves = shelves
        self.claim = claim
        self.threads = threads
        self.memory = memory
        self.states = 0
        self.blocks = len(catalog.blocks)
        layers = 1 + max((block.layer for block in catalog.blocks), default=0)
        strata = 1 + max((block.stratum for block in catalog.blocks), default=0)
        self.tally = np.zeros((strata, layers, 2), np.int64)
        self.digest = 0
        self.root = np.array(claim.root, np.uint64)
        self._unit = _UNIT
        if catalog.shelves and max(plan.pieces for plan in catalog.shelves) > 1:
            # Every unit may need all pieces: few, big units, or the pieces are loaded too often.
            self._unit = max(_UNIT, memory // (8 * threads * 8 * ROW * _ROWS_PER_STATE))
        self._desks = [self._make_work(layers) for _ in range(threads)]
        self._chosen: NDArray[np.bool_] | None = None
        if sample is not None and catalog.blocks:
            self._choose(sample, seed)

    def _choose(self, sample: float, seed: int | None) -> None:
        number = min(self.blocks, max(1, round(sample * self.blocks)))
        chosen = random.Random(seed).sample(range(self.blocks), number)
        self._chosen = np.zeros(self.blocks, np.bool_)
        self._chosen[chosen] = True
        self.blocks = number

    def _make_work(self, layers: int) -> Desk:
        rows = max(_ROWS_PER_STATE * self._unit, 2 * MOST_ROWS)
        work = Work(
            rows=np.empty((rows, ROW), np.uint64),
            targets=np.full(14 * 5, UNKNOWN, np.int64),
            place=np.zeros(4, np.int64),
            tally=np.zeros((layers, 2), np.int64),
            digest=np.zeros(1, np.uint64),
        )
        return Desk(
            work=work,
            board=make_board(),
            order=np.empty(rows, np.int64),
            starts=np.empty(len(self.catalog.shelves) + 2, np.int64),
            hashes=np.empty(rows, np.uint64),
            missing=np.empty(rows, np.int64),
        )

    def run(self) -> Iterator[Moment]:
        """Check everything."""
        self.check_root()
        last = int(self.catalog.strata[-1]) if self.catalog.shelves else 0
        with ThreadPoolExecutor(self.threads) as pool:
            for stratum in np.unique(self.catalog.strata).tolist():
                for _ in self._stratum(stratum, pool):
                    yield Moment(stratum, last, self.states, self.catalog.states)

    def check_root(self) -> None:
        """The deal is closed; where costs count, as the state that no moves have been made to."""
        index = self.catalog.index
        run = int(find_run(index, self.root[0]))
        found = False
        if run >= 0:
            number = int(index.shelf[run])
            if index.pieces[run] > 1:
                number += int(piece_of(hash_state(*self.root), index.pieces[run]))
            row = np.zeros((1, ROW), np.uint64)
            row[0, :4] = self.root
            row[0, 4] = PARENT << 48
            row[0, 5] = run
            missing = self._look_up(self.shelves.get(number), row, np.zeros(1, np.int64))
            found = missing.size == 0
        if not found:
            reason = "the deal is not among the closed positions"
            if self.claim.costs:
                reason += ", or not in the layer of its lower bound"
            raise Refuted(reason, self.claim.root)

    def _stratum(self, stratum: int, pool: ThreadPoolExecutor) -> Iterator[None]:
        shelves = np.flatnonzero(self.catalog.strata == stratum).tolist()
        firsts: dict[int, int] = {}
        chains = self._chosen is None and not self.claim.costs
        total = 0
        if chains:
            for number in shelves:
                firsts[number] = total
                plan = self.catalog.shelves[number]
                # Of a piece, the exact number of states is known only once it is loaded.
                total += plan.states if plan.pieces == 1 else self.shelves.get(number).states
        parents = self._parents(total)
        units = self._units(shelves, firsts, parents)
        running: set[Future[None]] = set()
        idle = list(self._desks)
        busy: dict[Future[None], Desk] = {}
        try:
            while True:
                while idle and (unit := next(units, None)) is not None:
                    desk = idle.pop()
                    task = pool.submit(self._check, desk, *unit)
                    running.add(task)
                    busy[task] = desk
                if not running:
                    break
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for task in done:
                    desk = busy.pop(task)
                    task.result()
                    self._collect(stratum, desk.work)
                    idle.append(desk)
                yield
        finally:
            wait(running)
        if chains and (lost := int(follow_chains(parents))) >= 0:
            raise self._lost(lost, shelves, firsts)

    def _parents(self, states: int) -> Numbers:
        kind: type[np.int32] | type[np.int64] = np.int32 if states < 1 << 31 else np.int64
        size = states * np.dtype(kind).itemsize
        if not states or size <= self.memory // 6:
            none: Any = np.full(states, -1, kind)
            return none  # type: ignore[no-any-return]
        with TemporaryFile(prefix="dbmsolver-verify-") as file:
            file.truncate(size)
            # The file has no name: the system removes it when the array goes.
            mapped: Any = np.memmap(file, kind, "r+", shape=(states,))
            return mapped  # type: ignore[no-any-return]

    def _units(
        self, shelves: list[int], firsts: dict[int, int], parents: Numbers
    ) -> Iterator[tuple[Loaded, NDArray[np.int64], int, int, dict[int, int], Numbers]]:
        for number in shelves:
            plan = self.catalog.shelves[number]
            if self._chosen is not None and not self._chosen[plan.blocks].any():
                continue
            loaded = self.shelves.get(number)
            segments = loaded.segments
            if self._chosen is not None:
                segments = segments[self._chosen[plan.blocks]]
            for part in cut(segments[segments[:, 2] > 0], self._unit):
                yield loaded, part, number, firsts.get(number, 0), firsts, parents

    def _check(
        self,
        desk: Desk,
        loaded: Loaded,
        segments: NDArray[np.int64],
        number: int,
        source_first: int,
        firsts: dict[int, int],
        parents: Numbers,
    ) -> None:
        work, board = desk.work, desk.board
        index, form = self.catalog.index, self.form
        limit = self.claim.length or 0
        work.place[:] = 0
        while work.place[0] < segments.shape[0]:
            error = expand(
                form, index, loaded.shelf, segments, self.claim.costs, limit, self.root, board,
                work, source_first, parents,
            )  # fmt: skip
            if error:
                place = int(work.place[3])
                signature = int(index.signatures[segments[work.place[0], 0]])
                raise Refuted.state(error, signature, loaded.shelf, place)
            count = int(work.place[2])
            order, starts = desk.order, desk.starts
            by_shelf(work.rows, count, order, starts)
            nowhere = order[starts[-2] : count]
            self._judge(nowhere, work, board, loaded)
            for shelf in np.flatnonzero(np.diff(starts[:-1])).tolist():
                there = loaded if shelf == number else self.shelves.get(shelf)
                rows = order[starts[shelf] : starts[shelf + 1]]
                gone = look_up(
                    index, form.planes, there.shelf, work.rows, rows, self.claim.costs,
                    source_first, firsts.get(shelf, 0), parents, desk.hashes, desk.missing,
                )  # fmt: skip
                self._judge(desk.missing[:gone], work, board, loaded)

    def _look_up(
        self, there: Loaded, rows: NDArray[np.uint64], order: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        missing = np.empty(order.size, np.int64)
        hashes = np.empty(order.size, np.uint64)
        none = np.empty(0, np.int32)
        gone = look_up(
            self.catalog.index, self.form.planes, there.shelf, rows, order, self.claim.costs,
            0, 0, none, hashes, missing,
        )  # fmt: skip
        return missing[:gone]

    def _judge(self, missing: NDArray[np.int64], work: Work, board: Board, loaded: Loaded) -> None:
        """Rows that were not found: right only where costs count, if what they lead to can wait."""
        if not missing.size:
            return
        worst = int(missing[0])
        if self.claim.length is not None:
            worst = int(too_short(self.form, work.rows, missing, board, self.claim.length))
            if worst < 0:
                return
        row = [int(word) for word in work.rows[worst]]
        number = row[4] & 0xFFFFFFFF
        other = (row[0], row[1], row[2], row[3])
        source = words_of(self._signature_of(loaded, number), loaded.shelf, number)
        if row[4] >> 48 == PARENT:
            relation = "its parent by the parent-move code"
            reason = "the parent of a closed position, by its parent-move code, is not closed"
            if self.claim.costs:
                reason += " with one move less"
        else:
            relation = "the successor"
            reason = "a successor of a closed position is not closed"
            if self.claim.costs:
                reason += ", though a solution through it could be shorter than the one claimed"
        raise Refuted(reason, source, other, relation)

    def _signature_of(self, loaded: Loaded, number: int) -> int:
        segments = loaded.segments
        inside = (segments[:, 1] <= number) & (number < segments[:, 1] + segments[:, 2])
        run = segments[np.flatnonzero(inside)[0], 0]
        return int(self.catalog.index.signatures[run])

    def _collect(self, stratum: int, work: Work) -> None:
        self.tally[stratum] += work.tally
        self.states += int(work.tally.sum())
        self.digest = (self.digest + int(work.digest[0])) & 0xFFFFFFFFFFFFFFFF
        work.tally[:] = 0
        work.digest[0] = 0

    def _lost(self, lost: int, shelves: list[int], firsts: dict[int, int]) -> Refuted:
        number = max(shelf for shelf in shelves if firsts[shelf] <= lost)
        loaded = self.shelves.get(number)
        place = lost - firsts[number]
        words = words_of(self._signature_of(loaded, place), loaded.shelf, place)
        return Refuted("parent-move codes lead round in a ring, and never to the deal", words)


def cut(segments: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """Pieces of at most ``size`` states of a list of segments (int64[*, 3]: run, first state,
    count).
    """
    ends = np.cumsum(segments[:, 2])
    total = int(ends[-1]) if ends.size else 0
    for begin in range(0, total, size):
        end = min(begin + size, total)
        low = int(np.searchsorted(ends, begin, side="right"))
        high = int(np.searchsorted(ends, end, side="left")) + 1
        part = segments[low:high].copy()
        skipped = begin - (int(ends[low]) - int(segments[low, 2]))
        part[-1, 2] -= int(ends[high - 1]) - end
        part[0, 1] += skipped
        part[0, 2] -= skipped
        yield part
