"""The pending states of a search larger than the memory: in the store, and on their way there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.patience_closing import make_candidates, make_set
from dbmsolver.core.patience_tables import Words
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Report
from dbmsolver.search.commits import BlockRef, NewRecord
from dbmsolver.search.in_memory import Place
from dbmsolver.search.patience.closing import PatienceClosing
from dbmsolver.search.patience.pieces import by_hash, rows_of
from dbmsolver.search.patience.sets import Waiting, records_of, weigh_states
from dbmsolver.search.patience.shares import Shares
from dbmsolver.search.patience.stored import ClosedBlock, Leaf, Pending, Shelf, tally_of
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import Tally, total
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.patience_blocks import Codes, first_layer, words_of
from dbmsolver.storage.records import Closed, parse_closed_key

_RECORD = 1 << 13
"""States of a record of candidates at least, where they are divided by their hash."""
_MOST_RECORDS = 64
"""Records that candidates of a place become at once, at most."""


class Shelving(PatienceClosing[Shelf]):
    """A search in progress, as the store has it.

    ``leaves`` are the pieces of the place that is being closed, with its candidates that are in the
    store, and all closed states that have to be known; ``strata`` has those of other strata.
    ``queue`` are records that the next commit writes. ``growth`` says how many states were closed
    of late for each that was pending.
    """

    def __init__(
        self,
        keys: PatienceKeys,
        recorder: Recorder,
        memory: int,
    ) -> None:
        super().__init__(keys, recorder, memory)
        self.shares = Shares.of(memory)
        self._out = make_candidates(self.shares.out)
        self.leaves: list[Leaf] = []
        self.queue: list[NewRecord] = []
        self.growth = 2.0
        self.strata: dict[int, list[Leaf]] = {}
        self._clear()

    def _clear(self) -> None:
        """Give up the set that is being closed."""
        self.current, self.recorded = Waiting(make_set(1)), 0

    def _writes_pending(self) -> bool:
        return True

    def _unwritten_bytes(self) -> int:
        waiting = sum(len(record.data) for record in self.queue)
        return waiting + self.recorder.batch.block_bytes

    def _shelve(self, words: Words, codes: Codes) -> list[Pending]:
        """Return records of candidates of the place, which the next commit writes."""
        shelved = []
        for record, own in records_of(self.keys, self.place[0], words, codes):
            self.queue.append(record)
            shelved.append(Pending.of(self.keys, record, own))
        return shelved

    def _drop_block(self, block: ClosedBlock) -> None:
        """Remove a block of closed states: it is not needed any more, or written anew."""
        store, ref = self.recorder.store, block.ref
        data = ref.data if ref.key is None else store.read(ref.key)
        self.recorder.statistics.closed_bytes -= len(data or b"")
        self.recorder.batch.drop(ref)

    def _fresh_bytes(self) -> int:
        return sum(shelf.fresh.nbytes for shelf in self.pending.values())

    # The store.

    def _restore(self) -> None:
        """Read the pending states of the store, and which closed ones it has."""
        super()._restore()
        store = self.recorder.store
        for key in store.keys(b"C"):
            place = parse_closed_key(key)
            block = Closed(*place[:4], store.states_in(key), b"")
            (leaf,) = self.strata.setdefault(place.stratum, [Leaf()])
            leaf.blocks.append(ClosedBlock(BlockRef(block, key=key)))

    def _take_in(self, record: NewRecord, runs: Runs) -> None:
        words, place = words_of(runs), (record.layer, record.stratum)
        if not record.layer:  # the deal itself
            place = first_layer(self.keys, words), record.stratum
        one = Pending.of(self.keys, record, words)
        self.books.make(one.tally)
        self.pending.setdefault(place, Shelf()).records.append(one)

    def _held(self) -> Tally:
        shelves = self.pending.values()
        return total(
            (
                weigh_states(self.current.words(self.recorded)),
                *(weigh_states(shelf.fresh.words()) for shelf in shelves),
                *(tally_of(shelf.records) for shelf in shelves),
                *(leaf.tally for leaf in self.leaves),
            )
        )

    def _unwritten(self) -> list[NewRecord]:
        if self.goal is not None:
            return self._records_of_goal()
        records, self.queue = self.queue, []
        current = self.current
        first = max(current.stored, self.recorded)
        made = records_of(self.keys, self.place[0], current.words(first), current.codes(first))
        new = [record for record, _ in made]
        current.records += new
        current.stored = current.size
        for place, shelf in self.pending.items():
            records += self._written(place, shelf)
        return records + new

    def _written(self, place: Place, shelf: Shelf) -> Iterator[NewRecord]:
        """Yield records for the candidates of a place that have none."""
        for words, codes in shelf.fresh.parts():
            for shelved, own in self._divided(place, shelf, rows_of(self.keys, words)):
                for record, some in records_of(self.keys, place[0], words[own], codes[own]):
                    shelved.append(Pending.of(self.keys, record, some))
                    yield record
        shelf.fresh = Waiting(make_set(1))

    def _divided(
        self, place: Place, shelf: Shelf, rows: Words
    ) -> Iterator[tuple[list[Pending], NDArray[np.int64]]]:
        """Yield lists for new records, each with the candidates that these records hold.

        The candidates of a place are given as ``rows``, and yielded as numbers of rows.
        """
        if place != self.place or not self.leaves:
            most = min(_MOST_RECORDS, len(rows) // _RECORD)
            for own in by_hash(rows, 1 << max(0, most.bit_length() - 1)):
                yield shelf.records, own
            return
        left = np.ones(len(rows), np.bool_)
        for leaf in self.leaves:
            held = leaf.cover.holds(rows) & left
            left &= ~held
            yield leaf.records, np.flatnonzero(held)

    def report(self) -> Report:
        """Return how far the search is."""
        layer, stratum = self.place
        shelves = self.pending.values()
        waiting = sum(one.states for shelf in shelves for one in shelf.records)
        return self.recorder.report(
            layer=layer,
            stratum=stratum,
            last_stratum=self.keys.last_stratum,
            pending=waiting
            + sum(shelf.fresh.size for shelf in shelves)
            + sum(leaf.waiting for leaf in self.leaves)
            + self.current.left,
        )
