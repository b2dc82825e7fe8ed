"""Dives in the course of a proof, so that a deal that can be won is not searched to its end.

They take turns with closing strata, and find a small share of the records that are closed. Every
other one begins with a pending record of the highest stratum, which is nearest to a win; the others
with the deal's. Their limits double from one to the next. What they do is told by counts and not by
the clock, so that a proof with a limit of states ends in the same way on any machine.
"""

from __future__ import annotations

from random import Random

from dbmsolver.kits.choice import CoveringKeys
from dbmsolver.kits.states import State
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.outcome import Win
from dbmsolver.search.proof.dives import CLASS_ORDERS, ORDERS, Dives
from dbmsolver.search.proof.record_trace import record_in
from dbmsolver.search.recorder import Recorder

SHARE = 0.08
"""The records that all dives may find, as a share of the records that are closed.

A thread finds records about as fast as it closes them, so this is their share of the time, too.
"""
_LEAST = 1 << 18
"""Records that the first of them may find."""


class LateDives:
    """Dives from what is pending; `memory` bytes are at their disposal, in all.

    When memory does not allow for larger ones and all orders have had their turn, only pending
    records are left to begin with.
    """

    def __init__(self, keys: CoveringKeys, recorder: Recorder, threads: int, memory: int) -> None:
        self.keys = keys
        self.recorder = recorder
        self.orders = CLASS_ORDERS if keys.method.of_classes else ORDERS
        self.threads = min(threads, len(self.orders))
        self.memory = memory
        self.win: Win | None = None
        self._number = 0
        self._alike = 0  # dives so far whose limit is that of the one before
        self._limit = _LEAST
        self._dives: Dives | None = None  # those that are under way
        self._code: int | None = None  # of the record that they began with
        self._closed_before = recorder.statistics.closed
        self._allowed = 0  # records that all dives so far were allowed to find

    @property
    def under_way(self) -> bool:
        """True if dives have begun and not ended."""
        return self._dives is not None

    def due(self) -> bool:
        """Return True if the next dives stay within SHARE, and differ from earlier ones."""
        if self._tried_all and not self.recorder.keep_closed:
            return False
        closed = self.recorder.statistics.closed - self._closed_before
        return self._allowed + self.threads * self._limit <= SHARE * closed

    @property
    def _tried_all(self) -> bool:
        """True if more dives from the deal's record would be the same as earlier ones."""
        return self._alike >= len(self.orders)

    def begin(self, strata: dict[int, list[Candidates]]) -> None:
        """Begin with one dive for each thread. `strata` is what is pending."""
        start, self._code = self.keys.root, None
        if (self._number % 2 or self._tried_all) and self.recorder.keep_closed:
            start, self._code = self._pending(strata)
        schedule = [
            (self.orders[(self._number + thread) % len(self.orders)], self._limit)
            for thread in range(self.threads)
        ]
        self._dives = Dives(self.keys, self.threads, self.memory, None, schedule, start)

    def step(self) -> bool:
        """Go on with the dives; return True once they have ended. `win` is set if one wins."""
        assert self._dives is not None
        dived = self._dives.step()
        if dived is None:
            return False
        if dived.outcome == "won":
            self.win = Win(dived.path, self._code)
        self._number += 1
        self._allowed += self.threads * self._limit
        limit = min(2 * self._limit, self._dives.limit)
        self._alike += limit == self._limit
        self._limit = limit
        self._dives = None
        return True

    def close(self) -> None:
        """End the dives that are under way."""
        if self._dives is not None:
            self._dives.close()
            self._dives = None

    def _pending(self, strata: dict[int, list[Candidates]]) -> tuple[State, int]:
        """Return a pending record of the highest stratum, chosen at random, and its code."""
        random = Random(self._number)
        runs = random.choice(strata[max(strata)]).load(self.recorder.store)
        place = random.randrange(runs.codes.size)
        return record_in(self.keys, runs, place), int(runs.codes[place])
