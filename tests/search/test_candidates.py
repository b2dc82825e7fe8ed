"""Candidates that are packed, merged and sorted: as many lists as they need, each state once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.errors import InternalError
from dbmsolver.search import candidates
from dbmsolver.search.candidates import (
    Candidates,
    merged,
    of_one_signature,
    pack_by_stratum,
    pack_together,
    sorted_by_stratum,
)
from dbmsolver.storage import blocks
from dbmsolver.storage.blocks import Runs

SIGNATURE = 7
STRATUM = 3


@pytest.mark.parametrize("pack", [pack_together, pack_by_stratum, merged, sorted_by_stratum])
@pytest.mark.parametrize("words", [1, 3])
@given(
    given_keys=st.lists(st.sets(st.integers(0, 300)), min_size=1, max_size=4).filter(any),
    cap=st.integers(100, 2000),
)
def test_no_block_is_too_large(pack, words, given_keys, cap) -> None:  # type: ignore[no-untyped-def]
    """A part that is larger than a block ends no proof, whoever packs or merges it."""
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


def runs_of(words: int, states: list[tuple[int, int]]) -> Runs:
    """Return a run for each state, in their order; a code is the state's place in the list."""
    keys = np.zeros((len(states), words), np.uint64)
    keys[:, -1] = [key for _, key in states]
    signatures = np.array([signature for signature, _ in states], np.uint64)
    codes = np.arange(len(states), dtype=np.uint8)
    return Runs(signatures, np.ones(len(states), np.int64), keys.reshape(-1), codes, words)


def states_of(lists: list[Candidates]) -> list[tuple[int, int]]:
    """Return signature and key of each state of lists, in their order."""
    found: list[tuple[int, int]] = []
    for one in lists:
        runs = one.load()
        keys = runs.keys.reshape(-1, runs.key_words)[:, -1]
        found += zip(np.repeat(runs.signatures, runs.counts).tolist(), keys.tolist(), strict=True)
    return found


STATES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30)), min_size=1, max_size=40)


@pytest.mark.parametrize("words", [1, 3])
@given(lists=st.lists(STATES, min_size=1, max_size=4), own=st.integers(1, 30))
def test_merged_lists_have_each_candidate_once(
    words: int, lists: list[list[tuple[int, int]]], own: int
) -> None:
    """They are sorted; a signature with many candidates has a list of its own."""
    given_lists = [Candidates.of(STRATUM, runs_of(words, states)) for states in lists]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "OWN_LIST", own)
        found = merged(given_lists)
    assert states_of(found) == sorted({state for states in lists for state in states})
    assert all(one.is_sorted and not one.is_new and one.stratum == STRATUM for one in found)
    assert [one.states for one in found] == [one.load().codes.size for one in found]
    assert all(one.load().keys.base is None for one in found)  # each leaves memory by itself
    large = [one for one in found if max(one.counts) >= own]
    assert all(one.signatures.size == 1 for one in large)
    bounds = list(pairwise(found))
    assert all(first.signatures[-1] < second.signatures[0] for first, second in bounds)
    assert not any(one not in large and other not in large for one, other in bounds)


def test_lists_of_other_strata_and_widths_are_packed_apart() -> None:
    kinds = [(1, 1), (1, 3), (2, 1), (1, 1)]
    lists = [Candidates.of(stratum, runs_of(words, [(5, 7)])) for stratum, words in kinds]
    packed = pack_by_stratum(lists)
    assert [(one.stratum, one.key_words) for one in packed] == [(1, 1), (1, 3), (2, 1)]
    assert [states_of([one]) for one in packed] == [[(5, 7)]] * 3


def test_merging_that_loses_a_signature_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = [Candidates.of(STRATUM, runs_of(1, [(1, 1), (2, 2)])) for _ in range(2)]
    monkeypatch.setattr(candidates, "together", lambda _: runs_of(1, [(1, 1)]))
    with pytest.raises(InternalError, match="lost signatures when they were merged"):
        merged(lists)


def test_sorted_candidates_are_not_sorted_again() -> None:
    (one,) = merged([Candidates.of(STRATUM, runs_of(1, [(2, 5), (1, 7), (2, 5)]))])
    before = one.runs
    one.sort()
    assert one.runs is before
    assert states_of([one]) == [(1, 7), (2, 5)]
