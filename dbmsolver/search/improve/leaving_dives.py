"""Dives in games whose cards only leave, of one pile or of pairs.

Each of them tries the places that cards leave in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from dbmsolver.kits.leaving import LeavingKeys
from dbmsolver.kits.leaving_dive import EXHAUSTED, GIVEN_UP, LeavingDiving, dive, make_diving
from dbmsolver.search.improve.position_dives import PositionDives
from dbmsolver.search.trace import Step

SCHEDULE = (*(1 << 15,) * 8, *(1 << 17,) * 4, *(1 << 20,) * 2, 1 << 24)
"""The states that each dive meets at most."""


class LeavingDives(PositionDives[LeavingKeys, LeavingDiving]):
    """The dives. One that exhausts the deal has met all states, and is the last."""

    at_once = 1 << 18
    given_up = GIVEN_UP
    ends = EXHAUSTED

    @property
    def shortest(self) -> bool:
        """True if the solution is a shortest one: none can be shorter."""
        return self.best is not None and len(self.found) == self.keys.least

    def _schedule(self) -> Sequence[int]:
        return SCHEDULE

    def _begin(self, number: int, most: int) -> LeavingDiving:
        random, order = Random(1), list(range(self.keys.places))
        for _ in range(number):
            random.shuffle(order)
        root = self.keys.encode(self.keys.deal.position)
        return make_diving(root, most, self.keys.most_moves, order)

    def _go_on(self, diving: LeavingDiving, limit: int) -> int:
        return int(dive(self.keys.tables, diving, limit))

    def _steps(self, diving: LeavingDiving, length: int) -> list[Step]:
        return self.keys.steps_of_dive(diving.path[:length].tolist())
