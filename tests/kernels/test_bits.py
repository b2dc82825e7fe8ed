"""Bit operations against Python's integers."""

from __future__ import annotations

import numpy as np
from helpers.support import words_of
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from dbmsolver.kernels import bits

WORDS = st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 63).map(lambda bit: 1 << bit))


@njit
def count_ones(word):  # type: ignore[no-untyped-def]
    return bits.popcount(word)


@njit
def first_and_last(word):  # type: ignore[no-untyped-def]
    return bits.lowest_bit(word), bits.highest_bit(word)


@njit
def upper_half(outgoing, right):  # type: ignore[no-untyped-def]
    return bits.multiply_high(outgoing, right)


@njit
def pack_and_unpack(mask, word, packed):  # type: ignore[no-untyped-def]
    network = np.zeros(bits.NETWORK_WORDS, np.uint64)
    bits.make_network(mask, network)
    return bits.pack_bits(word, network), bits.unpack_bits(packed, network)


def places(mask: int) -> list[int]:
    return [bit for bit in range(64) if mask >> bit & 1]


@given(word=WORDS)
@settings(deadline=None)
def test_popcount(word: int) -> None:
    assert count_ones(np.uint64(word)) == word.bit_count()


@given(word=WORDS)
@settings(deadline=None)
def test_first_and_last_bit(word: int) -> None:
    expected = ((word & -word).bit_length() - 1 if word else 64, word.bit_length() - 1)
    assert first_and_last(np.uint64(word)) == expected


@given(outgoing=WORDS, right=WORDS)
@settings(deadline=None)
def test_multiply_high(outgoing: int, right: int) -> None:
    assert upper_half(*words_of(outgoing, right)) == outgoing * right >> 64


@given(mask=WORDS, word=WORDS, packed=WORDS)
@settings(max_examples=500, deadline=None)
def test_packing_networks(mask: int, word: int, packed: int) -> None:
    gathered, spread = pack_and_unpack(*words_of(mask, word, packed))
    assert gathered == sum((word >> bit & 1) << place for place, bit in enumerate(places(mask)))
    assert spread == sum((packed >> place & 1) << bit for place, bit in enumerate(places(mask)))


def test_packing_everything_and_nothing() -> None:
    word = 0x0123456789ABCDEF
    assert pack_and_unpack(*words_of(2**64 - 1, word, word)) == (word, word)
    assert pack_and_unpack(*words_of(0, word, word)) == (0, 0)
