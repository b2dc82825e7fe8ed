"""Classes of positions of Klondike against all positions of small decks."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations
from random import Random

import pytest
from helpers.small_klondikes import (
    last_king_needs_a_column,
    reached_classes,
    small_klondike,
    small_listed,
)

from dbmsolver.errors import InputError
from dbmsolver.game.cards import rank
from dbmsolver.game.classes import EVERY_RULE, Classes, LeftOut, has_classes, is_in_a_class
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.patience import Patience
from dbmsolver.game.shipped import GAMES

RULES = list(LeftOut)
LEFT_OUT = [
    frozenset(some) for some in chain.from_iterable(combinations(RULES, n) for n in range(4))
]


def check(seed: int, count: int, most: int) -> None:
    """Compare the classes of small decks with those of their positions."""
    verdicts = set()
    for deal, listed in small_listed(seed, count, most):
        classes = Classes(deal.position, deal.rules)
        reached, won = reached_classes(classes, frozenset())
        # The number in the waste and the turns left are not compared: a class is reached with the
        # most turns only.
        assert {found[:3] for found in reached} == {
            classes.class_of(position)[:3] for position in listed.positions
        }, str(deal.position)
        assert won == listed.won, str(deal.position)
        for left_out in LEFT_OUT[1:]:
            assert reached_classes(classes, left_out)[1] == listed.won, (left_out, deal)
        for policy in POLICIES:
            other = Classes(deal.position, deal.rules, policy)
            assert reached_classes(other, EVERY_RULE)[1] == listed.won, (policy, deal)
        verdicts.add(listed.won)
    assert verdicts == {True, False}


@pytest.mark.parametrize("seed", range(4))
def test_classes_are_those_of_all_positions(seed: int) -> None:
    check(seed, 10, 200)


@pytest.mark.slow
def test_classes_of_many_small_decks() -> None:
    check(100, 60, 600)


def test_a_column_is_emptied_for_the_last_king() -> None:
    deal = last_king_needs_a_column()
    classes = Classes(deal.position, deal.rules)
    for left_out in LEFT_OUT:
        assert reached_classes(classes, left_out)[1]


def test_position_of_the_game_keeps_its_class_by_shifts_alone() -> None:
    """A run that moves between the two cards of a rank and colour changes no class."""
    shifts = 0
    for deal, listed in small_listed(7, 40, 250):
        classes = Classes(deal.position, deal.rules)
        for position in listed.positions:
            for move in position.moves(deal.rules):
                if position.is_between_twins(move, deal.rules):
                    after = position.apply(move)
                    assert classes.class_of(after) == classes.class_of(position)
                    shifts += 1
    assert shifts > 20


@pytest.mark.parametrize("name", [name for name, rules in GAMES.items() if rules.is_patience])
def test_games_that_have_classes(name: str) -> None:
    rules = GAMES[name]
    expected = name.startswith("klondike") or name == "trigon"
    assert has_classes(rules) == expected, name
    deal = Deal.from_number(1, rules)
    assert is_in_a_class(deal.position, rules) == expected


@pytest.mark.parametrize(
    "change",
    [
        {"build": "other"},
        {"build": "any"},
        {"fill": "any"},
        {"moves": "single"},
        {"stacked": 5, "layout": "reserve 1 2 3 4 5"},
    ],
    ids=str,
)
def test_other_rules_have_no_classes(change: dict[str, object]) -> None:
    assert not has_classes(replace(GAMES["klondike"], **change))  # type: ignore[arg-type]


def test_games_without_a_stock_have_no_classes() -> None:
    """Freecells are no part of a class, even where kings and runs move as in Klondike."""
    assert not has_classes(replace(GAMES["freecell"], moves="runs", fill="kings"))


def test_covered_cards_that_move_together_have_no_classes() -> None:
    rules = replace(GAMES["klondike"], columns=2, layout="", stock=0)
    # 7H 6S 9D, all face up: 7H and 6S would move together once 9D has left.
    cards = (4 * 6, 4 * 5 + 1, 4 * 8 + 2)
    rest = [card for card in range(51, -1, -1) if card not in cards]
    deal = Patience((cards, tuple(rest)), (), (0, 0, 0, 0), hidden=(0, len(rest) - 1))
    assert not is_in_a_class(deal, rules)
    assert is_in_a_class(replace(deal, hidden=(1, len(rest) - 1)), rules)
    with pytest.raises(InputError, match="does not hold"):
        Classes(deal, rules)


def test_positions_of_other_deals_are_refused() -> None:
    random, refused = Random(5), 0
    for _ in range(60):
        one, other = small_klondike(random, 8), small_klondike(random, 8)
        if one.position.foundations != other.position.foundations or one.rules != other.rules:
            other = Deal(replace(one.position, columns=one.position.columns[::-1]), one.rules)
        try:
            Classes(one.position, one.rules).class_of(other.position)
        except InputError as error:
            refused += 1
            assert "no game from the deal" in str(error)
    assert refused


def test_what_the_deal_does_not_come_to() -> None:
    """A stock in another order, other turns, a covered card with another one on it."""
    rules = replace(GAMES["klondike"], passes=2)
    start = Deal.from_number(1, rules).position
    assert isinstance(start, Patience) and start.turns == 1
    classes = Classes(start, rules)
    unlimited = Classes(replace(start, turns=None), GAMES["klondike"])
    assert classes.class_of(replace(start, turns=0)).turns == 0
    first, second, *others = start.stock
    with pytest.raises(InputError, match="no game from the deal comes to this stock and waste"):
        classes.class_of(replace(start, stock=(second, first, *others)))
    for some, turns in ((classes, 2), (classes, None), (unlimited, 0)):
        with pytest.raises(InputError, match="comes to this number of turns of the waste"):
            some.class_of(replace(start, turns=turns))
    found = 0
    for index, (column, hidden) in enumerate(zip(start.columns, start.hidden, strict=True)):
        for card in start.stock:
            if hidden and rules.can_stack(card, column[hidden - 1]):
                columns = list(start.columns)
                columns[index] = (*column[:hidden], card)
                stock = tuple(other for other in start.stock if other != card)
                position = replace(start, columns=tuple(columns), stock=stock)
                with pytest.raises(InputError, match="comes to the column that begins with"):
                    classes.class_of(position)
                down = tuple(n - (n == hidden) for n in start.hidden)
                classes.class_of(replace(position, hidden=down))
                found += 1
    assert found
    (first_card,), last = start.columns[0], start.columns[6]
    away = next(c for c in start.stock if rank(c) < 13 and not rules.can_stack(c, last[-1]))
    assert not rules.can_stack(first_card, last[-1]) and start.hidden[0] == 0
    for columns in (
        ((away,), *start.columns[1:]),  # no king in an empty column
        (*start.columns[:6], (*last, away)),
        ((), *start.columns[1:6], (*last, first_card)),
    ):
        with pytest.raises(InputError, match="comes to the column that begins with"):
            classes.class_of(replace(start, columns=columns))
    with pytest.raises(InputError, match="another kind of game, expected one of Klondike's"):
        classes.class_of(Deal.from_number(1).position)
