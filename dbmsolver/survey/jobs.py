"""Jobs for a worker of a survey, and its answers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter
from pathlib import Path
from typing import Any

from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.results import Limit, Limits, Question, Verdict
from dbmsolver.survey.ranges import Subject

LOST = "worker lost"
"""The limit of a deal whose worker has died more than once: mostly it lacked memory."""


class JobKind(StrEnum):
    """The two kinds of jobs."""

    DIVE = "dive"
    """Many deals under the same rules, by short searches in memory that may leave deals open."""
    SEARCH = "search"
    """One deal, by a whole search."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer of a worker about a deal.

    `verdict` is None if dives leave the deal open. `seconds` is the time of this job alone. The
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

    def __reduce__(self) -> tuple[type[Finding], tuple[Any, ...]]:
        """Pickle the values alone, to be fast: there are thousands of findings in a second."""
        return Finding, _VALUES(self)


_VALUES = attrgetter(*(field.name for field in fields(Finding)))


@dataclass(frozen=True, slots=True)
class Order:
    """A job as it is sent to a worker.

    `limits` are for each deal, but `memory` is for the whole worker. `store` is the directory that
    keeps the search of a single deal; None for a temporary one.
    """

    kind: JobKind
    question: Question
    subjects: tuple[Subject, ...]
    limits: Limits
    threads: int
    lengths: bool = False
    store: Path | None = None
    metric: Metric | None = None
    policy: Policy = "wkr"
