"""A signature too big to be closed in one go: pieces, visited until none has anything pending.

A piece keeps the keys of its closed states in a hash table while memory lasts; the states themselves are in blocks, from
which the table can be made again.  A visit takes what is pending for a piece, closes what follows from it within the
piece, and hands candidates for sibling pieces to their inboxes.  A piece that outgrows its table gets a larger one, then
is split by one more bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.closers import BURST, BigStart, Closer, Yield
from dbmsolver.core.exhaust import EMPTY, SIBLINGS, admit, close_piece, write_runs
from dbmsolver.core.pieces import (
    count_flips,
    load_table,
    route,
    split_siblings,
    table_keys,
)
from dbmsolver.journal import BlockRef, Journal
from dbmsolver.keys import Keys
from dbmsolver.parcels import sorted_runs
from dbmsolver.store import Runs, decode_block, encode_block

FILL = 0.75
"""A table is full at this share of its slots."""
SMALLEST_BITS = 16
LARGEST_BITS = 23
VISIT_SECONDS = 1.5
FIRST_PIECES = 3
"""A new big signature is cut into two to this power pieces, so that all threads have work."""
_SAMPLE = 50_000

Chunk = tuple[NDArray[np.uint64], NDArray[Any]]
"""Local keys and parent-move codes of some states."""


@dataclass(eq=False, slots=True)
class Piece:
    """The keys of a signature with ``first word & mask == value``."""

    mask: int
    value: int
    leaf: int  # its node in the tree
    blocks: list[BlockRef]
    closed: int = 0
    inbox: list[Chunk] = field(default_factory=list)
    flight: list[Chunk] = field(default_factory=list)
    opened: list[Chunk] = field(default_factory=list)  # in the table, not expanded
    table: NDArray[np.uint64] | None = None
    bits: int = 0
    held: int = 0
    busy: bool = False
    full: bool = False
    used: int = 0

    @property
    def work(self) -> int:
        """How many candidates wait."""
        return sum(codes.size for _, codes in (*self.inbox, *self.opened))

    @property
    def table_bytes(self) -> int:
        """Memory of its table."""
        return 0 if self.table is None else self.table.nbytes


@dataclass(eq=False, slots=True)
class Visit:
    """What a visit to a piece brought."""

    piece: Piece
    result: Yield
    held: int
    opened: list[Chunk]
    rest: list[Chunk]
    siblings: list[Chunk]
    full: bool
    loaded: bool = True

    @classmethod
    def failed(cls, piece: Piece, waiting: list[Any]) -> Visit:
        """A visit that found more closed states than the piece's table can take."""
        return cls(piece, Yield(), 0, [], waiting, [], full=True, loaded=False)


