"""Small decks under random rules: a store from which a closed state was taken out is refused.

Some moves are those of no shipped game. If the check forgot to list such a move, it would accept a
store without the state that the move leads to. Only these tests would show it.
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from random import Random

import pytest
from helpers import faults
from helpers.any_rules import small_question
from helpers.selection import few_fast

from dbmsolver.api import prove, solve
from dbmsolver.game.kinds import POLICIES
from dbmsolver.results import Method, Result
from dbmsolver.storage.blocks import read_block
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify.format import keys_of_cards
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


ROOT_CODE = "the deal's parent-move code is not its own, or another position has it"


def test_the_code_of_a_deal_that_has_one(tmp_path: Path) -> None:
    """Only the deal has the code that stands for no card, as a run is one move."""
    random, tried = Random("codes of deals"), 0
    while tried < 3:
        path = tmp_path / "store"
        result = searched(random, path)
        rules, measure = result.deal.rules, result.measure
        is_of_runs = rules.family == "runs" or (rules.family == "cards" and measure.by_room)
        states = faults.closed_states(path)
        if is_of_runs and result.method == Method.EVERY_POSITION and faults.check(path).states > 1:
            tried += 1
            code = keys_of_cards(result.deal, measure.policy, measure.metric).root_code
            with Store.open(path, readonly=True) as store:
                own = {place for place in states if code_at(store, *place) == code}
            assert len(own) == 1
            for key, number in [*own, *random.sample(states, min(len(states), TRIED))]:
                forged = Path(shutil.copytree(path, tmp_path / "forged"))
                other = 0 if (key, number) in own else code
                change = partial(faults.with_code, number=number, code=other)
                faults.change_block(forged, key, change)
                assert faults.check(forged).reason == ROOT_CODE
                shutil.rmtree(forged)
        shutil.rmtree(path)


def code_at(store: Store, key: bytes, number: int) -> int:
    """Return the parent-move code of a closed state."""
    return int(read_block(store, key).codes[number])
