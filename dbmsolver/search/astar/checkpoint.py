"""What the store has of a search by cost layers: closed states, candidates, and commits of both.

A commit is one transaction (:mod:`dbmsolver.search.commits`). It writes new closed states; states
that have been looked at and are not closed, once each time they are reached with fewer moves; and
candidates that have not been looked at, anew each time. A state keeps its record as a candidate
when it is closed. A search that is resumed starts with all of these records, and finds those that
are closed to be duplicates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.digest import digest_runs
from dbmsolver.core.shards import IS_CLOSED, IS_STORED, META, NO_CEILING, count_unclosed
from dbmsolver.errors import InternalError
from dbmsolver.keys.states import StateCodec
from dbmsolver.results import Commit
from dbmsolver.search.astar.partitions import Partition, ShardQueue
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.rows import Rows, encoded, layers_of, packed, unpacked
from dbmsolver.storage.blocks import Runs, encode_block, read_block
from dbmsolver.storage.records import Closed, parse_closed_key, parse_pending_key


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
        self.partitions = [Partition(0, NO_CEILING)]
        self.each: Callable[..., Iterable[Any]] = map  # or that of a pool of threads
        self.known = 0  # states, closed or looked at, that some commit knew of

    def restore(self) -> None:
        """Give the first partition the candidates in the store, or the deal itself."""
        store = self.recorder.store
        everything = self.partitions[0]
        if self.kind != b"C":
            root = np.array([[*self.codec.root, self.codec.root_code]], np.uint64)
            everything.candidates[0] = [root]
            return
        self.known = store.manifest.known
        for key in store.keys(b"P"):
            everything.candidates.setdefault(parse_pending_key(key)[0], []).append(key)
        # These records go with the next commit.
        for key in store.keys(b"B"):
            layer = parse_pending_key(key)[0]
            everything.candidates.setdefault(layer, []).append(self.rows(key))

    def rows(self, key: bytes) -> Rows:
        """The rows of a block in the store."""
        return unpacked(self.codec, read_block(self.recorder.store, key))

    def closed_records(self, partition: Partition) -> dict[bytes, int]:
        """The keys of a partition's blocks of closed states, and how many each holds."""
        store = self.recorder.store
        return {
            key: store.states_in(key)
            for key in store.keys(self.kind)
            if partition.low <= parse_closed_key(key).stratum < partition.high
        }

    def find_candidates(self, partition: Partition) -> None:
        """Make a partition's candidates those that the store has for it and for layers to come.

        Some may have been closed since; they will be found to be duplicates.
        """
        partition.candidates = {}
        for key in self.recorder.store.keys(b"P"):
            layer, stratum, _ = parse_pending_key(key)
            if layer > partition.closed and partition.low <= stratum < partition.high:
                partition.candidates.setdefault(layer, []).append(key)

    def flush(self) -> None:
        """Put the states closed since the last time into the next commit."""
        evaluated = self.statistics.evaluated
        queues = [queue for partition in self.partitions for queue in partition.queues or ()]
        for found in self.each(self._fresh_blocks, [q for q in queues if q.has_fresh()]):
            for block, forced, digest in found:
                self.statistics.count(self.layer, block.stratum, block.states, forced, digest)
                self.recorder.add_closed([block], kind=self.kind)
        self.statistics.evaluated = evaluated  # they were counted when they were looked at

    def _fresh_blocks(self, queue: ShardQueue) -> list[tuple[Closed, int, int]]:
        """Blocks of the states that a shard has closed since the last time.

        With how many of them are forced, and their digest. May run in a thread of its own.
        """
        found = []
        for stratum, runs in packed(self.codec, queue.rows, queue.fresh_closed()):
            assert runs.extra is not None
            closed = Runs(runs.signatures, runs.counts, runs.keys, runs.codes, runs.key_words)
            block = Closed(
                self.layer,
                stratum,
                int(runs.signatures[0]),
                int(runs.signatures[-1]),
                runs.codes.size,
                encode_block(closed),
            )
            digest = digest_runs(
                self.codec.tables, runs.signatures, runs.counts, runs.keys, runs.key_words
            )
            found.append((block, int((runs.extra >> 15).sum()), int(digest)))
        return found

    def commit(self, write_out: Partition | None = None) -> Commit:
        """Commit what is closed and, if the search can be resumed, its candidates.

        All candidates of the partition ``write_out`` get records that stay, whether the search can
        be resumed or not, because it is to leave memory.
        """
        self.flush()
        stored: list[tuple[ShardQueue, NDArray[np.int64]]] = []
        lasting: list[NewRecord] = []
        batch = self.recorder.batch
        batch.cleared.append(b"B")
        batch.pending = self._pending(write_out, stored, lasting)
        batch.fields |= self._counts()
        commit = self.recorder.commit(self.layer, 0)
        for queue, fresh in stored:
            queue.rows[fresh, META] |= IS_STORED
        if write_out is not None:
            self._now_in_store(write_out, lasting)
        return commit

    def _pending(
        self,
        write_out: Partition | None,
        stored: list[tuple[ShardQueue, NDArray[np.int64]]],
        lasting: list[NewRecord],
    ) -> Iterator[NewRecord]:
        """The records of all candidates, one by one.

        ``stored`` gets the rows to be marked once they are committed, ``lasting`` the records of
        candidates of ``write_out``.
        """
        for partition in self.partitions:
            if not self.recorder.resumable and partition is not write_out:
                continue
            for queue in partition.queues or ():
                yield from self._looked_at(queue, stored)
            # What has not been looked at is written anew each time.
            for layer, rows in self._not_looked_at(partition):
                for stratum, block in encoded(self.codec, rows):
                    if partition is write_out:
                        lasting.append(NewRecord(max(layer, self.layer), stratum, block))
                        yield lasting[-1]
                    else:
                        yield NewRecord(layer, stratum, block, kind=b"B")

    def _counts(self) -> dict[str, Any]:
        """How many states are known by now, for the check at the end."""
        if self.kind != b"C":
            return {}
        self.known = max(self.known, self.statistics.closed + self._unclosed())
        return {"known": self.known}

    def check_books(self) -> None:
        """Check that nothing is left: neither candidates nor states that are not closed.

        InternalError if something is, or states are lost. Where there is a ceiling, states at and
        above it may be left, and commits before it fell may have known of more.
        """
        unclosed = self._unclosed()
        for partition in self.partitions:
            for queue in partition.queues or ():
                queue.check_books()
                unclosed += sum(rows.shape[0] for rows in queue.inbox)
        closed = self.statistics.closed
        if unclosed or (self.ceiling == NO_CEILING and closed < self.known):
            raise InternalError(
                f"the books do not balance: {unclosed} states are left, {closed} of at least "
                f"{self.known} closed"
            )

    def _unclosed(self) -> int:
        """States that have been looked at and are to be closed, but are not."""
        return sum(
            int(count_unclosed(queue.rows, len(queue.rows), self.weight, self.ceiling))
            for partition in self.partitions
            for queue in partition.queues or ()
        )

    def write_out(self, partition: Partition) -> None:
        """Write all closed states and all candidates of a partition to the store."""
        self.commit(partition)

    def _now_in_store(self, partition: Partition, lasting: list[NewRecord]) -> None:
        """Name the records of a partition's candidates in place of the rows."""
        for layer, waiting in partition.candidates.items():
            partition.candidates[layer] = [key for key in waiting if isinstance(key, bytes)]
        for record in lasting:
            if partition.queues is None or record.layer > self.layer:
                partition.candidates.setdefault(record.layer, []).append(record.key)

    def _looked_at(
        self, queue: ShardQueue, stored: list[tuple[ShardQueue, NDArray[np.int64]]]
    ) -> Iterator[NewRecord]:
        """Records, by layer, of rows looked at, or reached sooner, since the last commit."""
        fresh = np.flatnonzero((queue.rows[:, META] & (IS_CLOSED | IS_STORED)) == 0)
        new = queue.rows[fresh]
        layers = layers_of(new, self.weight)
        for layer in np.unique(layers[layers < self.ceiling]).tolist():
            for stratum, block in encoded(self.codec, new[layers == layer]):
                yield NewRecord(layer, stratum, block)
        stored.append((queue, fresh))

    def _not_looked_at(self, partition: Partition) -> Iterator[tuple[int, Rows]]:
        """The candidates of a partition that are in memory only, with their layers."""
        for queue in partition.queues or ():
            for rows in queue.inbox:
                yield self.layer, rows
        for layer, batches in partition.candidates.items():
            for batch in batches:
                if not isinstance(batch, bytes):
                    yield layer, batch
