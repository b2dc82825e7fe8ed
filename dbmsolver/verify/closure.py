"""The check of all closed states, partition by partition, by all threads.

Strata are gone through from the last to the first. Each partition is loaded once: the rows that
have been sent to it are looked up, and its states are checked. Most successors are on the same
partition, or on one that has been loaded before and still is in memory; the others, and parents,
which lie in lower strata, are sent. A partition that has been dropped, and then gets rows, is
loaded a second time when nothing more can come: moves lead upwards by two strata at most. So every
state is read twice at most, and every row once, however small the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from queue import SimpleQueue
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError
from dbmsolver.verify.blocks import Readers
from dbmsolver.verify.catalog import Catalog
from dbmsolver.verify.chains import NO_CHAINS, ChainBook
from dbmsolver.verify.claim import Claim, Pace, Progress
from dbmsolver.verify.format import Format, RunFormat, comes_back
from dbmsolver.verify.kernels.partition import find_run
from dbmsolver.verify.partitions import LoadedPartition, PartitionCache, cut
from dbmsolver.verify.refutation import Refuted, words_of
from dbmsolver.verify.row_queues import RowQueues
from dbmsolver.verify.sample import sampled
from dbmsolver.verify.worker import CheckWorker, Missing, refuted, root_row, source_of

Ints = NDArray[np.int64]
_UNIT = 1 << 13
_LIFT = 2
"""Strata that a move of a card leads upwards, at most: it is released and goes home."""
_LIFT_OF_SUIT = 14
"""The same of a move that takes a whole suit home."""
_LIFT_TO_GOAL = 53
"""The same of the last move of all, where cards that are home count only then."""
_SPILLED = 4
"""The rows that wait in files at most, in sizes of the memory for them."""


class Turn(NamedTuple):
    """A piece of work: a partition's turn, the rows that come to it later, or an end.

    The end is of all strata from one on, whose number stands for the partition; or it is the
    clearing of files.
    """

    kind: Literal["turn", "exchange", "end", "clear"]
    partition: int


class Closure:
    """The check of a catalogue's states; :meth:`run` carries it out, or raises Refuted.

    ``memory`` is the budget of the whole check, of which ``partitions`` have their share;
    ``sample`` the share of blocks whose states are checked, chosen at random by ``seed``.
    """

    def __init__(
        self,
        form: Format,
        catalog: Catalog,
        partitions: PartitionCache,
        claim: Claim,
        threads: int,
        memory: int,
        sample: float | None = None,
        seed: int | None = None,
    ) -> None:
        self.catalog = catalog
        self.partitions = partitions
        self.claim = claim
        self.threads = threads
        self.memory = memory
        self.states = 0
        self.lift = _LIFT_OF_SUIT if isinstance(form, RunFormat) else _LIFT
        if comes_back(form):
            self.lift = _LIFT_TO_GOAL
        self.blocks = len(catalog.blocks)
        layers = 1 + max((block.layer for block in catalog.blocks), default=0)
        strata = 1 + max((block.stratum for block in catalog.blocks), default=0)
        self.tally = np.zeros((strata, layers, 2), np.int64)
        self.digest = 0
        self.row_queues = RowQueues(catalog.strata, form.planes, memory // 8)
        self._workers = [
            CheckWorker(form, catalog, claim, self.row_queues, layers) for _ in range(threads)
        ]
        self._idle: SimpleQueue[CheckWorker] = SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._pool = ThreadPoolExecutor(threads)
        self._readers = Readers(self._pool, memory)
        self.chains = ChainBook(catalog, memory // 8, self._pool)
        self._pace = Pace()
        self._checked = False
        """True if all states are checked; their successors may still have to be looked up."""
        self._chosen: NDArray[np.bool_] | None = None
        if sample is not None and catalog.blocks:
            self._choose(sample, seed)

    def _choose(self, sample: float, seed: int | None) -> None:
        chosen = sampled(range(self.blocks), sample, seed)
        self._chosen = np.zeros(self.blocks, np.bool_)
        self._chosen[list(chosen)] = True
        self.blocks = len(chosen)

    def run(self) -> Iterator[Progress]:
        """Check everything."""
        try:
            self._send_root()
            yield from self._through(self._turns())
            self._checked = True
            yield from self._through(self._late(0))
            self._see_chains(wait=True)
            if self.row_queues.waiting():
                raise InternalError("rows have been sent, and not looked up")
        except Missing as missing:
            raise self._refuted(missing.row) from None
        finally:
            self._pool.shutdown(cancel_futures=True)
            self.row_queues.close()
            self.partitions.close()

    def _send_root(self) -> None:
        """Have the deal looked for; where costs count, as the state with no moves made."""
        row = root_row(self.claim)
        run = int(find_run(self.catalog.index, np.uint64(row[0])))
        if run < 0:
            raise Missing(row)
        self._workers[0].send(row, run)

    def _turns(self) -> Iterator[Turn]:
        strata = self.catalog.strata
        for stratum in np.unique(strata)[::-1].tolist():
            for place, partition in enumerate(np.flatnonzero(strata == stratum).tolist()):
                records = self.catalog.partitions[partition].records
                if self._chosen is None or self._chosen[records[:, 1]].any():
                    yield Turn("turn", partition)
                if place == 0 and self._chosen is None and not self.claim.records:
                    # The stratum above is done when this is asked for.
                    yield from self._late(stratum + 1 + self.lift)
                if self.claim.records and self.row_queues.spilled > _SPILLED * self.memory:
                    yield from self._deliver_all()

    def _deliver_all(self) -> Iterator[Turn]:
        """Have all rows looked up that wait, to clear files.

        A macro may lead to any later stratum, so there is no end to wait for.
        """
        for partition in range(self.catalog.strata.size):
            if self.row_queues.has(partition):
                yield Turn("exchange", partition)
        yield Turn("clear", 0)

    def _late(self, lowest: int) -> Iterator[Turn]:
        strata = self.catalog.strata
        for partition in range(strata.size - 1, -1, -1):
            if strata[partition] < lowest:
                break
            if self.row_queues.has(partition):
                yield Turn("exchange", partition)
        yield Turn("end", lowest)

    def _through(self, jobs: Iterator[Turn]) -> Iterator[Progress]:
        """Do the jobs; the next one's partition is loaded meanwhile."""
        job = next(jobs, None)
        loading = self._begin(job, set())
        while job is not None:
            loaded = None
            if loading is not None:
                loaded = loading.result()
                if self._chosen is None:
                    self.partitions.resident[loaded.number] = loaded
            following = next(jobs, None)
            loading = self._begin(following, {job.partition})
            if loaded is not None:
                yield from self._work(job, loaded)
            elif job.kind == "clear":
                self.row_queues.close_unused()
            else:
                self._end(job.partition)
            job = following

    def _begin(self, job: Turn | None, wanted: set[int]) -> Future[LoadedPartition] | None:
        if job is None or job.kind in ("end", "clear"):
            return None
        partitions, partition = self.partitions, job.partition
        partitions.prepare(partition, self._readers)
        if self._chosen is not None:
            runs = self.row_queues.runs(partition) if job.kind == "exchange" else None
            blocks = self._chosen if job.kind == "turn" else None
            return self._pool.submit(partitions.load, partition, blocks, runs)
        if partition in partitions.resident:
            there: Future[LoadedPartition] = Future()
            there.set_result(partitions.resident[partition])
            return there
        partitions.make_room(partition, wanted | {partition})
        return self._pool.submit(partitions.load, partition)

    def _work(self, job: Turn, loaded: LoadedPartition) -> Iterator[Progress]:
        stratum = int(self.catalog.strata[job.partition])
        if self._checked and self._pace.due():
            yield self._progress(job.partition)
        resident = dict(self.partitions.resident)
        chains = NO_CHAINS
        if self._chosen is None and not self.claim.costs and not self.claim.records:
            chains = self.chains.of_partition(job.partition, job.kind == "turn")
        tasks: dict[Future[None], int] = {}
        # Of a sample's partitions only the chosen blocks are there when it is their turn.
        complete = self._chosen is None or job.kind == "exchange"
        for batch in self.row_queues.take(job.partition, self._workers[0].room) if complete else ():
            tasks[
                self._pool.submit(self._by_worker, CheckWorker.deliver, loaded, batch, chains)
            ] = 0
        if job.kind == "turn":
            for part in cut(loaded.segments, _UNIT):
                check = self._pool.submit(
                    self._by_worker, CheckWorker.check, loaded, part, resident, chains
                )
                tasks[check] = int(part[:, 2].sum())
        try:
            for task in as_completed(tasks):
                task.result()
                self.states += tasks[task]
                if self._pace.due():
                    yield self._progress(job.partition)
        finally:
            for task in tasks:
                task.cancel()
            wait(tasks)
            self._collect(stratum)
        if job.kind == "turn" and self.catalog.partitions[job.partition].split < 0:
            self.chains.follow(chains)
        self._see_chains(wait=False)

    def _by_worker(self, action: Any, *args: Any) -> None:
        worker = self._idle.get()
        try:
            action(worker, *args)
        finally:
            self._idle.put(worker)

    def _progress(self, partition: int) -> Progress:
        strata, everything = self.catalog.strata, self.catalog.states
        stratum, last = int(strata[partition]), int(strata[-1])
        if self._checked:
            share = 1 - (partition + 1) / strata.size
            return Progress("looking up", stratum, last, self.states, everything, share)
        share = self.states / max(everything, 1)
        return Progress("checking", stratum, last, self.states, everything, share)

    def _collect(self, stratum: int) -> None:
        for worker in self._workers:
            self.tally[stratum] += worker.work.tally
            self.digest = (self.digest + int(worker.work.digest[0])) & 0xFFFFFFFFFFFFFFFF
            worker.work.tally[:] = 0
            worker.work.digest[0] = 0

    def _end(self, lowest: int) -> None:
        """Note that nothing more leads to strata from this one on."""
        self.chains.end(lowest)
        if self._chosen is None:
            self.row_queues.close(lowest)
            self.partitions.close(lowest)

    def _see_chains(self, wait: bool) -> None:
        lost = self.chains.lost(wait)
        if lost >= 0:
            words = self._state(lost)
            raise Refuted("parent-move codes lead round in a ring, and never to the deal", words)

    def _refuted(self, row: list[int]) -> Refuted:
        source = source_of(row)
        return refuted(self.claim, row, None if source is None else self._state(source))

    def _state(self, number: int) -> tuple[int, int, int, int]:
        """Return a state by its number in the store."""
        bases = self.catalog.bases
        partition = int(np.searchsorted(bases, number, side="right")) - 1
        self.partitions.prepare(partition, self._readers)
        loaded = self.partitions.resident.get(partition)
        if loaded is None:
            loaded = self.partitions.load(partition, self._chosen)
        place = number - int(bases[partition])
        inside = loaded.segments[:, 1].searchsorted(place, side="right") - 1
        run = loaded.segments[inside, 0]
        return words_of(int(self.catalog.index.signatures[run]), loaded.partition, place)
