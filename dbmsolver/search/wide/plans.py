"""The schedules of beams: how wide they are, and what they take for promising."""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.kits.wide.beam import WideBeamShape
from dbmsolver.kits.wide.tables import WideTables

Weights = tuple[int, int, int, int, int, int, int, int, int]
"""Weights, as of :func:`dbmsolver.kits.wide.values.costs_of`."""


class BeamPlan(NamedTuple):
    """One beam. ``parts`` is the least number of groups of a level, if there are enough."""

    width: int
    weights: Weights
    parts: int = 1
    patience: int = 12
    last: int = 60
    longest: int = 200

    @property
    def shape(self) -> WideBeamShape:
        """The numbers that the kernel needs."""
        crowd = max(1, self.width // self.parts)
        return WideBeamShape(crowd, self.patience, self.last, self.longest)


_SUITED = (10, 5, 10, 5, 0, 0, 10, 0, 0)
_ORDERLY = (10, 5, 10, 5, 0, 0, 15, 2, 0)
_CAREFUL = (10, 5, 15, 5, 2, 1, 15, 0, 0)
SUITS: tuple[BeamPlan, ...] = (
    BeamPlan(200, _SUITED),
    BeamPlan(1000, _SUITED),
    BeamPlan(2000, _ORDERLY),
    BeamPlan(4000, _SUITED),
    BeamPlan(4000, _CAREFUL),
    BeamPlan(4000, _ORDERLY),
    BeamPlan(16000, _SUITED),
    BeamPlan(16000, _CAREFUL),
    BeamPlan(16000, _ORDERLY),
    BeamPlan(50000, _SUITED),
    BeamPlan(50000, _ORDERLY),
)
"""Beams of games whose whole suits go home."""
_FREE = (0, 10, 20, 10, 10, 0, 10, 0, 0)
_LOW = (0, 5, 10, 10, 3, 0, 10, 0, 0)
_HOME = (0, 5, 20, 20, 2, 0, 10, 0, 0)
ROWS: tuple[BeamPlan, ...] = (
    BeamPlan(200, _FREE),
    BeamPlan(1000, _FREE),
    BeamPlan(1000, _LOW),
    BeamPlan(4000, _FREE),
    BeamPlan(4000, _HOME),
    BeamPlan(4000, _LOW),
    BeamPlan(16000, _FREE),
    BeamPlan(16000, _HOME),
    BeamPlan(50000, _FREE),
)
"""Beams of games whose cards go home one by one, and whose stock is dealt in rows, or that have
none."""
_ABOVE = (0, 0, 60, 5, 30, 0, 0, 0, 2)
_TURNED = (2, 0, 20, 20, 10, 0, 0, 0, 0)
_SEGMENTED = (2, 0, 20, 5, 30, 0, 0, 1, 20)
TURNS: tuple[BeamPlan, ...] = (
    BeamPlan(200, _ABOVE, 16, patience=4, longest=40),
    BeamPlan(1000, _TURNED, 16, patience=4, longest=40),
    BeamPlan(1000, _ABOVE, 16, patience=4, longest=40),
    BeamPlan(4000, _ABOVE, 16, patience=4, longest=40),
    BeamPlan(4000, _SEGMENTED, 16, patience=4, longest=40),
    BeamPlan(4000, _TURNED, 16, patience=4, longest=40),
    BeamPlan(16000, _ABOVE, 64, patience=4, longest=40),
    BeamPlan(16000, _SEGMENTED, 16, patience=4, longest=40),
    BeamPlan(50000, _ABOVE, 64, patience=4, longest=40),
)
"""Beams of games whose stock is turned to a waste."""


def schedule_of(t: WideTables) -> tuple[BeamPlan, ...]:
    """Return the beams of a game, one after the other."""
    if t.whole:
        return SUITS
    return TURNS if t.draw else ROWS
