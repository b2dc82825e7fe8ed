"""What is to be checked, and how far a check has come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """With ``length``, that no solution is shorter; without, that there is none.  ``root`` is the
    deal's state: signature and planes.
    """

    root: tuple[int, int, int, int]
    length: int | None

    @property
    def costs(self) -> bool:
        """Whether moves are counted."""
        return self.length is not None


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a check has come.  In its first phases, in which blocks are read, ``share`` says how
    much of the phase is done; later the states tell.
    """

    phase: str
    stratum: int
    last_stratum: int
    states: int
    all_states: int
    share: float
