"""Automoves: where they take cards from, and short decks whose ranks go round."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbmsolver.game.automoves import Automove, automoves, moves_home
from dbmsolver.game.cards import rank
from dbmsolver.game.deals import Deal
from dbmsolver.game.patience import Patience
from dbmsolver.game.shipped import GAMES


@pytest.mark.parametrize("policy", ["horne", "wkr"])
def test_no_base_of_a_short_deck_goes_home_by_itself(policy: Automove) -> None:
    """The last rank may be put on it, as ranks go round."""
    rules = replace(GAMES["penguin"], layout="home A 2 3 4; bases 3")
    position = Deal.from_number(3, rules).position
    base = position.columns[0][0]
    assert sorted(position.foundations) == [4, 5, 5, 5] and position.is_next_home(base)
    assert not moves_home(position, base, rules, policy)
    assert moves_home(position, base, rules, "max")


@pytest.mark.parametrize("policy", ["horne", "wkr", "max"])
def test_cards_of_the_waste_stay(policy: Automove) -> None:
    rules = GAMES["klondike"]
    position = Deal.from_number(3, rules).position
    assert isinstance(position, Patience)
    ace = next(card for card in position.stock if rank(card) == 1)
    rest = tuple(card for card in position.stock if card != ace)
    turned = replace(position, waste=(ace,), stock=rest)
    assert (ace, "waste") in [(card, source.kind) for card, source in turned.available()]
    made, after = automoves(turned, rules, policy)
    assert ace not in [move.card for move in made] and after.waste == (ace,)


def test_cards_of_the_reserve_stay() -> None:
    rules = GAMES["canfield"]
    for number in range(1, 40):
        position = Deal.from_number(number, rules).position
        assert isinstance(position, Patience)
        top = position.reserve[-1]
        if position.is_next_home(top):
            assert (top, "reserve") in [(card, one.kind) for card, one in position.available()]
            assert top not in [move.card for move in automoves(position, rules, "max")[0]]
            return
    raise AssertionError("no reserve has a card of the base's rank on top")
