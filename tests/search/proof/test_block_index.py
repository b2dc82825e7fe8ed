"""The bits that keys of a block have: which pieces it may be of, and how many states of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from helpers.made_up_pieces import SHAPE, SIGNATURE, some

from dbmsolver.search.commits import BlockRef
from dbmsolver.search.proof.block_index import BlockIndex, Span, read_index
from dbmsolver.storage.blocks import encode_block
from dbmsolver.storage.records import Closed


def block(states: int, keys: range = range(0)) -> BlockRef:
    """Return a block of closed states."""
    data = encode_block(some(keys).load())
    return BlockRef(Closed(0, 0, SIGNATURE, SIGNATURE, states, data))


PURE, MIXED, UNKNOWN = block(30), block(10), block(500)


def index() -> BlockIndex:
    """Return what is known of two blocks.

    Keys of the first are 1 or 3, and those of the second have all values of three bits.
    """
    found = BlockIndex()
    found.spans[PURE] = Span(0b011, 0b110)
    found.spans[MIXED] = Span(0b111, 0b111)
    return found


def test_a_block_is_of_the_pieces_whose_bits_its_keys_have() -> None:
    of = index()
    sides = [[of.may_hold(PURE, bit, side) for side in (0, 1)] for bit in range(3)]
    assert sides == [[False, True], [True, True], [True, False]]
    assert all(of.may_hold(ref, 2, side) for ref in (MIXED, UNKNOWN) for side in (0, 1))


def test_the_share_of_states_in_blocks_that_have_both_values() -> None:
    """Blocks that are not known do not count; where none is, each bit may be of any."""
    of = index()
    assert of.mixed([PURE, MIXED, UNKNOWN]).tolist() == [0.25, 1.0, 0.25] + [0.0] * 61
    assert of.mixed([PURE]).tolist() == [0.0, 1.0] + [0.0] * 62
    assert of.mixed([UNKNOWN]).tolist() == of.mixed([]).tolist() == [1.0] * 64


@pytest.mark.parametrize(("mask", "states"), [(0, 540), (1, 285), (0b110, 142), (0b111, 78)])
def test_each_bit_that_a_block_has_both_values_of_halves_it(mask: int, states: int) -> None:
    assert index().states([PURE, MIXED, UNKNOWN], mask) == states


@pytest.mark.parametrize("threads", [1, 2, 9])
def test_each_block_is_read_once_and_in_order(threads: int) -> None:
    """Nothing else is known of its keys; a sample of a few small blocks is all that they hold."""
    keys = [range(4, 8), range(1, 12, 2), range(5, 6), range(40)]
    blocks = [block(len(some), some) for some in keys]
    store: Any = None
    with ThreadPoolExecutor(2) as pool:
        found = list(read_index(SHAPE, blocks, store, pool, threads))
    assert [ref for ref, _ in found] == blocks
    ones = [summary.span.ones for _, summary in found]
    zeros = [~summary.span.zeros & (1 << 64) - 1 for _, summary in found]
    assert ones == [0b111, 0b1111, 0b101, 0b111111]
    assert zeros == [0b100, 0b0001, 0b101, 0]
    for (_, summary), part in zip(found, keys, strict=True):
        assert summary.keys.tolist() == list(part)
        assert summary.codes.tolist() == [key % 7 for key in part]


def test_of_large_blocks_some_keys_are_taken() -> None:
    """They come from all of each block, the first and the last included, and are bounded in all."""
    of = [block(100_001, range(first, first + 100_001)) for first in (0, 7)]
    store: Any = None
    with ThreadPoolExecutor(1) as pool:
        for first, (_, summary) in zip((0, 7), read_index(SHAPE, of, store, pool, 1), strict=True):
            keys = summary.keys.astype(np.int64)
            assert keys.size == summary.codes.size == 50_000
            assert (keys[0], keys[-1]) == (first, first + 100_000)
            assert set(np.diff(keys).tolist()) == {2, 3}
            assert (summary.codes == keys % 7).all()
