"""Workers on a cluster of machines.

Jobs are functions without a memory, so a worker or a machine that dies costs only the jobs that it
was doing: they are given to others. The driver alone has the table.
"""

from __future__ import annotations

from typing import Any

from dbmsolver.clusters import Connection, Machine, WorkerLostError
from dbmsolver.survey.pool import Answer, Job, Over

_WORK = "dbmsolver.survey.performer:perform_all"


class Cluster:
    """All processors of a cluster; `memory` is for each machine, None for what Ray says it has.

    UsageError where Ray is not installed, SystemRefusedError if there is no cluster at the address.
    """

    def __init__(self, address: str, memory: int | None, processors: int | None = None) -> None:
        self._given = memory
        self._connection = Connection(address, processors)
        self._running: dict[Any, Job] = {}

    @property
    def _machines(self) -> list[Machine]:
        """The machines, with the memory that was given."""
        return [
            Machine(one.processors, min(one.memory, self._given or one.memory))
            for one in self._connection.machines()
        ]

    @property
    def workers(self) -> int:
        """All processors."""
        return max(sum(machine.processors for machine in self._machines), 1)

    @property
    def machines(self) -> int:
        """The number of machines."""
        return max(len(self._machines), 1)

    @property
    def memory(self) -> int:
        """A processor's share on the machine that has the least of it."""
        shares = (machine.memory // machine.processors for machine in self._machines)
        return min(shares, default=1 << 30)

    @property
    def whole(self) -> tuple[int, int]:
        """The largest machine."""
        return max(self._machines, default=Machine(1, 1 << 30))

    def submit(self, job: Job) -> None:
        """Begin a job."""
        order = job.order
        self._running[self._connection.submit(_WORK, order, processors=order.threads)] = job

    def wait(self, seconds: float) -> list[Answer | Over]:
        """Return the answers that have come, and the ends of jobs.

        Waits for the first one, ``seconds`` at most. Errors of the program itself are raised here.
        """
        events: list[Answer | Over] = []
        for reference in self._connection.ready(self._running, seconds):
            job = self._running.pop(reference)
            try:
                found = self._connection.result(reference)
            except WorkerLostError:
                events.append(Over(job, lost=True))
                continue
            events += [Answer(job, number, one) for number, one in found]
            events.append(Over(job))
        return events

    def close(self) -> None:
        """End the jobs, and leave the cluster."""
        self._connection.close(self._running)
        self._running = {}
