"""Dives in Klondike and its relatives, whose moves are tried in an order with some chance in it."""

from __future__ import annotations

from collections.abc import Sequence

from dbmsolver.kits.klondike.dive import GIVEN_UP, PatienceDiving, dive, make_diving
from dbmsolver.kits.klondike.word_keys import PatienceStates
from dbmsolver.search.improve.position_dives import PositionDives
from dbmsolver.search.trace import Step

SCHEDULE = (*(1 << 13,) * 8, *(1 << 16,) * 8, *(1 << 19,) * 4)
"""The number of states that each dive meets at most."""


class PatienceDives(PositionDives[PatienceStates, PatienceDiving]):
    """The dives, each with more states than those before or with another seed.

    They leave moves out, so one that finds nothing says nothing about the next.
    """

    at_once = 1 << 17
    given_up = GIVEN_UP
    ends = 0

    def _schedule(self) -> Sequence[int]:
        return SCHEDULE

    def _begin(self, number: int, most: int) -> PatienceDiving:
        positions = self.keys.keys
        return make_diving(positions.words(positions.root), most, number)

    def _go_on(self, diving: PatienceDiving, limit: int) -> int:
        return int(dive(self.keys.keys.tables, diving, limit))

    def _steps(self, diving: PatienceDiving, length: int) -> list[Step]:
        return self.keys.steps_of_dive(diving.words[1:length], diving.path[:length].tolist())
