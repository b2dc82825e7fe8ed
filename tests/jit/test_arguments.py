"""The types that kernels find for their arguments are those that numba finds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.jit.arguments import type_of
from dbmsolver.kernels.hooks import make_bound_tables
from dbmsolver.kernels.shards import make_shard
from dbmsolver.kits.states import StateCodec


class Pair(NamedTuple):
    first: Any
    second: Any


def readonly() -> np.ndarray[Any, Any]:
    array = np.zeros(3, np.uint8)
    array.flags.writeable = False
    return array


CODEC = StateCodec(Deal.from_number(1), "wkr")
VALUES: list[Any] = [
    1,
    True,
    2.5,
    None,
    np.uint64(1),
    np.int64(-1),
    np.zeros((2, 3), np.uint16),
    np.zeros((2, 3), np.uint16).T,
    np.zeros((4, 6))[::2, ::3],
    np.zeros(0, np.bool_),
    np.frombuffer(b"12345678", np.uint64),
    readonly(),
    (),
    (1, 2),
    (1, np.zeros(2)),
    (readonly(), (1, (2.5,))),
    Pair(1, np.zeros(2)),
    Pair(Pair(readonly(), ()), (1, 1)),
    tuple(CODEC.tables),
    tuple(make_bound_tables(CODEC.tables, CODEC.deal.position.columns)),
    tuple(make_shard(CODEC.tables, 1, 1, 1))[:-1],
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_same_type(value: Any) -> None:
    assert type_of(value) == numba.typeof(value)


def test_masked_arrays_are_none() -> None:
    with pytest.raises(numba.errors.NumbaTypeError, match="MaskedArray"):
        type_of(np.ma.masked_array([1, 2], mask=[True, False]))
