"""Dives for many deals of one game: most are decided in less than a millisecond.

All deals are dived for with the small limits of the schedule first, a batch of them in one call of
a kernel; those that are open then get the larger ones, each deal in a call of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.dive import BROKEN, EXHAUSTED, WON, make_diving
from dbmsolver.core.dives_of_deals import (
    EXPANDED,
    FOUND,
    OUTCOME,
    STEPS,
    Laid,
    dive_deals,
    own_tables,
)
from dbmsolver.core.tables import CARDS
from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.rules import Policy
from dbmsolver.record_state import RecordKeys
from dbmsolver.search.proof.dives import LARGE, SCHEDULE, Order, room_for, way_back
from dbmsolver.search.proof.record_trace import moves_along
from dbmsolver.state import State

_FIRST_BATCH = 4
_BATCH = 64
"""Deals in one call of the kernel while limits are small: the first, and at most."""
_SMALL = 1 << 12
"""Dives with room for up to this many records are made for batches of deals."""
_MOST_STEPS = 512
"""Records on the way to a win that there is room for in a batch."""


@dataclass(frozen=True, slots=True)
class DivedDeal:
    """What dives find out about one deal.

    `states` are the records that the last dive has found, all there are if it has exhausted them;
    `evaluated` the records that all dives have expanded; `seconds` its share of the time of its
    batch; `path` the records from the deal's to the win.
    """

    outcome: Literal["won", "exhausted", "open"]
    states: int
    evaluated: int
    seconds: float
    path: tuple[State, ...] = ()

    def moves(self, deal: Deal, policy: Policy) -> list[Move]:
        """The winning moves of the deal that was dived for: legal single-card moves."""
        return moves_along(RecordKeys(deal, policy), self.path)


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
        small = [step for step in SCHEDULE if step[1] <= _SMALL]
        large = [step for step in (*SCHEDULE, *LARGE) if step[1] > _SMALL]
        size, begun = _FIRST_BATCH, 0
        batches: set[Future[_Batch]] = set()
        alone: set[Future[_Batch]] = set()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while True:
                    while len(batches) < 2 * self.threads and (some := list(islice(source, size))):
                        batches.add(pool.submit(self._dive, _Batch.of(begun, some), small))
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
        """Whether the dives have been told to stop."""
        return bool(self._stop[0])

    def stop(self) -> None:
        """End all dives soon; may be called by another thread."""
        self._stop[0] = 1

    def _dive(self, batch: _Batch, steps: list[tuple[Order, int]]) -> _Batch:
        """Dive for the deals of a batch, and return it. Runs in a worker thread."""
        limits = [min(limit, self.limit) for _, limit in steps]
        schedule = np.array(
            [(limit, *order) for limit, (order, _) in zip(limits, steps, strict=True)], np.int64
        )
        local = self._local
        if not hasattr(local, "tables"):
            local.tables, local.root = own_tables(self._tables), np.zeros(4, np.uint64)
            local.diving = make_diving(_SMALL)._replace(stop=self._stop)
        room = 1 << (max(limits) - 1).bit_length()
        if local.diving.parents.size < room:
            local.diving = make_diving(room)._replace(stop=self._stop)
        begun = time.perf_counter()
        dive_deals(
            local.tables, local.diving, local.root, batch.laid, np.arange(batch.deals), schedule,
            batch.results, batch.ways,
        )  # fmt: skip
        batch.seconds += (time.perf_counter() - begun) / batch.deals
        if batch.deals == 1 and batch.results[0, STEPS] > _MOST_STEPS:
            batch.ways = way_back(local.diving, int(batch.results[0, FOUND]) - 1)[None]
        return batch


@dataclass(eq=False, slots=True)
class _Batch:
    """Some deals, of which the first has the place `first`, and what is known of them."""

    first: int
    laid: Laid
    results: NDArray[np.int64]
    ways: NDArray[np.uint64]
    seconds: NDArray[np.float64]

    @classmethod
    def of(cls, first: int, deals: Sequence[Deal]) -> _Batch:
        """Deals of which nothing is known yet."""
        results = np.zeros((len(deals), 4), np.int64)
        results[:, OUTCOME] = -1
        ways = np.empty((len(deals), _MOST_STEPS, 3), np.uint64)
        return cls(first, laid_out(deals), results, ways, np.zeros(len(deals)))

    @property
    def deals(self) -> int:
        """How many deals there are."""
        return self.seconds.size

    def only(self, number: int) -> _Batch:
        """One of the deals, with what is known of it."""
        one = slice(number, number + 1)
        laid = Laid(self.laid.cards[one], self.laid.lengths[one])
        return _Batch(
            self.first + number, laid, self.results[one], self.ways[one], self.seconds[one]
        )

    def is_won(self, number: int) -> bool:
        """Whether a dive has won the deal, and the way to the win is known."""
        row = self.results[number]
        return bool(row[OUTCOME] == WON and row[STEPS] <= self.ways.shape[1])

    def is_open(self, number: int) -> bool:
        """Whether no dive has decided the deal."""
        return not self.is_won(number) and self.results[number, OUTCOME] != EXHAUSTED

    def outcome(self, number: int) -> DivedDeal:
        """What is known of a deal."""
        row = self.results[number].tolist()
        facts = row[FOUND], row[EXPANDED], float(self.seconds[number])
        if row[OUTCOME] == BROKEN:
            raise InternalError("a record cannot be, or has more successors than there is room for")
        if row[OUTCOME] == EXHAUSTED:
            return DivedDeal("exhausted", *facts)
        if not self.is_won(number):
            return DivedDeal("open", *facts)
        rows = self.ways[number, : row[STEPS]].tolist()
        path = tuple(State(signature, off, low, 0) for signature, off, low in rows)
        return DivedDeal("won", *facts, path)


def laid_out(deals: Sequence[Deal]) -> Laid:
    """Deals under the same rules as the kernel reads them."""
    cards = np.zeros((len(deals), CARDS), np.uint8)
    columns = deals[0].rules.columns if deals else 0
    lengths = np.zeros((len(deals), columns + 1), np.uint8)
    for place, deal in enumerate(deals):
        position = deal.position
        cells = [card for card in position.freecells if card is not None]
        row = [card for column in position.columns for card in column] + cells
        cards[place, : len(row)] = row
        lengths[place, : len(position.columns)] = [len(column) for column in position.columns]
        lengths[place, columns] = len(cells)
    return Laid(cards, lengths)
