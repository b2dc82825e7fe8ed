"""Compilation is announced once, when it begins, and not where there is none."""

from __future__ import annotations

import time

import pytest
from numba import njit
from numba.core.event import Event, EventStatus

from dbmsolver.jit.compilation import Clock, on_first_compilation, seconds_compiling


def test_first_compilation_only() -> None:
    heard: list[int] = []
    on_first_compilation(lambda: heard.append(1))
    inner = njit(lambda x: x + x)
    double = njit(lambda x: inner(x))
    assert heard == []
    assert double(2) == 4
    assert heard == [1]
    double(3)
    double(2.5)
    assert heard == [1]


def test_seconds() -> None:
    """They are those of the outermost compilation, and none without one."""
    inner = njit(lambda x: x + x)
    double = njit(lambda x: inner(x))
    before, began = seconds_compiling(), time.monotonic()
    double(2)
    took, passed = seconds_compiling() - before, time.monotonic() - began
    assert 0 < took <= passed
    double(3)
    assert seconds_compiling() - before == took


def test_the_clock_runs_from_the_first_start_to_the_last_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = iter([1.0, 4.0, 9.0, 11.0, 20.0])
    monkeypatch.setattr("dbmsolver.jit.compilation.time.monotonic", lambda: next(now))
    clock, nothing = Clock(), Event("numba:compile", EventStatus.START, None, None)
    assert clock.seconds() == 0
    clock.on_start(nothing)  # at 1
    clock.on_start(nothing)
    assert clock.seconds() == 3  # at 4
    clock.on_end(nothing)
    assert clock.seconds() == 8  # at 9
    clock.on_end(nothing)  # at 11
    assert clock.seconds() == 10
    clock.on_start(nothing)  # at 20
