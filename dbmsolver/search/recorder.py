"""The recorder of a run on one store: its counts, its limits, and its commits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from dbmsolver.results import Commit, Event, Limits, Question, Report
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.commits import BlockRef, CommitBatch, NewRecord
from dbmsolver.search.limits import LimitCheck
from dbmsolver.search.statistics import Statistics
from dbmsolver.storage.records import Closed, layer_and_stratum, parse_pending_key
from dbmsolver.storage.store import Store

COMMIT_SECONDS = 5.0
"""The usual time between commits, and so about what a crash costs; longer if commits are slow."""
_QUICK_SECONDS = 0.5
"""Commits that take no longer come that often. After a slower one, ten times what it took passes
before the next: nothing is searched during a commit, and what is closed soon after it became
pending need not be written.
"""
_MOST_TIMES = 12
"""The longest time between commits, in multiples of the usual one: a minute, however slow they are.
"""
Item = TypeVar("Item")
Product = TypeVar("Product")


class Recorder:
    """One run on one store.

    `resumable` runs commit all that is pending every few seconds, so that they can be continued;
    others commit closed states only. Without `keep_closed` only the counts of closed states are
    kept. `batch` is what the next commit writes. `unwritten` is how many closed states are counted
    and kept in memory only. `events` are those of the current step, for whoever watches.
    """

    def __init__(
        self,
        store: Store,
        question: Question,
        limits: Limits,
        *,
        resumable: bool,
        keep_closed: bool,
        threads: int = 1,
    ) -> None:
        self.store = store
        self.question = question
        self.policy = store.manifest.policy
        self.resumable = resumable
        self.keep_closed = keep_closed
        self.threads = threads
        self.pool: ThreadPoolExecutor | None = None
        self.statistics = Statistics.of(store.manifest)
        self.limits = LimitCheck(limits, self.statistics, self.disk)
        self.batch = CommitBatch()
        self.unwritten = 0
        self.commits = 0
        self.events: list[Event] = []
        self._last_commit = time.monotonic()
        self._times = 1.0  # as long as usual until the next commit

    def add_closed(
        self, blocks: Iterable[Closed], *, always: bool = False, kind: bytes = b"C"
    ) -> list[BlockRef]:
        """Add closed blocks to the batch.

        Where only counts are kept that is done with `always` only; such blocks are dropped later,
        and are no part of `closed_bytes`.
        """
        refs = [BlockRef(block, kind=kind) for block in blocks]
        if self.keep_closed or always:
            self.batch.blocks += refs
        if self.keep_closed:
            self.statistics.closed_bytes += sum(len(ref.block.data) for ref in refs)
        return refs

    def clear_closed(self) -> None:
        """Let the next commit remove the store's closed states, and write those of the batch."""
        self.batch.cleared.append(b"C")
        self.statistics.closed_bytes = self.batch.block_bytes

    def due(self) -> bool:
        """Return True if it is time for a commit."""
        return time.monotonic() - self._last_commit > self._times * COMMIT_SECONDS

    def disk(self) -> int:
        """Return the bytes that the store takes, with the blocks that the next commit adds."""
        return self.store.size() + self.batch.block_bytes

    def commit(self, layer: int, stratum: int, pending: int = 0) -> Commit:
        """Write the batch and the counts in one transaction. `pending` is for the report."""
        begin = time.monotonic()
        with self.store.write() as txn:
            written = self.batch.write(txn, layer, stratum)
            self.statistics.remember(layer, stratum)
            self.statistics.measure_memory()  # a short search tells no other moment
            fields = self.statistics.fields() | self.batch.fields | {"next": self.store.numbers}
            txn.put_manifest(replace(self.store.manifest, **fields))
        self.batch = CommitBatch()
        now = time.monotonic()
        self.commits += 1
        commit = Commit(
            number=self.commits,
            layer=layer or None,
            stratum=stratum,
            states=self.statistics.states,
            forced=self.statistics.forced,
            pending=pending,
            bytes=written,
            seconds=round(now - self._last_commit, 3),
        )
        self._last_commit = now
        self._times = min(max((now - begin) / _QUICK_SECONDS, 1.0), _MOST_TIMES)
        return commit

    def spill(self, candidates: Sequence[Candidates]) -> None:
        """Write candidates that have no record yet, and free their memory.

        The records are scratch until the next commit (:mod:`dbmsolver.search.commits`).
        """
        with self.store.write() as txn:
            CommitBatch(pending=self.packed(candidates)).write(txn, 0, 0)
        for group in candidates:
            assert group.record is not None
            group.leave_memory()

    def abandoned(self) -> list[bytes]:
        """Return the keys of records of a run that ended before a commit took them over."""
        following = self.store.manifest.next
        return [key for key in self.store.keys(b"P") if parse_pending_key(key)[2] >= following]

    def in_parallel(
        self, work: Callable[[Item], Product], items: Sequence[Item]
    ) -> Iterator[Product]:
        """Return an iterator over the results of `work` for each item, in order.

        The threads that search are idle at this time. A caller that stops early, for example after
        a failed write, cancels the work that has not begun. With one item or one thread, the work
        is done in the caller's thread.
        """
        if min(self.threads, len(items)) < 2:
            return map(work, items)
        if self.pool is None:
            self.pool = ThreadPoolExecutor(self.threads)
        return self.pool.map(work, items)

    def close(self) -> None:
        """Tell the threads to end. Do not wait for them."""
        if self.pool is not None:
            self.pool.shutdown(wait=False)

    def packed(self, candidates: Sequence[Candidates]) -> Iterator[NewRecord]:
        """Yield new records for the candidates that are in memory only.

        They are sorted on the way.
        """
        loose = [group for group in candidates if group.record is None and group.in_memory]
        for group, data in zip(loose, self.in_parallel(_pack, loose), strict=True):
            place = layer_and_stratum(group.stratum)
            yield NewRecord(*place, data, entry=group.entry, candidates=group)

    def report(self, **fields: Any) -> Report:
        """Return a snapshot of the search; ``fields`` of it replace what the counts tell."""
        statistics = self.statistics
        usual: dict[str, Any] = {
            "question": self.question,
            "phase": "search",
            "states": statistics.states,
            "forced": statistics.forced,
            "evaluated": statistics.evaluated,
            "memory": statistics.memory or statistics.measure_memory(),
            "disk": self.disk(),
            "closed_bytes": statistics.closed_bytes,
            "elapsed": statistics.elapsed,
        }
        return Report(**usual | fields)


def _pack(candidates: Candidates) -> bytes:
    candidates.sort()
    return candidates.pack()
