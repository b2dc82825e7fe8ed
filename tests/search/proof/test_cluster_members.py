"""Processes of a cluster: when patience ends, and how many may fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from types import SimpleNamespace
from typing import Any

import pytest

from dbmsolver.clusters import Machine, WorkerLostError
from dbmsolver.errors import SystemRefusedError
from dbmsolver.game.deals import Deal
from dbmsolver.results import Method
from dbmsolver.search.proof import cluster_members
from dbmsolver.search.proof.cluster_members import MOST, Members
from dbmsolver.search.proof.cluster_workers import ClusterWorkers
from dbmsolver.search.proof.orders import Proof, sealed

PROOF = Proof(Deal.from_number(11982), "wkr", Method.EVERY_POSITION)


class Caller:
    """Stands for a pool of threads: what is given to it is done at once."""

    def submit(self, work: Callable[..., None], *arguments: Any) -> None:
        work(*arguments)


class Scripted:
    """A connection whose answers are those of a script: True, or False for a process that dies."""

    def __init__(self, answers: Iterator[bool], machines: list[Machine]) -> None:
        self._answers = answers
        self._machines = machines
        self.started = 0

    def machines(self) -> list[Machine]:
        return self._machines

    def living(self) -> list[Machine]:
        return self._machines

    def start_process(self) -> int:
        self.started += 1
        return self.started

    def call(self, process: int, function: str, *arguments: Any) -> int:
        return process

    def ready(self, references: list[int], seconds: float) -> list[int]:
        return references

    def result(self, reference: int) -> bytes:
        if not next(self._answers):
            raise WorkerLostError
        return sealed(reference)


def members(connection: Any) -> Members:
    caller: Any = Caller()
    return Members(connection, b"", caller)


def test_processes_that_fail_now_and_then_are_replaced() -> None:
    """Only so many one after the other end the search."""
    failing = [False] * (cluster_members._MOST_FAILED - 1)
    # A process begins after some have failed, and is lost with its first order.
    connection = Scripted(cycle([*failing, True, False]), [Machine(1, 1 << 30)])
    of = members(connection)
    for _ in range(3):
        of.recruit()
        member = of.take()
        with pytest.raises(WorkerLostError):
            of.result(member, b"message")
        assert member.orders == 0
    connection = Scripted(iter([*failing, False, True]), [Machine(1, 1 << 30)])
    of = members(connection)
    of.recruit()
    with pytest.raises(SystemRefusedError, match="have ended at their beginning"):
        of.take()


def test_nothing_begins_when_it_is_over() -> None:
    connection = Scripted(cycle([True]), [Machine(4, 1 << 30)])
    of = members(connection)
    of.close()
    of.recruit()
    assert connection.started == 0


@pytest.mark.parametrize("looks", [1, 2])
def test_patience_begins_when_the_last_machine_has_gone(
    looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An order that has taken long is not given up at once where no machine is left."""
    now = 0.0
    monkeypatch.setattr(cluster_members, "time", SimpleNamespace(monotonic=lambda: now))
    connection = Scripted(cycle([True]), [Machine(1, 1 << 30)])
    of = members(connection)
    of.recruit()
    member = of.take()
    there = connection.living()
    living = iter([*[there] * 20, *[[]] * looks])
    ready = iter([*[[]] * (20 + looks), [member.process]])

    def look(*_: object) -> list[int]:
        nonlocal now
        now += 0.8 * cluster_members._PATIENCE
        return next(ready)

    monkeypatch.setattr(connection, "living", lambda: next(living))
    monkeypatch.setattr(connection, "ready", look)
    if looks == 1:
        assert of.result(member, b"message") == member.process
    else:
        with pytest.raises(SystemRefusedError, match="no machine of the cluster is left"):
            of.result(member, b"message")


def test_tables_fit_into_the_machine_with_the_least_memory() -> None:
    """Each processor has its part of it."""
    machines = [Machine(4, 8 << 30), Machine(2, 2 << 30), Machine(8, 64 << 30)]
    connection: Any = Scripted(cycle([True]), machines)
    workers = ClusterWorkers(PROOF, connection, 3 << 30)
    assert workers.table_bytes(1 << 20) == (3 << 30) // 8 // 3
    connection = Scripted(cycle([True]), machines[:2])
    assert ClusterWorkers(PROOF, connection, 16 << 30).table_bytes(1 << 20) == (2 << 30) // 2 // 3
    connection = Scripted(cycle([True]), [])
    assert ClusterWorkers(PROOF, connection, 16 << 30).table_bytes(3 << 20) == 1 << 20


@pytest.mark.parametrize(("processors", "pieces"), [(1, 2), (8, 10), (5000, MOST)])
def test_there_is_more_work_than_processors(processors: int, pieces: int) -> None:
    connection: Any = Scripted(cycle([True]), [Machine(processors, 1 << 30)])
    assert ClusterWorkers(PROOF, connection, 1 << 30).count == pieces
