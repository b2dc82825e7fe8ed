"""The signatures of a stratum, closed in batches, each by one thread; those that turn out big are left over."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from dbmsolver.core.runs import widths_of
from dbmsolver.search.candidates import RunArrays
from dbmsolver.search.proof.worker import BatchDone, BigStart, Closer
from dbmsolver.state import Keys

_LARGEST_BATCH = 50_000
_SMALLEST_BATCH = 256
_BATCHES_PER_THREAD = 8


class SmallSignatures:
    """Signatures and their candidates, closed once by :meth:`run`.

    Those in ``unfinished``, big ones of an earlier run, are not closed here: ``resumed`` gets them.
    """

    def __init__(
        self, keys: Keys, groups: RunArrays, unfinished: Container[int], stratum: int
    ) -> None:
        self.keys = keys
        self.groups = groups
        self.unfinished = unfinished
        self.stratum = stratum
        self.resumed: list[BigStart] = []

    def run(
        self, pool: Executor, closers: list[Closer], take: Callable[[BatchDone], None]
    ) -> Generator[float, None, None]:
        """Close them; ``take`` gets what each batch brings.  Yields the share that is done."""
        groups = self.groups
        batches = self._batches(len(closers))
        running: dict[Future[BatchDone], Closer] = {}
        idle = list(closers)
        finished = 0
        try:
            while True:
                while idle and (batch := next(batches, None)) is not None:
                    closer = idle.pop()
                    task = pool.submit(closer.close_batch, groups, *batch, self.stratum)
                    running[task] = closer
                if not running:
                    return
                ready, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ready:
                    idle.append(running.pop(future))
                    done = future.result()
                    take(done)
                    finished += done.last - done.first
                yield finished / max(groups.counts.size, 1)
        finally:
            wait(running)
            for future in running:
                if future.exception() is None:
                    take(future.result())

    def _batches(self, threads: int) -> Iterator[tuple[int, int]]:
        """Ranges of signatures, of about equal numbers of candidates."""
        groups = self.groups
        total = int(groups.counts.sum())
        size = total // (_BATCHES_PER_THREAD * threads)
        size = min(_LARGEST_BATCH, max(_SMALLEST_BATCH, size))
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

    def _resumed_start(self, index: int) -> BigStart:
        """Candidates only: what is closed of the signature is in the store."""
        groups = self.groups
        words = int(widths_of(self.keys.tables, groups.signatures[index : index + 1])[0])
        place, first = int(groups.words[index]), int(groups.offsets[index])
        count = int(groups.counts[index])
        return BigStart(
            int(groups.signatures[index]),
            words,
            0,
            groups.keys[place : place + words * count].copy(),
            groups.codes[first : first + count].copy(),
        )
