"""Dives for deals, by one thread: many deals in one call of a kernel, or one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import Move
from dbmsolver.kernels.states import CARDS
from dbmsolver.kits.cards.tables import Tables
from dbmsolver.kits.records.dive import BROKEN, EXHAUSTED, WON, make_diving
from dbmsolver.kits.records.dives_of_deals import (
    EXPANDED,
    FOUND,
    OUTCOME,
    STEPS,
    LaidDeal,
    dive_deals,
    own_tables,
)
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import State
from dbmsolver.search.proof.broken import broken
from dbmsolver.search.proof.dives import Order, digest_of, way_back
from dbmsolver.search.proof.record_trace import moves_along

SMALL = 1 << 12
"""Dives with room for up to this many records are made for batches of deals."""
_MOST_STEPS = 512
"""Records on the way to a win that there is room for in a batch."""


@dataclass(frozen=True, slots=True, eq=False)
class DivedDeal:
    """The findings of dives about one deal.

    `states` are the records that the last dive has found, all there are if it has exhausted them;
    `evaluated` the records that all dives have expanded; `seconds` its share of the time of its
    batch; `way` (uint64[records, 3]) the signatures and planes of the records from the deal's to
    the win, None without one.
    """

    outcome: Literal["won", "exhausted", "open"]
    states: int
    evaluated: int
    seconds: float
    way: NDArray[np.uint64] | None = None

    @property
    def path(self) -> tuple[State, ...]:
        """The records from the deal's to the win."""
        rows = () if self.way is None else self.way.tolist()
        return tuple(State(signature, off, low, 0) for signature, off, low in rows)

    def moves(self, deal: Deal, policy: Policy) -> list[Move]:
        """Return the moves that win ``deal``, the deal dived for: legal single-card moves."""
        return moves_along(RecordKeys(deal, policy), self.path)


class DealDiver:
    """One thread's scratch memory for dives of deals under the same rules.

    `tables` are those of one of the deals, `limit` is how many records a dive may find at most.
    Once `stop` is set, dives end soon.
    """

    def __init__(self, tables: Tables, limit: int, stop: NDArray[np.uint8]) -> None:
        self.limit = limit
        self.stop = stop
        self._tables = own_tables(tables)
        self._root = np.zeros(5, np.uint64)
        self._diving = make_diving(SMALL)._replace(stop=stop)

    def dive(
        self,
        batch: Batch,
        steps: Iterable[tuple[Order, int]],
        first: int = 0,
        to_exhausted: bool = False,
    ) -> int:
        """Dive for the deals of a batch, from `first` on, until they are decided.

        Those that are not after these steps stay open. Returns the number of the first deal that
        it is not done with: with `to_exhausted` it ends after a deal whose records are exhausted,
        and :meth:`digest` knows them.
        """
        limits = [(min(limit, self.limit), *order) for order, limit in steps]
        room = 1 << (max(limit for limit, *_ in limits) - 1).bit_length()
        if self._diving.parents.size < room:
            self._diving = make_diving(room)._replace(stop=self.stop)
        end = dive_deals(
            self._tables, self._diving, self._root, batch.laid, first,
            np.array(limits, np.int64), batch.results, batch.ways, to_exhausted,
        )  # fmt: skip
        if batch.deals == 1 and batch.results[0, STEPS] > _MOST_STEPS:
            batch.ways = way_back(self._diving, int(batch.results[0, FOUND]) - 1)[None]
        return int(end)

    def digest(self, keys: RecordKeys, states: int) -> int:
        """Return the digest of the last dive's first `states` records, as a search has it.

        `keys` are those of the last deal.
        """
        return digest_of(keys, self._diving.rows[:states])


@dataclass(eq=False, slots=True)
class Batch:
    """Some deals, of which the first has the place `first`, and what is known of them."""

    first: int
    laid: LaidDeal
    results: NDArray[np.int64]
    ways: NDArray[np.uint64]
    seconds: NDArray[np.float64]

    @classmethod
    def of(cls, first: int, deals: Sequence[Deal] | LaidDeal) -> Batch:
        """Return a batch of deals of which nothing is known yet."""
        laid = deals if isinstance(deals, LaidDeal) else laid_out(deals)
        count = len(laid.cards)
        results = np.zeros((count, 4), np.int64)
        results[:, OUTCOME] = -1
        ways = np.empty((count, _MOST_STEPS, 3), np.uint64)
        return cls(first, laid, results, ways, np.zeros(count))

    @property
    def deals(self) -> int:
        """The number of deals."""
        return self.seconds.size

    def only(self, number: int) -> Batch:
        """Return a batch of one of the deals, with what is known of it."""
        one = slice(number, number + 1)
        laid = LaidDeal(self.laid.cards[one], self.laid.lengths[one])
        return Batch(
            self.first + number, laid, self.results[one], self.ways[one], self.seconds[one]
        )

    def is_won(self, number: int) -> bool:
        """Return True if a dive has won the deal, and the way to the win is known."""
        row = self.results[number]
        return bool(row[OUTCOME] == WON and row[STEPS] <= self.ways.shape[1])

    def is_open(self, number: int) -> bool:
        """Return True if no dive has decided the deal."""
        return not self.is_won(number) and self.results[number, OUTCOME] != EXHAUSTED

    def outcome(self, number: int) -> DivedDeal:
        """Return the findings about the deal with this number in the batch."""
        row = self.results[number].tolist()
        facts = row[FOUND], row[EXPANDED], float(self.seconds[number])
        if row[OUTCOME] == BROKEN:
            raise broken()
        if row[OUTCOME] == EXHAUSTED:
            return DivedDeal("exhausted", *facts)
        if not self.is_won(number):
            return DivedDeal("open", *facts)
        # A copy, as whoever keeps the outcome does not keep all the batch.
        return DivedDeal("won", *facts, self.ways[number, : row[STEPS]].copy())


def laid_out(deals: Sequence[Deal]) -> LaidDeal:
    """Return deals under the same rules as the kernel reads them."""
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
    return LaidDeal(cards, lengths)
