"""The garbage collector is off while kernels are compiled, and then as it was before."""

from __future__ import annotations

import gc

import pytest
from numba import njit
from numba.core.errors import TypingError
from numba.extending import overload

from dbmsolver.jit import decorators

seen: list[bool] = []


def noted(number: int) -> int:
    """Return a number; kernels that call it note the collector's state when they are compiled."""
    return number


@overload(noted, strict=False)
def _(number: int) -> object:
    seen.append(gc.isenabled())
    return lambda number: number


@pytest.mark.parametrize(("before", "number"), [(True, 1), (False, 1.5)])
def test_off_while_compiling(before: bool, number: float) -> None:
    seen.clear()
    (gc.enable if before else gc.disable)()
    try:
        callee = decorators.inner(lambda number: noted(number) + 1)
        assert njit(lambda number: noted(callee(number)))(number) == number + 1
        assert seen and not any(seen)
        assert gc.isenabled() == before
    finally:
        gc.enable()


def test_on_again_after_a_failure() -> None:
    with pytest.raises(TypingError):
        njit(lambda number: number.nothing)(1)
    assert gc.isenabled()
