"""Dives in the course of a proof, so that a deal that can be won is not searched to its end.

They take turns with closing strata, and take a small share of the time. Every other one begins with
a pending record of the highest stratum, which is nearest to a win; the others with the deal's.
Their limits double from one to the next.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from random import Random

from dbmsolver.keys.choice import CoveringKeys
from dbmsolver.keys.states import State
from dbmsolver.results import Report
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.proof.dives import Dives, orders_of
from dbmsolver.search.proof.record_trace import record_in
from dbmsolver.search.recorder import Recorder
from dbmsolver.steps import changed

SHARE = 0.08
"""The share of the time of a proof that dives may take."""
_LEAST = 1 << 18
"""Records that the first of them may find."""
_RATE = 1_000_000
"""Records that a dive finds in a second, at least."""


@dataclass(frozen=True, slots=True)
class Win:
    """A win that a dive has found: the records from its start on, and the start's own code.

    The code is None where the dive began with the deal's record.
    """

    path: tuple[State, ...]
    code: int | None


class LateDives:
    """Dives from what is pending; `memory` bytes are at their disposal, in all.

    When memory does not allow for larger ones and all orders have had their turn, only pending
    records are left to begin with.
    """

    def __init__(self, keys: CoveringKeys, recorder: Recorder, threads: int, memory: int) -> None:
        self.keys = keys
        self.recorder = recorder
        self.orders = orders_of(keys)
        self.threads = min(threads, len(self.orders))
        self.memory = memory
        self.win: Win | None = None
        self._number = 0
        self._alike = 0  # dives so far whose limit is that of the one before
        self._limit = _LEAST
        self._begun = time.monotonic()
        self._spent = 0.0

    def due(self) -> bool:
        """Return True if the next dives fit into their share of the time and can be new ones."""
        if self._tried_all and not self.recorder.keep_closed:
            return False
        expected = self._limit / _RATE
        return self._spent + expected <= SHARE * (time.monotonic() - self._begun)

    @property
    def _tried_all(self) -> bool:
        """True if more dives from the deal's record would be the same as earlier ones."""
        return self._alike > len(self.orders)

    def run(self, strata: dict[int, list[Candidates]]) -> Generator[Report, None, None]:
        """Dive once with each thread; `win` is set if one of the dives wins.

        `strata` is what is pending. When it is closed before its end, the dives end, too.
        """
        begun = time.monotonic()
        start, code = self.keys.root, None
        if (self._number % 2 or self._tried_all) and self.recorder.keep_closed:
            start, code = self._pending(strata)
        schedule = [
            (self.orders[(self._number + thread) % len(self.orders)], self._limit)
            for thread in range(self.threads)
        ]
        dives = Dives(self.keys, self.threads, self.memory, None, schedule)
        dived = yield from changed(
            dives.run(start),
            lambda _: replace(self.recorder.report(), dive=(1, len(schedule))),
        )
        if dived.outcome == "won":
            self.win = Win(dived.path, code)
        self._number += 1
        limit = min(2 * self._limit, dives.limit)
        self._alike += limit == self._limit
        self._limit = limit
        self._spent += time.monotonic() - begun

    def _pending(self, strata: dict[int, list[Candidates]]) -> tuple[State, int]:
        """Return a pending record of the highest stratum, chosen at random, and its code."""
        random = Random(self._number)
        runs = random.choice(strata[max(strata)]).load(self.recorder.store)
        place = random.randrange(runs.codes.size)
        return record_in(self.keys, runs, place), int(runs.codes[place])
