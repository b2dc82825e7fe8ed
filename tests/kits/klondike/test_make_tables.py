"""The tables of deals of Klondike's kind: each is what the readable model says of the deal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from helpers.patience_games import small_canfield

from dbmsolver.game.cards import CARDS, rank, suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.patience import Patience
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.make_tables import bound_tables_of, tables_of
from dbmsolver.kits.klondike.tables import (
    ALL_COUNT,
    AT_BOTTOM,
    CARD_OR_COLUMN,
    ELSEWHERE,
    FILL_ANY,
    FILL_KINGS,
    GROUPS,
    NONE_COUNT,
    NOT_IN_COLUMN,
    ON_NOTHING,
    RUNS,
    TURNS_COUNT,
)

LIMITED = replace(GAMES["klondike_by_threes"], passes=3)
DEALS = {
    "klondike": Deal.from_number(1, GAMES["klondike"]),
    "limited": Deal.from_number(2, LIMITED),
    "yukon": Deal.from_number(3, GAMES["yukon"]),
    "canfield": Deal.from_number(4, GAMES["canfield"]),
    "short": small_canfield("canfield", Random(5), base="round"),
    "deal": Deal.from_number(6, replace(GAMES["canfield"], base="deal")),
    "removable": small_canfield("canfield", Random(7), base="round", removable=True),
    "waste": Deal.from_number(8, replace(GAMES["klondike"], fill="waste")),
}


def made(name: str, policy: Any = "none") -> tuple[Patience, Any]:
    """Return the position of a deal, and its tables where turns count."""
    position = DEALS[name].position
    assert isinstance(position, Patience)
    return position, tables_of(position, DEALS[name].rules, policy, TURNS_COUNT, False)


def columns_of(position: Patience) -> list[list[int]]:
    """Return the columns, their cards counted from the base."""
    return [[position.counted(card) for card in column] for column in position.columns]


def bits(cards: Iterable[int]) -> int:
    return sum(1 << card for card in set(cards))


@pytest.mark.parametrize("name", DEALS)
def test_cards_as_they_were_dealt(name: str) -> None:
    position, tables = made(name)
    under = dict.fromkeys(range(CARDS), NOT_IN_COLUMN)
    hidden, marked = set[int](), list[int]()
    for column, down in zip(columns_of(position), position.hidden, strict=True):
        under |= dict.fromkeys(column[:1], ON_NOTHING)
        under |= {upper: lower for lower, upper in pairwise(column)}
        hidden |= set(column[:down])
        marked += column[1 : down + 1]
    waste, stock, reserve = (
        [position.counted(card) for card in cards]
        for cards in (position.waste, position.stock, position.reserve)
    )
    assert tables.under.tolist() == list(under.values())
    assert tables.hidden.tolist() == [int(card in hidden) for card in range(CARDS)]
    assert tables.covers.tolist() == [int(under[card] in hidden) for card in range(CARDS)]
    assert tables.stock.tolist() == waste + stock
    order = [*waste, *stock, *reserve, *marked]
    assert tables.bits.tolist() == [
        order.index(card) if card in order else -1 for card in range(CARDS)
    ]
    assert tables.reserve.tolist() == reserve


@pytest.mark.parametrize("name", DEALS)
def test_cards_that_a_card_may_be_put_on(name: str) -> None:
    position, tables = made(name)
    rules, lowest = DEALS[name].rules, position.lowest
    for card in range(4 * (lowest - 1), CARDS):
        found = {other for other in tables.parents[card].tolist() if other >= 0}
        assert found == {
            other
            for other in range(4 * (lowest - 1), CARDS)
            if rules.can_stack(card, other, lowest)
        }
        assert int(tables.legal[card]) == bits(found)
        dealt = int(tables.under[card])
        lies_on = {ON_NOTHING: AT_BOTTOM, NOT_IN_COLUMN: ELSEWHERE}.get(dealt, dealt)
        parents = [other if other >= 0 else ELSEWHERE for other in tables.parents[card].tolist()]
        digits = [lies_on, *parents, AT_BOTTOM, ELSEWHERE, ELSEWHERE]
        assert tables.lies_on[card].tolist() == digits


def test_a_waste_that_was_turned() -> None:
    """Its cards come before those of the stock."""
    deal = DEALS["limited"]
    position = deal.position
    assert isinstance(position, Patience)
    turned = position.apply(position.moves_of_stock(deal.rules)[0])
    assert len(turned.waste) == 3
    tables = tables_of(turned, deal.rules, "none", TURNS_COUNT, False)
    assert tables.stock.tolist() == list(position.stock)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("klondike", (7, 1, 0, RUNS, FILL_KINGS, 1, 1)),
        ("limited", (7, 3, 1, RUNS, FILL_KINGS, 1, 1)),
        ("yukon", (7, 1, 0, GROUPS, FILL_KINGS, 1, 0)),
        ("canfield", (4, 3, 0, CARD_OR_COLUMN, FILL_ANY, 0, 0)),
    ],
)
def test_numbers_of_the_rules(name: str, wanted: tuple[int, ...]) -> None:
    _, t = made(name)
    assert (t.columns, t.draw, t.limited, t.takes, t.fill, t.worrying, t.twins) == wanted
    assert (t.counted, t.free, t.brief) == (TURNS_COUNT, 0, 0)
    position, rules = DEALS[name].position, DEALS[name].rules
    assert isinstance(position, Patience)
    for counted in (NONE_COUNT, TURNS_COUNT, ALL_COUNT):
        t = tables_of(position, rules, "none", counted, True)
        assert (t.counted, t.free) == (counted, int(counted == NONE_COUNT and name != "limited"))
        assert t.brief == int(name != "canfield")


def test_cards_that_come_back_are_above_the_lowest_rank() -> None:
    position, tables = made("removable")
    assert tables.worrying == position.lowest > 1


@pytest.mark.parametrize("policy", ["none", "horne", "wkr", "max"])
@pytest.mark.parametrize("name", ["klondike", "canfield", "short"])
def test_heights_from_which_a_move_home_is_safe(name: str, policy: Any) -> None:
    """Each is asked of one foundation, all others being complete."""
    position, tables = made(name, policy)
    rules, lowest = DEALS[name].rules, position.lowest
    for card in range(4 * (lowest - 1), CARDS):
        for other in range(4):
            heights = [13] * 4
            heights[suit(card)] = rank(card) - 1
            least = 0
            for height in range(14) if other != suit(card) else ():
                heights[other] = height
                if not is_safe_home(rules, card, heights, policy, lowest):
                    least = height + 1
            assert tables.safe[card, other] == least


@pytest.mark.parametrize("name", DEALS)
def test_what_bounds_are_made_of(name: str) -> None:
    """Cards that lie as they were dealt wait for lower ones of a suit beneath others, or do not."""
    position, tables = made(name)
    beneath: dict[int, set[int]] = {}
    for column, down in zip(columns_of(position), position.hidden, strict=True):
        for depth, card in enumerate(column[: down + 1]):
            beneath[card] = set(column[: depth + 1])

    def is_above(card: int, other: int) -> bool:
        """Return True if a card is, or lies on, one of the other's suit that is lower than it."""
        return any(suit(one) == suit(other) and one < other for one in beneath[card])

    waiting = {other: {card for card in beneath if is_above(card, other)} for other in range(CARDS)}
    paid = {card for card in beneath if card in waiting[card]}
    pairs = {
        card: {
            other
            for other in beneath
            if suit(card) != suit(other)
            and not {card, other} & paid
            and other in waiting[card]
            and card in waiting[other]
        }
        for card in beneath
    }
    linked = {card for card in beneath if pairs[card]}
    linked |= {card for one in tables.stock.tolist() for card in waiting[one]}
    found = bound_tables_of(tables)
    assert found.cards.tolist() == [bits(beneath.get(card, ())) for card in range(CARDS)]
    assert found.paid.tolist() == [bits(paid)]
    assert found.waiting.tolist() == [bits(waiting[card]) for card in range(CARDS)]
    assert found.pairs.tolist() == [bits(pairs.get(card, ())) for card in range(CARDS)]
    assert found.linked.tolist() == [bits(linked)]
    for card in range(CARDS):
        suits = [one for one in range(CARDS) if suit(one) == suit(card)]
        assert int(found.higher[card]) == bits(one for one in suits if one > card)
        assert int(found.lower[card]) == bits(one for one in suits if one < card)
    turns = [(number + tables.draw - 1) // tables.draw for number in range(2 * CARDS + 1)]
    assert found.turns.tolist() == turns


def test_deals_whose_bounds_are_not_empty() -> None:
    """The deals above have cards in deadlocks, and cards above lower ones of their suit."""
    found = [bound_tables_of(made(name)[1]) for name in DEALS]
    assert any(one.paid.any() for one in found) and any(one.pairs.any() for one in found)
