"""Tables that a process of a cluster keeps: whose they are, how they are divided, when they go."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from helpers.made_up_pieces import keys_in
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.game.deals import Deal
from dbmsolver.results import Method
from dbmsolver.search.proof.kept_tables import KeptTables
from dbmsolver.search.proof.orders import Proof
from dbmsolver.search.proof.piece_tables import KeyShape, Table
from dbmsolver.search.proof.pieces import Piece

HERE = (3, 7)
PLENTY = 1 << 30


@cache
def shape() -> KeyShape:
    """Return the shape of the deal's own signature, whose keys have one word."""
    codec = Proof(Deal.from_number(11982), "wkr", Method.EVERY_POSITION).keys()
    return KeyShape.of(codec, 0, int(codec.root[0]), 1)


def table_of(keys: set[int]) -> Table:
    table = Table.empty(shape(), 16)
    assert table.load(np.array(sorted(keys), np.uint64), 0, 0)
    return table


def piece(mask: int = 0, value: int = 0) -> Piece:
    return Piece(mask, value, 0, [])


@given(
    st.sets(st.integers(0, 2**62), max_size=40),
    st.lists(st.integers(0, 12), min_size=1, max_size=3, unique=True),
)
def test_a_table_is_divided_as_its_piece_was(keys: set[int], bits: list[int]) -> None:
    tables = KeptTables()
    tables.begin(HERE)
    tables.keep(5, piece(), table_of(keys), PLENTY)
    mask = sum(1 << bit for bit in bits)
    found: set[int] = set()
    values = {sum((side >> n & 1) << bit for n, bit in enumerate(bits)) for side in range(8)}
    for value in values:
        table = tables.take(5, piece(mask, value))
        assert table is not None
        mine = set(keys_in(table).tolist())
        assert mine == {key for key in keys if key & mask == value}
        assert table.held == len(mine)
        assert tables.take(5, piece(mask, value)) is None
        found |= mine
    assert found == keys


def test_only_the_table_of_that_order_is_taken() -> None:
    tables = KeptTables()
    tables.begin(HERE)
    tables.keep(5, piece(1, 1), table_of({1, 3}), PLENTY)
    assert tables.take(4, piece(1, 1)) is None
    assert tables.take(5, piece(1, 0)) is None
    assert tables.take(5, piece()) is None
    assert tables.take(5, piece(3, 3)) is not None


@pytest.mark.parametrize("after", [(3, 8), (4, 7), None])
def test_tables_of_other_signatures_go(after: tuple[int, int] | None) -> None:
    tables = KeptTables()
    tables.begin(HERE)
    tables.keep(5, piece(), table_of({1}), PLENTY)
    tables.begin(HERE)
    tables.begin(after)
    tables.begin(HERE)
    assert tables.take(5, piece()) is None


def test_those_used_last_stay() -> None:
    tables = KeptTables()
    tables.begin(HERE)
    size = table_of(set()).nbytes
    for number in range(3):
        tables.keep(number, piece(3, number), table_of({number}), 3 * size)
    first = tables.take(0, piece(3, 0))
    assert first is not None
    tables.keep(3, piece(3, 0), first, 3 * size)
    tables.keep(4, piece(3, 3), table_of({3}), 2 * size)
    assert [
        tables.take(n, piece(3, v)) is not None for n, v in ((1, 1), (2, 2), (3, 0), (4, 3))
    ] == [
        False,
        False,
        True,
        True,
    ]
