"""What is to be checked, and how far a check has come."""

from __future__ import annotations

import time
from dataclasses import dataclass

from dbmsolver.results import Method

INTERVAL = 0.05
"""Seconds between two moments that are told."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a store claims: that no solution has fewer moves than ``length``.

    Without a length, that there is none at all. ``root`` is the deal's state: signature and planes.
    By ``method`` states are positions, or records of dominating positions.
    """

    root: tuple[int, int, int, int]
    length: int | None
    method: Method = Method.EVERY_POSITION

    @property
    def costs(self) -> bool:
        """Whether moves are counted."""
        return self.length is not None

    @property
    def records(self) -> bool:
        """Whether states are records of dominating positions."""
        return self.method is Method.DOMINATING


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a check has come.

    ``share`` says how much of the phase is done. Blocks are read first; then states are checked,
    which ``states`` tells, and what these lead to is looked up where that had to wait.
    """

    phase: str
    stratum: int
    last_stratum: int
    states: int
    all_states: int
    share: float


class Pace:
    """Says when it is time to tell again how far things have come."""

    def __init__(self) -> None:
        self._last = 0.0

    def due(self) -> bool:
        """Whether it is."""
        now = time.monotonic()
        if now - self._last < INTERVAL:
            return False
        self._last = now
        return True
