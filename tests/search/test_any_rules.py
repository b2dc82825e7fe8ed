"""Small decks under any rules: searches and check agree with the readable model, by every metric.

Most of these rules are those of no shipped game. A bound or a move that is right in shipped games
only shows here.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from helpers.any_rules import small_question
from helpers.selection import few_fast

from dbmsolver.api import prove, solve, verify_store
from dbmsolver.game.kinds import POLICIES

DECKS = 12
MOST = 1000
"""Positions of the largest deck that is searched slowly."""


@pytest.mark.parametrize("seed", few_fast(range(8), 1))
def test_small_decks(seed: int, tmp_path: Path) -> None:
    random = Random(f"any rules {seed}")
    found: Counter[bool] = Counter()
    while found.total() < DECKS or len(found) < 2:
        deal, measure, length = small_question(random, MOST)
        number = found.total()
        asked = f"{deal.position}, {measure}"
        store, proof = tmp_path / f"solve {number}", tmp_path / f"prove {number}"
        threads = random.choice((1, 2))
        shortest = solve(
            deal, metric=measure.metric, policy=measure.policy, store=store, threads=threads
        )
        assert (shortest.length, shortest.limit) == (length, None), asked
        assert verify_store(store).valid, asked
        if measure.policy in POLICIES and not measure.has_free_moves:
            proven = prove(deal, policy=measure.policy, store=proof, threads=threads)
            assert proven.verdict == shortest.verdict, asked
            assert verify_store(proof).valid, asked
        found[length is None] += 1
