"""All pieces of a large signature with their tables and candidates, in a memory budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError
from dbmsolver.kernels.workspace import BUFFER
from dbmsolver.search.candidates import Candidates, merged, without
from dbmsolver.search.commits import BlockRef, NewRecord
from dbmsolver.search.ledger import Entry, entry_of_one
from dbmsolver.search.portions import in_groups
from dbmsolver.search.proof.block_index import BlockIndex, Span
from dbmsolver.search.proof.piece_tables import FILL, KeyShape, Table
from dbmsolver.search.proof.pieces import Piece, Routed, Routes, Tree, routed_to, split_bit
from dbmsolver.search.proof.worker import LargeStart
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.records import layer_and_stratum, states_of

_ALL_BITS = (1 << 64) - 1
_SETTLED = 1 << 19
"""The number of closed states from which on enough is known of a piece to choose a bit for good."""
_SAMPLE_ENOUGH = 400
"""The number of states from which on a bit is chosen well: a newer sample need not have more."""
FIRST_PIECES = 3
"""A new large signature is cut into two to this power pieces, so that all threads have work."""

MERGED_AT_ONCE = 1 << 21
"""Candidates of a piece that a thread merges at a time, about: it makes two copies of them."""
Loaded = tuple[list[Candidates], Routes, list[Routed]]
"""Candidates that waited for room, and their division among the pieces that there were."""


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
    """The pieces of a large signature; each piece has a table and a queue of candidates.

    `sources` are candidates that wait until memory has room for them: they are in the store, or
    were given to a piece that has been split since. `delivering` are those that a thread is loading
    now. `outstanding` counts the candidates that were given to pieces, and that no thread has taken
    from their queues.
    """

    def __init__(
        self, shape: KeyShape, recorder: Recorder, start: LargeStart, budget: Budget
    ) -> None:
        self.shape = shape
        self.recorder = recorder
        closed = sum(ref.block.states for ref in start.blocks)
        self.tree = Tree(shape, Piece(0, 0, 0, list(start.blocks), closed=closed))
        self.sources = list(start.sources)
        self.delivering: list[Candidates] = []
        self.outstanding = 0
        self.budget = budget
        self.largest_bits = shape.largest_bits(max(budget.table, 1))
        self.sample = start.sample
        self.index = BlockIndex()
        if not start.blocks:
            self.cut()
        self.deliver(start.candidates.load(recorder.store))

    @property
    def pieces(self) -> list[Piece]:
        """All pieces."""
        return self.tree.pieces

    @property
    def pending(self) -> int:
        """Candidates waiting in all pieces, and on their way to them."""
        waiting = sum(one.states for one in (*self.sources, *self.delivering))
        return waiting + sum(piece.work for piece in self.pieces)

    @property
    def candidate_bytes(self) -> int:
        """Memory that all candidates take."""
        sources = sum(one.nbytes for one in (*self.sources, *self.delivering))
        return sources + sum(one.nbytes for piece in self.pieces for one in piece.candidates)

    # Records.

    @property
    def stored(self) -> Entry:
        """The entry of the candidates that have a record."""
        return entry_of_one(
            self.shape.signature, sum(one.stored for one in self._all() if one.record)
        )

    def packed(self) -> Iterator[NewRecord]:
        """Yield new records for the candidates that have none."""
        self._merge()
        new = [one for one in self._all() if one.states and one.record is None]
        place = layer_and_stratum(self.shape.stratum)
        for one, data in zip(new, self.recorder.in_parallel(Candidates.pack, new), strict=True):
            one.stored = states_of(data, "memory")
            entry = entry_of_one(self.shape.signature, one.stored)
            yield NewRecord(*place, data, entry=entry, candidates=one)

    def _merge(self) -> None:
        """Merge the new lists in the queue of each piece that no worker has."""
        groups = []
        for piece in (piece for piece in self.pieces if not piece.busy):
            new = [one for one in piece.queue if one.is_new]
            some = in_groups(new, lambda one: one.states, MERGED_AT_ONCE)
            groups += [(piece, group) for group in some if len(group) > 1]
        lists = [group for _, group in groups]
        results = self.recorder.in_parallel(merged, lists)
        for (piece, group), found in zip(groups, results, strict=True):
            self.replace(piece, group, found)

    def _all(self) -> list[Candidates]:
        """Return all candidates, without those that have a record among the stratum's."""
        sources = [one for one in (*self.sources, *self.delivering) if one.whole is None]
        return [one for piece in self.pieces for one in piece.candidates] + sources

    def forget(self, candidates: Iterable[Candidates]) -> None:
        """Remove the records of candidates that were taken or have become others."""
        for one in candidates:
            self.recorder.batch.delete(one.record)

    # Candidates.

    def deliver(self, runs: Runs) -> None:
        """Give new candidates to their pieces; all threads, which are idle, divide them."""
        self.outstanding += runs.codes.size
        routes, words = self.tree.routes(), self.shape.key_words
        ends = np.linspace(0, runs.codes.size, self.recorder.threads + 1, dtype=np.int64).tolist()

        def divided(part: tuple[int, int]) -> list[Routed]:
            first, last = part
            keys, codes = runs.keys[words * first : words * last], runs.codes[first:last]
            return routed_to(self.shape, [routes.sort(keys, codes)])

        for some in self.recorder.in_parallel(divided, list(pairwise(ends))):
            self.tree.add(routes, some)

    def deliver_new(self, routes: Routes, given: list[Routed]) -> None:
        """Give new candidates, divided by the pieces of some time, to the pieces there are now."""
        self.outstanding += sum(candidates.states for _, candidates in given)
        self.tree.add(routes, given)

    def take_sources(self, most: int) -> Callable[[], Loaded]:
        """Return a function that loads candidates that wait for memory, and divides them by piece.

        It loads up to ``most`` bytes, but at least one record: thousands of small records, divided
        one by one, would make millions of lists. Any thread may call it.
        """
        sources, routes = [self.sources.pop()], self.tree.routes()
        counted, states = sources[0].whole is None, sources[0].states
        while self.sources and (self.sources[-1].whole is None) == counted:
            states += self.sources[-1].states
            if states * sources[0].state_bytes > most:
                break
            sources.append(self.sources.pop())
        self.delivering += sources

        def load() -> Loaded:
            return sources, routes, routes.divide(self.shape, sources, self.recorder.store)

        return load

    def deliver_sources(self, loaded: Loaded) -> None:
        """Give the candidates that such a function has loaded to their pieces."""
        sources, routes, given = loaded
        self.delivering = without(self.delivering, sources)
        if sources[0].whole is None:  # they are counted already
            self.tree.add(routes, given)
        else:
            self.deliver_new(routes, given)
        self.forget(sources)

    def replace(self, piece: Piece, some: list[Candidates], found: list[Candidates]) -> None:
        """Put candidates in the place of those they were made of, without duplicates."""
        piece.queue = without(piece.queue, some) + found
        self.outstanding -= sum(one.states for one in some) - sum(one.states for one in found)
        self.forget(some)

    def check_none_lost(self) -> None:
        """Raise InternalError unless all candidates were taken or found to be duplicates."""
        if self.outstanding or self.pending:
            raise InternalError(
                f"internal check failed: {self.outstanding} states of a large signature were lost"
            )

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
        """Give a piece an empty table if it has none; return the blocks to load into it."""
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
        piece.closed = piece.table.capacity + 2 * BUFFER
        largest = piece.table.bits >= self.largest_bits
        piece.evict()
        if largest:
            self.outgrow(piece)

    def outgrow(self, piece: Piece) -> None:
        """Split a piece that is too large for the largest table.

        If it cannot be split, allow for larger tables.
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
        """Return the bit to split a piece by; None if no bit of the keys divides it."""
        if piece.bit is not None:
            return piece.bit
        return split_bit(self.shape, piece, *self.sample, self.index.mixed(piece.blocks))

    def take_sample(self, keys: NDArray[np.uint64], codes: NDArray[Any]) -> None:
        """Replace the sample of the signature's states by which bits are chosen to split pieces.

        A sample with few states is ignored: too few states do not show which bits divide a piece.
        """
        if codes.size >= min(self.sample[1].size, _SAMPLE_ENOUGH):
            self.sample = keys, codes

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
        """Note the end of an expansion by another process, which has the table.

        ``closed`` is the number of closed states; ``full``: the piece outgrew its table; ``lost``:
        the table is lost, and nothing has been done.
        """
        if lost:
            piece.evict()
            return
        piece.closed = closed
        if full:
            if piece.away is None:
                piece.evict()
            self.outgrow(piece)

    def split(self, piece: Piece) -> bool:
        """Cut a piece without a table here in two; return False if no bit of the keys does that."""
        bit = self.best_bit(piece)
        if bit is None:
            return False
        for child in self._replace(piece, bit):
            child.closed = self.index.states(child.blocks, child.mask)
        return True

    def _replace(self, piece: Piece, bit: int) -> tuple[Piece, Piece]:
        """Put two pieces in the place of one. They get its candidates, those in blocks later."""
        self.sources += [one for one in piece.queue if one.block is not None]
        piece.queue = piece.loose
        self.forget([*piece.queue, *piece.opened])
        children = self.tree.split(piece, bit)
        for side, child in enumerate(children):
            child.blocks = [ref for ref in piece.blocks if self.index.may_hold(ref, bit, side)]
        return children
