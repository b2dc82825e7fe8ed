"""Shortest solutions of Klondike and its relatives, in memory.

The layers f = moves made + lower bound of the moves to come are closed in ascending order. The
bound (:mod:`dbmsolver.core.patience_bound`) is consistent, so no
move leads to a lower layer, the first way to a state is a shortest one, and the goal is met in the
layer of its length. All closed states stay in memory. Of the layer that holds the goal only a part
need be expanded, so from a layer on that may be it, what was met last comes first.

What is pending is kept as sets, too, one for each layer, so nothing is in one twice.
When the memory does not suffice, all of it is committed, and
:class:`~dbmsolver.search.patience.large.LargePatienceSearch` goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.patience_closing import FINISHED, SET_FULL, WON
from dbmsolver.core.patience_tables import MOST_MOVES
from dbmsolver.core.shards import NO_CEILING
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Commit, Limit, Report
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.in_memory import Place
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.search.outcome import Steps, Stopped
from dbmsolver.search.patience.closing import PatienceClosing
from dbmsolver.search.patience.sets import (
    BLOCK,
    STATE_BYTES,
    WORD_BYTES,
    Hand,
    Waiting,
    records_of,
    weigh_states,
    won_among,
)
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import Tally, total
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.patience_blocks import first_layer, progress_of, words_of

TOGETHER = 1 << 12
"""States from which on several threads expand a part each."""
_NEAR = 3
"""Moves by which the best solution is longer than a shortest one, as a rule, at most."""
_AT_ONCE = 1 << 18
"""Candidates that join a set at once: they are copied before."""
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
            if self._uncounted >= BLOCK or self.recorder.due():
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
        self._look_for_goal(waiting)
        if self.goal is not None:
            return
        self._make_room(self.current, waiting.size)
        del self.pending[self.place]
        stored = np.arange(waiting.stored)
        held = self._add(waiting, stored)
        self.current.stored = self.current.size
        held = held.plus(self._add(waiting, self._in_order(waiting)))
        self.current.records += waiting.records
        self.books.take(weigh_states(waiting.words()).minus(held))

    def _add(self, waiting: Waiting, places: NDArray[np.int64]) -> Tally:
        """Add candidates to the set, some at a time, and return the tally of those that are new."""
        words, codes = waiting.words(), waiting.codes()
        parts = (places[first : first + _AT_ONCE] for first in range(0, places.size, _AT_ONCE))
        return total(self.current.add(words[part], codes[part]) for part in parts)

    def _in_order(self, waiting: Waiting) -> NDArray[np.int64]:
        """Return the places of candidates that no record has, those to expand first last.

        In a layer that may hold the goal these are the ones that are nearest to it.
        """
        words = waiting.words(waiting.stored)
        if not self._may_end:
            return np.arange(waiting.stored, waiting.size)
        progress = progress_of(self.keys, words).astype(np.uint8)
        return waiting.stored + np.argsort(progress, kind="stable")

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

    @property
    def _may_end(self) -> bool:
        """Return whether the layer that is being closed may hold the goal, as far as is known.

        Beams find solutions that are hardly longer than a shortest one.
        """
        return self.place[0] + _NEAR >= self.ceiling or self.ceiling == NO_CEILING

    def _at_once(self) -> int:
        """Return how many states to expand before the limits are looked at again.

        The number is small where the next ones are those that were met last. Where several threads
        take a part each, none waits for long then.
        """
        most = super()._at_once()
        return min(most, 2 * TOGETHER) if self._may_share or self._may_end else most

    @property
    def _may_share(self) -> bool:
        """Return whether several threads may expand states of one set."""
        return self.recorder.threads > 1

    def _expand(self) -> int:
        """Expand some states of the set, by several threads if there are enough.

        In a layer that may hold the goal, those that were met last come first: so most of it need
        not be expanded.
        """
        if self._may_end:
            self.current.bring_forward(self._at_once())
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
            if self._bytes() + waiting.growth + WORD_BYTES * more > self.memory:
                raise OutOfBudget
            waiting.enlarge()

    def _bytes(self) -> int:
        return self.current.nbytes + sum(waiting.nbytes for waiting in self.pending.values())

    @property
    def _uncounted(self) -> int:
        """The number of expanded states that are not counted: small blocks take longer to pack."""
        return int(self.current.states.counts[1]) - self.recorded

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
