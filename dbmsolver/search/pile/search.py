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

import numpy as np

from dbmsolver.core.pile import NO_PARENT, TOP_BITS, digest_keys, expand
from dbmsolver.errors import StoreError
from dbmsolver.keys.piles import PileKeys, Words
from dbmsolver.results import Commit, Limit, Question, Report
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.improve.best import Best
from dbmsolver.search.limits import Cancelled, OutOfBudget
from dbmsolver.search.outcome import Exhausted, GoalMet, NoneShorter, Outcome, Steps, Stopped
from dbmsolver.search.pile_finder import PileFinder
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import Tally, total, weigh
from dbmsolver.search.trace import Step
from dbmsolver.storage.blocks import encode_block, read_block, split
from dbmsolver.storage.pile_blocks import from_runs, to_runs
from dbmsolver.storage.records import Closed, parse_pending_key

AT_ONCE = 1 << 17
"""States that are expanded before limits are looked at."""
_ROOM = 1 << 20
"""Candidates that are made before they are sorted."""
_CODE = np.uint64((1 << TOP_BITS) - 1)
_SHIFT = np.uint64(TOP_BITS)

Place = tuple[int, int]
"""A layer, 0 in a proof, and a stratum."""


def root_candidates(keys: PileKeys) -> Words:
    """The deal itself as a candidate."""
    return np.array([keys.root << TOP_BITS | NO_PARENT], np.uint64)


def sorted_candidates(parts: list[Words]) -> Words:
    """Candidates in the order of keys, each key once, with its lowest code."""
    words = np.sort(np.concatenate(parts)) if parts else np.empty(0, np.uint64)
    first = np.ones(words.size, np.bool_)
    first[1:] = words[1:] >> _SHIFT != words[:-1] >> _SHIFT
    return words[first]


def packed(words: Words) -> Iterator[tuple[bytes, Words]]:
    """Blocks of sorted candidates, each with its keys."""
    runs = to_runs(words >> _SHIFT, (words & _CODE).astype(np.uint8))
    for part in split(runs):
        yield encode_block(part), from_runs(part)


def root_record(keys: PileKeys) -> tuple[NewRecord, Tally]:
    """The record that makes the deal pending."""
    words = root_candidates(keys)
    data, states = next(packed(words))
    return NewRecord(0, keys.dealt, data), weigh(states)


