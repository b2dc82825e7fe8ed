"""Workers on a cluster of machines.

A job depends on nothing but its order. So if a worker or a machine dies, only its running jobs are
lost, and the driver gives them to other workers. Only the driver has the table.
"""

from __future__ import annotations

from typing import Any

from dbmsolver.clusters import Connection, Machine, WorkerLostError
from dbmsolver.survey.pool import Answer, Job, JobEnd

_RUN_JOB = "dbmsolver.survey.job_runner:run_whole_job"


class ClusterPool:
    """All processors of a cluster.

    `memory` is what each machine may use; None for the memory that Ray reports. UsageError if Ray
    is not installed, SystemRefusedError if there is no cluster at the address.
    """

    def __init__(self, address: str, memory: int | None, processors: int | None = None) -> None:
        self._given = memory
        self._connection = Connection(address, processors)
        self._running: dict[Any, Job] = {}

    @property
    def _machines(self) -> list[Machine]:
        """The machines, with the memory that was given."""
        return [
            Machine(machine.processors, min(machine.memory, self._given or machine.memory))
            for machine in self._connection.machines()
        ]

    @property
    def workers(self) -> int:
        """The number of processors of all machines."""
        return max(sum(machine.processors for machine in self._machines), 1)

    @property
    def machines(self) -> int:
        """The number of machines."""
        return max(len(self._machines), 1)

    @property
    def memory(self) -> int:
        """Bytes for each processor, on the machine that has the fewest for each."""
        per_processor = (machine.memory // machine.processors for machine in self._machines)
        return min(per_processor, default=1 << 30)

    @property
    def whole(self) -> tuple[int, int]:
        """Threads and bytes of the largest machine."""
        return max(self._machines, default=Machine(1, 1 << 30))

    def submit(self, job: Job) -> None:
        """Begin a job."""
        order = job.order
        self._running[self._connection.submit(_RUN_JOB, order, processors=order.threads)] = job

    def wait(self, seconds: float) -> list[Answer | JobEnd]:
        """Return the answers that have come, and the ends of jobs.

        Waits for the first one, ``seconds`` at most. Errors of the program itself are raised here.
        """
        events: list[Answer | JobEnd] = []
        for reference in self._connection.ready(self._running, seconds):
            job = self._running.pop(reference)
            try:
                findings = self._connection.result(reference)
            except WorkerLostError:
                events.append(JobEnd(job, lost=True))
                continue
            events += [Answer(job, number, finding) for number, finding in findings]
            events.append(JobEnd(job))
        return events

    def close(self) -> None:
        """End the jobs, and leave the cluster."""
        self._connection.close(self._running)
        self._running = {}
