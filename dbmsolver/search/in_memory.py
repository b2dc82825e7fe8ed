"""Searches for shortest solutions that close places in ascending order.

*Places* are cost layers, or the strata of each. Nothing leads to a lower place, so when no place is
left every state that can be reached is closed. A search holds in memory whatever is pending, or
leaves it to the store where there is no room for it.

A commit writes candidates that have no record yet, and takes away the records of those that are
closed. Before anything is written, the books have to balance (:mod:`dbmsolver.search.tallies`):
what was ever made pending, less what was taken, must be what is held. So a search whose candidates
are lost ends with InternalError, and with no verdict, and its store stays as the last commit left
it. A search that is continued goes on with what that commit wrote, which the manifest tells.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Generic, TypeVar

from dbmsolver.core.shards import NO_CEILING
from dbmsolver.errors import StoreError
from dbmsolver.results import Commit, Limit, Report
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.limits import Cancelled, OutOfBudget
from dbmsolver.search.outcome import Exhausted, GoalMet, NoneShorter, Outcome, Steps, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import NOTHING, Books, Tally
from dbmsolver.search.trace import Keys, Step
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.records import parse_pending_key

AT_ONCE = 1 << 17
"""States that are expanded before limits are looked at."""

Place = tuple[int, int]
"""A layer, and a stratum, 0 where only layers matter."""
KeysT = TypeVar("KeysT", bound=Keys)
WaitingT = TypeVar("WaitingT")


class SearchInMemory(ABC, Generic[KeysT, WaitingT]):
    """A search in progress; :meth:`run` carries it to its end.

    ``pending`` has the candidates of each place, ``memory`` is in bytes. Only layers below the
    ``ceiling``, the length of the best solution, are closed. ``stored`` is the tally of
    the records of candidates that are in the store.
    """

    def __init__(self, keys: KeysT, recorder: Recorder, memory: int) -> None:
        self.keys = keys
        self.recorder = recorder
        self.memory = memory
        self.ceiling = NO_CEILING
        self.books = Books()
        self.pending: dict[Place, WaitingT] = {}
        self.place: Place = (0, 0)
        self.stored = NOTHING
        self.limit: Limit | None = None

    @property
    def shortest(self) -> bool:
        """True: the solution that the search finds is a shortest one."""
        return True

    def run(self) -> Steps:
        """Close places until the goal is met, a limit is reached, or nothing is pending.

        All that is finished is committed when it ends, but after an error nothing is.
        """
        try:
            self._restore()
        except OutOfBudget:
            return Stopped(Limit.MEMORY)  # nothing has been done: the last commit stands
        try:
            while self.pending and self._ended() is None:
                self.limit = self._reached()
                if self.limit is None:
                    self.place = min(self.pending)
                    yield from self._close()
        except OutOfBudget:
            self.limit = Limit.MEMORY
        except Cancelled:
            self.limit = Limit.INTERRUPT
        except (KeyboardInterrupt, GeneratorExit):
            self._commit()
            raise
        outcome = self._ended()
        if outcome is None:
            self.books.compare(NOTHING)
        self._commit()
        return outcome or Exhausted()

    @abstractmethod
    def path(self, goal: GoalMet) -> list[Step] | None:
        """Return the steps from the deal to the goal."""

    def _ended(self) -> Outcome | None:
        """Return the reason why the search ends before nothing is pending; None if it goes on."""
        if self._has_goal():
            return GoalMet()
        if self.limit is not None:
            return Stopped(self.limit)
        if self.ceiling < NO_CEILING and all(layer >= self.ceiling for layer in self._layers()):
            return NoneShorter()  # the layers below are closed, and no shorter solution is in them
        return None

    def _layers(self) -> Iterator[int]:
        """Yield the layers that have states that are not expanded."""
        return (layer for layer, _ in self.pending)

    # What a search beside it looks at.

    @property
    def layer(self) -> int:
        """The layer that is being closed."""
        return self.place[0]

    @property
    def evaluated(self) -> int:
        """The number of states looked at: those that are expanded."""
        return self._expanded()

    @abstractmethod
    def report(self) -> Report:
        """Return how far the search is."""

    # What differs.

    @abstractmethod
    def _has_goal(self) -> bool:
        """Return whether a won position was met."""

    @abstractmethod
    def _close(self) -> Iterator[Report | Commit]:
        """Close the lowest place; what is left of it when the search ends stays pending."""

    @abstractmethod
    def _take_in(self, record: NewRecord, runs: Runs) -> None:
        """Make the states of a record in the store pending."""

    @abstractmethod
    def _tally_of(self, runs: Runs) -> Tally:
        """Return the tally of a record's states, as the manifest has it."""

    @abstractmethod
    def _held(self) -> Tally:
        """Return the tally, as the books have it, of all that is pending in memory."""

    @abstractmethod
    def _unwritten(self) -> list[NewRecord]:
        """Return records for the pending states that have none."""

    # Limits.

    def _expanded(self) -> int:
        """Return how many states are expanded, with those that are not counted yet."""
        return self.recorder.statistics.closed

    def _at_once(self) -> int:
        """Return how many states to expand before the limits are looked at again; at least one."""
        most = self.recorder.limits.limits.max_states
        if most is None:
            return AT_ONCE
        return max(1, min(AT_ONCE, most - self._expanded()))

    def _reached(self) -> Limit | None:
        """Return the limit that is reached, or None."""
        most = self.recorder.limits.limits.max_states
        if most is not None and self._expanded() >= most:
            return Limit.MAX_STATES
        return self.recorder.limits.reached()

    # The store.

    def _restore(self) -> None:
        """Read what is pending in the store; StoreError if it is not what the last commit left."""
        store = self.recorder.store
        for key in store.keys(b"P"):
            layer, stratum, _ = parse_pending_key(key)
            runs = read_block(store, key)
            record = NewRecord(layer, stratum, b"", tally=self._tally_of(runs), key=key)
            self.stored = self.stored.plus(record.tally)
            self._take_in(record, runs)
        if self.stored != Tally.from_json(store.manifest.waiting):
            raise StoreError("what is pending is not what the manifest says", str(store.path))

    def _drop(self, records: list[NewRecord]) -> None:
        """Remove records with the next commit: what they hold is closed, or written anew."""
        for record in records:
            self.recorder.batch.delete(record.key)
            self.stored = self.stored.minus(record.tally)
        records.clear()

    def _writes_pending(self) -> bool:
        """Return whether commits write pending states, which a search that is continued needs."""
        return self.recorder.resumable

    def _commit(self) -> Commit:
        """Commit closed states, and pending ones if need be; the books must balance."""
        held = self._held()
        self.books.compare(held)
        batch = self.recorder.batch
        if self._writes_pending():
            records = self._unwritten()
            batch.pending, batch.waiting = records, self.stored
            for record in records:
                self.stored = self.stored.plus(record.tally)
            batch.fields["known"] = self.recorder.statistics.closed + held.states
        return self.recorder.commit(*self.place, held.states)
