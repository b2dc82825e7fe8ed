"""A survey from its beginning to its end: the table, the workers, the rows."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from dbmsolver.process import default_memory
from dbmsolver.results import SurveyReport
from dbmsolver.survey.loading import Rows
from dbmsolver.survey.pools import pool_for
from dbmsolver.survey.run import Run, Survey
from dbmsolver.survey.table import Table


class Filled(NamedTuple):
    """The rows of a table, and how many of them this survey has filled."""

    rows: Rows
    new: int


def fill(
    survey: Survey,
    path: Path,
    address: str | None,
    threads: int | None,
    compiles: Callable[[], None],
) -> Generator[SurveyReport, None, Filled]:
    """Fill a table; yields how far it is, some times a second.

    `address` is that of a Ray cluster, None for processes of this machine. `compiles` is called
    when they compile kernels. What is known is in the table when it ends, whatever of.
    """
    memory = survey.limits.memory or default_memory()
    survey = replace(survey, limits=replace(survey.limits, memory=memory))
    with Table(path, survey.question) as table:
        pool = pool_for(survey, address, threads, compiles)
        # Machines of a cluster have no folder in common.
        run = Run(survey, table, pool, keep_searches=address is None)
        with closing(run.events()) as events:
            yield from events
        return Filled(table.rows, run.new)
