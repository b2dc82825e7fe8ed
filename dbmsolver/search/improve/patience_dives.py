"""Dives in Klondike and its relatives, whose moves are tried in an order with some chance in it."""

from __future__ import annotations

from collections.abc import Sequence

from dbmsolver.kits.klondike.dive import GIVEN_UP, PatienceDiving, dive, make_diving
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.search.improve.patience_steps import steps_of_plays
from dbmsolver.search.improve.position_dives import PositionDives
from dbmsolver.search.trace import Step

SCHEDULE = (*(1 << 13,) * 8, *(1 << 16,) * 8, *(1 << 19,) * 4)
"""The number of states that each dive meets at most."""


class PatienceDives(PositionDives[PatienceKeys, PatienceDiving]):
    """The dives, each with more states than those before or with another seed.

    They leave moves out, so one that finds nothing says nothing about the next.
    """

    at_once = 1 << 17
    given_up = GIVEN_UP
    ends = 0

    def _schedule(self) -> Sequence[int]:
        return SCHEDULE

    def _begin(self, number: int, most: int) -> PatienceDiving:
        return make_diving(self.keys.words(self.keys.root), most, number)

    def _go_on(self, diving: PatienceDiving, limit: int) -> int:
        return int(dive(self.keys.tables, diving, limit))

    def _steps(self, diving: PatienceDiving, length: int) -> list[Step]:
        words = diving.words[1:length]
        keys = [*map(self.keys.key_of, words), self.keys.goal]
        return steps_of_plays(self.keys, zip(keys, diving.path[:length].tolist(), strict=True))
