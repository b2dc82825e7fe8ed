"""Klondike and its relatives: every state that can be reached is closed.

In a proof the strata are closed in ascending order: no move leads to a lower one, and what leads to
the same one stays in the set that is being closed. Its states are given up when it is.

Where a shortest solution is wanted, the layers f = moves made + lower bound of the moves to come
are closed in ascending order. The bound is consistent
(:func:`dbmsolver.core.patience.lower_bound`), so no move leads to a lower layer, the first way to a
state is a shortest one, and the goal is met in the layer of its length. All closed states stay in
memory.

What is pending is kept as sets, too, one for each stratum or layer, so nothing is in one twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dbmsolver.core.patience import MOST_MOVES, NO_PARENT, Words, make_board, make_found
from dbmsolver.core.patience_closing import (
    SET_FULL,
    WON,
    StateSet,
    close,
    digest_of,
    insert,
    larger,
    make_candidates,
    make_set,
)
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Commit, Report
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.improve.best import Best
from dbmsolver.search.in_memory import Place, SearchInMemory
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.search.outcome import GoalMet
from dbmsolver.search.patience_finder import PatienceFinder
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import Tally, total, weigh
from dbmsolver.search.trace import Step
from dbmsolver.storage.blocks import Runs, encode_block, read_block
from dbmsolver.storage.patience_blocks import Codes, strata_of, to_runs, words_of
from dbmsolver.storage.records import Closed, parse_closed_key

_ROOM = 1 << 12
"""Room of a set at first."""
_OUT = 1 << 16
"""Candidates that are made before they are sorted."""
_DIGITS = np.array([(1 << 63) - 1, (1 << 63) - 1, (1 << 30) - 1], np.uint64)
_STATE_BYTES = 24 + 2 + 2 * 4


@dataclass(eq=False, slots=True)
class Waiting:
    """A set of states; records of the store hold the first ``stored`` of them, or closed blocks."""

    states: StateSet = field(default_factory=lambda: make_set(_ROOM))
    stored: int = 0
    records: list[NewRecord] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many states there are."""
        return int(self.states.counts[0])

    def words(self, first: int = 0, last: int | None = None) -> Words:
        """Some of the states."""
        return self.states.words[first : self.size if last is None else last]

    def add(self, words: Words, codes: Codes) -> Tally:
        """Add states that are not there; the tally of those that were added."""
        before = self.size
        insert(self.states, words, codes)
        return weigh_states(self.words(before))


def weigh_states(words: Words) -> Tally:
    """The tally of states, as the books have it."""
    return Tally(len(words), int(digest_of(words)))


def packed(keys: PatienceKeys, words: Words, codes: Codes) -> Iterator[tuple[bytes, Tally]]:
    """Blocks of states, each with its tally as the manifest has it."""
    for runs in to_runs(keys, words, codes):
        yield encode_block(runs), weigh(runs.signatures, runs.counts)


def root_record(keys: PatienceKeys) -> tuple[NewRecord, Tally]:
    """The record that makes the deal pending."""
    words = keys.words(keys.root)[None, :]
    data, tally = next(packed(keys, words, np.array([NO_PARENT], np.uint16)))
    stratum = int(strata_of(keys, words, layered=False)[0])
    return NewRecord(0, stratum, data), tally


