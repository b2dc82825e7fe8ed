"""All pieces of a large signature with their tables and candidates, in a memory budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dbmsolver.core.workspace import BURST
from dbmsolver.errors import InternalError
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.commits import BlockRef, NewRecord
from dbmsolver.search.proof.block_index import BlockIndex, Span
from dbmsolver.search.proof.piece_tables import FILL, Shape, Table
from dbmsolver.search.proof.pieces import Piece, Routes, Sorted, Tree, split_bit
from dbmsolver.search.proof.worker import LargeStart
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import Tally, weigh_one
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.records import states_of

_ALL_BITS = (1 << 64) - 1
_SETTLED = 1 << 19
"""Of a piece with fewer closed states not enough is known to choose a bit for good."""
FIRST_PIECES = 3
"""A new large signature is cut into two to this power pieces, so that all threads have work."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Memory for a large signature.

    `memory` bytes are for its tables and candidates and for what others hold, which `others` says.
    A table may take `table` bytes.
    """

    memory: int
    table: int
    threads: int
    others: Callable[[], int]


class PieceSet:
    """Pieces, and candidates on their way to them.

    Candidates in `sources` wait for room: they are in the store, or belong to a piece that has been
    split. Those in `delivering` are being loaded. `balance` counts the candidates that were handed
    to pieces and that no thread has taken yet.
    """

    def __init__(self, shape: Shape, recorder: Recorder, start: LargeStart, budget: Budget) -> None:
        self.shape = shape
        self.recorder = recorder
        self.budget = budget
        self.largest_bits = shape.largest_bits(max(budget.table, 1))
        self.sample = start.sample
        self.sources = list(start.sources)
        self.delivering: list[Candidates] = []
        self.balance = 0
        closed = sum(ref.block.states for ref in start.blocks)
        self.tree = Tree(shape, Piece(0, 0, 0, list(start.blocks), closed=closed))
        self.index = BlockIndex()
        if not start.blocks:
            self.cut()
        self.deliver(start.candidates.load(recorder.store))

    @property
    def pieces(self) -> list[Piece]:
        """All pieces."""
        return self.tree.pieces

    @property
    def blocks(self) -> list[BlockRef]:
        """The blocks of all pieces, each once."""
        return list({id(ref): ref for piece in self.pieces for ref in piece.blocks}.values())

    def cut(self) -> None:
        """Split pieces until there are enough for all threads, and a table for each can be made."""
        while len(self.pieces) < 1 << FIRST_PIECES or max(
            piece.closed for piece in self.pieces
        ) > FILL * (1 << self.largest_bits):
            if not self.split(max(self.pieces, key=lambda piece: piece.closed)):
                break

    @property
    def pending(self) -> int:
        """Candidates waiting in all pieces, and on their way to them."""
        return self.tree.pending + sum(one.states for one in (*self.sources, *self.delivering))

    @property
    def candidate_bytes(self) -> int:
        """Memory that all candidates take."""
        sources = sum(one.nbytes for one in (*self.sources, *self.delivering))
        return self.tree.candidate_bytes + sources

    # Records.

    @property
    def stored(self) -> Tally:
        """The tally of the candidates that have a record."""
        return weigh_one(self.shape.signature, sum(one.stored for one in self._all() if one.record))

    def packed(self) -> Iterator[NewRecord]:
        """New records for the candidates that have none."""
        new = [one for one in self._all() if one.states and one.record is None]
        for one, data in zip(new, self.recorder.in_parallel(Candidates.pack, new), strict=True):
            one.stored = states_of(data, "memory")
            tally = weigh_one(self.shape.signature, one.stored)
            yield NewRecord(0, self.shape.stratum, data, tally=tally, candidates=one)

    def _all(self) -> list[Candidates]:
        """All candidates but those that are still among the stratum's, which have records there."""
        sources = [one for one in (*self.sources, *self.delivering) if one.whole is None]
        return [one for piece in self.pieces for one in piece.candidates] + sources

    def forget(self, candidates: Iterable[Candidates]) -> None:
        """Remove the records of candidates that were taken or have become others."""
        for one in candidates:
            self.recorder.batch.delete(one.record)

    # Candidates.

    def deliver(self, runs: Runs) -> None:
        """Give new candidates to their pieces."""
        self.balance += runs.codes.size
        self.tree.deliver(runs)

    def deliver_sorted(self, routes: Routes, candidates: Sorted) -> None:
        """Give new candidates, sorted by the pieces of some time, to the pieces there are now."""
        self.balance += candidates.codes.size
        if self.tree.fits(routes):
            self.tree.deliver_sorted(candidates)
        else:
            runs = self.shape.candidates(candidates.keys, candidates.codes).load()
            self.tree.deliver(runs)

    def deliver_packed(self, routes: Routes, number: int, candidates: Candidates) -> None:
        """Give new candidates to a piece, or to those that have taken its place."""
        self.balance += candidates.states
        if self.tree.fits(routes):
            self.pieces[number].inbox.append(candidates)
        else:
            self.tree.deliver(candidates.load())

    def take_source(self) -> Candidates:
        """The next candidates that wait for room."""
        source = self.sources.pop()
        self.delivering.append(source)
        return source

    def deliver_source(self, source: Candidates, runs: Runs) -> None:
        """Give candidates that waited for room, loaded now, to their pieces."""
        self.delivering.remove(source)
        if source.whole is None:  # they are in the balance
            self.tree.deliver(runs)
        else:
            self.deliver(runs)
        self.forget([source])

    def replace_packed(self, piece: Piece, loose: list[Candidates], packed: Candidates) -> None:
        """Put packed candidates in the place of those they were made of."""
        piece.inbox = [one for one in piece.inbox if one not in loose] + [packed]
        self.balance -= sum(one.states for one in loose) - packed.states
        self.forget(loose)

    def check_balance(self) -> None:
        """InternalError unless all candidates were taken or found to be duplicates."""
        if self.balance or self.pending:
            raise InternalError(
                f"the books do not balance: {self.balance} candidates of a large signature "
                "are nowhere"
            )

    # Tables.

    def make_room(self, size: int) -> None:
        """Drop tables, the least recently used first, until one of this size fits."""
        while self._used() + size > self.budget.memory:
            victims = [piece for piece in self.pieces if piece.table is not None and not piece.busy]
            if not victims:
                break
            min(victims, key=lambda piece: piece.used).evict()

    def _used(self) -> int:
        tables = sum(piece.table.nbytes for piece in self.pieces if piece.table is not None)
        return tables + self.candidate_bytes + self.budget.others()

    def add_table(self, piece: Piece) -> list[BlockRef]:
        """Give a piece an empty table if it has none; the blocks of states to load into it."""
        if piece.table is not None:
            return []
        piece.evict()
        need = piece.closed + min(piece.work, 1 << 20)
        bits = self.shape.bits_for(need, self.largest_bits)
        self.make_room(self.shape.slot_bytes << bits)
        piece.table = Table.empty(self.shape, bits)
        return piece.blocks

    def drop_table(self, piece: Piece) -> None:
        """Give up a table that was too small for the closed states of its piece."""
        assert piece.table is not None
        piece.closed = piece.table.capacity + 2 * BURST
        largest = piece.table.bits >= self.largest_bits
        piece.evict()
        if largest:
            self.outgrow(piece)

    def outgrow(self, piece: Piece) -> None:
        """Split a piece that is too large for the largest table; allow for larger ones if it
        cannot be split.
        """
        if not self.split(piece):
            self.largest_bits += 1

    def replace_table(self, piece: Piece, bit: int | None, tables: list[Table]) -> None:
        """Give a piece a larger table, or put two pieces that differ in `bit` in its place."""
        piece.busy = piece.full = False
        if bit is None:
            (piece.table,) = tables
            return
        self.divide(piece, bit, tables)

    def divide(self, piece: Piece, bit: int, tables: list[Table]) -> tuple[Piece, Piece]:
        """Put two pieces that differ in `bit`, with these tables, in the place of one."""
        children = self._replace(piece, bit)
        for child, table in zip(children, tables, strict=True):
            child.table = table
            child.closed = table.held - sum(one.states for one in child.opened)
        return children

    def best_bit(self, piece: Piece) -> int | None:
        """The bit to split a piece by; None if no bit of the keys cuts it."""
        if piece.bit is not None:
            return piece.bit
        return split_bit(self.shape, piece, *self.sample, self.index.mixed(piece.blocks))

    def plan(self, piece: Piece) -> None:
        """Choose the bit that a piece will be split by, so that its blocks are divided by it."""
        if piece.closed < _SETTLED:
            piece.bit = None
            piece.bit = self.best_bit(piece)

    def add_divided(self, piece: Piece, refs: list[BlockRef], sides: list[int]) -> None:
        """Give closed blocks to a piece; each has states with one value of its bit only."""
        piece.blocks += refs
        for ref, side in zip(refs, sides, strict=False):
            assert piece.bit is not None
            mask, value = piece.mask | 1 << piece.bit, piece.value | side << piece.bit
            self.index.spans[ref] = Span((~mask | value) & _ALL_BITS, ~value & _ALL_BITS)

    def settle(self, piece: Piece, closed: int, *, full: bool, lost: bool) -> None:
        """After an expansion by somebody else, who has the table."""
        if lost:
            piece.evict()
            return
        piece.closed = closed
        if full:
            piece.evict()
            self.outgrow(piece)

    def split(self, piece: Piece) -> bool:
        """Cut a piece without a table in two; False if no bit of the keys does that."""
        bit = self.best_bit(piece)
        if bit is None:
            return False
        for side, child in enumerate(self._replace(piece, bit)):
            child.closed = self.index.states(piece.blocks, bit, side)
        return True

    def _replace(self, piece: Piece, bit: int) -> tuple[Piece, Piece]:
        """Put two pieces in the place of one. They get its candidates, packed ones later."""
        self.sources += [one for one in piece.inbox if one.packed is not None]
        piece.inbox = piece.loose
        self.forget([*piece.inbox, *piece.opened])
        children = self.tree.split(piece, bit)
        for side, child in enumerate(children):
            child.blocks = [ref for ref in piece.blocks if self.index.may_hold(ref, bit, side)]
        return children
