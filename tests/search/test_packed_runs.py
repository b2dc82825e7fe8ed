"""States with packed keys in memory: the same states, in the same order, in less memory."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.search import packed_runs
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.packed_runs import PackedRuns
from dbmsolver.search.runs import sorted_runs
from dbmsolver.storage.blocks import Runs, decode_block

MASKS = [
    (0xFFFF, 0xF0F0, 0),
    (2**64 - 1, 0, 0),
    (2**64 - 1, 1, 0),
    (2**64 - 1, 2**64 - 1, 0xFF),
    (0, 0, 0x3F),
]


def made(masks: tuple[int, ...], counts: list[int], seed: int, code_type: type) -> Runs:
    """Return runs of wide keys that differ in the bits of these masks, with duplicates."""
    random = np.random.default_rng(seed)
    states = sum(counts)
    agreed = random.integers(1 << 63, size=3, dtype=np.uint64)
    keys = random.integers(1 << 63, size=(states, 3), dtype=np.uint64)
    for word, mask in enumerate(masks):
        keys[:, word] &= np.uint64(mask)
        keys[:, word] |= agreed[word] & ~np.uint64(mask)
    keys[states // 2 :] = keys[: states - states // 2]
    signatures = random.permutation(len(counts)).astype(np.uint64)
    codes = random.integers(200, size=states).astype(code_type)
    return Runs(signatures, np.array(counts), keys.reshape(-1), codes, 3)


def same(one: Runs, other: Runs) -> bool:
    fields = ("signatures", "counts", "keys", "codes", "key_words")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in fields)


@pytest.mark.parametrize("masks", MASKS)
@given(
    counts=st.lists(st.integers(1, 300), min_size=1, max_size=4),
    seed=st.integers(0, 1000),
    code_type=st.sampled_from([np.uint8, np.uint16]),
)
@settings(max_examples=20, deadline=None)
def test_the_same_states(
    masks: tuple[int, ...], counts: list[int], seed: int, code_type: type
) -> None:
    """However they are asked for: as they are, sorted, sent to another process, as a block."""
    runs = made(masks, counts, seed, code_type)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_runs, "_WORTH_PACKING", 1)
        packed = PackedRuns.of(runs)
    if packed is None:
        assert masks == (2**64 - 1, 2**64 - 1, 0xFF)
        return
    assert same(packed.unpacked(), runs)
    assert same(pickle.loads(pickle.dumps(packed)).unpacked(), runs)
    assert same(packed.sorted().unpacked(), sorted_runs(runs))
    assert same(packed.unpacked(), runs)
    wide = Candidates.of(3, runs)
    slim = Candidates(3, 3, runs.signatures, runs.counts, runs.codes.size, packed_runs=packed)
    assert slim.is_new and slim.in_memory
    assert slim.nbytes < wide.nbytes or sum(counts) < 256
    assert same(decode_block(slim.pack(), "a block"), sorted_runs(runs))
    for one in (wide, slim):
        one.sort()
    assert same(slim.load(), wide.load()) and slim.runs is None
    assert (slim.states, slim.is_new, slim.entry) == (wide.states, False, wide.entry)
    assert slim.pack() == wide.pack()
    slim.leave_memory()
    assert not slim.in_memory


def test_keys_are_packed_where_that_pays() -> None:
    """Not those of one word, nor a few, nor such as differ in too many bits."""
    many = made(MASKS[0], [256], 1, np.uint8)
    packed = PackedRuns.of(many)
    assert packed is not None and packed.nbytes < many.nbytes / 2
    assert PackedRuns.of(made(MASKS[0], [255], 1, np.uint8)) is None
    assert PackedRuns.of(made(MASKS[3], [1000], 1, np.uint8)) is None
    one_word = Runs(many.signatures, many.counts, many.keys[:256], many.codes, 1)
    assert PackedRuns.of(one_word) is None
    for runs in (one_word, made(MASKS[0], [255], 1, np.uint8)):
        one = Candidates.of(1, runs)
        assert one.with_packed_keys() is one


def test_records_and_order_are_known_of_packed_ones() -> None:
    one = Candidates.of(1, made(MASKS[0], [600], 1, np.uint8), b"P1")
    one.sort()
    packed = one.with_packed_keys()
    assert packed.packed_runs is not None and packed.runs is None
    assert (packed.record, packed.is_sorted, packed.entry) == (b"P1", True, one.entry)
    assert one.runs is not None  # it stays as it was
    assert packed.with_packed_keys() is packed
