"""Tuples that kernels get by reference."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from dbmsolver.jit import structs
from dbmsolver.jit.arguments import type_of
from dbmsolver.jit.decorators import allocating, kernel
from dbmsolver.jit.structs import ADDRESS, is_struct, struct


@struct
class Inner(NamedTuple):
    """An array and numbers of each kind."""

    array: NDArray[np.int64]
    negative: int
    flag: bool
    word: np.uint64


@struct
class Outer(NamedTuple):
    """A struct in a struct, a plain tuple with an array, nothing, and a table."""

    inner: Inner
    pair: tuple[int, NDArray[np.uint8]]
    nothing: None
    table: NDArray[np.int64]


@kernel
def _fields(outer):
    inner = outer.inner
    return (
        inner.array[1], inner.negative, inner.flag, inner.word, outer.pair[0], outer.pair[1][2],
        outer.nothing is None, outer.table[1, 2], outer.table.shape[0], outer.table.size,
    )  # fmt: skip


@kernel
def _write(outer, value):
    outer.table[0, 1] = value
    outer.inner.array[0] += value


@allocating
def _copied(outer):
    return outer.table[1].copy()


def make_outer() -> Outer:
    """Return a tuple with all kinds of fields."""
    inner = Inner(np.arange(5), -7, True, np.uint64(2**64 - 1))
    return Outer(inner, (3, np.arange(4, dtype=np.uint8)), None, np.arange(12).reshape(3, 4))


def test_kernels_read_fields() -> None:
    outer = make_outer()
    assert _fields(outer) == (1, -7, True, 2**64 - 1, 3, 2, True, 6, 3, 12)
    assert _fields(outer) == _fields.py_func(outer)
    other = outer._replace(inner=outer.inner._replace(flag=False, array=np.arange(5) * 9))
    assert _fields(other)[:3] == (9, -7, False)
    assert _fields(outer)[:3] == (1, -7, True)


def test_kernels_write_to_arrays_and_return_new_ones() -> None:
    outer = make_outer()
    _write(outer, 50)
    assert (outer.table[0, 1], outer.inner.array[0]) == (50, 50)
    row = _copied(outer)
    assert row.tolist() == [4, 5, 6, 7] and not np.shares_memory(row, outer.table)


def test_types_are_those_of_fields() -> None:
    outer = make_outer()
    assert type_of(outer) == type_of(make_outer()) and is_struct(outer)
    read_only = outer.table.copy()
    read_only.flags.writeable = False
    others = [
        outer._replace(table=read_only),
        outer._replace(table=outer.table.astype(np.int32)),
        outer._replace(inner=outer.inner._replace(negative=np.uint64(1))),
    ]
    assert len({type_of(one) for one in [outer, *others]}) == 4
    assert pickle.loads(pickle.dumps(type_of(outer))) == type_of(outer)


def test_a_copy_has_a_struct_of_its_own() -> None:
    outer = make_outer()
    address = getattr(outer, ADDRESS)
    assert getattr(outer, ADDRESS) == address
    for other in (copy.copy(outer), pickle.loads(pickle.dumps(outer)), outer._replace()):
        assert getattr(other, ADDRESS) != address
        assert _fields(other) == _fields(outer)


def test_threads_use_the_same_struct() -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in range(50):
            addresses = pool.map(getattr, [make_outer()] * 8, [ADDRESS] * 8)
            assert len(set(addresses)) == 1


def test_an_array_with_gaps_is_refused() -> None:
    outer = make_outer()
    with pytest.raises(TypeError, match="contiguous"):
        _fields(outer._replace(table=outer.table[:, ::2]))


def test_what_has_no_slot_is_refused() -> None:
    with pytest.raises(TypeError, match="is a float, expected a whole number"):
        _fields(make_outer()._replace(pair=(2.5, np.arange(4, dtype=np.uint8))))


def test_an_error_while_a_struct_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that is compiled gives the error on, for want of memory, say."""
    outer = make_outer()
    _fields(make_outer())

    def refused(_instance: Any, *_rest: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(structs.np, "array", refused)
    with pytest.raises(MemoryError):
        _fields(outer)
    monkeypatch.undo()
    assert _fields(outer) == _fields.py_func(outer)
