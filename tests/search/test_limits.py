"""Limits of a run: which of them is reached, and what memory leaves for arrays."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from dbmsolver.results import Limit, Limits
from dbmsolver.search.limits import LimitCheck, memory_for_arrays
from dbmsolver.search.statistics import Statistics

MIB = 1 << 20
HOUR = 3600.0


def reached(limits: Limits, states: int = 0, seconds: float = 0.0, disk: int = 0) -> Limit | None:
    """Return the limit that is reached by a search that began so many seconds ago."""
    statistics = Statistics(started=time.monotonic() - seconds)
    limit = LimitCheck(limits, statistics, lambda: disk).reached(states)
    # Memory is looked at together with the disk, which costs more than a glance at a clock.
    looked = limit in (None, Limit.MAX_DISK)
    assert (statistics.peak_memory > 0) == looked
    return limit


@pytest.mark.parametrize(
    ("limits", "so_far", "limit"),
    [
        (Limits(), {"states": 1 << 60, "seconds": 1e9, "disk": 1 << 60}, None),
        (Limits(max_states=10), {"states": 9}, None),
        (Limits(max_states=10), {"states": 10}, Limit.MAX_STATES),
        (Limits(max_states=10), {"states": 11}, Limit.MAX_STATES),
        (Limits(max_time=HOUR), {"seconds": HOUR / 2}, None),
        (Limits(max_time=HOUR), {"seconds": HOUR}, Limit.MAX_TIME),
        (Limits(max_time=HOUR), {"seconds": HOUR + 1}, Limit.MAX_TIME),
        (Limits(max_disk=10), {"disk": 10}, None),
        (Limits(max_disk=10), {"disk": 11}, Limit.MAX_DISK),
        (Limits(1, HOUR, 1), {"states": 1, "seconds": HOUR, "disk": 2}, Limit.MAX_STATES),
    ],
)
def test_which_limit_is_reached(limits: Limits, so_far: dict[str, int], limit: Limit) -> None:
    """States may be as many as their limit and no more, the disk may be as full."""
    assert reached(limits, **so_far) == limit


def test_the_disk_is_looked_at_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session asks after every step, thousands of times in a second."""
    times = iter((10.0, 10.01, 10.04, 10.06, 10.07))
    clock = SimpleNamespace(monotonic=lambda: next(times))
    monkeypatch.setattr("dbmsolver.search.limits.time", clock)
    sizes = iter((1, 11))
    check = LimitCheck(Limits(max_disk=10), Statistics(), lambda: next(sizes))
    found = [check.reached(0) for _ in range(5)]
    assert found == [None, None, None, Limit.MAX_DISK, None]


def test_the_time_of_earlier_runs_does_not_count() -> None:
    """The limit is for a run: the same command goes on with as much time again."""
    statistics = Statistics(earlier_seconds=2 * HOUR)
    assert LimitCheck(Limits(max_time=HOUR), statistics, lambda: 0).reached(0) is None


@pytest.mark.parametrize(
    ("memory", "threads", "left"),
    [
        (4096 * MIB, 1, 3072 * MIB - 96 * MIB),
        (4096 * MIB, 8, 3072 * MIB - 8 * 96 * MIB),
        (120 * MIB, 1, 40 * MIB),  # a third is left in any case
        (4096 * MIB, 100, 4096 * MIB // 3),
    ],
)
def test_arrays_leave_room_for_what_threads_work_with(memory: int, threads: int, left: int) -> None:
    assert memory_for_arrays(Limits(memory=memory), threads) == left


def test_time_in_which_kernels_are_compiled_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiling = iter([5.0, 5.0 + HOUR, 5.0 + HOUR / 2])
    monkeypatch.setattr("dbmsolver.search.limits.seconds_compiling", lambda: next(compiling))
    statistics = Statistics(started=time.monotonic() - 1.5 * HOUR)
    check = LimitCheck(Limits(max_time=HOUR), statistics, lambda: 0)
    assert check.reached(0) is None
    assert check.reached(0) == Limit.MAX_TIME
