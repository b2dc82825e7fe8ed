"""Closing the signatures of a stratum in batches. Large ones are left over."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait

from dbmsolver.kernels.runs import RunArrays, widths_of
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.proof.worker import BatchResult, LargeStart, start_of
from dbmsolver.search.proof.workers import Workers

_LARGEST_BATCH = 50_000
_BATCHES_FOR_EACH = 8


class SmallSignatures:
    """Signatures and their candidates, closed once by `workers`.

    `take` gets the result of each batch. Signatures in `unfinished`, large ones of an earlier run,
    are not closed here: `resumed` gets them. `share` is the share that is done.
    """

    def __init__(
        self,
        codec: StateCodec,
        groups: RunArrays,
        unfinished: Container[int],
        stratum: int,
        workers: Workers,
        take: Callable[[BatchResult], None],
    ) -> None:
        self.codec = codec
        self.groups = groups
        self.unfinished = unfinished
        self.stratum = stratum
        self.workers = workers
        self.take = take
        self.resumed: list[LargeStart] = []
        self.share = 0.0
        self._left = self._batches()
        self._running: set[Future[BatchResult]] = set()
        self._finished = 0

    def step(self) -> bool:
        """Wait until a batch is closed, and take its result; return True if no batch is left."""
        self._submit()
        if not self._running:
            return True
        ready, _ = wait(self._running, return_when=FIRST_COMPLETED)
        for future in ready:
            self._running.remove(future)
            done = future.result()
            self.take(done)
            self._finished += done.last - done.first
        if self._running:  # what comes between two steps may take long, and nobody is to wait
            self._submit()
        self.share = self._finished / self.groups.counts.size
        return False

    def end(self) -> None:
        """Wait for the batches that are being closed, and take their results."""
        wait(self._running)
        for future in self._running:
            if future.exception() is None:
                self.take(future.result())
        self._running.clear()

    def _submit(self) -> None:
        """Give batches to the workers that have none, and a few to wait for them."""
        while len(self._running) < self.workers.count + self.workers.waiting:
            batch = next(self._left, None)
            if batch is None:
                break
            self._running.add(self.workers.close_batch(self.groups, *batch, self.stratum))

    def _batches(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of signatures with about equal numbers of candidates."""
        groups = self.groups
        total = int(groups.counts.sum())
        size = total // (_BATCHES_FOR_EACH * self.workers.count)
        size = min(_LARGEST_BATCH, max(self.workers.least, size))
        first = 0
        gathered = 0
        for index, signature in enumerate(groups.signatures.tolist()):
            if signature in self.unfinished:
                if index > first:
                    yield first, index
                self.resumed.append(self._resumed_start(index))
                first, gathered = index + 1, 0
                continue
            gathered += int(groups.counts[index])
            if gathered >= size:
                yield first, index + 1
                first, gathered = index + 1, 0
        if first < groups.counts.size:
            yield first, int(groups.counts.size)

    def _resumed_start(self, index: int) -> LargeStart:
        """Return the start of a large signature of an earlier run, with its candidates only.

        Its closed states are in the store.
        """
        groups = self.groups
        words = int(widths_of(self.codec.tables, groups.signatures[index : index + 1])[0])
        keys, codes = groups.run(index, words)
        return start_of(self.stratum, int(groups.signatures[index]), keys, codes, words)
