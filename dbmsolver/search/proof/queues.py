"""Candidates of a large signature, in the queues of its pieces and on their way to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

import numpy as np

from dbmsolver.errors import InternalError
from dbmsolver.search.candidates import Candidates, merged, without
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.ledger import Entry, entry_of_one
from dbmsolver.search.portions import in_groups
from dbmsolver.search.proof.piece_tables import KeyShape
from dbmsolver.search.proof.pieces import Piece, Routed, Routes, Tree, routed_to
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.records import layer_and_stratum, states_of

MERGED_AT_ONCE = 1 << 21
"""Candidates of a piece that a thread merges at a time, about: it makes two copies of them."""
Loaded = tuple[list[Candidates], Routes, list[Routed]]
"""Candidates that waited for room, and their division among the pieces that there were."""


class Queues:
    """Candidates of the pieces of `tree`, and those on their way to them.

    Candidates in `sources` wait for room: they are in the store, or belong to a piece that has been
    split. Those in `delivering` are being loaded. `outstanding` counts the candidates that pieces
    were given and that no thread has taken yet.
    """

    def __init__(
        self, shape: KeyShape, recorder: Recorder, tree: Tree, sources: list[Candidates]
    ) -> None:
        self.shape = shape
        self.recorder = recorder
        self.tree = tree
        self.sources = sources
        self.delivering: list[Candidates] = []
        self.outstanding = 0

    @property
    def pieces(self) -> list[Piece]:
        """All pieces."""
        return self.tree.pieces

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
