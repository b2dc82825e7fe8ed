"""Dives for many deals, by one thread, with the digest of what they exhaust."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.kits.records.dive import EXHAUSTED, WON
from dbmsolver.kits.records.dives_of_deals import EXPANDED, OUTCOME, LaidDeal
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.process import anonymous_memory
from dbmsolver.results import Limit, Method, Verdict
from dbmsolver.search.proof.deal_dives import SMALL, Batch, DealDiver, laid_out
from dbmsolver.search.proof.dives import LARGE, SCHEDULE, Order, room_for, stopped_after
from dbmsolver.search.proof.numbered import numbers_laid_out
from dbmsolver.survey.jobs import Finding
from dbmsolver.survey.ranges import Subject

_FIRST_BATCH, _BATCH = 4, 64
"""Deals in one call of the kernel while limits are small: in the first call, and at most."""
_CALL = 0.02
"""Seconds that such a call should take at most: it cannot be interrupted."""


class DivesInTurn:
    """Dives for deals under the same rules as `first`, within `memory` bytes.

    The dives with small limits are made for a batch of deals, in one call of a kernel. A deal that
    they leave open gets the dives with larger limits, in calls of its own.
    """

    def __init__(self, first: Deal, policy: Policy, memory: int) -> None:
        self.policy = policy
        self.room = room_for(memory, 1)
        keys = RecordKeys(first, policy)
        self._diver = DealDiver(keys.tables, self.room, np.zeros(1, np.uint8))
        self._size = _FIRST_BATCH
        # No deal's time is that of loading kernels, or of compiling them.
        self._diver.dive(Batch.of(0, [first]), SCHEDULE[:1])
        self._diver.digest(keys, 1)

    def run(
        self, subjects: Sequence[Subject], most: int | None, seconds: float | None, lengths: bool
    ) -> Iterator[Finding]:
        """Dive for the deals; yield the finding about each, in their order.

        `most` and `seconds` limit the records and the time of each deal. With `lengths` solutions
        are played, and a finding has the number of its moves.
        """
        most = self.room if most is None else min(most, self.room)
        steps = [(order, min(limit, most)) for order, limit in (*SCHEDULE, *LARGE)]
        small = [step for step in steps if step[1] <= SMALL]
        large = [step for step in steps if step[1] > SMALL]
        laid = laid_out_subjects(subjects)
        done = 0
        while done < len(subjects):
            some = slice(done, done + self._size)
            batch = Batch.of(done, LaidDeal(laid.cards[some], laid.lengths[some]))
            begun = time.perf_counter()
            digests = self._dive_small(subjects[some], batch, small)
            # Twice as many the next time, if that is not too long.
            fitting = int(self._size * _CALL / max(time.perf_counter() - begun, 1e-6))
            memory = anonymous_memory()
            for number, subject in enumerate(subjects[some]):
                if batch.is_open(number):
                    yield self._dive_alone(
                        subject, batch.only(number), (small, large), seconds, lengths
                    )
                else:
                    yield self._found(subject, batch, number, digests.get(number), memory, lengths)
            done += batch.deals
            self._size = max(1, min(2 * self._size, fitting, _BATCH))

    def _dive_small(
        self, subjects: Sequence[Subject], batch: Batch, steps: list[tuple[Order, int]]
    ) -> dict[int, str]:
        """Dive for the deals of a batch; return the digests of those that are exhausted.

        Small dives are too short to need a time limit. The time of a call is divided among its
        deals in proportion to the records that they expand.
        """
        digests = {}
        done = 0
        while done < batch.deals:
            begun = time.perf_counter()
            end = self._diver.dive(batch, steps, done, to_exhausted=True)
            expanded = batch.results[done:end, EXPANDED] + 1
            batch.seconds[done:end] = (time.perf_counter() - begun) * expanded / expanded.sum()
            done = end
            if batch.results[end - 1, OUTCOME] == EXHAUSTED:
                digests[end - 1] = self._digest(subjects[end - 1], batch, end - 1)
        return digests

    def _digest(self, subject: Subject, batch: Batch, number: int) -> str:
        """Return the digest of the records of the last dive; the deal's time includes making it."""
        begun = time.perf_counter()
        keys = RecordKeys(subject.deal(), self.policy)
        digest = self._diver.digest(keys, batch.outcome(number).states)
        batch.seconds[number] += time.perf_counter() - begun
        return f"{digest:016x}"

    def _dive_alone(
        self,
        subject: Subject,
        batch: Batch,
        steps: tuple[list[tuple[Order, int]], list[tuple[Order, int]]],
        seconds: float | None,
        lengths: bool,
    ) -> Finding:
        """Go on with the one deal of a batch that small dives leave open."""
        begun = time.perf_counter() - float(batch.seconds[0])
        digest = None
        is_late = False
        small, large = steps
        if batch.results[0, OUTCOME] == WON:  # the path did not fit into the batch's array
            batch = Batch.of(batch.first, batch.laid)
            self._diver.dive(batch, small)
        for step in large:
            if not batch.is_open(0):
                break
            left = None if seconds is None else seconds - (time.perf_counter() - begun)
            if left is not None and left <= 0:
                is_late = True
                break
            with stopped_after(self._diver.stop, left):
                self._diver.dive(batch, [step])
        if batch.results[0, OUTCOME] == EXHAUSTED:
            digest = self._digest(subject, batch, 0)
        batch.seconds[0] = time.perf_counter() - begun
        memory = anonymous_memory()
        return self._found(subject, batch, 0, digest, memory, lengths, is_late)

    def _found(
        self,
        subject: Subject,
        batch: Batch,
        number: int,
        digest: str | None,
        memory: int,
        lengths: bool,
        is_late: bool = False,
    ) -> Finding:
        """Return what the dives of a deal have found; no verdict if they leave it open in time."""
        dived = batch.outcome(number)
        verdict, limit, length, states = None, None, None, 0
        taken = dived.seconds
        if dived.outcome == "exhausted":
            verdict, states = Verdict.UNSOLVABLE, dived.states
        elif dived.outcome == "won":
            verdict, states = Verdict.SOLVED, dived.evaluated
            if lengths:
                begun = time.perf_counter()
                length = len(dived.moves(subject.deal(), self.policy))
                taken += time.perf_counter() - begun
        elif is_late:
            verdict, limit = Verdict.UNDECIDED, Limit.MAX_TIME
        return Finding(
            verdict,
            limit,
            length,
            states=states,
            evaluated=dived.evaluated,
            seconds=taken,
            peak_memory=memory,
            digest=digest,
            method=None if verdict is None else Method.DOMINATING,
        )


def laid_out_subjects(subjects: Sequence[Subject]) -> LaidDeal:
    """Return deals under the same rules as arrays for a kernel.

    InputError for a number that is no deal's.
    """
    numbers = [
        subject.number
        for subject in subjects
        if subject.number is not None and subject.whose == "microsoft"
    ]
    laid = None
    if len(numbers) == len(subjects):
        laid = numbers_laid_out(numbers, subjects[0].rules)
    return laid if laid is not None else laid_out([subject.deal() for subject in subjects])
