"""Workers of a survey that are none, and orders that no worker can carry out."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import numba

from dbmsolver.survey.jobs import Finding
from dbmsolver.survey.worker import COMPILES


def compile_only(handle: int) -> None:
    """Say of each order that kernels are compiled for it, and that it is done."""
    connection = Connection(handle)
    with suppress(EOFError, OSError):
        while connection.recv():
            connection.send(COMPILES)
            connection.send(None)


def end_when_asked(handle: int) -> None:
    """Answer once, wait for the signal to end, and put a file where the order has its store."""
    arrived, noted = os.pipe()
    os.set_blocking(noted, False)
    signal.set_wakeup_fd(noted)  # whichever thread gets the signal
    signal.signal(signal.SIGTERM, lambda *_: None)
    connection = Connection(handle)
    order = connection.recv()
    connection.send([(0, Finding(None))])
    os.read(arrived, 1)
    order.store.touch()


def end_when_killed(handle: int) -> None:
    """Answer once, and then do not end when asked.

    Without being killed put a file where the order has its store, and end.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    connection = Connection(handle)
    order = connection.recv()
    connection.send([(0, Finding(None))])
    threading.Event().wait(20)
    order.store.touch()


class NoRoom:
    """Subjects of an order that there is no memory for."""

    def __getitem__(self, number: int) -> Any:
        raise MemoryError


class ToCompile(NoRoom):
    """Subjects of an order for which a kernel is compiled, twice, before there is no memory."""

    def __getitem__(self, number: int) -> Any:
        for _ in range(2):
            numba.njit(lambda one: one + 1)(number)
        return super().__getitem__(number)
