"""Records in the store of a search by cost layers: closed states, candidates, and commits of both.

A commit is one transaction (:mod:`dbmsolver.search.commits`). It writes new closed states; states
that have been looked at and are not closed, once each time they are reached with fewer moves; and
candidates that have not been looked at, anew each time. A state keeps its record as a candidate
when it is closed. A search that is resumed starts with the records of the layer that was being
closed and of those above it, and finds those that are closed to be duplicates.

A search that cannot be resumed writes a partition only when that leaves memory. The partition may
have everything that was found so far, so many short transactions write it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError
from dbmsolver.kernels.closed_rows import count_rows, make_cache
from dbmsolver.kernels.shards import NO_CEILING, count_unclosed
from dbmsolver.kernels.states import CARDS
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Commit
from dbmsolver.search.astar.partitions import MOST_PART, Partition, ShardQueue
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.portions import Product, by_threads, in_groups
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.rows import Rows, encoded, packed, unpacked
from dbmsolver.storage.blocks import encode_block, read_block
from dbmsolver.storage.records import Closed, parse_closed_key, parse_pending_key

ENCODED_AT_ONCE = 1 << 16
"""Candidates that are encoded at a time: a record each for many small batches takes longer."""
_Part = tuple[ShardQueue, int, NDArray[np.uint32]]
"""A shard, a layer, and the numbers of rows."""


class Checkpoint:
    """The partitions of a search, and what the store has of them.

    ``kind`` is the kind of record that closed states are stored as: ``C``, or another for a search
    that is not resumed. ``layer`` is the one being closed. What waits for layers from ``ceiling``
    on is not wanted any more, and not written.
    """

    def __init__(self, codec: StateCodec, recorder: Recorder, weight: int, kind: bytes) -> None:
        self.codec = codec
        self.recorder = recorder
        self.statistics = recorder.statistics
        self.weight = weight
        self.kind = kind
        self.layer = 0
        self.ceiling = NO_CEILING
        self.partitions = [Partition(0, NO_CEILING, codec.tables)]
        self.each: Callable[..., Iterable[Any]] = map  # or that of a pool of threads
        self.known = 0  # states, closed or looked at, that some commit knew of

    def restore(self) -> None:
        """Give the first partition the candidates in the store, or the deal itself."""
        store = self.recorder.store
        everything = self.partitions[0]
        if not self.recorder.resumable:
            root = np.array([[*self.codec.root, self.codec.root_code]], np.uint64)
            everything.candidates[0] = [root]
            return
        self.known = store.manifest.known
        # A layer is begun when all below it are closed: what waited for these is closed, too.
        everything.closed = max((layer for layer, _ in self.statistics.strata), default=0) - 1
        self.find_candidates(everything)
        # These records go with the next commit.
        for key in store.keys(b"B"):
            layer = parse_pending_key(key)[0]
            everything.candidates.setdefault(layer, []).append(self.rows(key, everything))

    def rows(self, key: bytes, partition: Partition) -> Rows:
        """Return a partition's rows of a block in the store, whose stratum it has slices of."""
        rows = unpacked(self.codec, read_block(self.recorder.store, key))
        return partition.own(rows, self.codec.locked)

    def rows_of(self, batches: Iterable[Rows | bytes], partition: Partition) -> Iterator[Rows]:
        """Yield a partition's rows of each batch, which is rows or the key of a record to load."""
        return self._by_threads(self._loaded, ((batch, partition) for batch in batches))

    def _loaded(self, batch: Rows | bytes, partition: Partition) -> Rows:
        return self.rows(batch, partition) if isinstance(batch, bytes) else batch

    def closed_records(self, partition: Partition) -> dict[bytes, int]:
        """Return the keys of blocks with a partition's closed states, and the states of each.

        Where it has not all slices of a stratum, these blocks may have states of others, too.
        """
        store = self.recorder.store
        return {
            key: store.states_in(key)
            for key in store.keys(self.kind)
            if parse_closed_key(key).stratum in partition.strata
        }

    def find_candidates(self, partition: Partition) -> None:
        """Make a partition's candidates those that the store has for it and for layers to come.

        Some may have been closed since; they will be found to be duplicates.
        """
        partition.candidates = {}
        for key in self.recorder.store.keys(b"P"):
            layer, stratum, _ = parse_pending_key(key)
            if layer > partition.closed and stratum in partition.strata:
                partition.candidates.setdefault(layer, []).append(key)

    @property
    def queues(self) -> list[ShardQueue]:
        """The shards of all partitions that are loaded."""
        return [queue for partition in self.partitions for queue in partition.queues or ()]

    def flush(self) -> None:
        """Count the states closed since the last time.

        The next commit writes them if the search can be resumed. If not, they stay in memory until
        their partition leaves it.
        """
        evaluated = self.statistics.evaluated
        for counts, digest in self.each(self._count_fresh, self.queues):
            closed = np.flatnonzero(counts[:, 0])
            for stratum in closed.tolist():
                states, forced = counts[stratum].tolist()
                self.statistics.count(self.layer, stratum, states, forced, 0)
            self.statistics.add_digest(digest)
            self.recorder.unwritten += int(counts[:, 0].sum())
        self.statistics.evaluated = evaluated  # they were counted when they were looked at
        if self.recorder.resumable:
            for blocks in self.each(self._fresh_blocks, self.queues):
                self._add_closed(blocks)

    def _count_fresh(self, queue: ShardQueue) -> tuple[NDArray[np.int64], int]:
        """Count the states that a shard has closed since the last time.

        Returns int64[strata, 2], the states of each stratum, and their digest. May run in a thread
        of its own, as :meth:`_fresh_blocks` may.
        """
        counts = np.zeros((2 * CARDS + 1, 2), np.int64)
        fresh = queue.take_uncounted()
        if not fresh.size:
            return counts, 0
        codec = self.codec
        shard, cache = queue.shard, make_cache()
        digest = count_rows(codec.tables, shard.rows, fresh, codec.locked, counts, cache)
        return counts, int(digest)

    def _add_closed(self, blocks: list[Closed]) -> None:
        """Put blocks of counted states into the next commit."""
        self.recorder.add_closed(blocks, kind=self.kind)
        self.recorder.unwritten -= sum(block.states for block in blocks)

    def _fresh_blocks(self, queue: ShardQueue) -> list[Closed]:
        """Return blocks of the counted states of a shard that are in none."""
        parts = queue.unstored(self.weight, closed=True)
        return [block for part in parts for block in self._closed_blocks(queue, *part)]

    def _closed_blocks(
        self, queue: ShardQueue, layer: int, numbers: NDArray[np.uint32]
    ) -> list[Closed]:
        """Return blocks of some closed rows of a layer, which count as stored from now on."""
        found = []
        for stratum, runs in packed(self.codec, queue.states(numbers)):
            first, last = int(runs.signatures[0]), int(runs.signatures[-1])
            block = encode_block(replace(runs, extra=None))
            found.append(Closed(layer, stratum, first, last, runs.codes.size, block))
        queue.mark_stored(numbers)
        return found

    def commit(self, write_out: Partition | None = None) -> Commit:
        """Commit the closed states and, if the search can be resumed, its candidates.

        All candidates of the partition ``write_out`` get records that stay, whether the search can
        be resumed or not, because it is to leave memory. InternalError if candidates are lost.
        """
        for queue in self.queues:
            queue.check_none_lost()
        self.flush()
        lasting: list[NewRecord] = []
        batch = self.recorder.batch
        batch.cleared.append(b"B")
        batch.pending = self._pending(write_out, lasting)
        batch.fields |= self._counts()
        commit = self.recorder.commit(self.layer, 0)
        if write_out is not None:
            self._now_in_store(write_out, lasting)
        return commit

    def _pending(
        self, write_out: Partition | None, lasting: list[NewRecord]
    ) -> Iterator[NewRecord]:
        """Yield the records of all candidates, one by one.

        ``lasting`` gets those of candidates of ``write_out`` that have not been looked at.
        """
        for partition in self.partitions:
            if not self.recorder.resumable and partition is not write_out:
                continue
            opened = (
                (queue, *part)
                for queue in partition.queues or ()
                for part in self._open_parts(queue)
            )
            yield from chain.from_iterable(self._by_threads(self._open_records, opened))
            # Rows that have not been looked at are written anew each time.
            new = self._by_threads(self._new_records, self._not_looked_at(partition))
            for record in chain.from_iterable(new):
                if partition is write_out:
                    record.layer = max(record.layer, self.layer)
                    lasting.append(record)
                else:
                    record.kind = b"B"
                yield record

    def _by_threads(
        self, work: Callable[..., Product], parts: Iterable[tuple[Any, ...]]
    ) -> Iterator[Product]:
        """Yield what ``work`` returns for each part, which has its arguments."""
        return by_threads(self.each, self.recorder.threads, lambda part: work(*part), parts)

    def _counts(self) -> dict[str, Any]:
        """Return the states known by now, for the check at the end, as a manifest's field."""
        if self.kind != b"C":
            return {}
        self.known = max(self.known, self.statistics.closed + self._unclosed())
        return {"known": self.known}

    def check_none_lost(self) -> None:
        """Check that nothing is left: neither candidates nor states that are not closed.

        InternalError if something is, or states are lost. Where there is a ceiling, states at and
        above it may be left, and commits before it fell may have known of more.
        """
        unclosed = self._unclosed()
        for queue in self.queues:
            queue.check_none_lost()
            if self.layer < self.ceiling:  # they follow from states of this layer
                unclosed += sum(rows.shape[0] for rows in queue.incoming)
        closed = self.statistics.closed
        if unclosed or (self.ceiling == NO_CEILING and closed < self.known):
            raise InternalError(
                f"internal check failed: {unclosed} states are left, {closed} of at least "
                f"{self.known} closed"
            )

    def _unclosed(self) -> int:
        """Count the states that have been looked at and are to be closed, but are not."""

        def of(queue: ShardQueue) -> int:
            rows = queue.rows
            return int(count_unclosed(queue.tables, rows, len(rows), self.weight, self.ceiling))

        return sum(self.each(of, self.queues))

    def write_out(self, partition: Partition) -> Iterator[None]:
        """Write what the store does not have of a partition: closed and open states, candidates.

        Yields None between two pieces of the work, which may take long as a whole. The caller does
        not search until the end.
        """
        if not self.recorder.resumable:
            self.flush()
            yield from self._write_states(partition)
            yield from self._write_candidates(partition)
        self.commit(partition)

    def _write_states(self, partition: Partition) -> Iterator[None]:
        """Write the closed and the open states of a partition; yield None after each commit."""
        queues, recorder = partition.queues or (), self.recorder
        closed = (
            (queue, *part) for queue in queues for part in queue.unstored(self.weight, closed=True)
        )
        for some in in_groups(closed, _count, MOST_PART):
            for blocks in self._by_threads(self._closed_blocks, some):
                self._add_closed(blocks)
            recorder.commit(self.layer, 0)
            yield
        opened = ((queue, *part) for queue in queues for part in self._open_parts(queue))
        for some in in_groups(opened, _count, MOST_PART):
            records = self._by_threads(self._open_records, some)
            recorder.batch.pending = chain.from_iterable(records)
            recorder.commit(self.layer, 0)
            yield

    def _write_candidates(self, partition: Partition) -> Iterator[None]:
        """Write the candidates of a partition that no shard has; yield None after each commit."""
        for layer, batches in partition.candidates.items():
            while loose := [rows for rows in batches if not isinstance(rows, bytes)]:
                some = next(in_groups(loose, len, MOST_PART))
                records = self._new_records(max(layer, self.layer), np.concatenate(some))
                self.recorder.batch.pending = records
                self.recorder.commit(self.layer, 0)
                stored = [key for key in batches if isinstance(key, bytes)]
                batches[:] = [*stored, *(record.key for record in records), *loose[len(some) :]]
                yield

    def _now_in_store(self, partition: Partition, lasting: list[NewRecord]) -> None:
        """Name the records of a partition's candidates in place of the rows."""
        for layer, waiting in partition.candidates.items():
            partition.candidates[layer] = [key for key in waiting if isinstance(key, bytes)]
        for record in lasting:
            if partition.queues is None or record.layer > self.layer:
                partition.candidates.setdefault(record.layer, []).append(record.key)

    def _open_parts(self, queue: ShardQueue) -> Iterator[tuple[int, NDArray[np.uint32]]]:
        """Yield rows looked at, or reached sooner, since they were stored, as (layer, numbers)."""
        for layer, numbers in queue.unstored(self.weight, closed=False):
            if layer < self.ceiling:
                yield layer, numbers

    def _open_records(
        self, queue: ShardQueue, layer: int, numbers: NDArray[np.uint32]
    ) -> list[NewRecord]:
        """Return records of some open rows of a layer, which count as stored from now on."""
        states = encoded(self.codec, queue.states(numbers))
        queue.mark_stored(numbers)
        # None waits for a layer below this one: a search that goes on begins with this one.
        waits = max(layer, self.layer)
        return [NewRecord(waits, stratum, block) for stratum, block in states]

    def _not_looked_at(self, partition: Partition) -> Iterator[tuple[int, Rows]]:
        """Yield the candidates of a partition that are in memory only, with their layers."""
        waiting = [(self.layer, queue.incoming) for queue in partition.queues or ()]
        for layer, batches in partition.candidates.items():
            waiting.append((layer, [one for one in batches if not isinstance(one, bytes)]))
        for layer, loose in waiting:
            for some in in_groups(loose, len, ENCODED_AT_ONCE):
                yield layer, np.concatenate(some)

    def _new_records(self, layer: int, rows: Rows) -> list[NewRecord]:
        """Return records of candidates that wait for a layer."""
        return [NewRecord(layer, stratum, block) for stratum, block in encoded(self.codec, rows)]


def _count(part: _Part) -> int:
    """Return how many rows a part has."""
    return part[2].size
