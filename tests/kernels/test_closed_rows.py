"""Counts of closed states in memory, against the readable model and the states' blocks."""

from __future__ import annotations

import numpy as np
from helpers.naive_search import small_game
from helpers.support import EVERY_GAME
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.game.rules import Rules
from dbmsolver.kernels.closed_rows import closed_code, count_rows, make_cache
from dbmsolver.kernels.digest import digest_runs
from dbmsolver.kernels.meta import IS_CLOSED, IS_FORCED, META
from dbmsolver.kernels.runs import progress_of
from dbmsolver.kernels.shards import GROUP, rehash
from dbmsolver.kernels.states import SIGNATURE
from dbmsolver.search.rows import packed


@EVERY_GAME
@given(seed=st.integers(0, 2**32))
@settings(max_examples=3, deadline=None)
def test_counts_digest_and_codes(rules: Rules, seed: int) -> None:
    """Of some rows that are closed, one in three of them forced, and of others that are not."""
    game, expected = small_game(rules, seed)
    codec, tables = game.codec, game.codec.tables
    rows = np.array([[*state, 0] for state in expected.depth], np.uint64)
    codes = np.random.default_rng(seed).integers(0, 200, rows.shape[0])
    for index, code in enumerate(codes.tolist()):
        rows[index, META] = np.uint64(code | index % 50 << 16) | IS_CLOSED
    closed = np.arange(0, rows.shape[0], 2, dtype=np.uint32)
    rows[closed[::3], META] |= IS_FORCED
    rows[1::2, META] &= ~IS_CLOSED

    counts = np.zeros((105, 2), np.int64)
    digest = count_rows(tables, rows, closed, codec.locked, counts, make_cache())
    signatures = rows[:, SIGNATURE].copy()
    strata = progress_of(tables, signatures, codec.locked)
    assert counts[:, 0].tolist() == np.bincount(strata[closed], minlength=105).tolist()
    assert counts[:, 1].tolist() == np.bincount(strata[closed[::3]], minlength=105).tolist()
    parts = [
        digest_runs(tables, runs.signatures, runs.counts, runs.keys, runs.key_words)
        for _, runs in packed(codec, rows[closed])
    ]
    assert int(digest) == sum(map(int, parts)) & (1 << 64) - 1

    table = np.zeros(1 << int(2 * rows.shape[0]).bit_length(), np.uint32)
    hashes = np.empty(GROUP, np.uint64)
    rehash(tables, rows[1:], rows.shape[0] - 1, table, hashes)  # the first one is not in it
    for index, (row, code) in enumerate(zip(rows, codes.tolist(), strict=True)):
        found = -1 if index % 2 or not index else code
        assert closed_code(tables, rows[1:], table, row[None]) == found
