"""Workers on a cluster of machines, by Ray.

Jobs are stateless functions from an order to what is found, so a worker or a machine that dies
costs the jobs that it was doing: they are given to others. The driver alone has the table.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from dbmsolver.errors import DbmError, InternalError, SystemRefusedError, UsageError
from dbmsolver.signals import raise_on_signals
from dbmsolver.survey.jobs import Found, Order
from dbmsolver.survey.pool import Answer, Job, Over
from dbmsolver.survey.rows import PROGRAM

LOCAL = "local"
"""The address that starts a Ray on this machine."""

_PATIENCE = 10.0
"""Seconds that a cluster has to answer."""

_LOOK_SECONDS = 2.0
"""Machines that come and go are noticed after that time."""

_performer: Any = None
"""What a process of the cluster keeps from one job to the next."""


def work(order: Order, program: str) -> list[tuple[int, Found]]:
    """Do a job; runs in a process of the cluster."""
    from dbmsolver.jit.cache import choose_cache

    choose_cache()
    from dbmsolver.survey.performer import Performer

    global _performer
    if program != PROGRAM:
        raise UsageError(f"a machine of the cluster has {PROGRAM}, expected {program}")
    _performer = _performer or Performer()
    return [found for found in _performer.perform(order) if found is not None]


class Cluster:
    """All processors of a cluster; `memory` is for each machine, None for what Ray says it has.

    UsageError where Ray is not installed, SystemRefusedError if there is no cluster at the address.
    """

    def __init__(self, address: str, memory: int | None, processors: int | None = None) -> None:
        self._ray = load_library()
        self._given = memory
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        if address == LOCAL:
            settings["include_dashboard"] = False
            settings["num_cpus"] = processors
            path = os.pathsep.join(os.path.abspath(part) for part in sys.path)  # noqa: PTH100
            settings["runtime_env"] = {"env_vars": {"PYTHONPATH": path}}
        try:
            _reach(address)
            self._ray.init(address=address, **settings)
        except (OSError, ValueError, RuntimeError, TimeoutError) as error:
            reason = str(error).splitlines()[0] if str(error) else "no answer"
            raise SystemRefusedError(f"no cluster ({reason})", f"--ray {address}") from None
        raise_on_signals()  # Ray has a way of its own
        self._work = self._ray.remote(work)
        self._running: dict[Any, Job] = {}
        self._looked = 0.0
        self._machines: list[tuple[int, int]] = []
        self._look()

    @property
    def workers(self) -> int:
        """All processors."""
        self._look()
        return max(sum(processors for processors, _ in self._machines), 1)

    @property
    def machines(self) -> int:
        """How many there are."""
        return max(len(self._machines), 1)

    @property
    def memory(self) -> int:
        """A processor's share on the machine that has the least of it."""
        return min((size // processors for processors, size in self._machines), default=1 << 30)

    @property
    def whole(self) -> tuple[int, int]:
        """The largest machine."""
        return max(self._machines, default=(1, 1 << 30))

    def _look(self) -> None:
        """Ask which machines there are, now and then."""
        now = time.monotonic()
        if now - self._looked < _LOOK_SECONDS and self._machines:
            return
        self._looked = now
        machines = []
        for node in self._ray.nodes():
            has = node.get("Resources", {})
            processors = int(has.get("CPU", 0))
            if node.get("Alive") and processors:
                size = int(has.get("memory", 1 << 30))
                machines.append((processors, min(size, self._given or size)))
        self._machines = machines or self._machines

    def submit(self, job: Job) -> None:
        """Begin a job. Ray is not to repeat it: whether that is of use, the plan knows."""
        remote = self._work.options(num_cpus=job.order.threads, max_retries=0)
        self._running[remote.remote(job.order, PROGRAM)] = job

    def wait(self, seconds: float) -> list[Answer | Over]:
        """What has come of the jobs. Errors of the program itself are raised here."""
        ready, _ = self._ray.wait(list(self._running), num_returns=len(self._running), timeout=0)
        if not ready:
            ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
        events: list[Answer | Over] = []
        for reference in ready:
            job = self._running.pop(reference)
            try:
                found = self._ray.get(reference)
            except self._ray.exceptions.RayTaskError as error:
                raise _own_error(error) from None
            except self._ray.exceptions.RayError:
                events.append(Over(job, lost=True))
                continue
            events += [Answer(job, number, one) for number, one in found]
            events.append(Over(job))
        return events

    def close(self) -> None:
        """End the jobs, and leave the cluster; one that was started here ends."""
        with suppress(Exception):
            for reference in self._running:
                self._ray.cancel(reference, force=True)
        self._running = {}
        self._ray.shutdown()


def _reach(address: str) -> None:
    """OSError if nobody answers at HOST:PORT, which Ray would find out in minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()


def load_library() -> Any:
    """Ray; UsageError where it is not installed."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise UsageError("--ray needs Ray (pip install 'dbmsolver[ray]')") from None
    return ray


def _own_error(error: Any) -> DbmError:
    """What a job has raised, as this program's error."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, DbmError):
        return cause
    return InternalError(f"a worker failed: {cause or error!r}"[:300].splitlines()[0])
