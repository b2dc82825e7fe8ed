"""Positions that rules cannot have, and what is said of each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.one_pile import OnePile
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES

FREECELL, GOLF = GAMES["freecell"], GAMES["golf"]
START = Deal.from_number(3).position
BACK = replace(FREECELL, removable=True, layout="home A")
"""Cards come back from the foundations, but no ace, as the deal puts the aces there."""


def refusal(position: Position, rules: Rules = FREECELL) -> str:
    """Return why the rules cannot have a position."""
    with pytest.raises(InputError) as caught:
        position.validate(rules)
    return str(caught.value)


def test_a_dealt_position_is_one_of_its_rules() -> None:
    for rules in (FREECELL, GOLF, BACK, GAMES["penguin"]):
        Deal.from_number(3, rules).position.validate(rules)


@pytest.mark.parametrize("extra", [-1, 1])
def test_places_are_as_many_as_the_rules_say(extra: int) -> None:
    columns, cells = START.columns, START.freecells
    fewer, more = columns[:-1], (*columns, ())
    found = refusal(replace(START, columns=fewer if extra < 0 else more))
    assert found == f"{8 + extra} columns, expected 8"
    found = refusal(replace(START, freecells=cells[:-1] if extra < 0 else (*cells, None)))
    assert found == f"{4 + extra} freecells, expected 4"


def test_piles_and_stocks() -> None:
    golf = Deal.from_number(3, GOLF).position
    assert golf.pile is not None and len(golf.stock) == 16
    more = replace(golf, pile=(), stock=(*golf.pile, *golf.stock))
    assert refusal(more, GOLF) == "17 cards in the stock, expected at most 16"
    bare = Position(golf.columns, golf.freecells, golf.foundations)
    assert refusal(bare, GOLF) == "no pile, expected one"
    piled = OnePile(START.columns, START.freecells, START.foundations)
    assert refusal(piled) == "a pile, expected none"
    hole = Deal.from_number(3, GAMES["black_hole"])
    assert refusal(replace(hole.position, stock=(0,)), hole.rules) == "a stock, expected none"
    assert refusal(replace(golf, foundations=(1, 0, 0, 0)), GOLF) == (
        "foundations of different heights, expected them to tell the ranks that a short deck is "
        "without"
    )


def test_cards_that_the_deal_puts_home_for_good() -> None:
    assert refusal(START, BACK) == (
        "foundations below A, where the deal puts all cards up to it home, expected heights from "
        "A on"
    )
    rules = replace(BACK, layout="home A 2")
    assert "foundations below 2, " in refusal(Deal.from_number(3, BACK).position, rules)


def test_heights_and_cards_that_are_none() -> None:
    for height in (-1, 14):
        found = refusal(replace(START, foundations=(height, 0, 0, 0)))
        assert found == f"height {height} of the foundation of hearts, expected 0 to 13"
    for card in (-1, 52):
        columns = ((card, *START.columns[0][1:]), *START.columns[1:])
        found = refusal(replace(START, columns=columns))
        assert found == f"unknown card {card} in column 1, expected 0 to 51"


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "missing card {0}, expected all 52"),
        (2, "missing cards {0} {1}, expected all 52"),
        (6, "missing cards {0} {1} {2} {3} {4} {5}, expected all 52"),
        (7, "missing cards {0} {1} {2} {3} {4} {5} and 1 more, expected all 52"),
        (9, "missing cards {0} {1} {2} {3} {4} {5} and 3 more, expected all 52"),
    ],
)
def test_six_missing_cards_are_named(count: int, said: str) -> None:
    names = ("AH", "AS", "AD", "AC", "2H", "2S")
    columns = tuple(tuple(card for card in column if card >= count) for column in START.columns)
    assert refusal(replace(START, columns=columns)) == said.format(*names)


def test_bases_are_ranks_of_the_deck() -> None:
    rules = GAMES["penguin"]
    position = Deal.from_number(3, rules).position
    base = type(position.base)
    for rank, lowest in ((2, 3), (14, 1), (5, 0)):
        found = refusal(replace(position, base=base(rank, lowest)), rules)
        assert found == f"the base {rank} and the lowest rank {lowest}, expected ranks of the deck"
    found = refusal(replace(position, base=base(9, 3), foundations=(1, 2, 2, 2)), rules)
    assert found == "foundations below 2, expected ranks below the deck home"
    assert refusal(replace(START, base=base(9, 1))) == (
        "a base, expected foundations that begin with the ace"
    )
