"""A whole survey: open the table, start the workers, fill the rows, close both."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from dbmsolver.process import default_memory
from dbmsolver.results import SurveyReport
from dbmsolver.survey.loading import TableRows
from dbmsolver.survey.pool_choice import choose_pool
from dbmsolver.survey.run import Run, Survey
from dbmsolver.survey.table import SurveyTable


class FilledTable(NamedTuple):
    """The rows of a table, and what this survey has had to do with them."""

    rows: TableRows
    new: int
    """The number of rows that this survey has filled."""
    open: int = 0
    """The number of rows about its deals that were undecided when it began."""


def fill(
    survey: Survey,
    path: Path,
    address: str | None,
    threads: int | None,
    compiles: Callable[[], None],
) -> Generator[SurveyReport, None, FilledTable]:
    """Fill a table; yield reports of its progress, some times a second.

    `address` is that of a Ray cluster, None for processes of this machine. `compiles` is called
    when kernels are compiled. The table holds everything that is known, however the survey ends.
    """
    memory = survey.limits.memory or default_memory()
    survey = replace(survey, limits=replace(survey.limits, memory=memory))
    with SurveyTable(path, survey.question) as table:
        pool = choose_pool(survey, address, threads, compiles)
        # Machines of a cluster have no folder in common.
        run = Run(survey, table, pool, keep_searches=address is None)
        yield from run.events()
        return FilledTable(table.rows, run.new, run.open)
