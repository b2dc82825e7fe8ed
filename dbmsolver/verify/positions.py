"""The full check of a proof over dominating positions: by the rules of the game and nothing else.

Let P be all positions that parking leads to from those that the stored records stand for. P is
written out, position by position. Then three things are looked at: the deal, after its safe moves,
is in P; no position in P is a goal; and from each position in P, the safe moves, where there are
any, lead to a position in P, and elsewhere every legal move does, with the safe moves that follow
it. So P holds every settled position that a line from the deal comes to, where a line makes safe
moves at once; and none is a goal. That safe moves lose nothing is argued at
:func:`dbmsolver.game.safe_moves.is_safe_home`. Nothing is assumed of records: what they are said to
cover is listed, and looked at.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
from numpy.typing import NDArray

from dbmsolver.arrays import zeros
from dbmsolver.errors import DbmError
from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.verify.blocks import Readers
from dbmsolver.verify.catalog import Catalog
from dbmsolver.verify.claim import Pace, Progress
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels import position_moves, position_set, record_positions
from dbmsolver.verify.kernels.record_table import make_table
from dbmsolver.verify.partitions import PartitionLoader
from dbmsolver.verify.refutation import Refuted

Words = NDArray[np.uint64]
_FIRST_ROOM = 1 << 12
_UNIT = 1 << 14
_POSITION_BYTES = 24 + 8
"""The bytes of a position, with its share of the hash table."""


class TooManyPositions(DbmError):
    """There is no memory for all positions that the records cover."""


class WrongPosition(Exception):
    """A position that refutes the claim, and the one that it leads to."""

    def __init__(self, reason: str, position: Position, after: Position | None = None) -> None:
        super().__init__(reason)
        self.reason, self.position, self.after = reason, position, after


class Positions:
    """The set P of a store, in ``memory`` bytes; TooManyPositions if it needs more."""

    def __init__(self, form: Format, deal: Deal, memory: int) -> None:
        self.form = form
        self.deal = deal
        self.memory = memory
        self.count = 0
        self.tally = np.zeros(1, np.int64)
        self.digest = np.zeros(1, np.uint64)
        self.strata: dict[int, int] = {}
        self._states: Words = np.empty((0, 3), np.uint64)
        self._slots = np.zeros(0, np.uint32)
        self._grow()

    def _grow(self) -> None:
        """Make room for twice as many."""
        room = max(2 * self._states.shape[0], _FIRST_ROOM)
        held = self._states.nbytes
        # Old and new positions, but not both tables, are there while the old ones are copied.
        if held + room * _POSITION_BYTES > self.memory:
            raise TooManyPositions(
                f"more than {self.count:,} positions, for which {self.memory:,} bytes of memory "
                "are too few"
            )
        self._slots = np.zeros(0, np.uint32)
        states = np.empty((room, 3), np.uint64)
        states[: self.count] = self._states[: self.count]
        self._states = states
        self._slots = zeros(2 * room, np.uint32)
        position_set.enter_all(states, self._slots, self.count)

    def add(
        self, catalog: Catalog, partitions: PartitionLoader, readers: Readers
    ) -> Iterator[Progress]:
        """Add the positions that the stored records stand for; Refuted if one is no record."""
        table = make_table()
        for number in range(len(catalog.partitions)):
            partitions.prepare(number, readers)
            loaded = partitions.load(number)
            place = np.zeros(2, np.int64)
            before = int(self.tally[0])
            while True:
                error, self.count = record_positions.add_positions(
                    self.form, catalog.index.signatures, loaded.partition, loaded.segments, table,
                    place, self._states, self._slots, self.count, self.tally, self.digest,
                )  # fmt: skip
                if error:
                    segment = loaded.segments[place[0]]
                    signature = int(catalog.index.signatures[segment[0]])
                    wrong = int(segment[1] + place[1])
                    raise Refuted.state(error, signature, loaded.partition, wrong)
                if place[0] == loaded.segments.shape[0]:
                    break
                self._grow()
            stratum = int(catalog.strata[number])
            added = int(self.tally[0]) - before
            self.strata[stratum] = self.strata.get(stratum, 0) + added
            share = int(self.tally[0]) / max(catalog.states, 1)
            yield self._progress("reading the records", share)

    def park(self) -> Iterator[Progress]:
        """Add whatever parking leads to."""
        done, pace = 0, Pace()
        while done < self.count:
            most = min(done + _UNIT, self.count)
            while done < most:
                done, self.count = position_moves.park(
                    self.form, self._states, self._slots, done, most, self.count
                )
                if done < most:
                    self._grow()
            if pace.due():
                yield self._progress("parking cards", done / self.count)

    def check(self, threads: int) -> Iterator[Progress]:
        """Check all positions; WrongPosition for the first that is found to be wrong."""
        form, position = self.form, self.deal.position
        heights = sum(height << (4 * suit) for suit, height in enumerate(position.foundations))
        first = np.zeros(3, np.uint64)
        words = [np.uint64(word) for word in (heights, *_planes(self.deal))]
        position_moves.settled_position(form, *words, first)
        if not position_set.contains(self._states, self._slots, first):
            raise WrongPosition(
                "the deal is not among the positions that the closed records cover",
                self._position(first),
            )
        pace = Pace()
        done = 0
        with ThreadPoolExecutor(threads) as pool:
            # Few at a time, so that an error is told soon.
            for begin in range(0, self.count, 64 * _UNIT):
                end = min(begin + 64 * _UNIT, self.count)
                tasks = [
                    pool.submit(self._check_some, low, min(low + _UNIT, end))
                    for low in range(begin, end, _UNIT)
                ]
                for task in as_completed(tasks):
                    done += task.result()
                    if pace.due():
                        yield self._progress("checking moves", done / self.count)

    def _check_some(self, first: int, last: int) -> int:
        wrong = np.zeros((2, 3), np.uint64)
        found = np.empty((position_moves.MOST_MOVES, 3), np.uint64)
        error = position_moves.check_moves(
            self.form, self._states, self._slots, first, last, found, wrong
        )
        if error == position_moves.GOAL_REACHED:
            raise WrongPosition(
                "a closed record covers a goal: all cards are home", self._position(wrong[0])
            )
        if error:
            raise WrongPosition(
                "a move leads from a position that the closed records cover "
                "to one that they do not",
                self._position(wrong[0]),
                self._position(wrong[1]),
            )
        return last - first

    def _progress(self, phase: str, share: float) -> Progress:
        return Progress(phase, 0, 0, self.count, self.count, share)

    def _position(self, words: Words) -> Position:
        """Return the position of three words."""
        first, second, third = (int(word) for word in words)
        heights = third >> CARDS | second >> CARDS << 12
        hearts, spades, diamonds, clubs = (heights >> (4 * suit) & 15 for suit in range(4))
        above: dict[int, int] = {}
        bottoms, cells = [], []
        for card in range(CARDS):
            if card >> 2 < heights >> (4 * (card & 3)) & 15:
                continue
            off, low, dealt = (word >> card & 1 for word in (first, second, third))
            under = int(self.form.dealt_under[card]) if dealt else -1
            if off and not low:
                cells.append(card)
                continue
            if not off and not dealt:
                under = (card ^ int(self.form.kinds[low])) + 4
            if under < 0:
                bottoms.append(card)
            else:
                above[under] = card
        columns = []
        for card in bottoms:
            column = [card]
            while column[-1] in above:
                column.append(above[column[-1]])
            columns.append(tuple(column))
        columns += [()] * (self.form.rules.columns - len(columns))
        empty = [None] * (self.form.rules.freecells - len(cells))
        return Position(tuple(columns), (*cells, *empty), (hearts, spades, diamonds, clubs))


def _planes(deal: Deal) -> tuple[int, int, int]:
    """Return the planes off, low and dealt of a deal."""
    rules = deal.rules
    off = sum(1 << card for card in deal.position.freecells if card is not None)
    low = dealt = 0
    for column in deal.position.columns:
        for depth, card in enumerate(column):
            under = column[depth - 1] if depth else None
            if under is None and rules.can_fill(card):
                off |= 1 << card
                low |= 1 << card
            elif under is not None and rules.can_stack(card, under):
                low |= rules.parent_kinds.index((card ^ under) & 3) << card
            else:
                dealt |= 1 << card
    return off, low, dealt


def check_positions(
    form: Format,
    deal: Deal,
    catalog: Catalog,
    partitions: PartitionLoader,
    threads: int,
    memory: int,
) -> Generator[Progress, None, Positions]:
    """Carry out the full check; ``memory`` is what positions may take."""
    positions = Positions(form, deal, memory)
    with ThreadPoolExecutor(threads) as pool:
        yield from positions.add(catalog, partitions, Readers(pool, memory // 4))
    yield from positions.park()
    yield from positions.check(threads)
    return positions
