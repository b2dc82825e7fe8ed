"""Keys of classes: fields of every width, passes, policies."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from helpers.small_klondikes import small_klondike

from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.cards import CARDS
from dbmsolver.game.classes import is_in_a_class
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.patience import Patience
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.kits.klondike.class_tables import WASTE_BITS, WON
from dbmsolver.kits.klondike.classes import class_progress
from dbmsolver.results import Method


def wide_stock(stock: int, passes: int, draw: int = 2) -> Deal:
    """Return a deal of four columns with as many cards in the stock; the aces lie face up."""
    rules = replace(GAMES["klondike"], columns=4, layout="", stock=stock, draw=draw, passes=passes)
    cards = [*range(4, CARDS), *range(4)]
    columns = tuple(tuple(cards[stock:][index::4]) for index in range(4))
    position = Patience(
        columns,
        (),
        (0, 0, 0, 0),
        stock=tuple(cards[:stock]),
        hidden=tuple(len(column) - 1 for column in columns),
        turns=passes - 1 if passes else None,
    )
    position.validate(rules)
    return Deal(position, rules)


@pytest.mark.parametrize(("stock", "passes"), [(42, 0), (41, 2), (40, 4), (40, 3)])
def test_the_largest_stocks(stock: int, passes: int) -> None:
    """Stock, heights, waste and turns have all 64 bits of a key, and stay apart in it."""
    deal = wide_stock(stock, passes)
    keys = ClassKeys(deal, "none")
    position = deal.position
    assert isinstance(position, Patience)
    cards, found = position.stock, set()
    for waste in range(stock + 1):
        for turns in range(passes) if passes else (None,):
            some = replace(position, stock=cards[waste:], waste=cards[:waste], turns=turns)
            state = keys.state(some)
            expected = 0 if passes == 0 and waste % 2 == 0 else waste
            assert keys.class_of(state)[3:] == (expected, turns)
            assert keys.class_of(state) == keys.classes.class_of(some)
            assert not state.off & ~int(keys.tables.varying[0])
            assert keys.are_keys(np.array([state.off], np.uint64))
            found.add(state)
    assert len(found) == ((stock + 1) * passes if passes else 1 + stock // 2)


@pytest.mark.parametrize(("stock", "passes"), [(43, 0), (42, 2), (41, 3), (40, 5)])
def test_a_bit_too_many(stock: int, passes: int) -> None:
    """Such deals have no classes; one card or pass less is one of `test_the_largest_stocks`."""
    deal = wide_stock(stock, passes)
    assert not is_in_a_class(deal.position, deal.rules)
    with pytest.raises(InputError, match="the theorem of classes does not hold for this deal"):
        ClassKeys(deal, "none")


def test_bits_that_keys_have() -> None:
    random = Random("bits")
    for _ in range(100):
        keys = ClassKeys(small_klondike(random, 16), "wkr")
        t, deal = keys.tables, keys.classes.deal
        cards, turns = len(keys.classes.stock), deal.turns or 0
        assert t.limited == (deal.turns is not None)
        assert int(t.turns_shift) == cards + 16 + WASTE_BITS
        assert int(t.varying[0]) == (1 << cards + 16 + WASTE_BITS + turns.bit_length()) - 1
        assert keys.last_stratum == class_progress(t, WON, keys.locked)


def test_any_number_of_passes() -> None:
    """Positions with few turns left have the classes of those with any number."""
    deal = wide_stock(24, 1)
    few, any_passes = (
        ClassKeys(deal, "wkr", method=method)
        for method in (Method.CLASSES, Method.CLASSES_ANY_PASSES)
    )
    assert few.classes.root.turns == 0 and any_passes.classes.root.turns is None
    assert few.tables.limited and not any_passes.tables.limited
    assert any_passes.state(deal.position) == any_passes.root


def test_policies_of_classes() -> None:
    """Moves home that may lose a solution are made by none of them."""
    deal = Deal.from_number(1, GAMES["klondike"])
    for policy in POLICIES:
        assert ClassKeys(deal, policy).policy == ClassKeys(deal, policy).classes.policy == policy
    with pytest.raises(UsageError, match="automove max with the metric turns"):
        ClassKeys(deal, "max")
