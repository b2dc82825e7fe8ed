"""The schedules of beams: how wide they are, and what they take for promising."""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.core.wide_tables import WideTables

Weights = tuple[int, int, int, int, int, int, int, int, int]
"""Weights, as of :func:`dbmsolver.core.wide_values.costs_of`."""


class Plan(NamedTuple):
    """One beam. ``parts`` is how many groups a level has at least, if there are so many."""

    width: int
    weights: Weights
    parts: int = 1
    noise: int = 0
    seed: int = 0
    patience: int = 12
    last: int = 60

    @property
    def shape(self) -> tuple[int, int, int, int, int]:
        """The numbers of :class:`dbmsolver.core.wide_beam.Shape`."""
        return self.width // self.parts, self.noise, self.seed, self.patience, self.last


_SUITED = (10, 5, 10, 5, 0, 0, 10, 0, 0)
_ORDERLY = (10, 5, 10, 5, 0, 0, 15, 2, 0)
_CAREFUL = (10, 5, 15, 5, 2, 1, 15, 0, 0)
SUITS: tuple[Plan, ...] = (
    Plan(200, _SUITED),
    Plan(1000, _SUITED),
    Plan(2000, _ORDERLY),
    Plan(4000, _SUITED),
    Plan(4000, _CAREFUL),
    Plan(4000, _ORDERLY),
    Plan(16000, _SUITED),
    Plan(16000, _CAREFUL),
    Plan(16000, _ORDERLY),
    Plan(50000, _SUITED),
    Plan(50000, _ORDERLY),
)
"""Beams of games whose whole suits go home."""
_FREE = (0, 10, 20, 10, 10, 0, 10, 0, 0)
_LOW = (0, 5, 10, 10, 3, 0, 10, 0, 0)
_HOME = (0, 5, 20, 20, 2, 0, 10, 0, 0)
ROWS: tuple[Plan, ...] = (
    Plan(200, _FREE),
    Plan(1000, _FREE),
    Plan(1000, _LOW),
    Plan(4000, _FREE),
    Plan(4000, _HOME),
    Plan(4000, _LOW),
    Plan(16000, _FREE),
    Plan(16000, _HOME),
    Plan(50000, _FREE),
)
"""Beams of games whose cards go home one by one, and whose stock is dealt in rows, or that have
none."""
_TURNED = (5, 0, 20, 20, 5, 0, 0, 0, 10)
_ABOVE = (2, 0, 20, 20, 10, 0, 0, 0, 0)
TURNS: tuple[Plan, ...] = (
    Plan(200, _TURNED, patience=6),
    Plan(1000, _TURNED, patience=8),
    Plan(4000, _ABOVE, patience=8),
    Plan(4000, _TURNED, patience=8),
    Plan(16000, _ABOVE, patience=8),
    Plan(16000, _TURNED, patience=8),
    Plan(50000, _ABOVE, patience=8),
)
"""Beams of games whose stock is turned to a waste."""


def schedule_of(t: WideTables) -> tuple[Plan, ...]:
    """Return the beams of a game, one after the other."""
    if t.whole:
        return SUITS
    return TURNS if t.draw else ROWS
