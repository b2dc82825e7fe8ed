"""Closing the signatures of a stratum in batches. Large ones are left over."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait

from dbmsolver.core.runs import widths_of
from dbmsolver.keys.states import StateCodec
from dbmsolver.search.proof.worker import BatchResult, LargeStart, start_of
from dbmsolver.search.proof.workers import Workers
from dbmsolver.search.runs import RunArrays

_LARGEST_BATCH = 50_000
_BATCHES_FOR_EACH = 8


class SmallSignatures:
    """Signatures and their candidates, closed once by :meth:`run`.

    Those in `unfinished`, large ones of an earlier run, are not closed here: `resumed` gets them.
    """

    def __init__(
        self, codec: StateCodec, groups: RunArrays, unfinished: Container[int], stratum: int
    ) -> None:
        self.codec = codec
        self.groups = groups
        self.unfinished = unfinished
        self.stratum = stratum
        self.resumed: list[LargeStart] = []

    def run(
        self, workers: Workers, take: Callable[[BatchResult], None]
    ) -> Generator[float, None, None]:
        """Close the signatures.

        `take` gets the result of each batch. Yields the share that is done.
        """
        groups = self.groups
        batches = self._batches(workers)
        running: set[Future[BatchResult]] = set()
        finished = 0

        def hand_out() -> None:
            while len(running) < workers.count and (batch := next(batches, None)) is not None:
                running.add(workers.close_batch(groups, *batch, self.stratum))

        try:
            while True:
                hand_out()
                if not running:
                    return
                ready, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ready:
                    running.remove(future)
                    done = future.result()
                    take(done)
                    finished += done.last - done.first
                if running:  # what the caller does may take long, and nobody is to wait for it
                    hand_out()
                yield finished / max(groups.counts.size, 1)
        finally:
            wait(running)
            for future in running:
                if future.exception() is None:
                    take(future.result())

    def _batches(self, workers: Workers) -> Iterator[tuple[int, int]]:
        """Yield ranges of signatures with about equal numbers of candidates."""
        groups = self.groups
        total = int(groups.counts.sum())
        size = total // (_BATCHES_FOR_EACH * workers.count)
        size = min(_LARGEST_BATCH, max(workers.least, size))
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
