"""Compilation is announced once, when it begins, and not where there is none."""

from __future__ import annotations

from numba import njit

from dbmsolver.jit.compilation import noted_compilations, on_first_compilation


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


def test_compilations_of_a_context() -> None:
    """Others before it and after it do not count."""
    double = njit(lambda x: x + x)
    double(2)
    with noted_compilations() as noted:
        double(3)
        assert not noted
        double(2.5)
        assert noted
    before = list(noted)
    double(2j)
    assert noted == before
