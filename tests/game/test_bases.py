"""Ranks that are counted from the base of a deal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.cards import CARDS, card_name, parse_card, rank, suit

BASES = [Base(first, lowest) for lowest in range(1, 14) for first in range(lowest, 14)]


@given(base=st.sampled_from(BASES), card=st.integers(0, CARDS - 1))
def test_each_card_counts_as_one_of_its_suit(base: Base, card: int) -> None:
    counted = base.counted(card)
    assert suit(counted) == suit(card)
    assert base.card(counted) == card
    if rank(card) == base.rank:
        assert rank(counted) == base.lowest
    elif rank(card) >= base.lowest:  # one more than the rank before it
        before = card - 4 if rank(card) > base.lowest else card + 4 * (13 - base.lowest)
        assert rank(counted) == rank(base.counted(before)) + 1
    else:  # not in the deck
        assert counted == card


@pytest.mark.parametrize(
    ("base", "card", "counted"),
    [
        (Base(11), "JH", "AH"),
        (Base(11), "KS", "3S"),
        (Base(11), "AD", "4D"),
        (Base(11), "TC", "KC"),
        (Base(12, 11), "QH", "JH"),
        (Base(12, 11), "JH", "KH"),
        (Base(12, 11), "TH", "TH"),
        (ACE, "7D", "7D"),
    ],
)
def test_some_cards(base: Base, card: str, counted: str) -> None:
    assert card_name(base.counted(parse_card(card))) == counted
