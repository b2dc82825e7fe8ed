"""Hash tables of local keys: keys that share a slot, and a part of their words, are told apart."""

from __future__ import annotations

import numpy as np
from helpers.support import words_of
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.jit.decorators import kernel
from dbmsolver.kernels import hashing
from dbmsolver.kernels.hashing import EMPTY

SLOTS = 16
MOST = 12
"""Keys of a table that is three quarters full."""


@kernel
def insert(table, slot, wide, first, second, third):  # type: ignore[no-untyped-def]
    return hashing.insert(table, SLOTS - 1, slot, wide, first, second, third)


@kernel
def insert_compact(table, steps, home, low):  # type: ignore[no-untyped-def]
    return hashing.insert_compact(table, steps, SLOTS - 1, home, low)


BIT = st.integers(0, 1)


@given(
    keys=st.lists(st.tuples(BIT, BIT, BIT), max_size=40),
    slot=st.sampled_from([0, 7, SLOTS - 1]),
    wide=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_whole_keys(keys: list[tuple[int, int, int]], slot: int, wide: bool) -> None:
    """Keys that may differ in one word only, all of one slot; where it is the last one, too."""
    words = 3 if wide else 1
    table = np.full(words * SLOTS, EMPTY, np.uint64)
    seen: list[tuple[int, ...]] = []
    for key in keys:
        is_new = key[:words] not in seen
        assert insert(table, slot, wide, *words_of(*key)) == is_new
        if is_new:
            seen.append(key[:words])
    rows = np.roll(table.reshape(SLOTS, words), -slot, axis=0)
    assert rows[: len(seen)].tolist() == [[*key] for key in seen]
    assert (rows[len(seen) :] == EMPTY).all()


@given(keys=st.lists(st.tuples(st.integers(0, SLOTS - 1), st.integers(0, 2)), max_size=40))
@settings(max_examples=200, deadline=None)
def test_compact_keys(keys: list[tuple[int, int]]) -> None:
    """The same low bits are another key where the home is another, wherever either lies."""
    table, steps = np.full(SLOTS, EMPTY, np.uint64), np.zeros(SLOTS, np.uint16)
    seen: set[tuple[int, int]] = set()
    for home, low in keys:
        if len(seen) == MOST and (home, low) not in seen:
            continue
        is_new = (home, low) not in seen
        assert insert_compact(table, steps, home, np.uint64(low)) == is_new
        seen.add((home, low))
    taken = np.flatnonzero(table != EMPTY)
    homes = (taken - steps[taken]) % SLOTS
    assert set(zip(homes.tolist(), table[taken].tolist(), strict=True)) == seen
    assert taken.size == len(seen)
