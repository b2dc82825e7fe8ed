"""A signature too big to be closed in one go: pieces, visited until none has anything pending.

A piece keeps the keys of its closed states in a hash table while memory lasts; the states themselves are in blocks, from
which the table can be made again.  A visit takes what is pending for a piece, closes what follows from it within the
piece, and hands candidates for sibling pieces to their inboxes.  A piece that outgrows its table gets a larger one, then
is split by one more bit.  Candidates that wait are packed when they take too much memory; those that are in the store, or
belong to a piece that has been split, wait in ``sources`` until there is room for them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.runs import key_bits
from dbmsolver.core.workspace import BURST
from dbmsolver.errors import InternalError
from dbmsolver.search.candidates import SignatureCandidates
from dbmsolver.search.journal import BlockRef, Journal, Packed
from dbmsolver.search.proof.chunks import PieceCandidates, pack_candidates
from dbmsolver.search.proof.piece_worker import PieceResult, expand_piece
from dbmsolver.search.proof.pieces import (
    FILL,
    SMALLEST_BITS,
    Piece,
    Shape,
    Table,
    Tree,
    piece_words,
    split_bit,
)
from dbmsolver.search.proof.worker import LargeStart, ProofWorker, WorkResult
from dbmsolver.search.tallies import Tally, weigh_one
from dbmsolver.state import StateCodec
from dbmsolver.storage.blocks import MOST_BYTES
from dbmsolver.storage.records import states_of
from dbmsolver.storage.transaction import Transaction

LARGEST_BITS = 23
FIRST_PIECES = 3
"""A new big signature is cut into two to this power pieces, so that all threads have work."""
_SAMPLE = 50_000
_AT_ONCE = 1 << 21
"""Candidates that are unpacked for one visit."""
_WORTH_PACKING = 10_000

CandidateSource = PieceCandidates | SignatureCandidates
"""Candidates that are not yet in the inboxes of their pieces."""
Task = tuple[Callable[[], Any], Callable[[Any], None]]
"""What a worker thread does, and what the main thread does with what comes of it."""


class LargeSignature:
    """One signature closed in pieces by all threads.

    ``start`` is what is known of it, ``blocks`` its closed states so far.  ``memory`` is the budget for tables and waiting
    candidates, of which ``other_memory`` says how much others take.  ``take_result`` gets what every visit brings.
    """

    def __init__(
        self,
        codec: StateCodec,
        journal: Journal,
        start: LargeStart,
        stratum: int,
        memory: int,
        threads: int,
        blocks: list[BlockRef],
        take_result: Callable[[WorkResult], None],
        other_memory: Callable[[], int],
    ) -> None:
        self.take_result = take_result
        self.other_memory = other_memory
        self.journal = journal
        self.stratum = stratum
        self.memory = memory
        self.key_words = start.key_words
        bits = int(key_bits(codec.tables, np.uint64(start.signature)))
        self.shape = Shape.of(codec, start.signature, start.key_words, bits)
        share = max(memory // (3 * threads), 1)
        self.packing_bytes = min(memory // (16 * threads), MOST_BYTES // 2)
        self.largest_bits = min(
            LARGEST_BITS, max(SMALLEST_BITS, (share // self.shape.slot_bytes).bit_length() - 1)
        )
        self.clock = 0
        self.sample = start.keys[: self.key_words * _SAMPLE].copy(), start.codes[:_SAMPLE].copy()
        self.sources: list[CandidateSource] = list(start.sources)
        self.delivering: list[CandidateSource] = []
        root = Piece(0, 0, 0, blocks, closed=sum(ref.block.states for ref in blocks))
        self.tree = Tree(self.key_words, root)
        while len(self.pieces) < 1 << FIRST_PIECES or max(
            piece.closed for piece in self.pieces
        ) > FILL * (1 << self.largest_bits):
            if not self._split(max(self.pieces, key=lambda piece: piece.closed)):
                break
        self.balance = 0
        self._deliver(start.keys[self.key_words * start.closed :], start.codes[start.closed :])

    @property
    def pieces(self) -> list[Piece]:
        """All pieces."""
        return self.tree.pieces

    @property
    def pending(self) -> int:
        """Candidates waiting in all pieces, and on their way to them."""
        return self.tree.pending + sum(source.size for source in (*self.sources, *self.delivering))

    def run(self, pool: Executor, workers: list[ProofWorker]) -> Generator[int, None, None]:
        """Visit pieces until nothing is pending; yields the number of waiting candidates after every visit."""
        running: dict[Future[Any], tuple[ProofWorker, Callable[[Any], None]]] = {}
        idle = list(workers)
        try:
            while True:
                while idle:
                    worker = idle.pop()
                    task = self._next_task(worker, bool(running))
                    if task is None:
                        idle.append(worker)
                        break
                    work, finish = task
                    running[pool.submit(work)] = worker, finish
                if not running:
                    self._check_balance()
                    return
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    worker, finish = running.pop(future)
                    idle.append(worker)
                    finish(future.result())
                yield self.pending
        finally:
            wait(running)
            for future, (_, finish) in running.items():
                if future.exception() is None:
                    finish(future.result())

    def put_pending(self, txn: Transaction, written: list[tuple[PieceCandidates, bytes]]) -> Tally:
        """Write what is pending and has no record yet; the tally of all that has one then.

        ``written`` gets the chunks and their new records, to be noted in the chunks once the transaction is committed.
        """
        chunks = [chunk for piece in self.pieces for chunk in piece.chunks]
        chunks += [
            one for one in (*self.sources, *self.delivering) if isinstance(one, PieceCandidates)
        ]
        new = [chunk for chunk in chunks if chunk.size and chunk.record is None]
        for chunk, packed in zip(new, self.journal.in_parallel(self._packed, new), strict=True):
            chunk.stored = states_of(packed, "memory")
            written.append((chunk, txn.put_pending(0, self.stratum, packed)))
        return weigh_one(self.shape.signature, sum(chunk.stored for chunk in chunks))

    def _packed(self, chunk: PieceCandidates) -> bytes:
        packed = (
            chunk.packed or pack_candidates(self.shape.signature, self.key_words, [chunk]).packed
        )
        assert packed is not None
        return packed

    # Scheduling.

    def _next_task(self, worker: ProofWorker, others_run: bool) -> Task | None:
        """What an idle thread does next: a piece's table or candidates seen to, or a visit."""
        for piece in self.pieces:
            if piece.full and not piece.busy:
                return self._growth(piece)
        waiting = self._chunk_bytes()
        if waiting > self.memory // 4 and (packing := self._packing()) is not None:
            return packing
        if self.sources and waiting < self.memory // 8:
            return self._delivery()
        next_piece = self._next_piece(others_run)
        if next_piece is None:
            return self._delivery() if self.sources else None
        blocks = self._reserve(next_piece)
        done = PieceResult.to(next_piece)
        return partial(expand_piece, self.shape, done, worker, self.stratum, blocks), self._finish

    def _next_piece(self, others_run: bool) -> Piece | None:
        """The idle piece with the most work, those with a table first; None if it pays to wait."""
        idle = [piece for piece in self.pieces if not piece.busy and piece.work]
        if not idle:
            return None
        best = max(idle, key=lambda piece: (piece.table is not None, piece.work))
        rich = max(idle, key=lambda piece: piece.work)
        if best.table is None or rich.work > 20 * best.work:
            best = rich
        if others_run and best.work < 64:
            return None
        return best

    def _reserve(self, piece: Piece) -> list[Packed]:
        """Reserve a piece for a visit and see to its table; the blocks to load into it first."""
        self.clock += 1
        piece.used = self.clock
        piece.busy = True
        blocks: list[Packed] = []
        if piece.table is None:
            piece.evict()
            need = piece.closed + min(piece.work, 1 << 20)
            bits = SMALLEST_BITS
            while FILL * (1 << bits) < need + 2 * BURST and bits < self.largest_bits:
                bits += 1
            self._make_room(self.shape.slot_bytes << bits)
            piece.table = Table.empty(self.shape, bits)
            blocks = [ref.fetch(self.journal.store) for ref in piece.blocks]
        later: list[PieceCandidates] = []
        taken = 0
        for chunk in piece.inbox:
            if taken and taken + chunk.size > _AT_ONCE:
                later.append(chunk)
            else:
                piece.flight.append(chunk)
                taken += chunk.size
        piece.inbox = later
        return blocks

    def _make_room(self, size: int) -> None:
        """Evict pieces, the least recently visited first, until a table of this size fits."""
        while self._used() + size > self.memory:
            victims = [piece for piece in self.pieces if piece.table is not None and not piece.busy]
            if not victims:
                break
            min(victims, key=lambda piece: piece.used).evict()

    def _used(self) -> int:
        tables = sum(piece.table.nbytes for piece in self.pieces if piece.table is not None)
        return tables + self._chunk_bytes() + self.other_memory()

    def _chunk_bytes(self) -> int:
        sources = sum(source.nbytes for source in (*self.sources, *self.delivering))
        return self.tree.chunk_bytes + sources

    def _deliver(self, keys: NDArray[np.uint64], codes: NDArray[Any]) -> None:
        """New candidates go to their pieces."""
        self.balance += codes.size
        self.tree.deliver(keys, codes)

    def _check_balance(self) -> None:
        """Of all candidates that came in, as many must have been taken by visits, or found to be duplicates."""
        if self.balance or self.pending:
            raise InternalError(
                f"the books do not balance: {self.balance} candidates of a big signature are nowhere"
            )

    def _forget(self, chunks: Iterable[CandidateSource]) -> None:
        """Candidates have been worked on, or have become other chunks: their records go with the next commit."""
        for chunk in chunks:
            self.journal.delete(chunk.record)

    def _finish(self, done: PieceResult) -> None:
        """Take in what a visit brought."""
        piece, result = done.piece, done.result
        piece.busy = False
        left = {id(chunk) for chunk in (*done.opened, *done.rest)}
        self._forget(chunk for chunk in piece.flight if id(chunk) not in left)
        piece.flight = []
        piece.opened = done.opened
        piece.inbox += done.rest
        piece.blocks += self.journal.add_closed(result.closed, always=True)
        result.closed = []
        self.balance += done.put_back - done.taken
        for chunk in done.siblings:
            self._deliver(*chunk.arrays())
        self.take_result(result)
        if done.sample is not None:
            self.sample = done.sample
        if not done.loaded:
            assert piece.table is not None
            piece.closed = piece.table.capacity + 2 * BURST
            full = piece.table.bits >= self.largest_bits
            piece.evict()
            if full and not self._split(piece):
                self.largest_bits += 1
            return
        piece.closed += result.states
        piece.full = done.full

    # Chores: planned here, done by an idle thread, taken in here.

    def _packing(self) -> Task | None:
        """Pack waiting candidates of the piece that has most of them loose, as many as fit into a thread's share."""
        idle = [piece for piece in self.pieces if not piece.busy]
        if not idle:
            return None
        rich = max(idle, key=lambda piece: sum(chunk.nbytes for chunk in piece.loose))
        loose: list[PieceCandidates] = []
        for chunk in rich.loose:
            if sum(one.nbytes for one in loose) < self.packing_bytes:
                loose.append(chunk)
        if sum(chunk.size for chunk in loose) < _WORTH_PACKING:
            return None
        rich.busy = True

        def finish(packed: PieceCandidates) -> None:
            rich.busy = False
            rich.inbox = [chunk for chunk in rich.inbox if chunk not in loose] + [packed]
            self.balance -= sum(chunk.size for chunk in loose) - packed.size
            self._forget(loose)

        return partial(pack_candidates, self.shape.signature, self.key_words, loose), finish

    def _delivery(self) -> Task:
        """Bring candidates from the store, or of a piece that has been split, to their pieces."""
        source = self.sources.pop()
        self.delivering.append(source)

        def finish(arrays: tuple[NDArray[np.uint64], NDArray[Any]]) -> None:
            self.delivering.remove(source)
            if isinstance(source, PieceCandidates):  # which is in the balance
                self.tree.deliver(*arrays)
            else:
                self._deliver(*arrays)
            self._forget([source])

        return source.arrays, finish

    def _growth(self, piece: Piece) -> Task:
        """A larger table for a piece whose table is full, or, at the largest size, two pieces."""
        table = piece.table
        assert table is not None
        piece.busy = True
        bit = None
        if table.bits >= self.largest_bits:
            bit = split_bit(self.shape, piece, *self.sample)
        self._make_room(2 * table.nbytes)

        def finish(tables: list[Table]) -> None:
            piece.busy = piece.full = False
            if bit is None:
                (piece.table,) = tables
                return
            children = self._replace(piece, bit)
            for child, one in zip(children, tables, strict=True):
                child.table = one
                child.closed = one.held - sum(chunk.size for chunk in child.opened)

        return partial(rebuilt, table, piece, bit), finish

    def _split(self, piece: Piece) -> bool:
        """Cut a piece without a table in two; whether there was a bit to do it by."""
        bit = split_bit(self.shape, piece, *self.sample)
        if bit is None:
            return False
        for child in self._replace(piece, bit):
            child.closed = piece.closed // 2
        return True

    def _replace(self, piece: Piece, bit: int) -> tuple[Piece, Piece]:
        """Put two pieces in the place of one, and hand on its candidates; packed ones later."""
        self.sources += [chunk for chunk in piece.inbox if chunk.packed is not None]
        piece.inbox = piece.loose
        self._forget([*piece.inbox, *piece.opened])
        return self.tree.split(piece, bit)


def rebuilt(table: Table, piece: Piece, bit: int | None) -> list[Table]:
    """A table of twice the slots, or, given a bit, one for each of the pieces it makes of one."""
    shape = table.shape
    if bit is None:
        larger = Table.empty(shape, table.bits + 1)
        for keys in table.parts():
            larger.load(keys, 0, 0)
        return [larger]
    ones = sum(
        int(((piece_words(shape.key_words, keys) >> np.uint64(bit)) & np.uint64(1)).sum())
        for keys in table.parts()
    )
    halves = []
    for count in (table.held - ones, ones):
        bits = table.bits
        while bits > SMALLEST_BITS and count + 4 * BURST < 0.6 * (1 << (bits - 1)):
            bits -= 1
        halves.append(Table.empty(shape, bits))
    for keys in table.parts():
        for side, half in enumerate(halves):
            half.load(keys, piece.mask | 1 << bit, piece.value | side << bit)
    return halves
