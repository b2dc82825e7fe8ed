"""A pool of worker processes on this machine.

The driver and each worker talk by a pair of sockets. A worker's standard input is a pipe that
nobody writes to: when the driver dies, the system closes the pipe, and the worker ends.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait

from dbmsolver.errors import DbmError
from dbmsolver.programs import python_command
from dbmsolver.survey.pool import Answer, Job, JobEnd
from dbmsolver.survey.worker import COMPILES, serve

_TIME_TO_END = 10.0
"""Seconds that a worker has to commit its search and end, before it is killed."""


class _Worker:
    """A process, and its job."""

    def __init__(self) -> None:
        self.connection, theirs = Pipe()
        self.process = subprocess.Popen(
            python_command(serve, theirs.fileno()),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            process_group=0,  # Ctrl-C is for the driver, which ends them
        )
        theirs.close()
        self.job: Job | None = None

    def end(self) -> None:
        """Ask the process to end; without a job it ends when the connection is closed."""
        self.connection.close()
        if self.job is not None:
            with suppress(OSError):
                self.process.send_signal(signal.SIGTERM)

    def wait_for_end(self) -> None:
        """Wait until the process has ended; kill it if that takes too long."""
        try:
            self.process.wait(_TIME_TO_END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()


class ProcessPool:
    """Worker processes with equal parts of the memory; each is started when it is needed.

    `compiles` is called when the first of them begins to compile kernels.
    """

    machines = 1

    def __init__(
        self, workers: int, threads: int, memory: int, compiles: Callable[[], None] | None = None
    ) -> None:
        self._compiles = compiles
        self.workers = workers
        self.memory = memory // workers
        self.whole = (threads, memory)
        self._idle: list[_Worker] = []
        self._busy: dict[Connection, _Worker] = {}

    def submit(self, job: Job) -> None:
        """Begin a job."""
        while True:
            worker = self._idle.pop() if self._idle else _Worker()
            worker.job = job
            try:
                worker.connection.send(job.order)
            except OSError:  # the worker has died while it was idle
                worker.end()
                worker.wait_for_end()
                continue
            self._busy[worker.connection] = worker
            return

    def wait(self, seconds: float) -> list[Answer | JobEnd]:
        """Return the answers that have come, and the ends of jobs.

        Waits for the first one, ``seconds`` at most. Errors of the program itself are raised here.
        """
        events: list[Answer | JobEnd] = []
        for connection in wait(list(self._busy), seconds):
            assert isinstance(connection, Connection)
            worker = self._busy[connection]
            job = worker.job
            assert job is not None
            try:
                while connection.poll():
                    message = connection.recv()
                    if isinstance(message, DbmError):
                        raise message
                    if message == COMPILES:
                        self._report_compiling()
                        continue
                    if message is None:
                        events.append(JobEnd(job))
                        worker.job = None
                        self._idle.append(self._busy.pop(connection))
                        break
                    events += [Answer(job, *answer) for answer in message]
            except (EOFError, OSError):
                events.append(JobEnd(job, lost=True))
                worker.end()
                worker.wait_for_end()
                del self._busy[connection]
        return events

    def _report_compiling(self) -> None:
        """Call `compiles`, the first time only."""
        compiles, self._compiles = self._compiles, None
        if compiles is not None:
            compiles()

    def close(self) -> None:
        """End all workers; their searches commit their states."""
        all_workers = [*self._idle, *self._busy.values()]
        for worker in all_workers:
            worker.end()
        for worker in all_workers:
            worker.wait_for_end()
        self._idle, self._busy = [], {}
