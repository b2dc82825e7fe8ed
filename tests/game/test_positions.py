"""Positions made by the rules: each kind has its own places, and turns as in the beginning."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from dbmsolver.game.bases import ACE
from dbmsolver.game.deals import Deal
from dbmsolver.game.one_pile import OnePile
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.positions import kind_of_position, make_position
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.wide import Wide

KINDS = {
    "freecell": Position,
    "simple_simon": Position,
    "golf": OnePile,
    "klondike": Patience,
    "yukon": Patience,
    "canfield": Patience,
    "pyramid": Pairing,
    "spider": Wide,
    "forty_thieves": Wide,
}


@pytest.mark.parametrize("game", sorted(KINDS))
def test_the_kind_that_the_rules_have(game: str) -> None:
    assert kind_of_position(GAMES[game]) is KINDS[game]
    assert type(Deal.from_number(3, GAMES[game]).position) is KINDS[game]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_dealt_position_is_made_of_its_places(game: str) -> None:
    dealt = Deal.from_number(3, GAMES[game]).position
    places = {field.name: getattr(dealt, field.name) for field in fields(dealt)}
    places.pop("whole", None)  # the rules say so
    assert make_position(GAMES[game], **places) == dealt
    for name, cards in places.items():
        if isinstance(cards, tuple) and name not in ("foundations", "base", "home"):
            places[name] = list(cards)
    assert make_position(GAMES[game], **places) == dealt


def test_what_is_not_said() -> None:
    """Cards lie face up, and the waste may be turned over as often as in the beginning."""
    columns = ([48], [49, 50])
    for game, passes, turns in (("klondike", 3, 2), ("klondike", 0, None), ("pyramid", 1, 0)):
        rules = replace(GAMES[game], passes=passes)
        made = make_position(rules, columns, (12, 12, 12, 12))
        assert (made.hidden, made.turns, made.base) == ((0, 0), turns, ACE)
        assert (made.stock, made.waste, made.columns) == ((), (), ((48,), (49, 50)))
        assert make_position(rules, columns, (12, 12, 12, 12), turns=0).turns == 0


def test_pairs_may_all_have_to_leave() -> None:
    for pairs, whole in (("pyramid", False), ("all", True)):
        made = make_position(replace(GAMES["pyramid"], pairs=pairs), ([48],), (12, 12, 12, 12))
        assert isinstance(made, Pairing) and made.whole is whole
