"""The program of a worker: what it sends for an order, and when it ends."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

import pytest
from helpers.fake_search import nearly_done
from helpers.fake_worker import NoRoom, ToCompile

from dbmsolver.errors import InputError, InternalError, SystemRefusedError
from dbmsolver.game.shipped import rules_for
from dbmsolver.programs import python_command
from dbmsolver.results import Limits, Question, Verdict
from dbmsolver.survey.jobs import JobKind, Order
from dbmsolver.survey.ranges import Subject, one_line
from dbmsolver.survey.worker import COMPILES, serve

RULES = rules_for("freecell")
WON = Subject(None, one_line(nearly_done()[0]), RULES)
ORDER = Order(JobKind.SEARCH, Question.PROVE, (WON,), Limits(), 1, True)
SECONDS = 60
"""Seconds after which a process that does not end is given up."""


@contextmanager
def worker() -> Iterator[tuple[Connection, subprocess.Popen[bytes]]]:
    """Yield a connection to a worker process, and the process."""
    ours, theirs = Pipe()
    command = python_command(serve, theirs.fileno())
    process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[theirs.fileno()])
    theirs.close()
    assert process.stdin is not None
    try:
        yield ours, process
    finally:
        ours.close()
        process.kill()
        process.wait()
        process.stdin.close()


def messages(connection: Connection) -> list[Any]:
    """Return the messages for an order, but not that kernels are compiled."""
    found: list[Any] = []
    while not found or isinstance(found[-1], (list, str)):
        found.append(connection.recv())
    return [message for message in found if message != COMPILES]


def test_one_order_after_the_other() -> None:
    """After the findings of each of them comes None; the process ends with its connection."""
    with worker() as (connection, process):
        for subjects in ((WON,), (WON, WON)):
            connection.send(replace(ORDER, subjects=subjects))
            *lists, end = messages(connection)
            answers = [answer for answers in lists for answer in answers]
            assert end is None
            assert [number for number, _ in answers] == list(range(len(subjects)))
            for _, found in answers:
                assert (found.verdict, found.length) == (Verdict.SOLVED, 2)
        connection.close()
        assert process.wait(SECONDS) == 0


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"subjects": (Subject(None, "KS / KS", RULES),)}, InputError, "already at line 1"),
        ({"store": "a file"}, SystemRefusedError, "Not a directory"),
        ({"limits": None}, InternalError, "a worker failed: AttributeError"),
    ],
)
def test_an_error_is_the_last_message(
    tmp_path: Path, change: dict[str, Any], error: type[Exception], said: str
) -> None:
    if "store" in change:
        change = {"store": tmp_path / change["store"]}
        change["store"].touch()
    with worker() as (connection, process):
        connection.send(replace(ORDER, **change))
        (found,) = messages(connection)
        assert type(found) is error and said in str(found)
        assert process.wait(SECONDS) == 0


def test_a_worker_without_memory_says_nothing() -> None:
    """The driver sees that it is gone, and that the order is not done."""
    with worker() as (connection, process):
        connection.send(replace(ORDER, subjects=NoRoom()))
        with pytest.raises(EOFError):
            connection.recv()
        assert process.wait(SECONDS) == 0


def test_a_worker_says_once_that_it_compiles() -> None:
    with worker() as (connection, _):
        connection.send(replace(ORDER, subjects=ToCompile()))
        assert connection.recv() == COMPILES
        with pytest.raises(EOFError):
            connection.recv()


def test_a_worker_ends_when_it_is_asked_to() -> None:
    """It is not killed by the signal: a search that is under way is left as it should be."""
    with worker() as (connection, process):
        connection.send(ORDER)
        messages(connection)
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 0


def test_a_worker_ends_when_its_driver_is_gone() -> None:
    """Its standard input ends then, though the connection is open still; it is not killed."""
    with worker() as (connection, process):
        connection.send(ORDER)
        messages(connection)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(SECONDS) == 0
