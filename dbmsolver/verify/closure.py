"""The check of all closed states, partition by partition, by all threads.

Strata are checked from the last to the first. Each partition is loaded once. Then the rows that
wait for it are looked up, and its states are checked. Most of their successors are on the same
partition, or on another one in memory. All others, and parents, which lie in lower strata, become
rows that wait for their partition. If rows come for a partition that was dropped from memory, it is
loaded a second time once no more rows can come: moves lead upwards by few strata. So every
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
from dbmsolver.verify.chains import NO_CHAINS, ChainChecks
from dbmsolver.verify.claim import Claim, Pace, Progress
from dbmsolver.verify.forms import Form
from dbmsolver.verify.kernels.partition import find_run
from dbmsolver.verify.partitions import LoadedPartition, PartitionLoader, cut
from dbmsolver.verify.refutation import Refuted, words_of
from dbmsolver.verify.row_queues import RowQueues
from dbmsolver.verify.sample import sampled
from dbmsolver.verify.worker import CheckWorker, Missing, refuted, root_row, source_of

_UNIT = 1 << 13
_SPILLED = 4
"""The most bytes of rows that wait in files, in multiples of the memory of the check."""


class CheckJob(NamedTuple):
    """A job of the check, mostly for one partition.

    "check": check its states, and look up the rows that wait for it. "deliver": look up these rows
    only. "end of strata": nothing more leads to the strata from ``stratum`` on. "clear files":
    remove files of rows that have been looked up. The last two are for no partition.
    """

    kind: Literal["check", "deliver", "end of strata", "clear files"]
    partition: int = -1
    stratum: int = 0


class Closure:
    """The check of a catalogue's states; :meth:`run` carries it out, or raises Refuted.

    ``memory`` are the bytes of the whole check; ``partitions`` have a part of them. ``sample`` is
    the share of blocks whose states are checked; ``seed`` chooses them at random.
    """

    def __init__(
        self,
        form: Form,
        catalog: Catalog,
        partitions: PartitionLoader,
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
        self.lift = form.lift
        self.blocks = len(catalog.blocks)
        layers = 1 + max((block.layer for block in catalog.blocks), default=0)
        strata = 1 + max((block.stratum for block in catalog.blocks), default=0)
        self.counts = np.zeros((strata, layers, 2), np.int64)
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
        self.chains = ChainChecks(catalog, memory // 8, self._pool)
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
            yield from self._run_jobs(self._jobs())
            self._checked = True
            yield from self._run_jobs(self._deliveries(0))
            self._collect_chains(wait=True)
            if self.row_queues.waiting():
                raise InternalError("rows have been sent, and not looked up")
        except Missing as missing:
            raise self._refuted(missing) from None
        finally:
            self._pool.shutdown(cancel_futures=True)
            self.row_queues.close()
            self.partitions.close()

    def _send_root(self) -> None:
        """Send a row for the deal, which must be closed; if costs count, with no moves made."""
        row = root_row(self.claim)
        run = int(find_run(self.catalog.index, np.uint64(row[0])))
        if run < 0:
            raise Missing(row)
        self._workers[0].send(row, run)

    def _jobs(self) -> Iterator[CheckJob]:
        strata = self.catalog.strata
        for stratum in np.unique(strata)[::-1].tolist():
            for place, partition in enumerate(np.flatnonzero(strata == stratum).tolist()):
                records = self.catalog.partitions[partition].records
                if self._chosen is None or self._chosen[records[:, 1]].any():
                    yield CheckJob("check", partition)
                if place == 0 and self._chosen is None and not self.claim.records:
                    # The stratum above is done when this is asked for.
                    yield from self._deliveries(stratum + 1 + self.lift)
                if self.claim.records and self.row_queues.spilled > _SPILLED * self.memory:
                    yield from self._deliver_everything()

    def _deliver_everything(self) -> Iterator[CheckJob]:
        """Yield jobs that look up all rows that wait, and clear their files.

        A macro may lead to any later stratum, so no stratum ends before the check does.
        """
        for partition in range(self.catalog.strata.size):
            if self.row_queues.has(partition):
                yield CheckJob("deliver", partition)
        yield CheckJob("clear files")

    def _deliveries(self, lowest: int) -> Iterator[CheckJob]:
        strata = self.catalog.strata
        for partition in range(strata.size - 1, -1, -1):
            if strata[partition] < lowest:
                break
            if self.row_queues.has(partition):
                yield CheckJob("deliver", partition)
        yield CheckJob("end of strata", stratum=lowest)

    def _run_jobs(self, jobs: Iterator[CheckJob]) -> Iterator[Progress]:
        """Do the jobs; meanwhile load the partition of the next one, if that is possible."""
        job = next(jobs, None)
        loading = None
        while job is not None:
            loading = loading or self._load(job, set())
            loaded = None
            if loading is not None:
                loaded = loading.result()
                if self._chosen is None:
                    self.partitions.resident[loaded.number] = loaded
            following = next(jobs, None)
            loading = None
            # What a sample looks up is loaded after the job that may still send rows for it.
            if following is not None and (self._chosen is None or following.kind == "check"):
                loading = self._load(following, {job.partition})
            if loaded is not None:
                yield from self._do(job, loaded)
            elif job.kind == "clear files":
                self.row_queues.close_unused()
            else:
                self._end(job.stratum)
            job = following

    def _load(self, job: CheckJob, wanted: set[int]) -> Future[LoadedPartition] | None:
        if job.kind in ("end of strata", "clear files"):
            return None
        partitions, partition = self.partitions, job.partition
        partitions.prepare(partition, self._readers)
        if self._chosen is not None:
            runs = self.row_queues.runs(partition) if job.kind == "deliver" else None
            blocks = self._chosen if job.kind == "check" else None
            return self._pool.submit(partitions.load, partition, blocks, runs)
        if partition in partitions.resident:
            there: Future[LoadedPartition] = Future()
            there.set_result(partitions.resident[partition])
            return there
        partitions.make_room(partition, wanted)
        return self._pool.submit(partitions.load, partition)

    def _do(self, job: CheckJob, loaded: LoadedPartition) -> Iterator[Progress]:
        stratum = int(self.catalog.strata[job.partition])
        if self._checked and self._pace.due():
            yield self._progress(job.partition)
        resident = dict(self.partitions.resident)
        chains = NO_CHAINS
        if self._chosen is None and not self.claim.costs and not self.claim.records:
            chains = self.chains.of_partition(job.partition, job.kind == "check")
        tasks: dict[Future[None], int] = {}
        # Of a sample, only the chosen blocks of a partition are loaded to be checked.
        complete = self._chosen is None or job.kind == "deliver"
        for batch in self.row_queues.take(job.partition, self._workers[0].room) if complete else ():
            tasks[
                self._pool.submit(self._by_worker, CheckWorker.deliver, loaded, batch, chains)
            ] = 0
        if job.kind == "check":
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
        if job.kind == "check" and self.catalog.partitions[job.partition].split < 0:
            self.chains.follow(chains)
        self._collect_chains(wait=False)

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
            self.counts[stratum] += worker.work.counts
            self.digest = (self.digest + int(worker.work.digest[0])) & 0xFFFFFFFFFFFFFFFF
            worker.work.counts[:] = 0
            worker.work.digest[0] = 0

    def _end(self, lowest: int) -> None:
        """Note that nothing more leads to strata from this one on."""
        self.chains.end(lowest)
        if self._chosen is None:
            self.row_queues.close(lowest)
            self.partitions.close(lowest)

    def _collect_chains(self, wait: bool) -> None:
        lost = self.chains.lost(wait)
        if lost is not None:
            words = self._state(lost)
            raise Refuted("parent-move codes lead round in a ring, and never to the deal", words)

    def _refuted(self, missing: Missing) -> Refuted:
        source = source_of(missing.row)
        return refuted(self.claim, missing, None if source is None else self._state(source))

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
