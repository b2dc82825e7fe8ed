"""Dives for many deals of Klondike over classes of positions, by one thread.

Each dive for a deal goes on from what those before it have found, in another order. So the work of
those that win nothing is not lost: it is part of a proof.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dbmsolver.game.classes import is_in_a_class
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.process import anonymous_memory
from dbmsolver.results import Limit, Method, Verdict
from dbmsolver.search.proof.dives import (
    CLASS_ORDERS,
    CLASS_SCHEDULE,
    Dived,
    Diver,
    Schedule,
    digest_of,
    room_for,
    stopped_after,
)
from dbmsolver.survey.jobs import Finding
from dbmsolver.survey.ranges import Subject

SCHEDULE: Schedule = (
    *CLASS_SCHEDULE,
    *((order, 1 << 21) for order in CLASS_ORDERS),
    *((order, 1 << 24) for order in CLASS_ORDERS),
)
"""The dives for a deal, each with the most classes that it adds to those found before it.

Together they find 116 million classes of a deal at most, or as many as memory has room for. No
smaller limit is of use: the search on disk that follows would begin again from the deal, and it
closes no more classes in a second.
"""


class ClassDivesInTurn:
    """Dives for deals of Klondike, one after the other, within `memory` bytes."""

    def __init__(self, first: Deal, policy: Policy, memory: int) -> None:
        self.policy = policy
        self._diver = Diver(room_for(memory, 1))
        # No deal's time is that of loading kernels, or of compiling them.
        if is_in_a_class(first.position, first.rules):
            keys = ClassKeys(first, policy)
            self._diver.dive(keys, keys.root, *SCHEDULE[0])

    def run(
        self, subjects: Sequence[Subject], most: int | None, seconds: float | None, lengths: bool
    ) -> Iterator[Finding]:
        """Dive for the deals; yield the finding about each, in their order.

        `most` and `seconds` limit the classes and the time of each deal. With `lengths` solutions
        are played, and a finding has the number of its moves.
        """
        for subject in subjects:
            begun = time.perf_counter()
            deal = subject.deal()
            if not is_in_a_class(deal.position, deal.rules):
                yield Finding(None)
                continue
            keys = ClassKeys(deal, self.policy)
            dived, is_late = self._dive(keys, most, seconds)
            found = self._found(keys, dived, is_late, lengths)
            yield replace(
                found,
                evaluated=dived.expanded,
                seconds=time.perf_counter() - begun,
                peak_memory=anonymous_memory(),
            )

    def _dive(self, keys: ClassKeys, most: int | None, seconds: float | None) -> tuple[Dived, bool]:
        """Dive until a deal is decided; return what came of it, and True if the time ran out."""
        begun, expanded, limit = time.perf_counter(), 0, 0
        dived, left = Dived("open", 0), seconds
        room = self._diver.most if most is None else min(self._diver.most, most)
        for order, more in SCHEDULE:
            begins, limit = limit == 0, min(limit + more, room)
            with stopped_after(self._diver.diving.stop, left):
                if begins:
                    dived = self._diver.dive(keys, keys.root, order, limit)
                else:
                    dived = self._diver.go_on(keys, order, limit)
            expanded += dived.expanded
            if seconds is not None:
                left = seconds - (time.perf_counter() - begun)
            is_late = left is not None and left <= 0
            if dived.outcome != "open" or limit == room or is_late:
                break
        return dived._replace(expanded=expanded), is_late

    def _found(self, keys: ClassKeys, dived: Dived, is_late: bool, lengths: bool) -> Finding:
        """Return what the dives of a deal have found; no verdict if they leave it open in time."""
        if dived.outcome == "exhausted":
            return Finding(
                Verdict.UNSOLVABLE,
                states=dived.parents.size,
                digest=f"{digest_of(keys, dived.rows):016x}",
                method=Method.CLASSES,
            )
        if dived.outcome == "won":
            moves = keys.moves_along(dived.path)[0] if lengths else None
            length = None if moves is None else keys.measure.length(moves)
            return Finding(
                Verdict.SOLVED, length=length, states=dived.expanded, method=Method.CLASSES
            )
        if is_late:
            return Finding(Verdict.UNDECIDED, Limit.MAX_TIME, method=Method.CLASSES)
        return Finding(None)


__all__ = ["ClassDivesInTurn"]
