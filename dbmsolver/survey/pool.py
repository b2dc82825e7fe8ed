"""Workers as the driver of a survey sees them: jobs go in, answers come out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from dbmsolver.survey.inquiries import Task
from dbmsolver.survey.jobs import Found, Order


@dataclass(eq=False, slots=True)
class Job:
    """A job as the driver knows it; `open_tasks` are those that have no answer yet, by number."""

    order: Order
    alone: bool
    """True if the job has the whole machine."""
    open_tasks: dict[int, Task] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """The findings of a worker about one of the subjects of a job."""

    job: Job
    number: int
    found: Found


@dataclass(frozen=True, slots=True)
class Over:
    """The end of a job. `lost` says that its worker has died of it."""

    job: Job
    lost: bool = False


class Pool(Protocol):
    """Workers."""

    @property
    def workers(self) -> int:
        """The number of jobs that can be done at the same time."""

    @property
    def machines(self) -> int:
        """The number of jobs that can have a machine alone at the same time."""

    @property
    def memory(self) -> int:
        """Bytes that one worker can have while all others work, too."""

    @property
    def whole(self) -> tuple[int, int]:
        """Threads and bytes of a job that has a machine alone."""

    def submit(self, job: Job) -> None:
        """Begin a job."""

    def wait(self, seconds: float) -> list[Answer | Over]:
        """Return the answers that have come, and the ends of jobs.

        Waits for the first one, ``seconds`` at most.
        """

    def close(self) -> None:
        """End all workers."""
