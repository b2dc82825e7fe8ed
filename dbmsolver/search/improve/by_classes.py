"""A search for a shortest solution of a hard deal of Klondike, which gets a better lower bound.

The search lists all classes of positions of the deal, and works out the distance of each from a win
(:mod:`dbmsolver.search.astar.class_listing`). Then it begins once more, with these distances in its
lower bound. That bound is higher, so that fewer positions are looked at, and positions that cannot
be won are left out. Deals with few ways to win gain most: they have some million classes, and a
search without these would look at hundreds of millions of positions. If the classes need too much
memory, the search goes on without them.

Beams tell which deals are hard: in nearly all other deals one of them finds a solution. If the
first beams have all failed, the classes are listed at once. If one has not, the search looks at
many positions first, and takes turns with the listing then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dbmsolver.errors import StoreError
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Commit, Limit, Report
from dbmsolver.search.astar.class_listing import ClassListing
from dbmsolver.search.commits import CommitBatch
from dbmsolver.search.improve.best import Best
from dbmsolver.search.improve.shortest import ShortestBelow
from dbmsolver.search.outcome import LeftOpen, Outcome, Search, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step

AFTER = 1 << 24
"""The number of states that are looked at before the first class is listed, if a beam has found a
solution. Most searches end before that."""
_CLASSES = 2
"""The classes that are listed for each state that the search has looked at."""
_BEAMS = 2
"""The beams that have to fail, while none wins, for classes to be listed at once."""
_SHARE = 3, 4
"""The part of the memory that the listing may take, as a fraction, while the search keeps its
states; it keeps fewer of them in memory then."""

MakeSearch = Callable[[StateCodec, int], ShortestBelow]
"""Makes the search over some states, in a number of bytes."""


class ByClasses(Search):
    """A search for a shortest solution, and the listing of classes in turn with it.

    ``make`` makes the search. Search and listing take ``memory`` bytes together. ``begin`` makes
    the deal pending once more, before the search with distances. ``has_begun`` is true if an
    earlier run has done that. All classes are listed first if it is, or if that is ``wanted``.

    ``lost`` is None, or the number of classes if they show that the deal cannot be won. With
    ``ends_if_lost`` the search ends then, without an outcome; else it goes on without distances.
    """

    def __init__(
        self,
        states: PatienceKeys,
        recorder: Recorder,
        memory: int,
        make: MakeSearch,
        begin: Callable[[], None],
        has_begun: bool,
        wanted: bool,
        ends_if_lost: bool,
    ) -> None:
        self.recorder = recorder
        self.lost: int | None = None
        self._memory = memory
        self._make = make
        self._begin = begin
        self._has_begun = has_begun
        self._ends_if_lost = ends_if_lost
        self._states = states
        self._search: ShortestBelow | None = None
        if not has_begun and not wanted:
            self._search = make(self._states, memory)
            memory = memory * _SHARE[0] // _SHARE[1]
        self._listing: ClassListing | None = ClassListing(states, recorder.threads, memory)
        self._is_listing = False

    @property
    def shortest(self) -> bool:
        """True: what is found is shorter than any other solution."""
        return True

    def step(self) -> Outcome | None:
        """Go on with the search, or list some classes."""
        self._is_listing = self._is_due()
        if self._is_listing and self._listing is not None:
            is_over = self._listing.step()
            if self._search is not None:
                self._search.search.lend_memory(self._listing.nbytes)
            return self._after_listing(self._listing) if is_over else None
        assert self._search is not None
        return self._search.step()

    def _is_due(self) -> bool:
        """Return True if it is time to list classes."""
        if self._listing is None or self._search is None:
            return self._listing is not None
        best, looked_at = self._search.best, self._search.search.evaluated
        most = self.recorder.limits.limits.max_states
        if most is not None and most < AFTER:
            return False  # there are likely to be more classes than the limit
        if best.beams_failed >= _BEAMS and not best.beams_won:
            return True
        return looked_at >= AFTER and self._listing.classes <= _CLASSES * looked_at

    def _after_listing(self, listing: ClassListing) -> Outcome | None:
        """Begin the search with the distances of all classes, if there are any."""
        self._listing = None
        distances = listing.distances
        if distances is None:
            return Stopped(Limit.MEMORY) if self._search is None else None
        if listing.is_lost and self._has_begun:
            where = str(self.recorder.store.path)
            raise StoreError("the manifest is wrong: no class of the deal can be won", where)
        if listing.is_lost and not self._ends_if_lost:
            self._search = self._search or self._make(self._states, self._memory)
            return None
        if self._search is not None:
            self._search.close()
            self._forget(self._search.best)
        if listing.is_lost:
            self.lost, self._search = listing.classes, None
            return LeftOpen()
        if not self._has_begun:
            self._begin()
        taken = distances.keys.nbytes + distances.values.nbytes
        states = self._states.with_distances(distances)
        self._search = self._make(states, self._memory - taken)
        return None

    def _forget(self, best: Best[Any]) -> None:
        """Forget the counts of the search so far, and what was to be written, but for `best`."""
        self.recorder.statistics.recall(self.recorder.store.manifest.without_counts())
        self.recorder.unwritten = 0
        self.recorder.batch = CommitBatch(fields=best.fields())

    def report(self) -> Report:
        """Return a snapshot of the search, or of the listing while that is made."""
        if self._is_listing and self._listing is not None:
            listing = self._listing
            share, states = listing.share, listing.classes
            return self.recorder.report(phase="classes", states=states, share=share)
        return self.recorder.report() if self._search is None else self._search.report()

    def commit(self) -> Commit | None:
        """Commit what is closed and, if the search can be resumed, what is pending."""
        return None if self._search is None else self._search.commit()

    def end(self, outcome: Outcome) -> Outcome:
        """Commit all that is finished."""
        return outcome if self._search is None else self._search.end(outcome)

    def close(self) -> None:
        """End all threads."""
        if self._listing is not None:
            self._listing.close()
        if self._search is not None:
            self._search.close()

    def path(self) -> list[Step] | None:
        """Return the steps from the deal to the goal."""
        assert self._search is not None
        return self._search.path()