class PileSearch:
    """A search in progress; :meth:`run` carries it to its end."""

    def __init__(
        self, keys: PileKeys, recorder: Recorder, memory: int, best: Best[PileKeys] | None = None
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        self.memory = memory
        self.best = best
        self.by_cost = recorder.question == Question.SOLVE
        self.pending: dict[Place, list[Words]] = {}
        self.place: Place = (0, 0)
        self.goal: int | None = None  # a candidate
        self.limit: Limit | None = None
        self._played, self._turned = (np.empty(_ROOM, np.uint64) for _ in range(2))

    @property
    def shortest(self) -> bool:
        """Whether the solution it finds is a shortest one."""
        return self.by_cost

    def run(self) -> Steps:
        """Close strata until the goal is met, a limit is reached, or nothing is pending.

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
        finder = PileFinder(self.recorder.store, self.keys)
        key, code = self.goal >> TOP_BITS, self.goal & int(_CODE)
        return finder.steps_to(key, code)

    def _ended(self) -> Outcome | None:
        """Why it ends before nothing is pending; None: it goes on."""
        if self.goal is not None:
            return GoalMet()
        if self.limit is not None:
            return Stopped(self.limit)
        known = None if self.best is None else self.best.length
        if known is not None and all(layer >= known for layer, _ in self.pending):
            return NoneShorter()  # the layers below are closed, and no shorter solution is in them
        return None

    # One stratum.

    def _close(self) -> Iterator[Report | Commit]:
        """Close a stratum, piece by piece; what is left of it stays pending."""
        words = sorted_candidates(self.pending[self.place])
        self.pending[self.place] = [words]
        if self._meets_goal(words):
            return
        done = 0
        while done < words.size:
            some = words[done : done + self._at_once()]
            self._expand(some)
            done += some.size
            if done < words.size:
                self.pending[self.place] = [words[done:]]
            else:
                del self.pending[self.place]
            self._check_memory()
            self.limit = self.recorder.limits.reached()
            if self._ended() is not None:
                break
            if self.recorder.due():
                yield self._commit()
            yield self._report()

    def _at_once(self) -> int:
        """How many states to expand before the limits are looked at again; at least one."""
        most = self.recorder.limits.limits.max_states
        if most is None:
            return AT_ONCE
        return max(1, min(AT_ONCE, most - self.recorder.statistics.closed))

    def _meets_goal(self, words: Words) -> bool:
        """Whether columns are empty in one of the states, the first of which is kept."""
        won = np.flatnonzero((words >> _SHIFT) >> self.keys.tables.shifts[0] == 0)
        if won.size:
            self.goal = int(words[won[0]])
        return self.goal is not None

    def _expand(self, words: Words) -> None:
        """Close some states, and make pending what follows from them."""
        layer, stratum = self.place
        keys = words >> _SHIFT
        place = 0
        played: list[Words] = []
        turned: list[Words] = []
        while place < keys.size:
            place, some, more = expand(self.keys.tables, keys, place, self._played, self._turned)
            played.append(sorted_candidates([self._played[:some]]))
            turned.append(sorted_candidates([self._turned[:more]]))
        self._make((layer, stratum + 1), played)
        self._make((layer + self.by_cost, stratum + 1), turned)
        self.recorder.statistics.count(layer, stratum, keys.size, 0, int(digest_keys(keys)))
        closed = []
        for data, states in packed(words):
            first, last = int(states[0]) >> 32, int(states[-1]) >> 32
            closed.append(Closed(layer, stratum, first, last, states.size, data))
        self.recorder.add_closed(closed)

    def _make(self, place: Place, parts: list[Words]) -> None:
        for part in parts:
            if part.size:
                self.pending.setdefault(place, []).append(part)

    def _check_memory(self) -> None:
        """Drop duplicates where what is pending takes much; OutOfBudget if that does not help."""
        if self._bytes() <= self.memory // 4:
            return
        for place, parts in self.pending.items():
            if len(parts) > 1:
                self.pending[place] = [sorted_candidates(parts)]
        if self._bytes() > self.memory // 2:
            raise OutOfBudget

    def _bytes(self) -> int:
        return sum(part.nbytes for parts in self.pending.values() for part in parts)

    # The store.

    def _restore(self) -> None:
        """What is pending in the store; StoreError if it is not what the last commit left."""
        store = self.recorder.store
        found = []
        for key in store.keys(b"P"):
            layer, stratum, _ = parse_pending_key(key)
            runs = read_block(store, key)
            states = from_runs(runs)
            if self.by_cost:
                layer = int(self.keys.layers(states[:1])[0])
            words = (states << _SHIFT) | runs.codes.astype(np.uint64)
            self._make((layer, stratum), [words])
            found.append(weigh(states))
        if total(found) != Tally.from_json(store.manifest.waiting):
            raise StoreError("what is pending is not what the manifest says", str(store.path))

    def _commit(self) -> Commit:
        """Commit what is closed and, in resumable runs, what is pending, all of it anew."""
        batch = self.recorder.batch
        waiting = 0
        for place, parts in self.pending.items():
            self.pending[place] = [sorted_candidates(parts)]
            waiting += self.pending[place][0].size
        if self.recorder.resumable:
            batch.cleared.append(b"P")
            records, tallies = [], []
            for (layer, stratum), (words,) in self.pending.items():
                for data, states in packed(words):
                    records.append(NewRecord(layer, stratum, data))
                    tallies.append(weigh(states))
            batch.pending = records
            batch.fields["waiting"] = total(tallies).to_json()
            batch.fields["known"] = self.recorder.statistics.closed + waiting
        return self.recorder.commit(*self.place, waiting)

    def _report(self) -> Report:
        layer, stratum = self.place
        return self.recorder.report(
            layer=layer or None,
            stratum=stratum,
            last_stratum=self.keys.last_stratum,
            pending=sum(part.size for parts in self.pending.values() for part in parts),
        )