class BigSignature:
    """One signature closed in pieces by all threads."""

    def __init__(
        self,
        keys: Keys,
        journal: Journal,
        start: BigStart,
        stratum: int,
        memory: int,
        threads: int,
        blocks: list[BlockRef],
        closed: int,
        take_result: Callable[[Yield], None],
    ) -> None:
        self.take_result = take_result
        self.keys = keys
        self.tables = keys.tables
        self.journal = journal
        self.signature = start.signature
        self.words = start.words
        self.stratum = stratum
        self.memory = memory
        self.clock = 0
        width = 8 * self.words
        share = max(memory // (2 * threads + 1), 1)
        self.largest_bits = min(
            LARGEST_BITS, max(SMALLEST_BITS, (share // width).bit_length() - 1)
        )
        self.tree = [[-1, 0, 0]]
        root = Piece(0, 0, 0, blocks, closed=closed)
        self.pieces = [root]
        self.leaves = {0: root}
        self.sample = (
            start.keys[: self.words * _SAMPLE].copy(),
            start.codes[:_SAMPLE].copy(),
        )
        opened = start.keys[self.words * start.closed :], start.codes[start.closed :]
        root.inbox.append(opened)
        while len(self.pieces) < 1 << FIRST_PIECES or max(
            piece.closed for piece in self.pieces
        ) > FILL * (1 << self.largest_bits):
            if not self._split(max(self.pieces, key=lambda piece: (piece.closed, piece.work))):
                break

    # Scheduling: main thread only.

    def run(self, pool: Executor, closers: list[Closer]) -> Iterator[int]:
        """Visit pieces until nothing is pending; yields the number of waiting candidates after every visit."""
        running: dict[Future[Visit], Closer] = {}
        idle = list(closers)
        try:
            while True:
                while idle:
                    piece = self._next_piece(bool(running))
                    if piece is None:
                        break
                    closer = idle.pop()
                    running[pool.submit(self._visit, piece, closer, *self._take(piece))] = closer
                if not running:
                    return
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    idle.append(running.pop(future))
                    self._finish(future.result())
                yield self.pending
        finally:
            wait(running)
            for future in running:
                if future.exception() is None:
                    self._finish(future.result())

    @property
    def pending(self) -> int:
        """Candidates waiting in all pieces."""
        return sum(piece.work for piece in self.pieces)

    def snapshot(self) -> list[bytes]:
        """Blocks of everything pending, for a checkpoint."""
        chunks = [
            chunk
            for piece in self.pieces
            for chunk in (*piece.inbox, *piece.flight, *piece.opened)
            if chunk[1].size
        ]
        result = []
        for keys, codes in chunks:
            signature = np.array([self.signature], np.uint64)
            counts = np.array([codes.size], np.int64)
            result.append(encode_block(sorted_runs(Runs(signature, counts, keys, codes, self.words))))
        return result

    def _next_piece(self, others_run: bool) -> Piece | None:
        """The idle piece with the most work, those with a table first; None if it pays to wait."""
        idle = [piece for piece in self.pieces if not piece.busy and piece.work]
        if not idle:
            return None
        best = max(idle, key=lambda piece: (piece.table is not None, piece.work))
        rich = max(idle, key=lambda piece: piece.work)
        if rich.work > 20 * best.work:
            best = rich
        if others_run and best.work < 64:
            return None
        return best

    def _take(self, piece: Piece) -> tuple[list[Chunk], list[Chunk], list[bytes]]:
        """Reserve a piece for a visit and see to its table."""
        self.clock += 1
        piece.used = self.clock
        piece.busy = True
        blocks: list[bytes] = []
        if piece.table is None:
            piece.inbox += piece.opened
            piece.opened = []
            need = max(piece.closed + min(piece.work, 1 << 20), 1 << SMALLEST_BITS)
            bits = SMALLEST_BITS
            while FILL * (1 << bits) < need + 2 * BURST and bits < self.largest_bits:
                bits += 1
            self._set_table(piece, bits)
            piece.held = 0
            blocks = [ref.fetch(self.journal.store) for ref in piece.blocks]
        waiting, opened = piece.inbox, piece.opened
        piece.flight = waiting + opened
        piece.inbox, piece.opened = [], []
        return list(waiting), list(opened), blocks

    def _set_table(self, piece: Piece, bits: int) -> None:
        """A cleared table of ``2**bits`` slots, after making room for it."""
        size = (8 * self.words) << bits
        while sum(other.table_bytes for other in self.pieces) + size > self.memory:
            victims = [
                other for other in self.pieces if other.table is not None and not other.busy
            ]
            if not victims:
                break
            self._evict(min(victims, key=lambda other: other.used))
        piece.table = np.full(self.words << bits, EMPTY, np.uint64)
        piece.bits = bits

    def _evict(self, piece: Piece) -> None:
        piece.table = None
        piece.held = 0
        piece.inbox += piece.opened
        piece.opened = []

    def _finish(self, visit: Visit) -> None:
        """Take in what a visit brought."""
        piece, result = visit.piece, visit.result
        piece.busy = False
        piece.flight = []
        piece.held = visit.held
        piece.opened = visit.opened
        piece.inbox += visit.rest
        piece.closed += result.states
        piece.blocks += self.journal.add_closed(result.closed, always=True)
        self.take_result(result)
        for keys, codes in visit.siblings:
            self._deliver(keys, codes)
        if not visit.loaded:
            piece.table = None
            piece.closed = int(FILL * (1 << piece.bits)) + 1
            if piece.bits >= self.largest_bits and not self._split(piece):
                self.largest_bits += 1
        elif visit.full:
            self._enlarge(piece)

    def _deliver(self, keys: NDArray[np.uint64], codes: NDArray[Any]) -> None:
        """Put candidates into the inboxes of their pieces."""
        numbers = {piece.leaf: number for number, piece in enumerate(self.pieces)}
        tree = np.array(
            [
                [-1, numbers[node], 0] if row[0] < 0 else row
                for node, row in enumerate(self.tree)
            ],
            np.int64,
        )
        keys, codes, ends = route(keys, codes, self.words, tree, len(self.pieces))
        start = 0
        for piece, end in zip(self.pieces, ends.tolist(), strict=True):
            if end > start:
                chunk = keys[self.words * start : self.words * end], codes[start:end]
                piece.inbox.append((chunk[0].copy(), chunk[1].copy()))
            start = end

    def _enlarge(self, piece: Piece) -> None:
        """A larger table for a full one, or, at the largest size, two pieces."""
        if piece.bits >= self.largest_bits and self._split(piece):
            return
        old, bits = piece.table, piece.bits
        if old is None:
            return
        keys = np.empty(self.words * piece.held, np.uint64)
        used = table_keys(old, bits, self.words, keys)
        piece.table = None
        self._set_table(piece, bits + 1)
        everything = np.uint64(0)
        load_table(
            piece.table, bits + 1, keys[:used], self.words, everything, everything, piece.held
        )

    def _split(self, piece: Piece) -> bool:
        """Cut a piece in two by the bit that the fewest moves change; whether there was one."""
        bit = self._best_bit(piece)
        if bit is None:
            return False
        mask = piece.mask | 1 << bit
        node = len(self.tree)
        self.tree[piece.leaf] = [bit, node, node + 1]
        self.tree += [[-1, 0, 0], [-1, 0, 0]]
        children = [
            Piece(mask, piece.value | side << bit, node + side, list(piece.blocks), used=piece.used)
            for side in (0, 1)
        ]
        keys = np.empty(0, np.uint64)
        if piece.table is not None:
            keys = np.empty(self.words * piece.held, np.uint64)
            used = table_keys(piece.table, piece.bits, self.words, keys)
            keys = keys[:used]
        ones = int(((keys[:: self.words] >> np.uint64(bit)) & np.uint64(1)).sum())
        counts = (keys.size // self.words - ones, ones)
        was_resident = piece.table is not None
        bits = piece.bits
        piece.table = None
        self.pieces.remove(piece)
        self.pieces += children
        for child, count in zip(children, counts, strict=True):
            child.closed = count if was_resident else piece.closed // 2
            if was_resident:
                size = bits
                while size > SMALLEST_BITS and count + 4 * BURST < FILL / 2 * (1 << size) * 0.8:
                    size -= 1
                self._set_table(child, size)
                child.held = int(
                    load_table(
                        child.table,
                        size,
                        keys,
                        self.words,
                        np.uint64(child.mask),
                        np.uint64(child.value),
                        piece.held,
                    )
                )
        for chunk in piece.inbox:
            self._deliver(*chunk)
        for chunk_keys, chunk_codes in piece.opened:
            sides = (chunk_keys[:: self.words] >> np.uint64(bit)) & np.uint64(1)
            for side, child in enumerate(children):
                chosen = np.flatnonzero(sides == side)
                if chosen.size:
                    rows = chunk_keys.reshape(-1, self.words)[chosen].reshape(-1)
                    child.opened.append((rows.copy(), chunk_codes[chosen]))
                    child.closed -= chosen.size
        return True

    def _best_bit(self, piece: Piece) -> int | None:
        keys, codes = self.sample
        inside = (keys[:: self.words] & np.uint64(piece.mask)) == np.uint64(piece.value)
        if int(inside.sum()) >= 1000:
            keys = keys.reshape(-1, self.words)[inside].reshape(-1)
            codes = codes[inside]
        ones = np.zeros(64, np.int64)
        flips = np.zeros(64, np.int64)
        count_flips(
            self.tables, np.uint64(self.signature), keys, codes, self.words, ones, flips
        )
        share = ones / max(codes.size, 1)
        balance = np.minimum(share, 1 - share)
        free = np.array([not piece.mask >> bit & 1 for bit in range(64)])
        usable = np.flatnonzero(free & (balance > 0.1))
        if not usable.size:
            usable = np.flatnonzero(free & (balance > 0))
        if not usable.size:
            return None
        cost = (flips[usable] + 1) / (balance[usable] * codes.size)
        return int(usable[np.argmin(cost)])

    # A visit: worker threads.

    def _visit(
        self,
        piece: Piece,
        closer: Closer,
        waiting: list[Chunk],
        opened: list[Chunk],
        blocks: list[bytes],
    ) -> Visit:
        begun = time.monotonic()
        t, words = self.tables, self.words
        assert piece.table is not None
        ws = closer.workspace._replace(table=piece.table)
        held = piece.held
        mask, value = np.uint64(piece.mask), np.uint64(piece.value)
        for data in blocks:
            runs = decode_block(data, str(self.journal.store.path))
            mine = runs.keys
            if runs.signatures.size > 1:
                ends = np.cumsum(runs.counts)
                run = int(np.flatnonzero(runs.signatures == np.uint64(self.signature))[0])
                mine = mine[words * int(ends[run] - runs.counts[run]) : words * int(ends[run])]
            room = int(FILL * (1 << piece.bits)) - BURST - held
            loaded = int(load_table(ws.table, piece.bits, mine, words, mask, value, room))
            if loaded < 0:
                return Visit.failed(piece, waiting)
            held += loaded
        signature = np.uint64(self.signature)
        capacity = int(FILL * (1 << piece.bits)) - BURST
        room = ws.order.size // words
        head = count = forced = 0
        result = Yield()
        siblings: list[Chunk] = []
        full = late = False
        while not (full or late):
            # Take more work, up to half of the scratch memory: first what is in the table already.
            while count < room // 2 and opened:
                keys, codes = opened.pop(0)
                size = min(codes.size, room // 2 - count)
                ws.order[words * count : words * (count + size)] = keys[: words * size]
                ws.order_codes[count : count + size] = codes[:size]
                count += size
                if size < codes.size:
                    opened.insert(0, (keys[words * size :], codes[size:]))
            while count < room // 2 and waiting and not full:
                keys, codes = waiting.pop()
                size = max(min(codes.size, room // 2 - count, capacity - held), 0)
                new = int(admit(ws, words > 1, piece.bits, count, keys, codes, 0, 0, size))
                held += new - count
                count = new
                if size < codes.size:
                    waiting.append((keys[words * size :], codes[size:]))
                full = capacity - held <= 0
            if head == count and not waiting:
                break
            limit = min(room, count + max(capacity - held, 0) + BURST)
            head, reached, left, _, expanded = close_piece(
                t, ws, signature, piece.bits, head, count, limit, mask, value
            )
            forced += int(expanded)
            held += reached - count
            count = reached
            if left:
                self._send(closer, ws, left, result, siblings)
            full = full or capacity - held < BURST
            late = time.monotonic() - begun > VISIT_SECONDS
            if head == count or full or late or count + 2 * BURST > room:
                if head < count:
                    rest = ws.order[words * head : words * count], ws.order_codes[head:count]
                    opened.append((rest[0].copy(), rest[1].copy()))
                closer.flush_order(self.signature, words, head, forced, self.stratum, result)
                head = count = forced = 0
        return Visit(piece, result, held, opened, waiting, siblings, full)

    def _send(
        self,
        closer: Closer,
        ws: Any,
        left: int,
        result: Yield,
        siblings: list[Chunk],
    ) -> None:
        """Sort what left the piece into sibling candidates and runs for other signatures."""
        out = closer.output
        words = self.words
        found, rest = split_siblings(
            ws, left, SIBLINGS, words, out.run_keys, out.run_codes
        )
        if found:
            siblings.append((out.run_keys[: words * found].copy(), out.run_codes[:found].copy()))
        out.used[3:6] = 0
        write_runs(self.tables, ws, out, np.uint64(self.signature), rest)
        closer.collect_parcels(result)
