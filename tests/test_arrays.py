"""Arrays of zeros in large pages: like others, and given back when nobody uses them."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import pytest

from dbmsolver.arrays import zeros
from dbmsolver.process import anonymous_memory


@pytest.mark.parametrize("count", [0, 1, 1000, (1 << 19) - 1, 1 << 19, 1 << 20])
@pytest.mark.parametrize("kind", [np.uint64, np.uint32])
def test_like_any_other(count: int, kind: Any) -> None:
    array = zeros(count, kind)
    plain = np.zeros(count, kind)
    assert (array.shape, array.dtype, array.flags.writeable) == (plain.shape, plain.dtype, True)
    assert array.flags.c_contiguous and not array.any()
    array[:] = 7
    assert (array == 7).all()


def test_given_back() -> None:
    before = anonymous_memory()
    array = zeros(1 << 24, np.uint64)
    array[:] = 1
    assert anonymous_memory() > before + (100 << 20)
    del array
    assert anonymous_memory() < before + (50 << 20)


def test_a_system_that_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(mmap, "MADV_HUGEPAGE", raising=False)
    assert not zeros(1 << 20, np.uint64).any()


def test_too_large() -> None:
    with pytest.raises(MemoryError, match="for a table"):
        zeros(1 << 59, np.uint64)
