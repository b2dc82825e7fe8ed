"""Dives for one deal after the other, by one thread, with the digest of what they exhaust."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.digest import digest_runs
from dbmsolver.core.dive import BROKEN, EXHAUSTED, WON, make_diving
from dbmsolver.core.dives_of_deals import (
    EXPANDED,
    FOUND,
    OUTCOME,
    STEPS,
    Laid,
    dive_deals,
    own_tables,
)
from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Policy
from dbmsolver.process import anonymous_memory
from dbmsolver.record_state import RecordKeys
from dbmsolver.results import Limit, Method, Verdict
from dbmsolver.search.proof.dives import LARGE, SCHEDULE, room_for
from dbmsolver.search.proof.many_deals import laid_out
from dbmsolver.search.proof.record_trace import moves_along
from dbmsolver.search.rows import packed
from dbmsolver.state import State
from dbmsolver.survey.jobs import Found

_SMALL = 1 << 12
"""Dives for up to so many records are over before anybody would want to stop them."""
_MOST_STEPS = 512
"""Records on the way to a win that there is room for."""
_MASK = (1 << 64) - 1


class DivesInTurn:
    """Dives for deals under the same rules as `first`, within `memory` bytes."""

    def __init__(self, first: Deal, policy: Policy, memory: int) -> None:
        self.policy = policy
        self.room = room_for(memory, 1)
        self._tables = own_tables(RecordKeys(first, policy).tables)
        self._root = np.zeros(4, np.uint64)
        self._diving = make_diving(_SMALL)
        self._load_kernels(first)

    def run(
        self, deals: Sequence[Deal], most: int | None, seconds: float | None, lengths: bool
    ) -> Iterator[Found]:
        """Dive for the deals in turn: for at most so many records and seconds each.

        With `lengths` solutions are played, and the lengths tell how many moves they have.
        """
        laid = laid_out(deals)
        results = np.zeros((len(deals), 4), np.int64)
        ways = np.zeros((1, _MOST_STEPS, 3), np.uint64)
        for place, deal in enumerate(deals):
            begun = time.perf_counter()
            one = Laid(laid.cards[place : place + 1], laid.lengths[place : place + 1])
            row = results[place : place + 1]
            is_late = self._dive(one, row, ways, most, seconds)
            found = self._found(deal, row[0].tolist(), ways[0], lengths)
            if found.verdict is None and is_late:
                found = Found(
                    Verdict.UNDECIDED,
                    Limit.MAX_TIME,
                    evaluated=found.evaluated,
                    peak_memory=found.peak_memory,
                    method=Method.DOMINATING,
                )
            yield replace(found, seconds=time.perf_counter() - begun)

    def _load_kernels(self, first: Deal) -> None:
        """Let no deal's time be that of loading kernels, or of compiling them."""
        ways, row = np.zeros((1, _MOST_STEPS, 3), np.uint64), np.zeros((1, 4), np.int64)
        self._dive(laid_out([first]), row, ways, 1, None)
        digest_of(RecordKeys(first, self.policy), self._diving.rows[:1])

    def _dive(
        self,
        laid: Laid,
        row: NDArray[np.int64],
        ways: NDArray[np.uint64],
        most: int | None,
        seconds: float | None,
    ) -> bool:
        """Dive until a dive decides the deal; whether the time is over before that."""
        most = self.room if most is None else min(most, self.room)
        steps = [(min(limit, most), *order) for order, limit in (*SCHEDULE, *LARGE)]
        small = [step for step in steps if step[0] <= _SMALL]
        begun = time.perf_counter()
        for some in (small, *([step] for step in steps if step[0] > _SMALL)):
            if not some:
                continue
            left = None if seconds is None else seconds - (time.perf_counter() - begun)
            if left is not None and left <= 0:
                return True
            room = 1 << (some[-1][0] - 1).bit_length()
            if self._diving.parents.size < room:
                self._diving = make_diving(room)
            row[0, OUTCOME] = -1
            with self._stopped_after(left if room > _SMALL else None):
                dive_deals(
                    self._tables, self._diving, self._root, laid, np.zeros(1, np.int64),
                    np.array(some, np.int64), row, ways,
                )  # fmt: skip
            if row[0, OUTCOME] in (WON, EXHAUSTED, BROKEN):
                return False
        return False

    @contextmanager
    def _stopped_after(self, seconds: float | None) -> Iterator[None]:
        """Let the dive be stopped after that time."""
        if seconds is None:
            yield
            return
        stop = self._diving.stop
        timer = threading.Timer(seconds, lambda: stop.fill(1))
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            stop.fill(0)

    def _found(self, deal: Deal, row: list[int], way: NDArray[np.uint64], lengths: bool) -> Found:
        """What the dives of a deal have found."""
        outcome, states, evaluated = row[OUTCOME], row[FOUND], row[EXPANDED]
        if outcome == BROKEN:
            raise InternalError("a record cannot be, or has more successors than there is room for")
        memory, method = anonymous_memory(), Method.DOMINATING
        if outcome == EXHAUSTED:
            digest = f"{digest_of(RecordKeys(deal, self.policy), self._diving.rows[:states]):016x}"
            return Found(
                Verdict.UNSOLVABLE,
                states=states,
                evaluated=evaluated,
                peak_memory=memory,
                digest=digest,
                method=method,
            )
        if outcome != WON:
            return Found(None, evaluated=evaluated, peak_memory=memory)
        length = None
        if lengths and row[STEPS] <= _MOST_STEPS:
            path = tuple(
                State(signature, off, low, 0) for signature, off, low in way[: row[STEPS]].tolist()
            )
            length = len(moves_along(RecordKeys(deal, self.policy), path))
        return Found(
            Verdict.SOLVED,
            length=length,
            states=evaluated,
            evaluated=evaluated,
            peak_memory=memory,
            method=method,
        )


def digest_of(keys: RecordKeys, rows: NDArray[np.uint64]) -> int:
    """The digest of records (uint64[*, 3]: signature and planes), as a search has it."""
    wide = np.zeros((rows.shape[0], 5), np.uint64)
    wide[:, :3] = rows
    digest = 0
    for _, runs in packed(keys, wide):
        digest += int(
            digest_runs(keys.tables, runs.signatures, runs.counts, runs.keys, runs.key_words)
        )
    return digest & _MASK
