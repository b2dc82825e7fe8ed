"""The pool of workers that is this process itself: for a few deals no other has to be started."""

from __future__ import annotations

import time
from collections.abc import Callable

from dbmsolver.survey.job_runner import Findings, JobRunner
from dbmsolver.survey.pool import Answer, Job, JobEnd


class InProcessPool:
    """One worker, which is this process; `threads` and `memory` are for its largest jobs.

    `compiles` is called when it begins to compile kernels.
    """

    workers = 1
    machines = 1

    def __init__(self, threads: int, memory: int, compiles: Callable[[], None]) -> None:
        from dbmsolver.jit.compilation import on_first_compilation

        on_first_compilation(compiles)
        self.memory = memory
        self.whole = (threads, memory)
        self._runner = JobRunner()
        self._job: tuple[Job, Findings] | None = None

    def submit(self, job: Job) -> None:
        """Begin a job."""
        self._job = job, self._runner.run(job.order)

    def wait(self, seconds: float) -> list[Answer | JobEnd]:
        """Work for about ``seconds``; return the answers, and the end of the job."""
        until = time.monotonic() + seconds
        events: list[Answer | JobEnd] = []
        while self._job is not None:
            job, steps = self._job
            step = next(steps, _END)
            if step is _END:
                self._job = None
                events.append(JobEnd(job))
            elif step is not None:
                events.append(Answer(job, *step))  # type: ignore[misc]  # no _END
            if time.monotonic() >= until:
                break
        return events

    def close(self) -> None:
        """End the running job; a search commits its states to its store."""
        if self._job is not None:
            self._job[1].close()
            self._job = None


_END = object()
