"""A cluster of machines, by Ray: how it is reached, and how functions are called on it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from typing import Any, NamedTuple

from dbmsolver.errors import DbmError, InternalError, SystemRefusedError, UsageError
from dbmsolver.signals import raise_on_signals
from dbmsolver.version import PROGRAM

LOCAL = "local"
"""The address that starts a Ray on this machine."""

_PATIENCE = 10.0
"""Seconds that a cluster has to answer."""

_LOOK_SECONDS = 2.0
"""Machines that come and go are noticed after that time."""


class WorkerLostError(Exception):
    """The process or the machine that called a function has died of it, or with it."""


class Machine(NamedTuple):
    """The resources of one machine that the cluster may use; memory is in bytes."""

    processors: int
    memory: int


def work(function: str, program: str, *arguments: Any) -> Any:
    """Call a function, ``module:name``; runs in a process of the cluster."""
    if program != PROGRAM:
        raise UsageError(f"a machine of the cluster has {PROGRAM}, expected {program}")
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)(*arguments)


class Process:
    """A process of a cluster that keeps what the functions that it calls have left in `kept`."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def call(self, function: str, program: str, *arguments: Any) -> Any:
        """Call a function, ``module:name``, with what is kept and these arguments."""
        return work(function, program, self.kept, *arguments)


class Connection:
    """A cluster that was joined or, with the address LOCAL, started on this machine.

    UsageError where Ray is not installed, SystemRefusedError if there is no cluster at the address.
    """

    def __init__(self, address: str, processors: int | None = None) -> None:
        self._ray = load_library()
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "CRITICAL"}
        if address == LOCAL:
            settings["include_dashboard"] = False
            settings["num_cpus"] = processors
        try:
            _reach(address)
            with _own_path() if address == LOCAL else nullcontext():
                self._ray.init(address=address, **settings)
        except (OSError, ValueError, RuntimeError, TimeoutError) as error:
            reason = str(error).splitlines()[0] if str(error) else "no answer"
            raise SystemRefusedError(f"no cluster ({reason})", f"--ray {address}") from None
        raise_on_signals()  # Ray has a way of its own
        self._work = self._ray.remote(work)
        self._process = self._ray.remote(Process)
        self._looked = 0.0
        self._machines: list[Machine] = []

    def machines(self) -> list[Machine]:
        """Return the machines, looked up now and then; the last known ones if none is left."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS or not self._machines:
            self._looked = now
            self._machines = self.living() or self._machines
        return self._machines

    def living(self) -> list[Machine]:
        """Return the machines that are alive at this moment."""
        machines = []
        for node in self._ray.nodes():
            has = node.get("Resources", {})
            processors = int(has.get("CPU", 0))
            if node.get("Alive") and processors:
                machines.append(Machine(processors, int(has.get("memory", 1 << 30))))
        return machines

    def submit(self, function: str, *arguments: Any, processors: int = 1) -> Any:
        """Have a function, ``module:name``, called somewhere; returns a reference to its result.

        Ray is not to repeat a call: whether that is of use, the caller knows.
        """
        remote = self._work.options(num_cpus=processors, max_retries=0)
        return remote.remote(function, PROGRAM, *arguments)

    def start_process(self) -> Any:
        """Have a process started that lives until it is killed or the connection is closed.

        It takes a processor. Returns at once, with what :meth:`call` takes.
        """
        return self._process.options(num_cpus=1, max_restarts=0, max_task_retries=0).remote()

    def call(self, process: Any, function: str, *arguments: Any) -> Any:
        """Have a function called by a process, one after the other; returns a reference."""
        return process.call.remote(function, PROGRAM, *arguments)

    def ready(self, references: Collection[Any], seconds: float) -> list[Any]:
        """Return the references whose results are there.

        Returns as soon as there is one, and after `seconds` at the latest.
        """
        some = list(references)
        ready, _ = self._ray.wait(some, num_returns=len(some), timeout=0)
        if not ready:
            ready, _ = self._ray.wait(some, num_returns=1, timeout=seconds)
        found: list[Any] = ready
        return found

    def result(self, reference: Any) -> Any:
        """Return the value that a function has returned.

        Raises WorkerLostError if the process that ran it is gone. Errors of the program itself are
        raised as they are.
        """
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise _own_error(error) from None
        except self._ray.exceptions.RayError:
            raise WorkerLostError from None

    def close(self, unfinished: Collection[Any] = ()) -> None:
        """Cancel functions that still run, and leave the cluster; end it if it was started here."""
        with suppress(Exception):
            for reference in unfinished:
                self._ray.cancel(reference, force=True)
        self._ray.shutdown()


def _reach(address: str) -> None:
    """Raise OSError if nobody answers at HOST:PORT, which Ray would find out in minutes."""
    import socket  # not on the way to --help

    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()


@contextmanager
def _own_path() -> Iterator[None]:
    """Let the processes of a Ray that is started here import the modules that this one imports.

    They inherit PYTHONPATH, which is set until this context ends. Ray's own setting for that makes
    it start further processes, which take two seconds of processor time.
    """
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join(os.path.abspath(part) for part in sys.path)  # noqa: PTH100
    os.environ["PYTHONPATH"] = path
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def load_library() -> Any:
    """Import Ray and return it; UsageError if it is not installed."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise UsageError("--ray needs Ray (pip install 'dbmsolver[ray]')") from None
    return ray


def _own_error(error: Any) -> DbmError:
    """Return the exception of a function as an error of this program."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, DbmError):
        return cause
    return InternalError(f"a worker failed: {cause or error!r}"[:300].splitlines()[0])
