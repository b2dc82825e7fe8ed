"""The choice of a survey's pool of workers."""

from __future__ import annotations

from collections.abc import Callable

from dbmsolver.process import default_memory, processors
from dbmsolver.survey.cluster_pool import ClusterPool
from dbmsolver.survey.in_process_pool import InProcessPool
from dbmsolver.survey.pool import JobPool
from dbmsolver.survey.process_pool import ProcessPool
from dbmsolver.survey.ranges import count_subjects
from dbmsolver.survey.run import Survey

LEAST_MEMORY = 64 << 20
"""The fewest bytes of memory for a worker: if memory is scarce, there are fewer workers."""

FEW_DIVES = 16
"""The number of deals up to which dives take less time than starting processes does."""


def choose_pool(
    survey: Survey, address: str | None, threads: int | None, compiles: Callable[[], None]
) -> JobPool:
    """Return the pool of a cluster with this address, or one of this machine for None.

    On this machine there is a worker for each thread, if there is enough memory. A few deals are
    searched in this process. `compiles` is called when this one or a worker compiles kernels.
    """
    if address is not None:
        return ClusterPool(address, survey.limits.memory, threads)
    threads = threads or processors()
    memory = survey.limits.memory or default_memory()
    deals = None if survey.ranges is None else count_subjects(survey.ranges, survey.games)
    few = 1 if survey.question.is_shortest else FEW_DIVES
    workers = min(threads, max(memory // LEAST_MEMORY, 1))
    if workers == 1 or (deals is not None and deals <= few):
        return InProcessPool(threads, memory, compiles)
    return ProcessPool(workers, threads, memory, compiles)
