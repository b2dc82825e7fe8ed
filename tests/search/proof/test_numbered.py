"""Many numbered deals at once: the same cards in the same places as one after the other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.features import FEATURES
from dbmsolver.game.kinds import Family
from dbmsolver.game.numbers import MAX_NUMBER
from dbmsolver.game.shipped import GAMES
from dbmsolver.search.proof.deal_dives import laid_out
from dbmsolver.search.proof.numbered import numbers_laid_out

NUMBERS = [1, 11982, 2**31 - 1, 2**31, 2**32 - 1, 2**32, MAX_NUMBER]
FLAGS = ["layout", "kings_sunk", "off_columns"]
IN_TURN = ("cards", "runs", "two-way")


def test_deals_of_shipped_games() -> None:
    told = 0
    for rules in GAMES.values():
        found = numbers_laid_out(NUMBERS, rules)
        if found is not None:
            told += 1
            known = laid_out([Deal.from_number(number, rules) for number in NUMBERS])
            assert found.cards.tolist() == known.cards.tolist()
            assert found.lengths.tolist() == known.lengths.tolist()
    assert told > 10


def made(family: Family) -> Any:
    """Return what is asked of the rules of a game of eight columns."""
    flags = dict.fromkeys(FLAGS, "")
    return SimpleNamespace(columns=8, dealt_to_freecells=0, features=FEATURES[family], **flags)


@pytest.mark.parametrize("flag", [None, *FLAGS])
def test_games_whose_deals_are_not_laid_out_by_place_alone(flag: str | None) -> None:
    rules = made("cards")
    if flag is not None:
        setattr(rules, flag, "yes")
    assert (numbers_laid_out([1], rules) is None) == (flag is not None)


@pytest.mark.parametrize("family", FEATURES)
def test_families_whose_deals_are_not_laid_out_by_place_alone(family: Family) -> None:
    assert (numbers_laid_out([1], made(family)) is None) == (family not in IN_TURN)


@pytest.mark.parametrize("number", [0, MAX_NUMBER + 1])
def test_a_number_that_is_none_of_a_shuffled_deck(number: int) -> None:
    assert numbers_laid_out([1, number], GAMES["freecell"]) is None
