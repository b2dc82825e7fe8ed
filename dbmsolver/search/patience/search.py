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

import numpy as np

from dbmsolver.core.patience import NO_PARENT, Words, make_board, make_found
from dbmsolver.core.patience_closing import (
    OUT_FULL,
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
from dbmsolver.errors import StoreError
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Commit, Limit, Question, Report
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.improve.best import Best
from dbmsolver.search.limits import Cancelled, OutOfBudget
from dbmsolver.search.outcome import Exhausted, GoalMet, NoneShorter, Outcome, Steps, Stopped
from dbmsolver.search.patience_finder import PatienceFinder
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import NOTHING, Tally, total, weigh
from dbmsolver.search.trace import Step
from dbmsolver.storage.blocks import encode_block, read_block
from dbmsolver.storage.patience_blocks import Codes, strata_of, to_runs, words_of
from dbmsolver.storage.records import Closed, parse_closed_key, parse_pending_key

AT_ONCE = 1 << 17
"""States that are expanded before limits are looked at."""
_ROOM = 1 << 12
"""Room of a set at first."""
_OUT = 1 << 16
"""Candidates that are made before they are sorted."""
_DIGITS = np.array([(1 << 63) - 1, (1 << 63) - 1, (1 << 30) - 1], np.uint64)
_STATE_BYTES = 24 + 2 + 2 * 4


def packed(keys: PatienceKeys, words: Words, codes: Codes) -> Iterator[tuple[bytes, Tally]]:
    """Blocks of states, each with its tally."""
    for runs in to_runs(keys, words, codes):
        yield encode_block(runs), weigh(runs.signatures, runs.counts)


def root_record(keys: PatienceKeys) -> tuple[NewRecord, Tally]:
    """The record that makes the deal pending."""
    words = keys.words(keys.root)[None, :]
    data, tally = next(packed(keys, words, np.array([NO_PARENT], np.uint16)))
    stratum = int(strata_of(keys, words, layered=False)[0])
    return NewRecord(0, stratum, data), tally


class PatienceSearch:
    """A search in progress; :meth:`run` carries it to its end."""

    def __init__(
        self,
        keys: PatienceKeys,
        recorder: Recorder,
        memory: int,
        best: Best[PatienceKeys] | None = None,
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        self.memory = memory
        self.best = best
        self.by_cost = recorder.question == Question.SOLVE
        self.pending: dict[int, StateSet] = {}
        self.place = 0
        self.states = make_set(_ROOM)
        self.recorded = 0
        """How many states of the set are closed, and counted."""
        self.goal: tuple[Words, int] | None = None
        self.limit: Limit | None = None
        self._out = make_candidates(_OUT)
        self._board, self._found = make_board(), make_found()

    @property
    def shortest(self) -> bool:
        """Whether the solution it finds is a shortest one."""
        return self.by_cost

    def run(self) -> Steps:
        """Close strata or layers until the goal is met, a limit is reached, or nothing is pending.

        All that is finished is committed when it ends, but after an error nothing is.
        """
        self._restore()
        try:
            while self.pending and self._ended() is None:
                self.place = min(self.pending)
                yield from self._close()
        except OutOfBudget:
            self.limit = Limit.MEMORY
        except Cancelled:
            self.limit = Limit.INTERRUPT
        except (KeyboardInterrupt, GeneratorExit):
            self._commit()
            raise
        self._commit()
        return self._ended() or Exhausted()

    def path(self, goal: GoalMet) -> list[Step] | None:
        """The steps from the deal to the goal; None where closed states are not kept."""
        if not self.recorder.keep_closed:
            return None
        assert self.goal is not None
        words, code = self.goal
        finder = PatienceFinder(self.recorder.store, self.keys)
        return finder.steps_to(int(words[0]) | int(words[1]) << 64 | int(words[2]) << 128, code)

    def _ended(self) -> Outcome | None:
        """Why it ends before nothing is pending; None: it goes on."""
        if self.goal is not None:
            return GoalMet()
        if self.limit is not None:
            return Stopped(self.limit)
        known = None if self.best is None else self.best.length
        if known is not None and all(layer >= known for layer in self.pending):
            return NoneShorter()  # the layers below are closed, and no shorter solution is in them
        return None

    # One stratum or layer.

    def _close(self) -> Iterator[Report | Commit]:
        """Close a stratum or layer; what is left of it stays pending."""
        self._begin(self.pending.pop(self.place))
        layer = self.place if self.by_cost else -1
        while self.goal is None:
            reason = close(
                self.keys.tables, self.states, self._out, self._board, self._found, layer,
                self._at_once(),
            )  # fmt: skip
            if reason == WON:
                last = int(self._out.count[0]) - 1
                self.goal = self._out.words[last].copy(), int(self._out.codes[last])
                self._out.count[0] = last
                self.states.counts[1] += 1  # whose successors no longer matter
            self._hand_out()
            if reason == SET_FULL:
                self.states = self._grown(self.states)
            self._count_closed()
            self._check_memory()
            if self.states.counts[0] == self.states.counts[1]:
                break
            if reason not in (SET_FULL, OUT_FULL):
                self.limit = self.recorder.limits.reached() or self._too_many()
                yield self._report()
            if self._ended() is not None:
                break
            if self.recorder.due() and self.recorder.keep_closed:
                yield self._commit()
        self._count_closed(whole=True)
        if self.recorder.due() and self._left() == 0:
            yield self._commit()

    def _begin(self, candidates: StateSet) -> None:
        """Make candidates the states to expand; the goal may be one of them."""
        size = int(candidates.counts[0])
        words, codes = candidates.words[:size], candidates.codes[:size]
        if self.by_cost:
            won = np.flatnonzero((words & _DIGITS == self.keys.words(self.keys.goal)).all(axis=1))
            if won.size:
                self.goal = words[won[0]].copy(), int(codes[won[0]])
        if self.by_cost or self.states.counts[0]:
            while self.states.counts[0] + size > self.states.codes.size:
                self.states = self._grown(self.states)
            insert(self.states, words, codes)
        else:
            self.states, self.recorded = candidates, 0

    def _at_once(self) -> int:
        """How many states to expand before the limits are looked at again; at least one."""
        most = self.recorder.limits.limits.max_states
        if most is None:
            return AT_ONCE
        waiting = int(self.states.counts[1]) - self.recorded
        return max(1, min(AT_ONCE, most - self.recorder.statistics.closed - waiting))

    def _too_many(self) -> Limit | None:
        """The limit of states, if those that are expanded and not counted yet reach it."""
        most = self.recorder.limits.limits.max_states
        closed = self.recorder.statistics.closed + int(self.states.counts[1]) - self.recorded
        return Limit.MAX_STATES if most is not None and closed >= most else None

    def _hand_out(self) -> None:
        """Put what follows into the sets of its strata or layers."""
        out, count = self._out, int(self._out.count[0])
        places = out.places[:count]
        for place in np.unique(places).tolist():
            own = np.flatnonzero(places == place)
            held = self.pending.setdefault(place, make_set(_ROOM))
            while held.counts[0] + own.size > held.codes.size:
                held = self.pending[place] = self._grown(held)
            insert(held, out.words[own], out.codes[own])
        out.count[0] = 0

    def _grown(self, states: StateSet) -> StateSet:
        """A set with twice the room; OutOfBudget if there is no memory for it."""
        if self._bytes() + 2 * _STATE_BYTES * states.codes.size > self.memory:
            raise OutOfBudget
        return larger(states)

    def _bytes(self) -> int:
        sets = (self.states, *self.pending.values())
        return sum(one.words.nbytes + one.codes.nbytes + one.slots.nbytes for one in sets)

    def _check_memory(self) -> None:
        if self._bytes() > self.memory:
            raise OutOfBudget

    def _left(self) -> int:
        """How many states of the set are not expanded."""
        return int(self.states.counts[0] - self.states.counts[1])

    def _count_closed(self, *, whole: bool = False) -> None:
        """Count what has been expanded, and put it into the batch.

        Where closed states are not kept, a set is counted when the ``whole`` of it is expanded:
        what is not known to be closed later on must not be counted now.
        """
        done = int(self.states.counts[1])
        if self.recorder.keep_closed or (whole and (self._left() == 0 or self.goal is not None)):
            words = self.states.words[self.recorded : done]
            codes = self.states.codes[self.recorded : done]
            layer = self.place if self.by_cost else 0
            strata = strata_of(self.keys, words, layered=False)
            for stratum in np.unique(strata).tolist():
                own = strata == stratum
                self._count(layer, stratum, words[own], codes[own])
            self.recorded = done
        if whole and not self.by_cost and self._left() == 0:
            self.states, self.recorded = make_set(_ROOM), 0

    def _count(self, layer: int, stratum: int, words: Words, codes: Codes) -> None:
        self.recorder.statistics.count(layer, stratum, codes.size, 0, int(digest_of(words)))
        closed = []
        for runs in to_runs(self.keys, words, codes) if self.recorder.keep_closed else ():
            first, last = int(runs.signatures[0]), int(runs.signatures[-1])
            data = encode_block(runs)
            closed.append(Closed(layer, stratum, first, last, runs.codes.size, data))
        self.recorder.add_closed(closed)

    # The store.

    def _restore(self) -> None:
        """What is pending in the store, and what has to be known of closed states.

        StoreError if what is pending is not what the last commit left.
        """
        store = self.recorder.store
        found = []
        for key in store.keys(b"P"):
            layer, stratum, _ = parse_pending_key(key)
            runs = read_block(store, key)
            place = layer if self.by_cost else stratum
            if self.by_cost and not layer:  # the deal itself
                place = int(strata_of(self.keys, words_of(runs), layered=True)[0])
            held = self.pending.setdefault(place, make_set(_ROOM))
            while held.counts[0] + runs.codes.size > held.codes.size:
                held = self.pending[place] = self._grown(held)
            insert(held, words_of(runs), runs.codes)
            found.append(weigh(runs.signatures, runs.counts))
        if total(found) != Tally.from_json(store.manifest.waiting):
            raise StoreError("what is pending is not what the manifest says", str(store.path))
        lowest = min(self.pending, default=0)
        for key in store.keys(b"C"):
            if self.by_cost or parse_closed_key(key).stratum == lowest:
                runs = read_block(store, key)
                while self.states.counts[0] + runs.codes.size > self.states.codes.size:
                    self.states = self._grown(self.states)
                insert(self.states, words_of(runs), runs.codes)
        self.states.counts[1] = self.recorded = int(self.states.counts[0])

    def _commit(self) -> Commit:
        """Commit what is closed and, in resumable runs, what is pending, all of it anew."""
        batch = self.recorder.batch
        waiting, tally = 0, NOTHING
        records = []
        for place, words, codes in self._waiting():
            waiting += codes.size
            if not self.recorder.resumable:
                continue
            layer, strata = 0, np.full(codes.size, place)
            if self.by_cost:
                layer, strata = place, strata_of(self.keys, words, layered=False)
            for stratum in np.unique(strata).tolist():
                own = strata == stratum
                for data, weight in packed(self.keys, words[own], codes[own]):
                    records.append(NewRecord(layer, stratum, data))
                    tally = tally.plus(weight)
        if self.recorder.resumable:
            batch.cleared.append(b"P")
            batch.pending = records
            batch.fields["waiting"] = tally.to_json()
            batch.fields["known"] = self.recorder.statistics.closed + waiting
        return self.recorder.commit(self.place if self.by_cost else 0, self.place, waiting)

    def _waiting(self) -> Iterator[tuple[int, Words, Codes]]:
        """What is pending: stratum or layer, states, and their codes."""
        for place, held in self.pending.items():
            size = int(held.counts[0])
            yield place, held.words[:size], held.codes[:size]
        size = int(self.states.counts[0])
        if self.recorded < size and self.goal is None:
            yield (
                self.place,
                self.states.words[self.recorded : size],
                self.states.codes[self.recorded : size],
            )

    def _report(self) -> Report:
        layers = self.place if self.by_cost else None
        waiting = sum(int(held.counts[0]) for held in self.pending.values())
        return self.recorder.report(
            layer=layers,
            stratum=0 if self.by_cost else self.place,
            last_stratum=self.keys.last_stratum,
            pending=waiting + self._left(),
        )


__all__ = ["PatienceSearch", "root_record"]
