"""The choice of the workers of a survey."""

from __future__ import annotations

from collections.abc import Callable

from dbmsolver.process import default_memory
from dbmsolver.survey.clusters import Cluster
from dbmsolver.survey.here import Here
from dbmsolver.survey.pool import Pool
from dbmsolver.survey.processes import Processes, available
from dbmsolver.survey.ranges import count_subjects
from dbmsolver.survey.run import Survey

LEAST_SHARE = 64 << 20
"""Bytes of memory that each worker has at least: there are fewer of them where that is too much."""

FEW_DIVES = 16
"""The number of deals up to which dives take less time than starting processes does."""


def pool_for(
    survey: Survey, address: str | None, threads: int | None, compiles: Callable[[], None]
) -> Pool:
    """Return the workers of a cluster, or of this machine.

    On this machine there are as many as threads, and as have enough memory. A few deals are
    searched in this process. `compiles` is called when workers compile kernels.
    """
    if address is not None:
        return Cluster(address, survey.limits.memory, threads)
    threads = threads or available()
    memory = survey.limits.memory or default_memory()
    deals = None if survey.ranges is None else count_subjects(survey.ranges, survey.games)
    few = 1 if survey.question.is_shortest else FEW_DIVES
    workers = min(threads, max(memory // LEAST_SHARE, 1))
    if workers == 1 or (deals is not None and deals <= few):
        return Here(threads, memory)
    return Processes(workers, threads, memory, compiles)
