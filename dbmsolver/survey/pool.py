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
    """Whether it has the whole machine."""
    open_tasks: dict[int, Task] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """A worker has found out about one of the subjects of a job."""

    job: Job
    number: int
    found: Found


@dataclass(frozen=True, slots=True)
class Over:
    """A job has ended. `lost` says that its worker has died of it."""

    job: Job
    lost: bool = False


class Pool(Protocol):
    """Workers."""

    @property
    def workers(self) -> int:
        """How many jobs can be done at the same time."""

    @property
    def machines(self) -> int:
        """How many jobs can have a machine alone at the same time."""

    @property
    def memory(self) -> int:
        """Bytes that one worker can have while all others work, too."""

    @property
    def whole(self) -> tuple[int, int]:
        """Threads and bytes of a job that has a machine alone."""

    def submit(self, job: Job) -> None:
        """Begin a job."""

    def wait(self, seconds: float) -> list[Answer | Over]:
        """What has come of the jobs, as soon as there is something, at the latest after a time."""

    def close(self) -> None:
        """End all workers."""
