"""Sorting keys with their codes: the same order as Python's, and no code gone astray."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helpers.selection import few_fast
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.kernels.sorting import SMALL, sort_states

SIZES = [0, 1, 2, SMALL - 1, SMALL, SMALL + 1, 300, 5000]


def check(states: list[tuple[tuple[int, ...], int]], words: int, code_type: type) -> None:
    """Sort pairs of (key words, least significant first; code)."""
    count, room = len(states), len(states) + 3
    keys, codes = np.full(words * room, 7, np.uint64), np.full(room, 7, code_type)
    for index, (key, code) in enumerate(states):
        keys[words * index : words * (index + 1)] = key
        codes[index] = code
    to_keys, to_codes = np.full_like(keys, 9), np.full_like(codes, 9)
    sort_states(keys, codes, to_keys, to_codes, count, words)
    states.sort(key=lambda state: state[0][::-1])
    assert to_keys[: words * count].tolist() == [word for key, _ in states for word in key]
    assert to_codes[:count].tolist() == [code for _, code in states]
    assert (to_keys[words * count :] == 9).all() and (to_codes[count:] == 9).all()


@pytest.mark.parametrize("code_type", [np.uint8, np.uint16])
@pytest.mark.parametrize("words", [1, 3])
@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("mask", few_fast([2**64 - 1, 0xFF00FF0000000FFF, 0x3FFFF], 1))
def test_many(count: int, words: int, mask: int, code_type: type) -> None:
    random = Random(count)
    distinct = {tuple(random.getrandbits(64) & mask for _ in range(words)) for _ in range(count)}
    states = [(key, random.randrange(1 << 8 * code_type().itemsize)) for key in sorted(distinct)]
    random.shuffle(states)
    check(states, words, code_type)


@given(st.sets(st.integers(0, 2**64 - 1), max_size=3 * SMALL))
@settings(max_examples=50, deadline=None)
def test_narrow(keys: set[int]) -> None:
    check([((key,), key & 255) for key in keys], 1, np.uint8)


@given(st.sets(st.tuples(*[st.integers(0, 2**64 - 1)] * 3), max_size=2 * SMALL))
@settings(max_examples=50, deadline=None)
def test_wide(keys: set[tuple[int, ...]]) -> None:
    check([(key, key[1] & 255) for key in keys], 3, np.uint8)


word = st.integers(0, 2**64 - 1)


@given(
    st.lists(st.sampled_from([0, 1, 1 << 63, 0xFFFF, (1 << 32) - 1, 2**64 - 1]), min_size=3)
    | st.lists(word, min_size=3, max_size=3),
    st.tuples(word, word, word),
    st.sampled_from([1, 3]),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_bits_in_which_all_agree(
    masks: list[int], agreed: tuple[int, ...], words: int, random: Random
) -> None:
    """Keys that differ under a mask for each word: in one word, in two, or in all three."""
    keys = {
        tuple(
            constant & ~mask & (2**64 - 1) | random.getrandbits(64) & mask
            for mask, constant in zip(masks[:words], agreed[:words], strict=True)
        )
        for _ in range(2 * SMALL)
    }
    check([(key, key[0] & 255) for key in keys], words, np.uint8)


@pytest.mark.parametrize("words", [1, 3])
@pytest.mark.parametrize("count", [5, 400])
def test_in_order_already(count: int, words: int) -> None:
    for step in (1, -1):
        check([((k,) * words, k & 255) for k in range(count)][::step], words, np.uint8)


@pytest.mark.parametrize("byte", range(8))
@pytest.mark.parametrize("words", [1, 3])
def test_all_but_one_agree_in_a_byte(words: int, byte: int) -> None:
    """The one comes last, or anywhere, and belongs first or last."""
    for place in (1, SMALL // 2, 2 * SMALL - 1):
        for odd, other in ((1, 2), (2, 1)):
            keys = [(k % 256 if byte else 0) + (other << 8 * byte) for k in range(2 * SMALL)]
            keys[place] += (odd - other) << 8 * byte
            check([((key,) * words, n & 255) for n, key in enumerate(keys)], words, np.uint8)
