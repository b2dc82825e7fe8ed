"""Workers in processes of their own, on this machine.

Each has one end of a pair of sockets. Its standard input is a pipe that nobody writes to: when the
driver dies, for whatever reason, the pipe is closed, and the worker ends.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait

from dbmsolver.errors import DbmError
from dbmsolver.process import processors
from dbmsolver.programs import python_command
from dbmsolver.survey.pool import Answer, Job, Over
from dbmsolver.survey.worker import COMPILES, serve

_PATIENCE = 10.0
"""Seconds that workers have to commit what they have when they are to end."""


class _Worker:
    """A process, and the job that it does."""

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
        """Ask it to end: without an order it does so by itself."""
        self.connection.close()
        if self.job is not None:
            with suppress(OSError):
                self.process.send_signal(signal.SIGTERM)

    def bury(self) -> None:
        """Wait until it has ended."""
        try:
            self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()


class Processes:
    """Workers in processes, each with an equal share of the memory; they are started when needed.

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
            except OSError:  # it has died while it was idle
                worker.end()
                worker.bury()
                continue
            self._busy[worker.connection] = worker
            return

    def wait(self, seconds: float) -> list[Answer | Over]:
        """Return the answers that have come, and the ends of jobs.

        Waits for the first one, ``seconds`` at most. Errors of the program itself are raised here.
        """
        events: list[Answer | Over] = []
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
                        self._told()
                        continue
                    if message is None:
                        events.append(Over(job))
                        worker.job = None
                        self._idle.append(self._busy.pop(connection))
                        break
                    events += [Answer(job, *answer) for answer in message]
            except (EOFError, OSError):
                events.append(Over(job, lost=True))
                worker.end()
                worker.bury()
                del self._busy[connection]
        return events

    def _told(self) -> None:
        compiles, self._compiles = self._compiles, None
        if compiles is not None:
            compiles()

    def close(self) -> None:
        """End all workers; searches commit what they have."""
        all_workers = [*self._idle, *self._busy.values()]
        for worker in all_workers:
            worker.end()
        for worker in all_workers:
            worker.bury()
        self._idle, self._busy = [], {}

    def processes(self) -> list[int]:
        """Return the numbers of the processes."""
        return [worker.process.pid for worker in (*self._idle, *self._busy.values())]


def available() -> int:
    """Return how many processors this process may use."""
    return processors()
