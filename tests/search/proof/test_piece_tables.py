"""Tables of pieces: what a slot can hold, and when there is no room for more."""

from __future__ import annotations

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.runs import key_bits, widths_of
from dbmsolver.kernels.workspace import BUFFER
from dbmsolver.results import Method
from dbmsolver.search.proof.orders import Proof
from dbmsolver.search.proof.piece_tables import SMALLEST_BITS, KeyShape, Table

CODEC = Proof(Deal.from_number(11982), "wkr", Method.EVERY_POSITION).keys()
HOME = [sum(height << 4 * suit for suit in range(4)) for height in range(12)]
"""Signatures without locked columns, with ever more cards home."""


def test_a_slot_is_compact_where_a_key_fits_into_it() -> None:
    """It has 64 bits of a key, and its number stands for as many as the smallest table has."""
    wide = [one for one in HOME if widths_of(CODEC.tables, np.array([one], np.uint64))[0] > 1]
    bits = [int(key_bits(CODEC.tables, np.uint64(one))) for one in wide]
    compact = [KeyShape.of(CODEC, 0, one, 3).compact for one in wide]
    assert compact == [most <= 64 + SMALLEST_BITS for most in bits]
    assert len(set(compact)) == 2
    garden = Proof(Deal.from_number(1, GAMES["flower_garden"]), "wkr", Method.EVERY_POSITION).keys()
    assert key_bits(garden.tables, np.uint64(garden.root[0])) < 64 + SMALLEST_BITS
    # Three words say where its cards are; a compact slot has the bits of two.
    assert not KeyShape.of(garden, 0, int(garden.root[0]), 3).compact


def test_the_memory_of_a_table_is_that_of_its_slots() -> None:
    for signature in HOME[:8]:
        shape = KeyShape.of(CODEC, 0, signature, 3)
        assert Table.empty(shape, SMALLEST_BITS).nbytes == shape.slot_bytes << SMALLEST_BITS


def test_no_more_keys_than_a_full_buffer_beyond_its_capacity() -> None:
    """Parts of them have no more room than all at once."""
    table = Table.empty(KeyShape.of(CODEC, 0, int(CODEC.root[0]), 1), SMALLEST_BITS)
    keys = np.arange(table.capacity + BUFFER + 1, dtype=np.uint64)
    assert table.load(keys[: table.capacity], 0, 0)
    assert table.is_full
    assert table.load(keys[table.capacity : -1], 0, 0)
    assert not table.load(keys[-1:], 0, 0)
    assert table.held == table.capacity + BUFFER
