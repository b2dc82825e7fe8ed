"""Clusters for tests: one of this process alone, and one of two machines that are this one."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dbmsolver.clusters import Machine, Process, WorkerLostError
from dbmsolver.version import PROGRAM


class Reference:
    """The reference of a result that is not there yet."""

    def __init__(self, process: Process, function: str, arguments: tuple[Any, ...]) -> None:
        self.process = process
        self.function = function
        self.arguments = arguments


class Alone:
    """A connection to a cluster of which this process does the work when a result is asked for.

    `lost` is the share of the orders in which a process dies, with all that it keeps.
    """

    lost = 0.0
    seed = 1

    def __init__(self, address: str, processors: int | None = None) -> None:
        self._random = Random(self.seed)
        self._lock = threading.Lock()
        self._dead: set[int] = set()
        self.submitted = self.died = 0
        self.started: list[Process] = []

    def machines(self) -> list[Machine]:
        return self.living()

    def living(self) -> list[Machine]:
        return [Machine(2, 1 << 30)]

    def start_process(self) -> Process:
        self.started.append(Process())
        return self.started[-1]

    def call(self, process: Process, function: str, *arguments: Any) -> Any:
        self.submitted += 1
        return Reference(process, function, arguments)

    def ready(self, references: Collection[Any], seconds: float) -> list[Any]:
        return list(references)

    def result(self, reference: Reference) -> Any:
        process = reference.process
        with self._lock:
            if id(process) in self._dead:
                raise WorkerLostError
            found = process.call(reference.function, PROGRAM, *reference.arguments)
            if not reference.function.endswith(":begin") and self._random.random() < self.lost:
                self.died += 1
                self._dead.add(id(process))
                process.kept.clear()
                raise WorkerLostError
        return found

    def close(self, unfinished: Collection[Any] = ()) -> None:
        pass


@contextmanager
def two_machines() -> Iterator[Any]:
    """Yield a Ray cluster of two machines with a processor each."""
    utils = pytest.importorskip("ray.cluster_utils", reason="ray is not installed")
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    cluster = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield cluster
    cluster.shutdown()


def workers_of(cluster: Any) -> list[int]:
    """Return the processes of a Ray cluster that do work."""
    raylets = {
        info.process.pid
        for node in cluster.list_all_nodes()
        for info in node.all_processes.get("raylet", [])
    }
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().rpartition(") ")
            if int(rest.split()[1]) in raylets and ("ray::work" in name or "ray::Process" in name):
                found.append(int(path.parent.name))
        except (OSError, ValueError):
            continue
    return found
