"""Surveys for tests, made in this process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dbmsolver.game.numbers import Numbers
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Limits, SurveyReport, Verdict
from dbmsolver.survey.in_process_pool import InProcessPool
from dbmsolver.survey.loading import load_rows
from dbmsolver.survey.pool import JobPool
from dbmsolver.survey.ranges import parse_ranges
from dbmsolver.survey.rows import Inquiry, Row
from dbmsolver.survey.run import Run, Survey
from dbmsolver.survey.table import SurveyTable

MEMORY = 512 << 20


def survey(
    path: Path,
    ranges: str | Iterable[str] | None,
    rules: Rules | tuple[Rules, ...] = GAMES["freecell"],
    question: Inquiry = Inquiry.VERDICT,
    limits: Limits = Limits(),
    pool: JobPool | None = None,
    keep_searches: bool = True,
    numbers: Numbers = "microsoft",
    **options: Any,
) -> list[SurveyReport]:
    """Run a survey to its end; returns what it reports."""
    texts = [ranges] if isinstance(ranges, str) else ranges
    some = rules if isinstance(rules, tuple) else (rules,)
    asked = Survey(
        question, None if texts is None else parse_ranges(texts, numbers), some, limits, **options
    )
    with SurveyTable(path, question) as table:
        run = Run(asked, table, pool or in_process(1, MEMORY), keep_searches)
        return list(run.events())


def in_process(threads: int, memory: int) -> InProcessPool:
    """Return a pool that is this process, and says nothing when it compiles kernels."""
    return InProcessPool(threads, memory, lambda: None)


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a table, in order."""
    return load_rows(path).sorted()


def facts(path: Path) -> list[tuple[Any, ...]]:
    """Return the facts that must be the same in every survey of the same deals.

    The number of states closed before a solution was met is none: dives are limited in time.
    """
    return [
        (row.deal, row.rules, row.verdict, row.fewest, row.length, row.digest)
        + ((row.states,) if row.verdict == Verdict.UNSOLVABLE else ())
        for row in rows_of(path)
    ]
