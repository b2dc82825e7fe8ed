"""The tables of rules that the check makes from a deal, against the readable rules."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from helpers.patience_games import PATIENCE_GAMES, small_deck
from helpers.support import ALL_RULES, COMING_BACK, random_layout

from dbmsolver.game.cards import CARDS, rank, suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.verify.rules_of_deal import at_home, rules_of_deal

BUILT = [*ALL_RULES, *COMING_BACK]


def deals(seed: int) -> list[Deal]:
    """Return a deal of each game with foundations."""
    random = Random(seed)
    found = [Deal(random_layout(random, rules), rules) for rules in BUILT]
    found += [small_deck(game, random) for game in PATIENCE_GAMES]
    canfields = (small_deck("canfield", random) for _ in range(100))
    going_round = next(deal for deal in canfields if deal.rules.base == "round")
    return [*found, replace(going_round, rules=replace(going_round.rules, build="none"))]


@pytest.mark.parametrize("policy", ["none", "horne", "wkr"])
def test_moves_home_that_are_made_at_once(policy: Policy) -> None:
    """A card goes home at once where that is safe, and nowhere else."""
    random, outcomes = Random(policy), []
    for deal in deals(1):
        measure = measure_of(deal.rules, policy, None)
        if measure.has_free_moves:
            continue
        lowest = deal.position.lowest
        tables = at_home(deal, measure)
        assert tables.shape[0] <= 1
        for card in range(4 * (lowest - 1), CARDS):
            for _ in range(5):
                heights = [
                    max(lowest - 1, min(13, rank(card) - random.randrange(7) + 1)) for _ in range(4)
                ]
                heights[suit(card)] = rank(card) - 1
                safe = is_safe_home(deal.rules, card, heights, policy, lowest)
                found = any((heights >= table[card]).all() for table in tables)
                assert found == safe, (deal.rules.name, card, heights)
                outcomes.append(safe)
    assert policy == "none" or 0.2 < sum(outcomes) / len(outcomes) < 0.9
    assert policy != "none" or not any(outcomes)


def test_automoves_of_programs() -> None:
    """With free moves Horne's are made, too; where everything goes home nothing is asked."""
    seen = 0
    for deal in deals(2):
        rules = deal.rules
        if rules.has_runs or rules.is_patience or rules.two_way or rules.takes_back:
            continue  # moves are not counted so, or none is made at once
        both = at_home(deal, measure_of(rules, "wkr", "moves"))
        seen += 1
        for table, policy in zip(both, ("horne", "wkr"), strict=True):
            assert (table == at_home(deal, measure_of(deal.rules, policy, None))[0]).all()
        assert not at_home(deal, measure_of(rules, "max", "moves")).any()
    assert seen > 10


def test_cards_that_come_back() -> None:
    """Cards of ranks that are home for good do not, nor any where the rules forbid it."""
    for deal in deals(3):
        rules = deal.rules
        kept = rules_of_deal(deal, measure_of(rules, "none", None), False).kept
        if rules.is_patience:
            assert kept == (deal.position.lowest - 1 if rules.removable else 13)
        else:
            assert kept == (rules.kept_rank if rules.takes_back else 13)
