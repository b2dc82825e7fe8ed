"""The program of a worker of `processes.py`: one job after the other, until no more are sent."""

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
from dbmsolver.survey.jobs import Found, Order

if TYPE_CHECKING:
    from dbmsolver.survey.performer import Steps

COMPILES = "compiles"
"""The message of a worker before it compiles the first kernel."""


TOGETHER = 0.05
"""Seconds for which a worker gathers answers before it sends them."""


def serve(handle: int) -> None:
    """Take orders from a connection and send the findings; None says that a job is done."""
    raise_on_signals()
    threading.Thread(target=_end_with_driver, daemon=True).start()
    # The kernels' cache is chosen before numba is loaded.
    from dbmsolver.jit.cache import choose_cache

    choose_cache()
    reuse_freed_memory()
    from dbmsolver.jit.compilation import on_first_compilation
    from dbmsolver.survey.performer import Performer

    performer = Performer()
    connection = Connection(handle)
    on_first_compilation(lambda: connection.send(COMPILES))
    try:
        while True:
            order: Order = connection.recv()
            try:
                for answers in _together(performer.perform(order)):
                    connection.send(answers)
            except DbmError as error:
                connection.send(error)
                return
            except MemoryError:
                return  # the driver takes it for dead, and gives the deal more memory
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


def _together(steps: Steps) -> Iterator[list[tuple[int, Found]]]:
    """Yield findings in lists, as a message for each answer wakes the driver too often."""
    answers: list[tuple[int, Found]] = []
    told = time.monotonic()
    for found in steps:
        if found is not None:
            answers.append(found)
        if answers and time.monotonic() - told >= TOGETHER:
            yield answers
            answers, told = [], time.monotonic()
    yield answers


def _end_with_driver() -> None:
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)
