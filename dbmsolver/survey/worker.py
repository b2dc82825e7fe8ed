"""The program of a worker process: it carries out one job after the other, as they are sent."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from dbmsolver.errors import DbmError, InternalError, SystemRefusedError
from dbmsolver.process import reuse_freed_memory
from dbmsolver.signals import ignore_signals, raise_on_signals
from dbmsolver.survey.jobs import Finding, Order

if TYPE_CHECKING:
    from dbmsolver.survey.job_runner import Findings

COMPILES = "compiles"
"""The message of a worker before it compiles the first kernel."""


SEND_INTERVAL = 0.05
"""Seconds for which a worker gathers findings before it sends them."""


def serve(handle: int) -> None:
    """Carry out the orders that come from a connection, and send the findings.

    After the last finding of a job None is sent.
    """
    raise_on_signals()
    threading.Thread(target=_end_with_driver, daemon=True).start()
    reuse_freed_memory()
    from dbmsolver.jit.compilation import on_first_compilation
    from dbmsolver.survey.job_runner import JobRunner

    runner = JobRunner()
    connection = Connection(handle)
    on_first_compilation(lambda: connection.send(COMPILES))
    try:
        while True:
            order: Order = connection.recv()
            try:
                for answers in _batches(runner.run(order)):
                    connection.send(answers)
            except DbmError as error:
                connection.send(error)
                return
            except MemoryError:
                return  # the driver sees that this worker has died, and gives the deal more memory
            except OSError as error:
                connection.send(SystemRefusedError(str(error)))
                return
            except Exception as error:
                connection.send(InternalError(f"a worker failed: {error!r}"))
                return
            connection.send(None)
    except (EOFError, OSError, KeyboardInterrupt):
        pass
    finally:
        ignore_signals()


def _batches(steps: Findings) -> Iterator[list[tuple[int, Finding]]]:
    """Yield findings in lists: a message for each of them would wake the driver too often."""
    answers: list[tuple[int, Finding]] = []
    sent = time.monotonic()
    for finding in steps:
        if finding is not None:
            answers.append(finding)
        if answers and time.monotonic() - sent >= SEND_INTERVAL:
            yield answers
            answers, sent = [], time.monotonic()
    yield answers


def _end_with_driver() -> None:
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)
