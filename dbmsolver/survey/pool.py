"""The interface of pools: the driver of a survey submits jobs, and gets answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from dbmsolver.survey.jobs import Finding, Order
from dbmsolver.survey.row_progress import DealTask


@dataclass(eq=False, slots=True)
class Job:
    """A job as the driver knows it: its order, and its tasks.

    `open_tasks` are the tasks without an answer, by their index in the order.
    """

    order: Order
    alone: bool
    """True if the job has the whole machine."""
    open_tasks: dict[int, DealTask] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """The finding of a worker about the subject of a job with that index."""

    job: Job
    number: int
    finding: Finding


@dataclass(frozen=True, slots=True)
class JobEnd:
    """The end of a job; `lost` is True if its worker has died."""

    job: Job
    lost: bool = False


class JobPool(Protocol):
    """A pool of workers."""

    @property
    def workers(self) -> int:
        """The number of jobs that can run at the same time."""

    @property
    def machines(self) -> int:
        """The number of machines, each of which can give itself to a single job."""

    @property
    def memory(self) -> int:
        """Bytes for each worker while all of them work."""

    @property
    def whole(self) -> tuple[int, int]:
        """Threads and bytes of a job that has a machine alone."""

    def submit(self, job: Job) -> None:
        """Begin a job."""

    def wait(self, seconds: float) -> list[Answer | JobEnd]:
        """Return the answers that have come, and the ends of jobs.

        Waits for the first one, ``seconds`` at most.
        """

    def close(self) -> None:
        """End all workers."""
