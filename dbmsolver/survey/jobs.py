"""Jobs for a worker of a survey, and its answers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter
from pathlib import Path
from typing import Any

from dbmsolver.game.kinds import Policy
from dbmsolver.game.measures import Metric
from dbmsolver.results import Limit, Limits, Question, Verdict
from dbmsolver.survey.ranges import Subject

LOST = "worker lost"
"""The limit of a deal that ended its worker more than once: for want of memory, as a rule."""


class Way(StrEnum):
    """The two ways to do a job."""

    DIVE = "dive"
    """Many deals under the same rules, by short searches in memory that may leave deals open."""
    SEARCH = "search"
    """One deal, by the whole search."""


@dataclass(frozen=True, slots=True)
class Found:
    """The findings of a worker about a deal.

    `verdict` is None where dives leave the deal open. `seconds` is the time of this job alone. The
    other members are those of :class:`~dbmsolver.results.Result`.
    """

    verdict: Verdict | None
    limit: Limit | str | None = None
    length: int | None = None
    shortest: bool = False
    at_least: int | None = None
    states: int = 0
    evaluated: int = 0
    seconds: float = 0.0
    peak_memory: int = 0
    digest: str | None = None
    method: str | None = None

    def __reduce__(self) -> tuple[type[Found], tuple[Any, ...]]:
        """Pickle the values alone: there are thousands of answers in a second."""
        return Found, _VALUES(self)


_VALUES = attrgetter(*(field.name for field in fields(Found)))


@dataclass(frozen=True, slots=True)
class Order:
    """A job as it is sent to a worker.

    `limits` are those of each deal, but for the memory, which the worker shares with nobody.
    `store` is where the search of a single deal is kept, None for a temporary place.
    """

    way: Way
    question: Question
    subjects: tuple[Subject, ...]
    limits: Limits
    threads: int
    lengths: bool = False
    store: Path | None = None
    metric: Metric | None = None
    policy: Policy = "wkr"
