"""Dives for many deals of one game: most are decided in less than a millisecond.

All deals are dived for with the small limits of the schedule first, a batch of them in one call of
a kernel; those that are open then get the larger ones, each deal in a call of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.search.proof.deal_dives import SMALL, Batch, DealDiver, DivedDeal
from dbmsolver.search.proof.dives import LARGE, SCHEDULE, Order, room_for

_FIRST_BATCH = 4
_BATCH = 64
"""Deals in one call of the kernel while limits are small: the first, and at most."""


class ManyDeals:
    """Dives for deals under the same rules as `first`, by some threads in `memory` bytes.

    A dive may find `most` records at most, as many as there is room for if that is None.
    After :meth:`stop` the deals that are not decided yet stay open.
    """

    def __init__(
        self, first: Deal, policy: Policy, threads: int, memory: int, most: int | None = None
    ) -> None:
        self.rules = first.rules
        self.threads = threads
        room = room_for(memory, threads)
        self.limit = room if most is None else min(room, most)
        self._tables = RecordKeys(first, policy).tables
        self._local = threading.local()
        self._stop = np.zeros(1, np.uint8)

    def run(self, deals: Iterable[Deal]) -> Generator[tuple[int, DivedDeal], None, None]:
        """Dive for each of the deals: (its place, the outcome), in the order they are decided.

        Deals are taken as there is work for the threads; they may be without end.
        """
        source = iter(deals)
        small = [step for step in SCHEDULE if step[1] <= SMALL]
        large = [step for step in (*SCHEDULE, *LARGE) if step[1] > SMALL]
        size, begun = _FIRST_BATCH, 0
        batches: set[Future[Batch]] = set()
        alone: set[Future[Batch]] = set()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while True:
                    while len(batches) < 2 * self.threads and (some := list(islice(source, size))):
                        batches.add(pool.submit(self._dive, Batch.of(begun, some), small))
                        begun += len(some)
                        size = min(2 * size, _BATCH)
                    if not (batches or alone):
                        return
                    done, _ = wait(batches | alone, return_when=FIRST_COMPLETED)
                    for task in done:
                        batch = task.result()
                        for number in range(batch.deals):
                            if task in batches and batch.is_open(number) and not self.stopped:
                                alone.add(pool.submit(self._dive, batch.only(number), large))
                            else:
                                yield batch.first + number, batch.outcome(number)
                    batches -= done
                    alone -= done
            except BaseException:  # closed, too: nobody waits for the rest
                self.stop()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    @property
    def stopped(self) -> bool:
        """True if the dives have been told to stop."""
        return bool(self._stop[0])

    def stop(self) -> None:
        """End all dives soon; may be called by another thread."""
        self._stop[0] = 1

    def _dive(self, batch: Batch, steps: list[tuple[Order, int]]) -> Batch:
        """Dive for the deals of a batch, and return it. Runs in a worker thread."""
        local = self._local
        if not hasattr(local, "diver"):
            local.diver = DealDiver(self._tables, self.limit, self._stop)
        begun = time.perf_counter()
        local.diver.dive(batch, steps)
        batch.seconds += (time.perf_counter() - begun) / batch.deals
        return batch
