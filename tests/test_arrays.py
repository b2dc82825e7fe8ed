"""Memory of arrays: large pages are given back, and threads share no line of the cache."""

from __future__ import annotations

import mmap
from typing import Any, NamedTuple

import numpy as np
import pytest

from dbmsolver.arrays import apart, zeros
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


class Scratch(NamedTuple):
    """Scratch memory with all that it may have."""

    counts: Any
    inner: tuple[Any, ...]
    size: int


def test_small_arrays_are_apart() -> None:
    """No two of them have a byte in the same pair of cache lines, and all have their values."""
    large = np.arange(1 << 14)
    parts = [np.arange(6, dtype=kind).reshape(2, 3) for kind in (np.uint8, np.int64, np.uint16)]
    given = Scratch(parts[0], (parts[1], (parts[2], np.empty(0, np.int64)), large), 7)
    found = [apart(given) for _ in range(50)]
    small = []
    for scratch in found:
        assert isinstance(scratch, Scratch) and scratch.size == 7
        second, (third, none), same = scratch.inner
        assert same is large and none.size == 0
        small += [scratch.counts, second, third]
        for copy, part in zip(small[-3:], parts, strict=True):
            assert (copy.dtype, copy.shape) == (part.dtype, part.shape) and (copy == part).all()
            assert copy.flags.c_contiguous and copy.flags.writeable
            assert not np.shares_memory(copy, part)
    starts = [array.ctypes.data for array in small]
    assert all(start % 128 == 0 for start in starts)
    assert len({start // 128 for start in starts}) == len(starts)
