"""Options of a check, its progress, and its report."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from dbmsolver.errors import DbmError
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.storage.certificate_file import Certificate

Depth = Literal["lemma", "full"]
"""The depth of a check of a proof over dominating positions or classes.

In both, these are closed under the moves of docs/dominance.md; in "full", all positions of the deal
are listed besides, by the rules of the game alone.
"""


class CheckOptions(NamedTuple):
    """The options of a check; None stands for the usual value."""

    threads: int | None = None
    memory: int | None = None
    sample: float | None = None
    """The share of blocks to check, from 0 to 1."""
    seed: int | None = None
    depth: Depth | None = None


@dataclass(slots=True)
class Verification:
    """The claim, the checks that were made, and the verdict.

    ``reason`` and the positions are the first counterexample of a store that is not valid;
    ``neighbour`` is the position one move before or after ``position``, where there is one, and
    ``relation`` says which.
    """

    store: Path
    deal: Deal
    certificate: Certificate
    valid: bool = False
    reason: str | None = None
    position: Position | None = None
    neighbour: Position | None = None
    relation: str | None = None
    checked: list[str] = field(default_factory=list)
    depth: Depth | None = None
    """The depth of the check of a proof over dominating positions or classes."""
    covered: int | None = None
    """Positions that follow from the deal, where they were listed."""
    sample: float | None = None
    blocks: int = 0
    all_blocks: int = 0
    states: int = 0
    """Checked states without a forced move, as far as these are counted apart."""
    forced: int = 0
    """Checked states with a forced move."""
    all_states: int = 0
    digest: str | None = None
    strata: list[tuple[int, int, int, int]] = field(default_factory=list)
    seconds: float = 0.0
    peak_memory: int = 0


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
