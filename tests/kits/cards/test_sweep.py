"""Levels of a sweep by depth: numbers of several words, and states that share a hash."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.jit.decorators import kernel
from dbmsolver.kernels.shards import LOW_32
from dbmsolver.kits.cards import sweep
from dbmsolver.kits.cards.rows import is_same_state
from dbmsolver.kits.cards.sweep import STATE, make_index, remember

HIGHEST = (1 << 64) - 1
WORDS = st.sampled_from([0, 1, 1 << 63, HIGHEST - 1, HIGHEST])


@kernel
def add(ways, index, more, source):  # type: ignore[no-untyped-def]
    sweep.add_ways(ways, index, more, source)


@kernel
def is_in(index, hashed, row):  # type: ignore[no-untyped-def]
    state = row[0], row[1], row[2], row[3]
    return index.table[sweep.find_state(index, hashed, state)] > 0


@kernel
def is_known(known, row):  # type: ignore[no-untyped-def]
    return is_same_state(known, 0, (row[0], row[1], row[2], row[3]))


def number_of(words: list[int]) -> int:
    return sum(word << 64 * place for place, word in enumerate(words))


@given(rows=st.lists(st.lists(WORDS, min_size=4, max_size=4), min_size=2, max_size=2))
@settings(max_examples=200, deadline=None)
def test_numbers_are_added_word_by_word(rows: list[list[int]]) -> None:
    """Whatever is carried, also into a word that is full by what is added to it."""
    ways = np.array([[9] * 4, rows[0]], np.uint64)
    more = np.array([rows[1], [9] * 4], np.uint64)
    add(ways, 1, more, 0)
    expected = (number_of(rows[0]) + number_of(rows[1])) % (1 << 256)
    assert number_of(ways[1].tolist()) == expected
    assert ways[0].tolist() == [9] * 4


def test_states_with_the_same_hash() -> None:
    """Each word is compared, and the upper half of the hash before."""
    index = make_index(np.empty((0, STATE), np.uint64))
    index = index._replace(rows=np.array([[5, 6, 7, 8]], np.uint64))
    hashed = np.uint64(0x123456789ABCDEF5)
    index.table[5] = hashed & ~LOW_32 | np.uint64(1)
    assert is_in(index, hashed, index.rows[0])
    for word in range(STATE):
        other = index.rows[0].copy()
        other[word] += np.uint64(1)
        assert not is_in(index, hashed, other)


def test_known_states_that_differ_in_one_word() -> None:
    """A table of one place has the state that was put there last."""
    known = np.zeros((1, STATE), np.uint64)
    states = [np.array(words, np.uint64) for words in ((5, 6, 7, 8), (6, 6, 7, 8))]
    for state in states:
        remember(known, state[None])
        assert is_known(known, state)
        for word in range(STATE):
            other = state.copy()
            other[word] += np.uint64(1)
            assert not is_known(known, other)
    assert not is_known(known, states[0])
    remember(known, np.zeros((1, STATE), np.uint64))  # no state: nothing is forgotten for it
    assert is_known(known, states[1])
