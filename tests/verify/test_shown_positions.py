"""Positions that a report shows: those of the states that the search has keys of."""

from __future__ import annotations

from random import Random

import pytest
from helpers.verifier import opened, state_of_key

from dbmsolver.game.deals import Deal
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.kits.klondike.keys import PatienceKeys, words_of
from dbmsolver.kits.pile.keys import PileKeys
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Question
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.leaving_format import keys_of_leaving


def walk(deal: Deal, seed: int, steps: int = 50) -> list[Position]:
    """Return the positions of a random game."""
    random, position = Random(seed), deal.position
    found = [position]
    for _ in range(steps):
        successors = position.successors(deal.rules, "none")
        if not successors:
            break
        _, position = random.choice(successors)
        found.append(position)
    return found


@pytest.mark.parametrize("name", ["klondike", "klondike_by_threes", "canfield", "yukon"])
def test_games_of_klondikes_kind(name: str) -> None:
    rules = GAMES[name]
    for number in (1, 2):
        deal = Deal.from_number(number, rules)
        form = keys_of_cards(deal, "none")
        keys = PatienceKeys(deal, "none", "plays", Question.SOLVE)
        for position in walk(deal, number):
            key = keys.encode(position)
            shown = form.position(state_of_key(form, words_of(key)))
            assert isinstance(shown, Patience)
            decoded = keys.decode(key)
            assert shown.canonical() == decoded.canonical()
            piles = sorted(zip(shown.columns, shown.hidden, strict=True))
            assert piles == sorted(zip(decoded.columns, decoded.hidden, strict=True))
            assert (shown.waste, shown.stock) == (decoded.waste, decoded.stock)
            assert shown.reserve == decoded.reserve
            shown.validate(rules)


@pytest.mark.parametrize("name", ["golf", "black_hole", "all_in_a_row"])
def test_games_of_one_pile(name: str) -> None:
    for number in (1, 2):
        deal = Deal.from_number(number, GAMES[name])
        form, keys = keys_of_leaving(deal, False), PileKeys(deal)
        assert form.root[0] == keys.encode(deal.position)
        for position in walk(deal, number):
            shown = form.position((keys.encode(position), 0, 0, 0))
            assert shown is not None
            assert shown.canonical() == position.canonical()
            assert (shown.columns, shown.stock) == (position.columns, position.stock)
            shown.validate(deal.rules)
        assert form.position((form.root[0] ^ 1, 0, 0, 0)) is None


RULES = [
    rules_for("freecell"),
    rules_for("seahaven_towers"),
    Rules("any suit, any fill", 8, 4, "any", "any"),
]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_positions_of_keys(rules: Rules) -> None:
    """Columns stand where the deal has their bottom cards, if they have any of those."""
    for number in (1, 2):
        deal = Deal.from_number(number, rules)
        form, codec = keys_of_cards(deal, "none"), StateCodec(deal, "none")
        bottoms = {column[0]: place for place, column in enumerate(deal.position.columns)}
        for position in walk(deal, number):
            state = codec.state(position)
            error, words = opened(form, tuple(state))
            assert words is not None, error
            shown = form.position(words)
            assert shown is not None
            assert shown.canonical() == position.canonical()
            for place, column in enumerate(shown.columns):
                assert not column or bottoms.get(column[0], place) == place
