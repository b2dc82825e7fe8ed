"""The progress of a check."""

from __future__ import annotations

import time
from dataclasses import dataclass

from dbmsolver.errors import DbmError

INTERVAL = 0.05
"""Seconds between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a check.

    ``share`` is the finished share of the check, or of the phase where it has several. ``states``
    of ``all_states`` have been checked.
    """

    phase: str
    stratum: int
    last_stratum: int
    states: int
    all_states: int
    share: float


class TooMany(DbmError):
    """There is too little memory to list all of something."""

    def __init__(self, count: int, nouns: str, memory: int) -> None:
        super().__init__(
            f"more than {count:,} {nouns}, for which {memory:,} bytes of memory are too few"
        )


class Pace:
    """A clock that says when it is time to report."""

    def __init__(self) -> None:
        self._last = 0.0

    def due(self) -> bool:
        """Return True if it is time to report."""
        now = time.monotonic()
        if now - self._last < INTERVAL:
            return False
        self._last = now
        return True
