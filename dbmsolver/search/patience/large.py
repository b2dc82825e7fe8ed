"""Klondike and its relatives, where the states do not fit into the memory: they wait in the store.

Places are the strata of each layer f. A place is closed in pieces
(:mod:`dbmsolver.search.patience.pieces`): the closed states of one and its candidates are read from
the store, and what follows is closed within it. What leads to another piece or place is gathered in
memory, and written as candidates when that is full. Pieces are closed until none has candidates.
One that outgrows the memory is divided into smaller ones; so is one that would.

It goes on from what :class:`~dbmsolver.search.patience.search.PatienceSearch` has committed, or an
earlier run: no store tells how the states were divided.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dbmsolver.core.patience_closing import SET_FULL, WON, make_set
from dbmsolver.core.patience_tables import MOST_MOVES, Ints, Words
from dbmsolver.results import Commit, Report
from dbmsolver.search.in_memory import Place
from dbmsolver.search.patience import sets
from dbmsolver.search.patience.dividing import Dividing
from dbmsolver.search.patience.pieces import rows_of
from dbmsolver.search.patience.sets import Waiting, weigh_states, won_among
from dbmsolver.search.patience.stored import ClosedBlock, Leaf, Shelf
from dbmsolver.search.tallies import Tally
from dbmsolver.storage.patience_blocks import Codes, strata_of

_MOST_GROWTH = 8.0


class LargePatienceSearch(Dividing):
    """A search in progress; :meth:`run` carries it to its end."""

    # One place.

    def _close(self) -> Iterator[Report | Commit]:
        """Close a place, piece by piece; what is left of it stays pending."""
        yield from self._open()
        while (found := self._next_leaf()) is not None:
            leaf, waiting = found
            if self._is_too_large(leaf, waiting):
                yield from self._divide(leaf)
            else:
                yield from self._close_leaf(leaf, waiting)
            self.limit = self.limit or self._reached()
            yield self.report()
            if self._ended() is not None:
                return
        self._finish()
        if self.recorder.due():
            yield self._commit()

    def _open(self) -> Iterator[Commit]:
        """Bring the candidates of the place to the pieces of its stratum."""
        shelf = self.pending[self.place]
        source = Leaf(records=shelf.records)
        shelf.records = []
        leaves = self.strata.pop(self.place[1], None) or [Leaf()]
        self.leaves = [*leaves, source]
        yield from self._distribute(source, leaves)

    def _finish(self) -> None:
        """Put away a place in which nothing is pending any more."""
        self.strata[self.place[1]] = self.leaves
        self.leaves = []
        del self.pending[self.place]

    def _next_leaf(self) -> tuple[Leaf, int] | None:
        """Return the piece with the most candidates, and their number; None if there are none."""
        sizes = [leaf.waiting for leaf in self.leaves]
        fresh = self.pending[self.place].fresh
        for words, _ in fresh.parts():
            rows = rows_of(self.keys, words)
            for number, leaf in enumerate(self.leaves):
                sizes[number] += int(leaf.cover.holds(rows).sum())
        most = max(sizes)
        return (self.leaves[sizes.index(most)], most) if most else None

    def _is_too_large(self, leaf: Leaf, waiting: int) -> bool:
        """Return whether a piece does not fit into the memory, or is likely to outgrow it.

        What is likely is told by the growth of the pieces that were closed last.
        """
        closed, most = leaf.closed, self.shares.states
        if closed + waiting > most:
            return closed + leaf.waiting > 1
        return leaf.waiting > most // 16 and closed + waiting * self.growth > most

    # One piece.

    def _close_leaf(self, leaf: Leaf, waiting: int) -> Iterator[Report | Commit]:
        """Close a piece with ``waiting`` candidates; what is left of it stays pending."""
        known, unexpanded = self._load(leaf, waiting)
        while self.goal is None:
            safe = int(self.current.states.counts[1])
            reason = self._expand()
            if reason == WON:
                break
            yield from self._hand_out(leaf, safe)
            if reason == SET_FULL and not self._enlarge():
                self._put_back(leaf)
                yield from self._divide(leaf)
                return
            if self.current.left == 0:
                break
            if int(self.current.states.counts[1]) - self.recorded >= sets.BLOCK:
                self._note(leaf)
            self.limit = self._reached()
            if self._ended() is not None:
                break
            yield self.report()
            if self.recorder.due() or self._unwritten_bytes() > self.shares.blocks:
                self._note(leaf)
                yield self._commit()
        self._note(leaf)
        if self.current.left == 0 and self.goal is None:
            self._drop(self.current.records)
            if unexpanded:
                self.growth = min(_MOST_GROWTH, (self.current.size - known) / unexpanded)
            self._clear()

    def _load(self, leaf: Leaf, waiting: int) -> tuple[int, int]:
        """Read a piece; return how many of its states are closed, and how many are not."""
        store, size = self.recorder.store, leaf.closed + waiting
        room = max(size, min(2 * size, self.shares.states))
        self.current = current = Waiting(make_set(room + MOST_MOVES))
        self.piece = leaf.cover.piece()
        for block in leaf.blocks:
            current.add(*block.read(store, self.keys))
        known = self.recorded = current.size
        current.states.counts[1] = known
        for one in leaf.records:
            words, codes = one.read(store)
            self._take_up(one.tally, words, codes)
            current.records.append(one.record)
        current.stored = current.size
        leaf.records = []
        shelf = self.pending[self.place]
        rest = Waiting(make_set(1))
        for words, codes in shelf.fresh.parts():
            mine = leaf.cover.holds(rows_of(self.keys, words))
            self._take_up(weigh_states(words[mine]), words[mine], codes[mine])
            rest.make_room(int((~mine).sum()))
            rest.add(words[~mine], codes[~mine])
        shelf.fresh = rest
        return known, current.left

    def _take_up(self, tally: Tally, words: Words, codes: Codes) -> None:
        """Add candidates of this tally to the set that is being closed; one may be the goal."""
        self.goal = self.goal or won_among(self.keys, words, codes)
        self.books.take(tally.minus(self.current.add(words, codes)))

    def _enlarge(self) -> bool:
        """Enlarge the set that is being closed, if it may be."""
        room = min(2 * self.current.room, self.shares.states + MOST_MOVES)
        if room <= self.current.room:
            return False
        self.current.enlarge(room)
        return True

    def _note(self, leaf: Leaf, done: int | None = None) -> None:
        """Count expanded states of a piece, or the first ``done``, and put them into the batch."""
        for ref, words in self._record(done):
            leaf.blocks.append(ClosedBlock.of(self.keys, ref, words))

    def _put_back(self, leaf: Leaf) -> None:
        """Give up the set that is being closed: states that are not expanded are pending again."""
        self._note(leaf)
        first = self.recorded
        leaf.records += self._shelve(self.current.words(first), self.current.codes(first))
        self._drop(self.current.records)
        self._clear()

    # Candidates.

    def _hand_out(self, leaf: Leaf, safe: int) -> Iterator[Commit]:
        """Gather what follows; a commit makes room first where that is needed.

        The states that it follows from, all but the first ``safe`` of those that are expanded, are
        not counted as closed then, so nothing is lost.
        """
        out, count = self._out, int(self._out.count[0])
        words = out.words[:count]
        places: list[tuple[Place, Ints]] = []
        strata, layers = strata_of(self.keys, words), out.places[:count]
        for place in sorted(set(zip(layers.tolist(), strata.tolist(), strict=True))):
            places.append((place, np.flatnonzero((layers == place[0]) & (strata == place[1]))))
        more = sum(self._growth(place, own.size) for place, own in places)
        if self._fresh_bytes() + more > self.shares.fresh:
            self._note(leaf, safe)
            yield self._commit()
        self.books.make(weigh_states(words))
        for place, own in places:
            if place[0] >= self.ceiling:  # no part of a shorter solution
                self.books.take(weigh_states(words[own]))
                continue
            fresh = self.pending.setdefault(place, Shelf()).fresh
            fresh.make_room(own.size)
            some = words[own]
            self.books.take(weigh_states(some).minus(fresh.add(some, out.codes[own])))
        out.count[0] = 0

    def _growth(self, place: Place, more: int) -> int:
        """Return how many bytes more a set of candidates takes if ``more`` states are added."""
        fresh = self.pending[place].fresh if place in self.pending else Waiting(make_set(1))
        if fresh.size + more <= fresh.room:
            return 0
        return 2 * sets.STATE_BYTES * max(fresh.room, fresh.size + more)
