"""Limits of a run: time, states, memory, disk, and requests to stop."""

from __future__ import annotations

import time
from collections.abc import Callable

from dbmsolver.jit.compilation import seconds_compiling
from dbmsolver.process import default_memory
from dbmsolver.results import Limit, Limits
from dbmsolver.search.statistics import Statistics

_SECONDS = 0.05
"""Time between two looks at memory and disk, which take a system call each."""

_SCRATCH = 96 << 20
"""Memory of a thread's scratch arrays, outside the budget's shares."""


def searching_clock() -> float:
    """Return the seconds of a clock that stands still while this process compiles kernels."""
    return time.monotonic() - seconds_compiling()


def memory_for_arrays(limits: Limits, threads: int) -> int:
    """Return the bytes for the arrays of a search by ``threads`` threads.

    The rest of the memory is for short-lived data: blocks being packed, tables being rebuilt.
    """
    memory = limits.memory or default_memory()
    return max(memory * 3 // 4 - threads * _SCRATCH, memory // 3)


class OutOfBudget(Exception):
    """The memory budget is too small for a piece of work that a search cannot divide.

    The search ends with the limit "memory". Everything that it has finished is committed.
    """


class Cancelled(Exception):
    """A request to end a run, sent between two steps of its search.

    The search then ends with the limit "interrupt".
    """


class LimitCheck:
    """The limits of a run, and what they are compared with.

    Time in which kernels are compiled does not count. ``disk`` is a function that returns the size
    of the store in bytes.
    """

    def __init__(self, limits: Limits, statistics: Statistics, disk: Callable[[], int]) -> None:
        self.limits = limits
        self.statistics = statistics
        self._disk = disk
        self._checked = 0.0
        self._started = statistics.started - seconds_compiling()  # by the clock of searching

    def states_reached(self, states: int) -> bool:
        """Return True if ``states`` states are as many as the limit allows."""
        most = self.limits.max_states
        return most is not None and states >= most

    def reached(self, states: int) -> Limit | None:
        """Return the limit that a search with ``states`` states has reached, or None.

        The session calls it after every step, so it is cheap: memory and disk are looked at once
        in a while only.
        """
        limits, statistics = self.limits, self.statistics
        now = time.monotonic()
        if self.states_reached(states):
            return Limit.MAX_STATES
        if limits.max_time is not None and searching_clock() - self._started >= limits.max_time:
            return Limit.MAX_TIME
        if now - self._checked > _SECONDS:
            self._checked = now
            statistics.measure_memory()
            if limits.max_disk is not None and self._disk() > limits.max_disk:
                return Limit.MAX_DISK
        return None
