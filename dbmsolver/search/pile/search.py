"""Games of one pile: every state that can be reached is closed, stratum by stratum.

A move puts one card on the pile and leads to the next stratum. So the states of a stratum are all
known when its turn comes, and whatever was reached twice is a duplicate in it.

Where a shortest solution is wanted, turning the stock counts as a move, too. Each card in a column
has to make one move, which makes a lower bound h. So f = moves made + h grows by one whenever the
stock is turned, and by nothing else. The layers f are closed in ascending order, and the strata of
each, so the first solution met is a shortest one. Without a stock there is one layer.

States are kept as candidates, key and parent-move code in one word (:mod:`dbmsolver.core.pile`). Of
those with the same key the one with the lowest code is kept. So nothing depends on when the search
was interrupted, and it uses one thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dbmsolver.core.pile import NO_PARENT, TOP_BITS, digest_keys, expand
from dbmsolver.keys.piles import PileKeys, Words
from dbmsolver.results import Commit, Report
from dbmsolver.search import in_memory
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.improve.best import Best
from dbmsolver.search.in_memory import Place, SearchInMemory
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.search.outcome import GoalMet
from dbmsolver.search.pile_finder import PileFinder
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import Tally, total, weigh
from dbmsolver.search.trace import Step
from dbmsolver.storage.blocks import Runs, encode_block, split
from dbmsolver.storage.pile_blocks import from_runs, to_runs
from dbmsolver.storage.records import Closed

_ROOM = 1 << 20
"""Candidates that are made before they are sorted."""
_CODE = np.uint64((1 << TOP_BITS) - 1)
_SHIFT = np.uint64(TOP_BITS)


@dataclass(eq=False, slots=True)
class Part:
    """Some candidates of a place, in the order of keys, and the records that hold them."""

    words: Words
    records: list[NewRecord] = field(default_factory=list)

    @property
    def tally(self) -> Tally:
        """The tally of the keys."""
        return weigh_keys(self.words >> _SHIFT)


def weigh_keys(keys: Words) -> Tally:
    """Return the tally of states, for comparing pending states with those held."""
    return Tally(keys.size, int(digest_keys(keys)))


def root_candidates(keys: PileKeys) -> Words:
    """Return the deal itself as a candidate."""
    return np.array([keys.root << TOP_BITS | NO_PARENT], np.uint64)


def sorted_candidates(parts: list[Words]) -> Words:
    """Return candidates in the order of keys, each key once, with its lowest code."""
    words = np.concatenate(parts) if parts else np.empty(0, np.uint64)
    words.sort()
    first = np.ones(words.size, np.bool_)
    first[1:] = words[1:] >> _SHIFT != words[:-1] >> _SHIFT
    return words[first]


def packed(words: Words) -> Iterator[tuple[bytes, Words]]:
    """Yield blocks of sorted candidates, each with its keys."""
    runs = to_runs(words >> _SHIFT, (words & _CODE).astype(np.uint8))
    for part in split(runs):
        yield encode_block(part), from_runs(part)


def root_record(keys: PileKeys) -> tuple[NewRecord, Tally]:
    """Return the record that makes the deal pending, and its tally."""
    words = root_candidates(keys)
    data, states = next(packed(words))
    return NewRecord(0, keys.dealt, data), weigh(states)


class PileSearch(SearchInMemory[PileKeys, list[Part]]):
    """A search in progress."""

    def __init__(
        self, keys: PileKeys, recorder: Recorder, memory: int, best: Best[PileKeys] | None = None
    ) -> None:
        super().__init__(keys, recorder, memory, best)
        self.goal: int | None = None  # a candidate
        self._played, self._turned = (np.empty(_ROOM, np.uint64) for _ in range(2))

    def path(self, goal: GoalMet) -> list[Step] | None:
        """Return the steps from the deal to the goal; None where closed states are not kept."""
        if not self.recorder.keep_closed:
            return None
        assert self.goal is not None
        finder = PileFinder(self.recorder.store, self.keys)
        key, code = self.goal >> TOP_BITS, self.goal & int(_CODE)
        return finder.steps_to(key, code)

    def _has_goal(self) -> bool:
        return self.goal is not None

    # One stratum.

    def _close(self) -> Iterator[Report | Commit]:
        """Close a stratum, part by part; the rest of it stays pending at a limit."""
        parts = self.pending[self.place]
        words = self._merged(parts)
        size = in_memory.AT_ONCE
        # Copies, so that memory is freed part by part.
        parts[:] = [Part(words[at : at + size].copy()) for at in range(0, words.size, size)]
        if self._meets_goal(words):
            return
        del words
        while parts:
            part, some = parts[0], self._at_once()
            self._drop(part.records)
            self._expand(part.words[:some])
            parts[:1] = [Part(part.words[some:])] if some < part.words.size else []
            if not parts:
                del self.pending[self.place]
            self._check_memory()
            if parts:
                self.limit = self._reached()
            if self._ended() is not None:
                break
            if self.recorder.due():
                yield self._commit()
            yield self._report()

    def _merged(self, parts: list[Part]) -> Words:
        """Return all candidates of a place in order, each key once; drop their records."""
        words = sorted_candidates([part.words for part in parts])
        self.books.take(total(part.tally for part in parts))
        self.books.make(weigh_keys(words >> _SHIFT))
        for part in parts:
            self._drop(part.records)
        return words

    def _meets_goal(self, words: Words) -> bool:
        """Return True if columns are empty in one of the states; keep the first such state."""
        won = np.flatnonzero((words >> _SHIFT) >> self.keys.tables.shifts[0] == 0)
        if won.size:
            self.goal = int(words[won[0]])
        return self.goal is not None

    def _expand(self, words: Words) -> None:
        """Close some states, and make pending what follows from them."""
        layer, stratum = self.place
        keys = words >> _SHIFT
        place = 0
        while place < keys.size:
            place, some, more = expand(self.keys.tables, keys, place, self._played, self._turned)
            self._make((layer, stratum + 1), self._played[:some])
            self._make((layer + self.by_cost, stratum + 1), self._turned[:more])
        taken = weigh_keys(keys)
        self.books.take(taken)
        self.recorder.statistics.count(layer, stratum, taken.states, 0, taken.sum)
        closed = []
        for data, states in packed(words):
            first, last = int(states[0]) >> 32, int(states[-1]) >> 32
            closed.append(Closed(layer, stratum, first, last, states.size, data))
        self.recorder.add_closed(closed)

    def _make(self, place: Place, words: Words) -> None:
        """Make candidates pending, each key once."""
        if not words.size:
            return
        made = weigh_keys(words >> _SHIFT)
        self.books.make(made)
        part = Part(sorted_candidates([words]))
        self.books.take(made.minus(part.tally))
        self.pending.setdefault(place, []).append(part)

    def _check_memory(self) -> None:
        """Drop duplicates where pending states take much; OutOfBudget if that does not help."""
        for share in (4, 2):
            if self._bytes() <= self.memory // share:
                return
            for place, parts in self.pending.items():
                # Parts that are small beside the first one, which was merged, wait for more.
                fresh = sum(part.words.nbytes for part in parts[1:])
                if place != self.place and fresh > (
                    parts[0].words.nbytes // 2 if share == 4 else 0
                ):
                    parts[:] = [Part(self._merged(parts))]
        if self._bytes() > self.memory // 2:
            raise OutOfBudget

    def _bytes(self) -> int:
        return sum(part.words.nbytes for parts in self.pending.values() for part in parts)

    # The store.

    def _take_in(self, record: NewRecord, runs: Runs) -> None:
        states = from_runs(runs)
        place = record.layer, record.stratum
        if self.by_cost:  # the deal itself is stored in layer 0
            place = int(self.keys.layers(states[:1])[0]), record.stratum
        part = Part((states << _SHIFT) | runs.codes.astype(np.uint64), [record])
        self.pending.setdefault(place, []).append(part)
        self.books.make(part.tally)

    def _tally_of(self, runs: Runs) -> Tally:
        return weigh(from_runs(runs))

    def _held(self) -> Tally:
        return total(part.tally for parts in self.pending.values() for part in parts)

    def _unwritten(self) -> list[NewRecord]:
        records = []
        for place, parts in self.pending.items():
            for part in parts:
                if not part.records:
                    part.records += [
                        NewRecord(*place, data, tally=weigh(states))
                        for data, states in packed(part.words)
                    ]
                    records += part.records
        return records

    def _report(self) -> Report:
        layer, stratum = self.place
        return self.recorder.report(
            layer=layer or None,
            stratum=stratum,
            last_stratum=self.keys.last_stratum,
            pending=sum(part.words.size for parts in self.pending.values() for part in parts),
        )
