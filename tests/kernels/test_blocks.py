"""Blocks as bytes: what is encoded comes back, and is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.kernels.blocks import find_key, from_planes, to_planes
from dbmsolver.storage.blocks import Runs, decode_block, encode_block

Key = tuple[int, ...]


def words_of(keys: list[Key]) -> np.ndarray:  # type: ignore[type-arg]
    return np.array([word for key in keys for word in key], np.uint64)


@pytest.mark.parametrize("words", [1, 3])
@given(data=st.data())
@settings(max_examples=50, deadline=None)
def test_round_trip(words: int, data: st.DataObject) -> None:
    key = st.tuples(*[st.integers(0, 2**64 - 1)] * words)
    runs = data.draw(st.lists(st.sets(key, min_size=1, max_size=20), min_size=1, max_size=4))
    ordered = [sorted(run, key=lambda key: key[::-1]) for run in runs]
    keys = words_of([key for run in ordered for key in run])
    counts = np.array([len(run) for run in runs], np.int64)
    back = np.empty_like(keys)
    planes = np.empty((8 * words, keys.size // words), np.uint8)
    to_planes(keys, counts, words, planes)
    from_planes(planes, counts, words, back)
    assert back.tolist() == keys.tolist()

    states = keys.size // words
    signatures = np.arange(counts.size, dtype=np.uint64)
    for code_type, extra in ((np.uint8, None), (np.uint16, np.arange(states, dtype=np.uint16))):
        codes = (np.arange(states) % 251).astype(code_type)
        block = decode_block(
            encode_block(Runs(signatures, counts, keys, codes, words, extra)), "here"
        )
        assert block.key_words == words
        for name, expected in (
            ("signatures", signatures),
            ("counts", counts),
            ("keys", keys),
            ("codes", codes),
            ("extra", extra),
        ):
            found = getattr(block, name)
            assert (found is None) == (expected is None)
            assert found is None or found.tolist() == expected.tolist()

    first = ordered[0]
    mine = words_of(first)
    for place, wanted in enumerate(first):
        padded = [np.uint64(word) for word in (*wanted, 0, 0)[:3]]
        assert find_key(mine, words, *padded) == place
    absent = data.draw(key.filter(lambda key: key not in runs[0]))
    # So are keys that differ from one that is there in a single word.
    near = [
        (*key[:word], key[word] ^ 1, *key[word + 1 :]) for key in first for word in range(words)
    ]
    for other in [absent, *(key for key in near if key not in runs[0])]:
        assert find_key(mine, words, *[np.uint64(word) for word in (*other, 0, 0)[:3]]) == -1
