"""Closing a signature with too many states for one worker: in pieces, by all workers.

A piece keeps the keys of its closed states in a hash table while memory lasts. The states
themselves are in blocks, from which the table can be made again; where pieces are expanded by other
processes, it stays in the one that was the last. A worker takes what is pending for a piece and
closes what follows from it within the piece. Candidates for other pieces go to their queues.

A piece that outgrows its table gets a larger one; at the largest size it is split by one more bit
of the keys. Candidates that wait are packed when they take too much memory. Pieces are expanded
until nothing is pending in any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import Any

from dbmsolver.search.candidates import Candidates, pack_together
from dbmsolver.search.commits import Packed
from dbmsolver.search.portions import in_groups
from dbmsolver.search.proof.piece_set import Budget, PieceSet
from dbmsolver.search.proof.piece_tables import KeyShape, rebuilt
from dbmsolver.search.proof.piece_worker import PieceResult
from dbmsolver.search.proof.pieces import Piece
from dbmsolver.search.proof.table_loading import find_spans, fits, load_tables
from dbmsolver.search.proof.worker import LargeStart, WorkResult
from dbmsolver.search.proof.workers import Workers
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.blocks import MOST_BYTES

_AT_ONCE = 1 << 21
"""Candidates that a thread takes at a time, at most."""
_WORTH_PACKING = 10_000
_MESSAGE_WORTH = 1024
"""The number of a piece's closed states that one waiting state makes up for, where each expansion
is an order for another process. While others are expanded, a piece with fewer waiting states is
left for later."""

Task = tuple[Future[Any], Callable[[Any], None]]
"""A task of a worker, and the function that takes its result in the main thread."""


class LargeSignature:
    """One signature closed in pieces by workers.

    `start` is what is known of it. `take_result` gets what follows from every expansion.
    """

    def __init__(
        self,
        shape: KeyShape,
        recorder: Recorder,
        start: LargeStart,
        budget: Budget,
        workers: Workers,
        take_result: Callable[[WorkResult], None],
    ) -> None:
        self.shape = shape
        self.recorder = recorder
        self.workers = workers
        self.memory = budget.memory
        self.packing_bytes = min(budget.memory // (16 * budget.threads), MOST_BYTES // 2)
        self.take_result = take_result
        self.set = PieceSet(shape, recorder, start, budget)
        self._clock = 0
        self._running: dict[Future[Any], Callable[[Any], None]] = {}
        self._reading = self._read_blocks()

    def step(self) -> bool:
        """Do a piece of work; return True, without work, if nothing is pending."""
        if self._reading is not None and not next(self._reading, True):
            return False
        self._reading = None
        self._submit()
        if not self._running:
            self.set.check_none_lost()
            return True
        finished, _ = wait(self._running, return_when=FIRST_COMPLETED)
        for future in finished:
            self._running.pop(future)(future.result())
        if self._running:  # what comes between two steps may take long, and nobody is to wait
            self._submit()
        return False

    def end(self) -> None:
        """Wait for the workers, and keep what they have done."""
        wait(self._running)
        for future, finish in self._running.items():
            if future.exception() is None:
                finish(future.result())
        self._running.clear()

    def _read_blocks(self) -> Iterator[None] | None:
        """Return the reading of the blocks of the run before, block by block; None without any.

        They are read once: into tables, or to note their keys' bits.
        """
        if not self.set.blocks:
            return None
        if self.workers.keeps_tables and fits(self.set):
            return load_tables(self.set, self.workers.pool)
        return find_spans(self.set, self.workers.pool)

    # What to do next.

    def _submit(self) -> None:
        """Give work to the workers that have none."""
        while len(self._running) < self.workers.count:
            task = self._next_task(bool(self._running))
            if task is None:
                break
            work, finish = task
            self._running[work] = finish

    def _next_task(self, others_run: bool) -> Task | None:
        """Return the next task: make room or tables, or expand a piece. None: wait."""
        for piece in self.set.pieces:
            if piece.full and not piece.busy:
                return self._growth(piece)
        waiting = self.set.candidate_bytes
        if waiting > self.memory // 4 and (packing := self._packing()) is not None:
            return packing
        if self.set.sources and waiting < self.memory // 8:
            return self._delivery()
        piece_or_none = self._next_piece(others_run)
        if piece_or_none is None:
            return self._delivery() if self.set.sources else None
        if not self.workers.keeps_tables:
            self.set.plan(piece_or_none)
        blocks = self._reserve(piece_or_none)
        result = PieceResult.to(piece_or_none, self.set.tree.routes(), self.set.largest_bits)
        return self.workers.expand_piece(self.shape, result, blocks), self._finish

    def _next_piece(self, others_run: bool) -> Piece | None:
        """Return the idle piece with the most work; None if there is none, or it pays to wait.

        It is one of those that will be expanded first.
        Pieces with a table come first, unless another has far more work.
        """
        delays = [
            (delay, piece)
            for piece in self.set.pieces
            if not piece.busy and piece.work and (delay := self.workers.delay(piece)) is not None
        ]
        if not delays:
            return None
        soonest = min(delay for delay, _ in delays)
        idle = [piece for delay, piece in delays if delay == soonest]
        best = max(idle, key=lambda piece: (piece.table is not None, piece.work))
        rich = max(idle, key=lambda piece: piece.work)
        if best.table is None or rich.work > 20 * best.work:
            best = rich
        if others_run and best.work < self._least(best):
            return None
        return best

    def _least(self, piece: Piece) -> int:
        """Return how many waiting states are worth an expansion.

        Where an expansion is an order for another process, it is a part of the closed states.
        """
        return 64 if self.workers.keeps_tables else max(64, piece.closed // _MESSAGE_WORTH)

    # Expanding a piece.

    def _reserve(self, piece: Piece) -> list[Packed]:
        """Reserve a piece and candidates for a thread; return the blocks to load into its table."""
        self._clock += 1
        piece.used = self._clock
        piece.busy = True
        if self.workers.keeps_tables:
            needed = self.set.add_table(piece)
        elif self.workers.has_table(piece):
            needed = []
        else:
            piece.evict()
            needed = piece.blocks
        blocks = [ref.fetch(self.recorder.store) for ref in needed]
        later: list[Candidates] = []
        taken = 0
        for one in piece.queue:
            if taken and taken + one.states > _AT_ONCE:
                later.append(one)
            else:
                piece.in_work.append(one)
                taken += one.states
        piece.queue = later
        return blocks

    def _finish(self, done: PieceResult) -> None:
        """Keep the result of expanding a piece."""
        piece, result = done.piece, done.result
        piece.busy = False
        left = {id(one) for one in (*done.opened, *done.rest)}
        self.set.forget(one for one in piece.in_work if id(one) not in left)
        piece.in_work = []
        piece.opened = done.opened
        piece.queue += done.rest
        refs = self.recorder.add_closed(result.closed, always=True)
        self.set.add_divided(piece, refs, result.sides)
        result.closed = []
        self.set.outstanding += done.put_back - done.taken
        self.set.deliver_new(done.routes, done.routed)
        self.take_result(result)
        if done.sample is not None:
            self.set.take_sample(*done.sample)
        if not self.workers.keeps_tables:
            self.set.settle(piece, done.closed, full=done.full, lost=not done.loaded)
        elif not done.loaded:
            self.set.drop_table(piece)
        else:
            piece.closed += result.states
            piece.full = done.full

    # Making room. Each is planned in the main thread, done by an idle one, finished in the main
    # one.

    def _packing(self) -> Task | None:
        """Pack candidates of the piece with the most unpacked ones, as many as a thread may."""
        idle = [piece for piece in self.set.pieces if not piece.busy]
        if not idle:
            return None
        rich = max(idle, key=lambda piece: sum(one.nbytes for one in piece.loose))
        loose = next(in_groups(rich.loose, lambda one: one.loaded_bytes, self.packing_bytes), [])
        if sum(one.states for one in loose) < _WORTH_PACKING:
            return None
        rich.busy = True

        def finish(packed: list[Candidates]) -> None:
            rich.busy = False
            self.set.replace(rich, loose, packed)

        return self.workers.pool.submit(pack_together, loose), finish

    def _delivery(self) -> Task:
        """Load candidates that waited for room, and bring them to their pieces."""
        load = self.set.take_sources(self.packing_bytes)
        return self.workers.pool.submit(load), self.set.deliver_sources

    def _growth(self, piece: Piece) -> Task:
        """Return the task of making a larger table for a piece whose table is full.

        At the largest size the task makes two tables, for the pieces that replace it.
        """
        table = piece.table
        assert table is not None
        piece.busy = True
        bit = None
        if table.bits >= self.set.largest_bits:
            bit = self.set.best_bit(piece)
        self.set.make_room(2 * table.nbytes)
        work = self.workers.pool.submit(rebuilt, table, piece.mask, piece.value, bit)
        return work, partial(self.set.replace_table, piece, bit)
