"""The hash of public keys is XXH3-64."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.kernels.digest import hash_words

WORD = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize("count", [2, 3])
@given(words=st.tuples(WORD, WORD, WORD))
@settings(max_examples=200, deadline=None)
def test_like_xxhash(count: int, words: tuple[int, int, int]) -> None:
    expected = xxhash.xxh3_64_intdigest(struct.pack(f"<{count}Q", *words[:count]))
    assert int(hash_words(*(np.uint64(word) for word in words), count)) == expected
