"""Limits of a run: time, states, memory, disk, and requests to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any

from dbmsolver.process import default_memory
from dbmsolver.results import Event, Limit, Limits, Result
from dbmsolver.search.statistics import Statistics

_SECONDS = 0.05
"""Time between two looks at memory and disk, which take a system call each."""

_SCRATCH = 96 << 20
"""Memory of a thread's scratch arrays, outside the budget's shares."""


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

    ``disk`` is a function that returns the size of the store in bytes.
    """

    def __init__(self, limits: Limits, statistics: Statistics, disk: Callable[[], int]) -> None:
        self.limits = limits
        self.statistics = statistics
        self._disk = disk
        self._checked = 0.0

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
        if limits.max_time is not None and now - statistics.started >= limits.max_time:
            return Limit.MAX_TIME
        if now - self._checked > _SECONDS:
            self._checked = now
            statistics.measure_memory()
            if limits.max_disk is not None and self._disk() > limits.max_disk:
                return Limit.MAX_DISK
        return None


def not_cut_by_compiling(
    search: Callable[[], Generator[Event, Any, Result]],
) -> Generator[Event, Any, Result]:
    """Run a search, and again as long as some of its time limit goes into compiling kernels."""
    from dbmsolver.jit.compilation import noted_compilations

    while True:
        with noted_compilations() as noted:
            result = yield from search()
        if result.limit != Limit.MAX_TIME or not noted:
            return result
