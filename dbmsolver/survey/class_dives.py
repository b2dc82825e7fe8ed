"""Dives for many deals of Klondike over classes of positions, by one thread."""

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
    CLASS_SCHEDULE,
    Dived,
    Diver,
    blocks_of,
    digest_of,
    room_for,
    stopped_after,
)
from dbmsolver.survey.jobs import Finding
from dbmsolver.survey.ranges import Subject


class ClassDivesInTurn:
    """Dives for deals of Klondike, one after the other, within `memory` bytes."""

    def __init__(self, first: Deal, policy: Policy, memory: int) -> None:
        self.policy = policy
        self._diver = Diver(room_for(memory, 1))
        # No deal's time is that of loading kernels, or of compiling them.
        if is_in_a_class(first.position, first.rules):
            keys = ClassKeys(first, policy)
            self._diver.dive(keys, keys.root, *CLASS_SCHEDULE[0])

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
            dived, expanded, is_late = self._dive(keys, most, seconds)
            found = self._found(keys, dived, is_late, lengths)
            yield replace(
                found,
                evaluated=expanded,
                seconds=time.perf_counter() - begun,
                peak_memory=anonymous_memory(),
            )

    def _dive(
        self, keys: ClassKeys, most: int | None, seconds: float | None
    ) -> tuple[Dived, int, bool]:
        """Dive until a deal is decided.

        Returns the last dive, the number of classes that all dives have expanded, and True if the
        time ran out.
        """
        begun, expanded = time.perf_counter(), 0
        dived = Dived("open", 0)
        for order, limit in CLASS_SCHEDULE:
            left = None if seconds is None else seconds - (time.perf_counter() - begun)
            if left is not None and left <= 0:
                return dived, expanded, True
            with stopped_after(self._diver.diving.stop, left):
                dived = self._diver.dive(
                    keys, keys.root, order, limit if most is None else min(limit, most)
                )
            expanded += dived.expanded
            if dived.outcome != "open":
                break
        return dived, expanded, False

    def _found(self, keys: ClassKeys, dived: Dived, is_late: bool, lengths: bool) -> Finding:
        """Return what the dives of a deal have found; no verdict if they leave it open in time."""
        if dived.outcome == "exhausted":
            return Finding(
                Verdict.UNSOLVABLE,
                states=dived.parents.size,
                digest=f"{digest_of(keys, blocks_of(keys, dived)):016x}",
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
