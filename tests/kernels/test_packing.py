"""Packed keys: what is left out comes back, and the order is that of the keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.kernels.packing import TARGET, pack_keys, packing_of, unpack_keys

word = st.integers(0, 2**64 - 1)
masks = st.sampled_from([0, 1, 1 << 63, 0xFFFF, (1 << 32) - 1, 2**64 - 1]) | word


@pytest.mark.parametrize("words", [1, 2, 3])
@given(
    masks=st.tuples(masks, masks, masks),
    agreed=st.tuples(word, word, word),
    free=st.lists(st.tuples(word, word, word), min_size=1, max_size=40),
)
@settings(max_examples=60, deadline=None)
def test_packed_keys(
    words: int,
    masks: tuple[int, ...],
    agreed: tuple[int, ...],
    free: list[tuple[int, ...]],
) -> None:
    rows = [
        [key & mask | always & ~mask for key, mask, always in zip(one, masks, agreed, strict=True)]
        for one in free
    ]
    rows = [row[:words] for row in rows]
    keys = np.array(rows, np.uint64).reshape(-1)
    packing = packing_of(keys, len(rows), words)
    packed_words = int(packing[-1, TARGET]) + 1
    differing = [
        np.bitwise_or.reduce(column) ^ np.bitwise_and.reduce(column)
        for column in np.array(rows, np.uint64).T
    ]
    assert packed_words <= words
    if sum(int(bits).bit_count() for bits in differing) <= 64:
        assert packed_words == 1
    packed = np.full(packed_words * len(rows), 9, np.uint64)
    pack_keys(keys, packing, packed)
    again = np.full_like(keys, 9)
    unpack_keys(packed, packing, again)
    assert again.tolist() == keys.tolist()
    short = packed.reshape(-1, packed_words)[:, ::-1].tolist()
    by_packed = sorted(range(len(rows)), key=lambda number: short[number])
    by_key = sorted(range(len(rows)), key=lambda number: rows[number][::-1])
    assert by_packed == by_key


def test_one_key_has_nothing_that_differs() -> None:
    keys = np.array([5, 6, 7], np.uint64)
    packing = packing_of(keys, 1, 3)
    packed, again = np.full(1, 9, np.uint64), np.zeros(3, np.uint64)
    pack_keys(keys, packing, packed)
    unpack_keys(packed, packing, again)
    assert (packed.tolist(), again.tolist()) == ([0], [5, 6, 7])
