"""Hash tables of the check: a state that is missing is not found, however much others are like it.

What shares a slot, or a hash, with another state is told from it by each of its words.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers.verifier import Words, closed_set

from dbmsolver.verify.kernels.closed_set import (
    ENTERED,
    FULL,
    INSIDE,
    NO_PARENT,
    OUTSIDE,
    TWICE,
    ClosedSet,
    States,
    enter,
    follow_chains,
    look_up,
)

EVERY: list[Words] = list(product((0, 1 << 40), repeat=4))
"""States that differ in one word or more: sixteen."""


def empty(slots: int, words: int, part: int = 0, parts: int = 1) -> ClosedSet:
    """Return an empty set of states of this many words."""
    return ClosedSet(np.zeros((slots, words + 1), np.uint64), np.zeros(99, np.int32), part, parts)


def enter_some(closed: ClosedSet, states: list[Words], first: int = 0) -> tuple[int, int, int]:
    """Enter states; return how it ended, how many have been entered, and the last one's index."""
    count = len(states)
    rows = States(np.array(states, np.uint64), np.arange(count).astype(np.uint16))
    made = np.arange(count, dtype=np.int16)
    return enter(closed, rows, made, count, first, 0, np.zeros(count, np.uint64))  # type: ignore[no-any-return]


def found(closed: ClosedSet, state: Words) -> tuple[bool, int, int]:
    """Return True if a state is of the set's part, its number, and the moves made to it."""
    mine, number, made = look_up(closed, np.array(state, np.uint64))
    return bool(mine), int(number), int(made)


@pytest.mark.parametrize("words", [2, 3, 4])
def test_states_that_differ_in_one_word(words: int) -> None:
    """Few slots are empty: whatever is looked for, many others are compared."""
    every = [state for state in EVERY if not any(state[words:])]
    for missing in range(len(every)):
        some = [*every[:missing], *every[missing + 1 :]]
        closed = empty(len(every) + 3, words)
        assert enter_some(closed, some, 7) == (ENTERED, len(some), len(some))
        for number, state in enumerate(some):
            assert found(closed, state) == (True, 7 + number, number)
        assert found(closed, every[missing]) == (True, -1, 0)


def test_a_state_that_is_there_twice() -> None:
    for number in range(1, 16):
        for other in range(number):
            states = [*EVERY[:number], EVERY[other]]
            assert enter_some(empty(20, 4), states) == (TWICE, number, number)


def test_a_table_that_is_too_small() -> None:
    """An eighth of the slots stays empty, so that each search for a state ends."""
    for slots in (8, 16):
        most = slots * 7 // 8
        assert enter_some(empty(slots, 4), EVERY[:most]) == (ENTERED, most, most)
        assert enter_some(empty(slots, 4), EVERY) == (FULL, most, most)


def test_facts_of_a_state() -> None:
    """Number, moves made and code do not change each other, however large they are."""
    for number, made, code in product((0, (1 << 36) - 3), (0, 1, 4095), (0, 255, 65535)):
        closed = empty(4, 4)
        states = States(np.array([EVERY[3]], np.uint64), np.array([code], np.uint16))
        moves = np.array([made], np.int16)
        assert enter(closed, states, moves, 1, number, 0, np.zeros(1, np.uint64)) == (ENTERED, 1, 1)
        assert found(closed, EVERY[3]) == (True, number, made)
        assert {int(word) >> 48 for word in closed.slots[:, 4]} == {0, code}


def test_each_state_is_of_one_part() -> None:
    parts, random = 5, np.random.default_rng(1)
    states = [tuple(row) for row in random.integers(0, 1 << 63, (99, 4)).tolist()]
    seen: list[Words] = []
    for part in range(parts):
        closed = empty(200, 4, part, parts)
        _, count, _ = enter_some(closed, states)
        mine = [state for state in states if found(closed, state)[0]]
        assert 0 < len(mine) == count < 50
        assert all(found(closed, state)[1] == states.index(state) for state in mine)
        seen += mine
    assert sorted(seen) == sorted(states)


def test_the_set_of_the_helper() -> None:
    closed = closed_set(*EVERY, made=3)
    assert [found(closed, state) for state in EVERY] == [(True, n, 3) for n in range(16)]


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_chains_of_parents(kind: type) -> None:
    """Each parent is one of the same stratum, by its number, or lies outside."""

    def followed(*parents: int | None) -> tuple[int, bool]:
        words = [OUTSIDE if one is None else one if one < 0 else INSIDE + one for one in parents]
        chains = np.array([NO_PARENT if one == -1 else one for one in words], kind)
        number, is_ring = follow_chains(chains, 1, chains.size)
        if number < 0:
            assert set(chains[1:].tolist()) <= {OUTSIDE}
        return int(number), bool(is_ring)

    assert followed(-1, None) == (-1, False)
    assert followed(-1, None, 1, 2, 3) == (-1, False)
    assert followed(-1, 4, 1, 2, None) == (-1, False)
    assert followed(-1, None, -1) == (2, False)
    assert followed(-1, None, 3, -1) == (3, False)
    assert followed(-1, 1) == (1, True)
    assert followed(-1, 2, 1) in ((1, True), (2, True))
    number, is_ring = followed(-1, None, 1, 4, 5, 6, 4, 3, 2)
    assert number in (4, 5, 6) and is_ring
