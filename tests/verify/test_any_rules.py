"""Small decks under random rules: a store from which a closed state was taken out is refused.

Some moves are those of no shipped game. If the check forgot to list such a move, it would accept a
store without the state that the move leads to. Only these tests would show it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from helpers import faults
from helpers.any_rules import small_question
from helpers.selection import few_fast

from dbmsolver.api import prove, solve
from dbmsolver.game.kinds import POLICIES
from dbmsolver.results import Method, Result
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.verify.report import Depth

MOST = 600
"""Positions of the largest deck that is searched."""
STORES = 6
TRIED = 6
"""States of a store that are taken out, each by itself."""


def searched(random: Random, store: Path) -> Result:
    """Search a small deck for a shortest solution, or prove it, and keep the states in a store."""
    deal, measure, length = small_question(random, MOST)
    proof = length is None and not measure.has_free_moves and measure.policy in POLICIES
    if proof and random.random() < 0.7:
        method = random.choice((Method.DOMINATING, Method.EVERY_POSITION))
        return prove(deal, method=method, policy=measure.policy, store=store, threads=1)
    return solve(deal, metric=measure.metric, policy=measure.policy, store=store, threads=1)


@pytest.mark.parametrize("seed", few_fast(range(8), 1))
def test_a_state_removed(seed: int, tmp_path: Path) -> None:
    random = Random(f"any rules, a state removed {seed}")
    stores = 0
    while stores < STORES:
        path = tmp_path / f"store {stores}"
        result = searched(random, path)
        # States as far away as the solution are none of the claim.
        states = [
            (key, number)
            for key, number in faults.closed_states(path)
            if result.length is None or parse_closed_key(key).layer < result.length
        ]
        # In full the positions are checked, which other records may cover.
        by_lemma = result.method != Method.EVERY_POSITION
        depth: Depth | None = "lemma" if by_lemma else None
        stores += bool(states)
        for key, number in random.sample(states, min(len(states), TRIED)):
            forged = tmp_path / "forged"
            shutil.copytree(path, forged)
            faults.change_block(
                forged, key, lambda runs, number=number: faults.without(runs, number)
            )
            faults.make_counts_fit(forged)
            asked = f"{result.deal.position}, {result.measure}, {key!r}, {number}"
            assert not faults.check(forged, depth=depth).valid, asked
            shutil.rmtree(forged)
        shutil.rmtree(path)
