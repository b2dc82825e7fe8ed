"""The processes of a cluster that do the work of a proof, one for each processor."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from dbmsolver.clusters import Connection, WorkerLostError
from dbmsolver.errors import SystemRefusedError
from dbmsolver.search.proof.orders import Message, opened

MOST = 1024
"""Processes, and pieces of work at the same time, at most: each is waited for by a thread."""
_BEGIN = "dbmsolver.search.proof.orders:begin"
_WORK = "dbmsolver.search.proof.orders:perform"
_QUEUE = 2
"""Orders that a process has at the same time: the next one is there when it has done one."""
_LOOK_SECONDS = 2.0
_PATIENCE = 60.0
"""Seconds without any machine after which the search ends."""
_MOST_FAILED = 10
"""Processes that may end before they have begun, one after the other."""


@dataclass(eq=False, slots=True)
class Member:
    """A process of the cluster, and the number of `orders` that it has to do, one by one."""

    process: Any
    orders: int = 0
    ready: bool = False
    lost: bool = False


class Members:
    """The processes of a cluster. Those that die are replaced.

    `first` is the message of the first call of each: it gets work when it has answered.
    """

    def __init__(self, connection: Connection, first: Message, pool: Executor) -> None:
        self._connection = connection
        self._first = first
        self._pool = pool
        self._changed = threading.Condition()
        self._all: list[Member] = []
        self._failed = 0
        self._error: Exception | None = None
        self._closed = False

    def recruit(self) -> None:
        """Start processes for all processors that have none."""
        processors = sum(machine.processors for machine in self._connection.machines())
        with self._changed:
            while len(self._all) < min(processors, MOST) and not self._closed:
                member = Member(self._connection.start_process())
                self._all.append(member)
                self._pool.submit(self._begin, member)

    def delay(self) -> int | None:
        """Return how many orders the process that has the fewest has; None if it has enough.

        A process that begins has none.
        """
        with self._changed:
            fewest = min((one.orders for one in self._all if one.ready), default=0)
        return None if fewest >= _QUEUE else fewest

    def delay_of(self, member: Member) -> int | None:
        """Return how many orders a process has; None if it has enough."""
        return None if member.orders >= _QUEUE else member.orders

    def give(self, member: Member) -> None:
        """Count an order for a process."""
        with self._changed:
            member.orders += 1

    def take(self) -> Member:
        """Wait until a process has room for an order, count it, and return the process.

        Raises SystemRefusedError if there is no machine any more.
        """
        until = time.monotonic() + _PATIENCE
        while True:
            with self._changed:
                if self._error is not None:
                    raise self._error
                ready = [one for one in self._all if one.ready and one.orders < _QUEUE]
                if ready:
                    member = min(ready, key=lambda one: one.orders)
                    member.orders += 1
                    return member
                self._changed.wait(_LOOK_SECONDS)
            until = self._patience(until)
            self.recruit()

    def result(self, member: Member, message: Message) -> Any:
        """Have an order that was counted done by a process; return its result when it is there.

        Raises WorkerLostError if the process is lost, SystemRefusedError if there is no machine any
        more.
        """
        try:
            reference = self._connection.call(member.process, _WORK, message)
            until = time.monotonic() + _PATIENCE
            while not self._connection.ready([reference], _LOOK_SECONDS):
                until = self._patience(until)
            return opened(self._connection.result(reference))
        except WorkerLostError:
            self._lose(member)
            raise
        finally:
            with self._changed:
                member.orders -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Wait for processes no more that have not begun."""
        with self._changed:
            self._closed = True

    def _patience(self, until: float) -> float:
        """Return the time at which patience ends: a while after there was a machine.

        Raises SystemRefusedError at that time.
        """
        if self._connection.living():
            return time.monotonic() + _PATIENCE
        if time.monotonic() > until:
            raise SystemRefusedError("no machine of the cluster is left")
        return until

    def _begin(self, member: Member) -> None:
        """Wait until a process has answered its first call. Runs in a thread of its own."""
        try:
            reference = self._connection.call(member.process, _BEGIN, self._first)
            while not self._connection.ready([reference], _LOOK_SECONDS):
                if self._closed:
                    return
            opened(self._connection.result(reference))
        except WorkerLostError:
            with self._changed:
                self._failed += 1
                if self._failed >= _MOST_FAILED:
                    text = f"{_MOST_FAILED} processes of the cluster have ended at their beginning"
                    self._error = SystemRefusedError(text)
            self._lose(member)
        except Exception as error:  # for those who wait for work to be done
            with self._changed:
                self._error = error
                self._changed.notify_all()
        else:
            with self._changed:
                self._failed = 0
                member.ready = True
                self._changed.notify_all()

    def _lose(self, member: Member) -> None:
        """Note that a process is lost. The idle others have to answer before they get work.

        They may have been lost with it, and an order is given up after some processes.
        """
        with self._changed:
            if member.lost:
                return
            member.lost, member.ready = True, False
            self._all.remove(member)
            for one in self._all:
                if one.ready and not (one.orders or self._closed):
                    one.ready = False
                    self._pool.submit(self._begin, one)
            self._changed.notify_all()
