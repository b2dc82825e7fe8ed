"""The expansion of one piece of a large signature, in a worker thread or in another process."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.pieces import insert_into_piece
from dbmsolver.kernels.workspace import BUFFER, USED_CANDIDATES, USED_RUNS
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.commits import Packed
from dbmsolver.search.proof.piece_tables import KeyShape, Table, block_states
from dbmsolver.search.proof.pieces import Piece, Routed, Routes, Sorted, routed_to
from dbmsolver.search.proof.worker import ProofWorker, WorkResult

EXPAND_SECONDS = 1.5
_SAMPLE = 50_000


@dataclass(eq=False, slots=True)
class PieceResult:
    """The result of expanding one piece.

    A table for it has ``2**largest_bits`` slots at most. Closed blocks are divided by the piece's
    bit, if it has one.
    """

    piece: Piece
    routes: Routes
    largest_bits: int
    result: WorkResult = field(default_factory=WorkResult)
    opened: list[Candidates] = field(default_factory=list)
    rest: list[Candidates] = field(default_factory=list)
    for_others: list[Sorted] = field(default_factory=list)
    """Candidates for other pieces, sorted by `routes`; in the end they are in `routed`."""
    routed: list[Routed] = field(default_factory=list)
    """Candidates for other pieces, each with its number in `routes`."""
    sample: tuple[NDArray[np.uint64], NDArray[Any]] | None = None
    full: bool = False
    loaded: bool = True
    taken: int = 0
    """Candidates and opened states that were worked on."""
    put_back: int = 0
    """Opened states that were not expanded."""
    closed: int = 0
    """All closed states of the piece, where its table is not kept."""

    @classmethod
    def to(cls, piece: Piece, routes: Routes, largest_bits: int) -> PieceResult:
        """Return an empty result for work on a piece's candidates and opened states.

        The piece notes them as `in_work`.
        """
        done = cls(
            piece,
            routes,
            largest_bits,
            rest=piece.in_work,
            opened=piece.opened,
        )
        piece.in_work = piece.in_work + piece.opened
        piece.opened = []
        return done

    def divide(self, shape: KeyShape) -> None:
        """Bring together what is for each of the other pieces."""
        self.routed += routed_to(shape, self.for_others)
        self.for_others = []


def expand_piece(
    shape: KeyShape, done: PieceResult, worker: ProofWorker, blocks: list[Packed]
) -> PieceResult:
    """Close what follows, within the piece, from its candidates and opened states.

    These are ``rest`` and ``opened``. ``blocks`` are closed states to load into its table first.
    Ends early when the table is full or time is up.
    """
    piece = done.piece
    assert piece.table is not None
    for block in blocks:
        keys, _ = block_states(shape, block)
        if not piece.table.load(keys, piece.mask, piece.value):
            done.loaded = False
            return done
    PieceExpansion(shape, done, piece.table, worker).work(EXPAND_SECONDS)
    return done


class PieceExpansion:
    """The open states of a piece in the workspace, from `head` to `count`."""

    def __init__(
        self, shape: KeyShape, done: PieceResult, table: Table, worker: ProofWorker
    ) -> None:
        self.shape = shape
        self.piece = done.piece
        self.table = table
        self.worker = worker
        self.done = done
        self.ws = worker.workspace._replace(table=table.slots, steps=table.steps, grows=False)
        self.room = self.ws.order.size // shape.key_words
        self.head = self.count = self.forced = 0

    def work(self, seconds: float) -> None:
        """Expand until nothing is left, the table is full, or time is up."""
        begun = time.monotonic()
        late = False
        done = self.done
        while not (done.full or late):
            self._take_opened()
            self._take_waiting()
            if self.head == self.count and not done.rest:
                break
            self._expand()
            done.full = done.full or self.table.held + BUFFER > self.table.capacity
            late = time.monotonic() - begun > seconds
            no_room = self.count + 2 * BUFFER > self.room
            if self.head == self.count or done.full or late or no_room:
                self._flush()

    def _take_opened(self) -> None:
        """Take more open states, up to half of the scratch memory."""
        words, ws = self.shape.key_words, self.ws
        while self.count < self.room // 2 and self.done.opened:
            runs = self.done.opened.pop(0).load()
            keys, codes = runs.keys, runs.codes
            size = min(codes.size, self.room // 2 - self.count)
            end = self.count + size
            ws.order[words * self.count : words * end] = keys[: words * size]
            ws.order_codes[self.count : end] = codes[:size]
            self.count = end
            self.done.taken += size
            if size < codes.size:
                self.done.opened.insert(
                    0, self.shape.candidates(keys[words * size :], codes[size:])
                )

    def _take_waiting(self) -> None:
        """Take more candidates, up to half of the scratch memory, and as the table has room."""
        done, table = self.done, self.table
        while self.count < self.room // 2 and done.rest and not done.full:
            runs = done.rest.pop().load()
            keys, codes = runs.keys, runs.codes
            size = max(min(codes.size, self.room // 2 - self.count, table.capacity - table.held), 0)
            new = int(
                insert_into_piece(
                    self.shape.codec.tables,
                    self.ws,
                    np.uint64(self.shape.signature),
                    table.bits,
                    self.count,
                    keys,
                    codes,
                    size,
                )
            )
            table.held += new - self.count
            self.count = new
            done.taken += size
            if size < codes.size:
                done.rest.append(
                    self.shape.candidates(keys[self.shape.key_words * size :], codes[size:])
                )
            done.full = table.is_full

    def _expand(self) -> None:
        table = self.table
        free = max(table.capacity - table.held, 0)
        head, count, outgoing, forced = self.worker.kernels.close_piece(
            self.ws,
            self.shape.signature,
            table.bits,
            (self.head, self.count, min(self.room, self.count + free + BUFFER)),
            (self.piece.mask, self.piece.value),
        )
        table.held += count - self.count
        self.head, self.count = head, count
        self.forced += forced
        if outgoing:
            self._send(outgoing)

    def _send(self, outgoing: int) -> None:
        """Sort what left the piece: candidates for other pieces, runs for other signatures."""
        out, words = self.worker.output, self.shape.key_words
        kernels = self.worker.kernels
        found, rest = kernels.split_other_pieces(
            self.ws, outgoing, words, out.run_keys, out.run_codes
        )
        if found:
            keys, codes = out.run_keys[: words * found], out.run_codes[:found]
            self.done.for_others.append(self.done.routes.sort(keys, codes))
        out.used[USED_CANDIDATES : USED_RUNS + 1] = 0
        kernels.write_runs(self.ws, out, rest)
        self.worker.collect_candidates(self.done.result)

    def _flush(self) -> None:
        """Make a block of the states expanded, and keep the open ones."""
        words, ws = self.shape.key_words, self.ws
        if self.head < self.count:
            keys = ws.order[words * self.head : words * self.count].copy()
            codes = ws.order_codes[self.head : self.count].copy()
            self.done.opened.append(self.shape.candidates(keys, codes))
            self.done.put_back += codes.size
        if self.head:
            size = min(self.head, _SAMPLE)
            step = self.head // size
            rows = ws.order[: words * self.head].reshape(-1, words)[::step][:size]
            self.done.sample = (
                rows.reshape(-1).copy(),
                ws.order_codes[: self.head : step][:size].copy(),
            )
        self.worker.flush_order(
            self.shape.signature,
            words,
            self.head,
            self.forced,
            self.shape.stratum,
            self.done.result,
            self.piece.bit,
        )
        self.head = self.count = self.forced = 0
