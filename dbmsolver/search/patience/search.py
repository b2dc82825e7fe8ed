"""Shortest solutions of Klondike and its relatives, in memory.

The layers f = moves made + lower bound of the moves to come are closed in ascending order. The
bound (:mod:`dbmsolver.core.patience_bound`) is consistent, so no
move leads to a lower layer, the first way to a state is a shortest one, and the goal is met in the
layer of its length. All closed states stay in memory.

What is pending is kept as sets, too, one for each layer, so nothing is in one twice.
When the memory does not suffice, all of it is committed, and
:class:`~dbmsolver.search.patience.large.LargePatienceSearch` goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from dbmsolver.core.patience_closing import FINISHED, SET_FULL, WON
from dbmsolver.core.patience_tables import MOST_MOVES
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Commit, Limit, Report
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.in_memory import Place
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.search.outcome import Steps, Stopped
from dbmsolver.search.patience.closing import PatienceClosing
from dbmsolver.search.patience.sets import (
    STATE_BYTES,
    Hand,
    Waiting,
    records_of,
    weigh_states,
    won_among,
)
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import Tally, total
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.patience_blocks import first_layer, words_of

TOGETHER = 1 << 12
"""States from which on several threads expand a part each."""
Item = TypeVar("Item")
Product = TypeVar("Product")


class PatienceSearch(PatienceClosing[Waiting]):
    """A search in progress.

    ``current`` is the set of the layer that is being closed, with all that was closed before.
    """

    def __init__(
        self,
        keys: PatienceKeys,
        recorder: Recorder,
        memory: int,
    ) -> None:
        super().__init__(keys, recorder, memory)
        self.outs = [self._out]
        self.hands: list[Hand] = []

    def run(self) -> Steps:
        """Close places until the goal is met, a limit is reached, or nothing is pending.

        Where the memory does not suffice it ends without a limit: all pending states are in the
        store then, and the next search goes on from there.
        """
        with ThreadPoolExecutor(self.recorder.threads) as self.pool:
            outcome = yield from super().run()
        if outcome != Stopped(Limit.MEMORY):
            return outcome
        self.pending.clear()
        self.current = Waiting()
        return Stopped()

    def _writes_pending(self) -> bool:
        return super()._writes_pending() or self.limit == Limit.MEMORY

    # One layer.

    pool: ThreadPoolExecutor

    def _close(self) -> Iterator[Report | Commit]:
        """Close a layer; what is left of it stays pending."""
        self._begin()
        while self.goal is None:
            reason = self._expand()
            if reason == WON:
                break
            self._hand_out()
            self._record()
            if reason == SET_FULL:
                self._make_room(self.current, MOST_MOVES)
            if self._bytes() > self.memory:
                raise OutOfBudget
            if self.current.left == 0:
                break
            self.limit = self._reached()
            yield self.report()
            if self._ended() is not None:
                break
            if self.recorder.due():
                yield self._commit()
        self._record()
        if self.current.left == 0:
            self._drop(self.current.records)
        if self.recorder.due() and self.current.left == 0:
            yield self._commit()

    def _begin(self) -> None:
        """Make the candidates of the place the states to expand; the goal may be one of them."""
        waiting = self.pending[self.place]
        words, codes = waiting.words(), waiting.codes()
        self._look_for_goal(waiting)
        if self.goal is not None:
            return
        self._make_room(self.current, waiting.size)
        del self.pending[self.place]
        held = self.current.add(words[: waiting.stored], codes[: waiting.stored])
        self.current.stored = self.current.size
        held = held.plus(self.current.add(words[waiting.stored :], codes[waiting.stored :]))
        self.current.records += waiting.records
        self.books.take(weigh_states(words).minus(held))

    @property
    def evaluated(self) -> int:
        """The number of states looked at: those that are expanded or wait for it."""
        waiting = self.current.left + sum(one.size for one in self.pending.values())
        return self._expanded() + waiting

    def _layers(self) -> Iterator[int]:
        """Yield the layers that have states that are not expanded."""
        yield from super()._layers()
        if self.current.left:
            yield self.place[0]

    def _look_for_goal(self, waiting: Waiting) -> None:
        goal = won_among(self.keys, waiting.words(), waiting.codes())
        if goal is not None:
            self.goal = goal

    def _at_once(self) -> int:
        """Return how many states to expand before the limits are looked at again.

        Where several threads may take a part each, the number is small enough that none waits for
        long.
        """
        most = super()._at_once()
        return min(most, 2 * TOGETHER) if self._may_share else most

    @property
    def _may_share(self) -> bool:
        """Return whether several threads may expand states of one set."""
        return self.recorder.threads > 1

    def _expand(self) -> int:
        """Expand some states of the set, by several threads if there are enough."""
        if not self._may_share or min(self.current.left, super()._at_once()) < TOGETHER:
            self.outs = [self._out]
            return super()._expand()
        if len(self.hands) < self.recorder.threads:
            self.hands = [Hand() for _ in range(self.recorder.threads)]
        states = self.current.states
        first = int(states.counts[1])
        last = first + min(self.current.left, super()._at_once())
        bounds = [int(at) for at in np.linspace(first, last, len(self.hands) + 1)]
        parts = list(zip(self.hands, bounds, bounds[1:], strict=False))
        layer, keys = self.place[0], self.keys
        ends = self._each(lambda part: part[0].expand(keys, states, layer, *part[1:]), parts)
        self.outs = [hand.out for hand in self.hands]
        for hand, (reason, end) in zip(self.hands, ends, strict=True):
            if reason == WON:
                at = int(hand.out.count[0]) - 1
                self.goal = hand.out.words[at].copy(), int(hand.out.codes[at])
                states.counts[1] = end + 1
                return WON
        states.counts[1] = last
        return FINISHED

    def _each(self, work: Callable[[Item], Product], items: Sequence[Item]) -> list[Product]:
        """Return what ``work`` makes of each item, by several threads if there are."""
        if self._may_share and len(items) > 1:
            return list(self.pool.map(work, items))
        return [work(item) for item in items]

    def _hand_out(self) -> None:
        """Put what follows into the sets of its layers.

        OutOfBudget before anything is put there. The states that it follows from are not counted
        as closed then, so nothing is lost.
        """
        outs = [out for out in self.outs if out.count[0]]
        if not outs:
            return
        places = np.concatenate([out.places[: out.count[0]] for out in outs])
        groups = []
        for number, count in zip(*np.unique(places, return_counts=True), strict=True):
            if number >= self.ceiling:
                continue  # no part of a shorter solution
            own = number == self.place[0]
            waiting = self.current if own else self._waiting_at(int(number))
            self._make_room(waiting, int(count))
            groups.append((waiting, int(number)))
        made = total(self._each(lambda out: weigh_states(out.words[: out.count[0]]), outs))
        held = total(self._each(lambda group: group[0].choose(outs, group[1]), groups))
        self.books.make(made)
        self.books.take(made.minus(held))
        for out in outs:
            out.count[0] = 0

    def _waiting_at(self, number: int) -> Waiting:
        """Return the set of what is pending in a layer; a new one is empty."""
        place: Place = (number, 0)
        if place not in self.pending:
            self.pending[place] = Waiting()
        return self.pending[place]

    def _make_room(self, waiting: Waiting, more: int) -> None:
        """Enlarge a set until it has room for more; OutOfBudget if there is no memory for it."""
        while waiting.size + more > waiting.room:
            if self._bytes() + 2 * STATE_BYTES * waiting.room > self.memory:
                raise OutOfBudget
            waiting.enlarge()

    def _bytes(self) -> int:
        return self.current.nbytes + sum(waiting.nbytes for waiting in self.pending.values())

    # The store.

    def _restore(self) -> None:
        """Read the pending states of the store, and the closed ones that have to be known."""
        store = self.recorder.store
        known = self.recorder.statistics.closed
        if (store.manifest.waiting[0] + known) * STATE_BYTES > self.memory:
            raise OutOfBudget  # which would take long to find out
        super()._restore()
        for key in store.keys(b"C"):
            runs = read_block(store, key)
            self._make_room(self.current, runs.codes.size)
            self.current.add(words_of(runs), runs.codes)
        size = self.current.size
        self.current.states.counts[1] = self.current.stored = self.recorded = size

    def _take_in(self, record: NewRecord, runs: Runs) -> None:
        number = record.layer
        if not number:  # the deal itself
            number = first_layer(self.keys, words_of(runs))
        waiting = self._waiting_at(number)
        self._make_room(waiting, runs.codes.size)
        self.books.make(waiting.add(words_of(runs), runs.codes))
        waiting.records.append(record)
        waiting.stored = waiting.size

    def _held(self) -> Tally:
        waiting = total(weigh_states(one.words()) for one in self.pending.values())
        return waiting.plus(weigh_states(self.current.words(self.recorded)))

    def _unwritten(self) -> list[NewRecord]:
        if self.goal is not None:
            return self._records_of_goal()
        records = []
        for place, waiting in ((self.place, self.current), *self.pending.items()):
            first = waiting.stored
            if waiting is self.current:
                first = max(first, self.recorded)
            made = records_of(self.keys, place[0], waiting.words(first), waiting.codes(first))
            new = [record for record, _ in made]
            waiting.records += new
            waiting.stored = waiting.size
            records += new
        return records

    def report(self) -> Report:
        """Return how far the search is."""
        layer, stratum = self.place
        return self.recorder.report(
            layer=layer,
            stratum=stratum,
            last_stratum=self.keys.last_stratum,
            pending=sum(waiting.size for waiting in self.pending.values()) + self.current.left,
        )
