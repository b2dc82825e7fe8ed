"""Dives for one deal after the other, by one thread, with the digest of what they exhaust."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.keys.records import RecordKeys
from dbmsolver.process import anonymous_memory
from dbmsolver.results import Limit, Method, Verdict
from dbmsolver.search.proof.deal_dives import SMALL, Batch, DealDiver
from dbmsolver.search.proof.dives import LARGE, SCHEDULE, room_for
from dbmsolver.survey.jobs import Found


class DivesInTurn:
    """Dives for deals under the same rules as `first`, within `memory` bytes."""

    def __init__(self, first: Deal, policy: Policy, memory: int) -> None:
        self.policy = policy
        self.room = room_for(memory, 1)
        keys = RecordKeys(first, policy)
        self._diver = DealDiver(keys.tables, self.room, np.zeros(1, np.uint8))
        # No deal's time is that of loading kernels, or of compiling them.
        self._dive(Batch.of(0, [first]), 1, None)
        self._diver.digest(keys, 1)

    def run(
        self, deals: Sequence[Deal], most: int | None, seconds: float | None, lengths: bool
    ) -> Iterator[Found]:
        """Dive for the deals in turn: for at most so many records and seconds each.

        With `lengths` solutions are played, and the lengths tell how many moves they have.
        """
        for place, deal in enumerate(deals):
            begun = time.perf_counter()
            batch = Batch.of(place, [deal])
            is_late = self._dive(batch, most, seconds)
            found = self._found(deal, batch, lengths)
            if found.verdict is None and is_late:
                found = replace(
                    found,
                    verdict=Verdict.UNDECIDED,
                    limit=Limit.MAX_TIME,
                    method=Method.DOMINATING,
                )
            yield replace(found, seconds=time.perf_counter() - begun)

    def _dive(self, batch: Batch, most: int | None, seconds: float | None) -> bool:
        """Dive until a dive decides the deal; whether the time is over before that."""
        most = self.room if most is None else min(most, self.room)
        steps = [(order, min(limit, most)) for order, limit in (*SCHEDULE, *LARGE)]
        small = [step for step in steps if step[1] <= SMALL]
        begun = time.perf_counter()
        for some in (small, *([step] for step in steps if step[1] > SMALL)):
            if not some:
                continue
            left = None if seconds is None else seconds - (time.perf_counter() - begun)
            if left is not None and left <= 0:
                return True
            # Small ones are over before anybody would want to stop them.
            with self._diver.stopped_after(left if some is not small else None):
                self._diver.dive(batch, some)
            if not batch.is_open(0):
                return False
        return False

    def _found(self, deal: Deal, batch: Batch, lengths: bool) -> Found:
        """What the dives of a deal have found."""
        dived = batch.outcome(0)
        memory, method = anonymous_memory(), Method.DOMINATING
        if dived.outcome == "open":
            return Found(None, evaluated=dived.evaluated, peak_memory=memory)
        if dived.outcome == "exhausted":
            digest = self._diver.digest(RecordKeys(deal, self.policy), dived.states)
            return Found(
                Verdict.UNSOLVABLE,
                states=dived.states,
                evaluated=dived.evaluated,
                peak_memory=memory,
                digest=f"{digest:016x}",
                method=method,
            )
        return Found(
            Verdict.SOLVED,
            length=len(dived.moves(deal, self.policy)) if lengths else None,
            states=dived.evaluated,
            evaluated=dived.evaluated,
            peak_memory=memory,
            method=method,
        )
