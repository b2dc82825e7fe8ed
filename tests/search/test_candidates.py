"""Candidates that are packed: as many blocks as they need, each state once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.search.candidates import of_one_signature, pack_by_stratum, pack_together
from dbmsolver.storage import blocks

SIGNATURE = 7
STRATUM = 3


@pytest.mark.parametrize("pack", [pack_together, pack_by_stratum])
@pytest.mark.parametrize("words", [1, 3])
@given(
    given_keys=st.lists(st.sets(st.integers(0, 300)), min_size=1, max_size=4).filter(any),
    cap=st.integers(100, 2000),
)
def test_no_block_is_too_large(pack, words, given_keys, cap) -> None:  # type: ignore[no-untyped-def]
    """A part that is larger than a block ends no proof, whoever packs it."""
    parts = []
    for keys in given_keys:
        rows = np.zeros((len(keys), words), np.uint64)
        rows[:, 0] = sorted(keys)
        codes = np.zeros(len(keys), np.uint8)
        parts.append(of_one_signature(STRATUM, SIGNATURE, words, rows.reshape(-1), codes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "MOST_BYTES", cap)
        packed = pack([part for part in parts if part.states])
        assert all(one.load().body_bytes <= cap for one in packed)
    assert {one.stratum for one in packed} == {STRATUM}
    assert all(one.signatures.tolist() == [SIGNATURE] for one in packed)
    found = [key for one in packed for key in one.load().keys.reshape(-1, words)[:, 0].tolist()]
    assert sorted(found) == sorted(set().union(*given_keys))
    assert sum(one.states for one in packed) == len(found)
