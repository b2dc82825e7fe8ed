"""Jobs done in this very process: nothing has to be started for a few deals."""

from __future__ import annotations

import time

from dbmsolver.survey.performer import Performer, Steps
from dbmsolver.survey.pool import Answer, Job, Over


class Here:
    """One worker that is this process, with some threads and so much memory for large jobs."""

    workers = 1
    machines = 1

    def __init__(self, threads: int, memory: int) -> None:
        self.memory = memory
        self.whole = (threads, memory)
        self._performer = Performer()
        self._job: tuple[Job, Steps] | None = None

    def submit(self, job: Job) -> None:
        """Begin a job."""
        self._job = job, self._performer.perform(job.order)

    def wait(self, seconds: float) -> list[Answer | Over]:
        """Work for about that time."""
        until = time.monotonic() + seconds
        found: list[Answer | Over] = []
        while self._job is not None:
            job, steps = self._job
            step = next(steps, _END)
            if step is _END:
                self._job = None
                found.append(Over(job))
            elif step is not None:
                found.append(Answer(job, *step))  # type: ignore[misc]  # no _END
            if time.monotonic() >= until:
                break
        return found

    def close(self) -> None:
        """End the job; a search commits what it has."""
        if self._job is not None:
            self._job[1].close()
            self._job = None


_END = object()
