"""Keys of dominating positions: against the readable model, and the positions they stand for."""

from __future__ import annotations

from random import Random

import pytest
from helpers.dominance_brute import random_deck

from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import can_dominate, normalise, plain_record
from dbmsolver.game.kinds import FILLS, POLICIES, Build, Fill
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.choice import keys_of
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.results import Method

BUILDS: tuple[Build, ...] = ("alternate", "suit")


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("fill", FILLS)
def test_records_of_small_decks(build: Build, fill: Fill) -> None:
    """Each record is its state, its normal form is the model's, and its position is one of it."""
    random = Random(f"records {build} {fill}")
    seen = fixed = 0
    while seen < 400:
        deck = random_deck(random, build, fill)
        if not can_dominate(deck.rules):
            continue
        keys = RecordKeys(Deal(deck.start, deck.rules), deck.policy)
        position, rules = deck.start, deck.rules
        assert keys.state(position) == keys.root
        for _ in range(20):
            plain = plain_record(position, rules)
            assert keys.record(keys.state_of(plain)) == plain
            record, state = normalise(plain, rules, deck.policy), keys.state(position)
            assert keys.record(state) == record
            assert keys.state_of(record) == state
            found = keys.position(state)
            found.validate(rules)
            again = plain_record(found, rules)
            assert again[:2] == record[:2] and record.fix <= again.fix
            seen, fixed = seen + 1, fixed + bool(record.fix)
            following = position.successors(rules, "none")
            if not following:
                break
            position = random.choice(following)[1]
    assert (fixed > 0) == (fill == "any")


def test_policies_of_records() -> None:
    """Moves home that lose cards are made by none of them."""
    deal = Deal.from_number(1, GAMES["freecell"])
    for policy in POLICIES:
        keys = keys_of(deal, policy, Method.DOMINATING)
        assert isinstance(keys, RecordKeys) and keys.policy == policy
    keys = keys_of(deal, "max", Method.DOMINATING)
    assert isinstance(keys, RecordKeys) and keys.policy == "wkr"
