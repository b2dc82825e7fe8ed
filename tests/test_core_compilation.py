"""Compilations are reported when they begin and end, and not where there is none."""

from __future__ import annotations

from numba import njit

from dbmsolver.core.compilation import watch_compilation


def test_compilations_are_reported() -> None:
    heard: list[str] = []
    end = watch_compilation(lambda: heard.append("begins"), lambda: heard.append("ends"))
    inner = njit(lambda x: x + x)
    double = njit(lambda x: inner(x))
    assert heard == []
    assert double(2) == 4
    assert heard == ["begins", "ends"]
    double(3)
    assert heard == ["begins", "ends"]
    end()
    double(2.5)
    assert heard == ["begins", "ends"]
