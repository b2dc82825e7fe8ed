"""Hash tables of the check: a state that is missing is not found, however much others are like it.

What shares a slot, or a hash, with another state is told from it by each of its words.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from helpers.support import words_of

from dbmsolver.jit.decorators import kernel
from dbmsolver.verify.chains import NO_CHAINS, Chains
from dbmsolver.verify.kernels import partition as partition_kernels
from dbmsolver.verify.kernels import record_expand
from dbmsolver.verify.kernels.blocks import Body
from dbmsolver.verify.kernels.class_table import (
    FULL,
    NONE,
    TWICE,
    ClosedClasses,
    enter,
    is_closed_in_part,
)
from dbmsolver.verify.kernels.partition import (
    TWICE as STATE_TWICE,
)
from dbmsolver.verify.kernels.partition import (
    PartitionStates,
    RecentRuns,
    RunIndex,
    build_table,
    find_run,
    look_up,
)
from dbmsolver.verify.kernels.pieces import MOST_BITS
from dbmsolver.verify.kernels.planes import State
from dbmsolver.verify.kernels.position_set import PositionSet, contains, enter_all
from dbmsolver.verify.kernels.record_table import make_table
from dbmsolver.verify.kernels.rows import CHAIN, KIND, PARENT, ROW, SUCCESSOR, WANT

SIGNATURES = np.array([3, 5, 1 << 63], np.uint64)
FIRSTS = [0, 2, 4, 6]
"""Each of the three signatures has two states."""
WANTED, RUN = 2, 1
"""The state that is looked for, the first one of the second signature."""


def index_of(signatures: np.ndarray) -> RunIndex:
    """Return an index of signatures that are not divided, all of one partition."""
    size, none = signatures.size, np.empty(0, np.int64)
    zero = np.zeros(size, np.int64)
    return RunIndex(
        signatures, zero, np.arange(size), zero - 1, none, np.empty(0, np.uint64),
        np.empty((0, 1 + MOST_BITS), np.int64), np.empty((0, 1 << MOST_BITS), np.int16),
    )  # fmt: skip


def partition_of(width: int, made: int = 0) -> PartitionStates:
    """Return a partition of six states, with a hash table of them; each has made so many moves."""
    planes = np.arange(7, 7 + 6 * width, dtype=np.uint64)
    partition = PartitionStates(
        planes, np.zeros(6, np.uint16), np.full(6, made, np.int16), np.array(FIRSTS),
        np.zeros(8, np.uint32),
    )  # fmt: skip
    assert build_table(width, SIGNATURES, partition, np.empty(4, np.uint64)) == (0, 0)
    return partition


def is_missing(
    width: int,
    partition: PartitionStates,
    kind: int = SUCCESSOR,
    costs: bool = False,
    want: int = 0,
) -> bool:
    """Look for the state that `WANTED` was when the hash table was made; return True if in vain."""
    planes = [*range(7 + width * WANTED, 7 + width * (WANTED + 1)), 0][:3]
    rows = np.zeros((3, ROW), np.uint64)
    rows[1] = (*SIGNATURES[RUN : RUN + 1].tolist(), *planes, kind << KIND | want << WANT, RUN)
    missing = np.full(1, -1)
    gone = look_up(
        index_of(SIGNATURES), width, partition, 0, rows, np.array([1]), costs, NO_CHAINS,
        np.empty(1, np.uint64), missing,
    )  # fmt: skip
    assert missing.tolist() == ([1] if gone else [-1])
    return bool(gone)


@pytest.mark.parametrize("width", [2, 3])
def test_a_state_with_the_hash_of_another(width: int) -> None:
    """The states of a table are changed behind its back: their hashes are those of others then."""
    assert not is_missing(width, partition_of(width))
    for word in range(width):
        partition = partition_of(width)
        partition.planes[width * WANTED + word] ^= np.uint64(1 << 40)
        assert is_missing(width, partition)
    for firsts in ([0, 3, 4, 6], [0, 1, 2, 6]):  # it is of the signature before, or of the next
        assert is_missing(width, partition_of(width)._replace(firsts=np.array(firsts)))


@pytest.mark.parametrize("kind", [SUCCESSOR, PARENT])
def test_moves_made(kind: int) -> None:
    """A successor has no more moves made than are wanted, a parent as many."""
    for made in (0, 299, 300, 301):
        good = made <= 300 if kind == SUCCESSOR else made == 300
        assert is_missing(2, partition_of(2, made), kind, True, 300) != good
        assert not is_missing(2, partition_of(2, made), kind, False, 300)


def test_parents_are_noted_by_their_numbers() -> None:
    """Numbers of parents count from the first state of the chains, plus one."""
    partition = partition_of(2)
    rows = np.zeros((1, ROW), np.uint64)
    source, base, first = 1_000_003, 1_000_010, 1_000_000
    rows[0] = (5, 7 + 2 * WANTED, 8 + 2 * WANTED, 0, CHAIN << KIND | source, RUN)
    parents = np.zeros(20, np.int32)
    gone = look_up(
        index_of(SIGNATURES), 2, partition, base, rows, np.array([0]), False,
        Chains(parents, first), np.empty(1, np.uint64), np.empty(1, np.int64),
    )  # fmt: skip
    assert not gone
    assert np.flatnonzero(parents).tolist() == [source - first]
    assert parents[source - first] == base + WANTED + 1 - first


@pytest.mark.parametrize("width", [2, 3])
def test_a_state_that_is_there_twice(width: int) -> None:
    """The same planes are another state where the signature is another."""
    for other, is_twice in ((3, True), (1, False), (4, False)):
        partition = partition_of(width)
        rows = partition.planes.reshape(6, width)
        rows[other] = rows[WANTED]
        partition.slots[:] = 0
        error, number = build_table(width, SIGNATURES, partition, np.empty(4, np.uint64))
        assert (error, number) == ((STATE_TWICE, other) if is_twice else (0, 0))


def test_the_same_planes_and_the_same_tag() -> None:
    """Tags have eight bits: of some of these pairs they are the same, and so is the first slot."""
    for word in range(3000):
        planes = np.array([word, 0, word, 0], np.uint64)
        partition = PartitionStates(
            planes, np.zeros(2, np.uint16), np.empty(0, np.int16), np.array([0, 1, 2]),
            np.zeros(3, np.uint32),
        )  # fmt: skip
        assert build_table(2, SIGNATURES[:2], partition, np.empty(4, np.uint64)) == (0, 0)


def test_signatures_that_are_not_there() -> None:
    index = index_of(SIGNATURES)
    for run, signature in enumerate(SIGNATURES):
        assert find_run(index, signature) == run
    for signature in words_of(0, 2, 4, 6, (1 << 63) - 1, (1 << 63) + 1, (1 << 64) - 1):
        assert find_run(index, signature) == -1
        assert find_run(index_of(SIGNATURES[:0]), signature) == -1


@kernel
def run_of(index, signature, recent):  # type: ignore[no-untyped-def]
    return partition_kernels.known_run(index, signature, recent)


def test_signatures_that_were_looked_for_of_late() -> None:
    """Many share a place among those that are remembered, also with some that are not there."""
    words = np.unique(np.random.default_rng(1).integers(0, 1 << 63, 4000, np.uint64))
    index = index_of(words[::2].copy())
    recent = RecentRuns(np.zeros(1024, np.int64), np.zeros(1024, np.uint64))
    for number, word in enumerate(words):
        for _ in range(2):
            assert run_of(index, word, recent) == (-1 if number % 2 else number // 2)


def test_positions_that_differ_in_one_word() -> None:
    """Of eight slots seven are taken: whatever is looked for, most of the others are compared."""
    every = list(product((0, 1), repeat=3))
    for missing in every:
        states = np.array([words for words in every if words != missing], np.uint64)
        known = PositionSet(states, np.zeros(8, np.uint32))
        enter_all(known, 7)
        for words in every:
            assert contains(known, np.array(words, np.uint64)) == (words != missing)


@kernel
def is_recent(state, table):  # type: ignore[no-untyped-def]
    return record_expand.is_recent(state, table)


def test_recent_records_that_differ_in_one_word() -> None:
    """Only the same record is not looked up again, whatever has its place in the table."""
    zero = np.uint64(0)
    state = State(np.uint64(5), zero, zero, np.uint64(6), np.uint64(7), zero)
    table = make_table()
    for other in ((4, 6, 7), (5, 4, 7), (5, 6, 4)):
        table.recent[:] = other
        assert not is_recent(state, table)
        assert is_recent(state, table)


def enter_one(table: np.ndarray, entered: int, words: tuple[int, int], *parts: int) -> int:
    """Enter a class, signature and key, into a table; return how many there are, or what fails."""
    planes = np.array([words[1]], np.uint64).view(np.uint8)
    body = Body(1, 1, planes, np.zeros(1, np.uint16))
    signature, one = np.array(words[:1], np.uint64), np.ones(1, np.int64)
    part, of = parts or (0, 1)
    return int(enter(table, entered, part, of, signature, one, body))


def in_tables(first: Any, words: tuple[int, int], *parts: int) -> bool:
    part, of = parts or (0, 1)
    none = np.full((2, 2), NONE)
    return bool(is_closed_in_part(ClosedClasses(first, none, none, part, of), *words_of(*words)))


def test_classes_that_differ_in_one_word() -> None:
    """Of eight slots seven may be taken; a class is there once."""
    every = list(product((1, 2, 3), (0, 1 << 40, 5)))
    for start in range(len(every)):
        some = [*every[start:], *every[:start]]
        table = np.full((8, 2), NONE)
        for number, words in enumerate(some[:7]):
            assert not in_tables(table, words)
            assert enter_one(table, number, words) == number + 1
            for other in some[: number + 1] if number < 6 else ():
                assert enter_one(table, number + 1, other) == TWICE
        assert enter_one(table, 7, some[7]) == FULL
        assert [in_tables(table, words) for words in some] == [True] * 7 + [False] * 2


def test_classes_of_another_part() -> None:
    """Each class is of one part; of those of the others nothing is known."""
    every = list(product((1, 2, 3), range(5)))
    found = []
    for part in range(3):
        table, entered = np.full((32, 2), NONE), 0
        for words in every:
            entered = enter_one(table, entered, words, part, 3)
        found += [(int(one), int(two)) for one, two in table if one != NONE]
        assert 0 < entered < len(every)
        assert all(in_tables(table, words, part, 3) for words in every)
        table[:] = NONE
        mine = [words for words in every if not in_tables(table, words, part, 3)]
        assert len(mine) == entered and {*mine} <= {*found}
    assert sorted(found) == every
