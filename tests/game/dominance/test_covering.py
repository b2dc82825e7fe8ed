"""Records that can cover a position, against the list of all that each record covers."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from helpers.dominance_brute import all_records, dominated, position_of, random_deck
from helpers.dominance_checks import DOWNWARDS
from helpers.selection import few_fast

from dbmsolver.game.dominance.covering import covering_records
from dbmsolver.game.dominance.records import covers
from dbmsolver.game.kinds import FILLS, Build, Fill


def check_deck(build: Build, fill: Fill, seed: int) -> int:
    """Every record is among those that can cover what it covers, and all named do cover."""
    random = Random(f"covering {build} {fill} {seed}")
    deck = random_deck(random, build, fill)
    records = all_records(deck, 150)
    if records is None:
        return 0
    compared = 0
    for record in records.macros:
        states = sorted(dominated(record, deck.rules), key=repr)
        for state in random.sample(states, min(4, len(states))):
            position = position_of(state, deck.rules)
            found = list(covering_records(position, deck.start, deck.rules))
            assert record in found, (deck, record, position)
            assert all(covers(one, position, deck.rules) for one in found)
            assert len(found) == len(set(found))
            compared += 1
    return compared


@pytest.mark.parametrize(("build", "fill"), few_fast(product(DOWNWARDS, FILLS), 2))
def test_covering_records_of_small_decks(build: Build, fill: Fill) -> None:
    assert sum(check_deck(build, fill, seed) for seed in range(8)) > 50


@pytest.mark.slow
@pytest.mark.parametrize("build", DOWNWARDS)
@pytest.mark.parametrize("fill", FILLS)
def test_covering_records_of_many_small_decks(build: Build, fill: Fill) -> None:
    assert sum(check_deck(build, fill, seed) for seed in range(100, 180)) > 400