class PatienceSearch(SearchInMemory[PatienceKeys, Waiting]):
    """A search in progress.

    ``current`` is the set of the place that is being closed, with all that was closed before where
    layers are; the first ``recorded`` of it are closed, and counted.
    """

    def __init__(
        self,
        keys: PatienceKeys,
        recorder: Recorder,
        memory: int,
        best: Best[PatienceKeys] | None = None,
    ) -> None:
        super().__init__(keys, recorder, memory, best)
        self.current = Waiting()
        self.recorded = 0
        self.goal: tuple[Words, int] | None = None
        self._out = make_candidates(_OUT)
        self._board, self._found = make_board(), make_found()

    def path(self, goal: GoalMet) -> list[Step] | None:
        """The steps from the deal to the goal; None where closed states are not kept."""
        if not self.recorder.keep_closed:
            return None
        assert self.goal is not None
        words, code = self.goal
        finder = PatienceFinder(self.recorder.store, self.keys)
        return finder.steps_to(int(words[0]) | int(words[1]) << 64 | int(words[2]) << 128, code)

    def _has_goal(self) -> bool:
        return self.goal is not None

    # One stratum or layer.

    def _close(self) -> Iterator[Report | Commit]:
        """Close a stratum or layer; what is left of it stays pending."""
        self._begin()
        layer = self.place[0] if self.by_cost else -1
        while self.goal is None:
            states, met = self.current.states, self.current.size
            reason = close(
                self.keys.tables, states, self._out, self._board, self._found, layer,
                self._at_once(),
            )  # fmt: skip
            self.books.make(weigh_states(self.current.words(met)))
            if reason == WON:
                last = int(self._out.count[0]) - 1
                self.goal = self._out.words[last].copy(), int(self._out.codes[last])
                states.counts[1] += 1  # whose other successors no longer matter
                break
            self._hand_out()
            self._count_closed()
            if reason == SET_FULL:
                self._make_room(self.current, MOST_MOVES)
            if self._bytes() > self.memory:
                raise OutOfBudget
            if self._left() == 0:
                break
            self.limit = self._reached()
            yield self._report()
            if self._ended() is not None:
                break
            if self.recorder.due() and self.recorder.keep_closed:
                yield self._commit()
        self._count_closed(whole=True)
        if self.recorder.due() and self._left() == 0:
            yield self._commit()

    def _begin(self) -> None:
        """Make the candidates of the place the states to expand; the goal may be one of them."""
        waiting = self.pending[self.place]
        words, codes = waiting.words(), waiting.states.codes[: waiting.size]
        self._look_for_goal(waiting)
        if self.goal is not None:
            return
        if not (self.by_cost or self.current.size):
            self.current, self.recorded = self.pending.pop(self.place), 0
            return
        self._make_room(self.current, waiting.size)
        del self.pending[self.place]
        held = self.current.add(words[: waiting.stored], codes[: waiting.stored])
        self.current.stored = self.current.size
        held = held.plus(self.current.add(words[waiting.stored :], codes[waiting.stored :]))
        self.current.records += waiting.records
        self.books.take(weigh_states(words).minus(held))

    def _look_for_goal(self, waiting: Waiting) -> None:
        words = waiting.words() & _DIGITS
        won = np.flatnonzero((words == self.keys.words(self.keys.goal)).all(axis=1))
        if won.size:
            self.goal = waiting.words()[won[0]].copy(), int(waiting.states.codes[won[0]])

    def _expanded(self) -> int:
        return self.recorder.statistics.closed + int(self.current.states.counts[1]) - self.recorded

    def _hand_out(self) -> None:
        """Put what follows into the sets of its strata or layers.

        OutOfBudget before anything is put there. The states that it follows from are not counted
        as closed then, so nothing is lost.
        """
        out, count = self._out, int(self._out.count[0])
        groups = []
        for number in np.unique(out.places[:count]).tolist():
            own = np.flatnonzero(out.places[:count] == number)
            waiting = self._waiting_at(number)
            self._make_room(waiting, own.size)
            groups.append((waiting, own))
        self.books.make(weigh_states(out.words[:count]))
        for waiting, own in groups:
            words = out.words[own]
            held = waiting.add(words, out.codes[own])
            self.books.take(weigh_states(words).minus(held))
        out.count[0] = 0

    def _waiting_at(self, number: int) -> Waiting:
        """What is pending in a layer or stratum."""
        place: Place = (number, 0) if self.by_cost else (0, number)
        if place not in self.pending:
            self.pending[place] = Waiting()
        return self.pending[place]

    def _make_room(self, waiting: Waiting, more: int) -> None:
        """Enlarge a set until it has room for more; OutOfBudget if there is no memory for it."""
        while waiting.size + more > waiting.states.codes.size:
            if self._bytes() + 2 * _STATE_BYTES * waiting.states.codes.size > self.memory:
                raise OutOfBudget
            waiting.states = larger(waiting.states)

    def _bytes(self) -> int:
        sets = (self.current.states, *(waiting.states for waiting in self.pending.values()))
        return sum(one.words.nbytes + one.codes.nbytes + one.slots.nbytes for one in sets)

    def _left(self) -> int:
        """How many states of the set are not expanded."""
        return self.current.size - int(self.current.states.counts[1])

    def _count_closed(self, *, whole: bool = False) -> None:
        """Count what has been expanded, and put it into the batch.

        Where closed states are not kept, a set is counted when the ``whole`` of it is expanded:
        what is not known to be closed later on must not be counted now.
        """
        done = int(self.current.states.counts[1])
        finished = whole and self._left() == 0
        if self.recorder.keep_closed or finished or (whole and self.goal is not None):
            words = self.current.words(self.recorded, done)
            codes = self.current.states.codes[self.recorded : done]
            strata = strata_of(self.keys, words, layered=False)
            for stratum in np.unique(strata).tolist():
                own = strata == stratum
                self._count(stratum, words[own], codes[own])
            self.books.take(weigh_states(words))
            self.recorded = done
        if finished:
            self._drop(self.current.records)
            if not self.by_cost:
                self.current, self.recorded = Waiting(), 0

    def _count(self, stratum: int, words: Words, codes: Codes) -> None:
        layer = self.place[0]
        self.recorder.statistics.count(layer, stratum, codes.size, 0, int(digest_of(words)))
        closed = []
        for runs in to_runs(self.keys, words, codes) if self.recorder.keep_closed else ():
            first, last = int(runs.signatures[0]), int(runs.signatures[-1])
            data = encode_block(runs)
            closed.append(Closed(layer, stratum, first, last, runs.codes.size, data))
        self.recorder.add_closed(closed)

    # The store.

    def _restore(self) -> None:
        """What is pending in the store, and what has to be known of closed states."""
        super()._restore()
        if not self.by_cost:
            for waiting in self.pending.values():
                self._look_for_goal(waiting)  # an earlier run was killed after it had met it
        store = self.recorder.store
        lowest = min(self.pending, default=(0, 0))[1]
        for key in store.keys(b"C"):
            if self.by_cost or parse_closed_key(key).stratum == lowest:
                runs = read_block(store, key)
                self._make_room(self.current, runs.codes.size)
                self.current.add(words_of(runs), runs.codes)
        size = self.current.size
        self.current.states.counts[1] = self.current.stored = self.recorded = size

    def _take_in(self, record: NewRecord, runs: Runs) -> None:
        number = record.layer if self.by_cost else record.stratum
        if self.by_cost and not number:  # the deal itself
            number = int(strata_of(self.keys, words_of(runs), layered=True)[0])
        waiting = self._waiting_at(number)
        self._make_room(waiting, runs.codes.size)
        self.books.make(waiting.add(words_of(runs), runs.codes))
        waiting.records.append(record)
        waiting.stored = waiting.size

    def _tally_of(self, runs: Runs) -> Tally:
        return weigh(runs.signatures, runs.counts)

    def _held(self) -> Tally:
        waiting = total(weigh_states(one.words()) for one in self.pending.values())
        return waiting.plus(weigh_states(self.current.words(self.recorded)))

    def _unwritten(self) -> list[NewRecord]:
        if self.goal is not None:
            # Nothing else matters any more: a run that is continued has met it, too.
            words, code = self.goal
            layer = self.place[0]
            return list(self._records(layer, words[None, :], np.array([code], np.uint16)))
        records = []
        for place, waiting in ((self.place, self.current), *self.pending.items()):
            first, last = waiting.stored, waiting.size
            if waiting is self.current:
                first = max(first, self.recorded)
            words, codes = waiting.words(first), waiting.states.codes[first:last]
            new = list(self._records(place[0], words, codes))
            waiting.records += new
            waiting.stored = last
            records += new
        return records

    def _records(self, layer: int, words: Words, codes: Codes) -> Iterator[NewRecord]:
        """Records of candidates."""
        strata = strata_of(self.keys, words, layered=False)
        for stratum in np.unique(strata).tolist():
            own = strata == stratum
            for data, tally in packed(self.keys, words[own], codes[own]):
                yield NewRecord(layer, stratum, data, tally=tally)

    def _report(self) -> Report:
        layer, stratum = self.place
        return self.recorder.report(
            layer=layer if self.by_cost else None,
            stratum=stratum,
            last_stratum=self.keys.last_stratum,
            pending=sum(waiting.size for waiting in self.pending.values()) + self._left(),
        )


__all__ = ["PatienceSearch", "root_record"]
