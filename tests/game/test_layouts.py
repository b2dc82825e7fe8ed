"""Layouts: every card gets a place, whatever they say, or they are refused."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dbmsolver.errors import UsageError
from dbmsolver.game.cards import CARDS, rank
from dbmsolver.game.deals import deal_number, dealing
from dbmsolver.game.layouts import Layout, layout_of
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import changed
from dbmsolver.game.titles import rules_notes, rules_of_notes


@st.composite
def layouts(draw: st.DrawFn) -> Rules:
    columns, freecells = draw(st.integers(1, 13)), draw(st.integers(0, 13))
    filled = draw(st.integers(0, min(freecells, 6)))
    heights = draw(st.tuples(*[st.sampled_from([0, 0, 1, 2, 12])] * 4))
    home = tuple(card for card in range(CARDS) if rank(card) <= heights[card & 3])
    rest = [card for card in range(CARDS) if card not in home]
    first = tuple(draw(st.lists(st.sampled_from(rest), unique=True, max_size=9)))
    order = draw(st.sampled_from(["turn", "backwards", "diagonal"]))
    cards = len(rest) - filled
    assume(cards >= 0)
    assume(order != "diagonal" or cards <= columns * (columns + 1) // 2)
    explicit: tuple[tuple[int, ...], ...] = ()
    auto = order == "turn" and draw(st.booleans())
    if order == "turn" and not auto and draw(st.booleans()):
        numbers = draw(st.permutations(range(1, cards + 1)))
        explicit = tuple(tuple(numbers[index::columns]) for index in range(columns))
    cells = tuple(draw(st.permutations(range(freecells)))[:filled]) if draw(st.booleans()) else ()
    layout = Layout(home, first, order, explicit, auto, cells)
    return Rules("odd", columns, freecells, "any", "any", filled, False, str(layout))


@settings(deadline=None, max_examples=60)
@given(layouts(), st.integers(1, 32000))
def test_every_card_gets_a_place(rules: Rules, number: int) -> None:
    layout = layout_of(rules.layout)
    assert str(layout) == rules.layout
    position = deal_number(number, rules)
    position.validate(rules)
    assert sum(card is not None for card in position.freecells) == rules.dealt_to_freecells
    if layout.auto:
        assert all(a >= b for a, b in zip(position.foundations, layout.heights, strict=True))
    else:
        assert position.foundations == layout.heights
    assert "\n" not in dealing(rules)
    assert rules_of_notes(", ".join(rules_notes(rules))) == rules


@settings(deadline=None)
@given(layouts(), st.integers(0, 13))
def test_other_numbers_of_freecells(rules: Rules, freecells: int) -> None:
    try:
        other = changed(rules, freecells=freecells)
    except UsageError as error:  # columns that are named one by one, or too few for a diagonal
        assert "columns" in str(error)
    else:
        deal_number(1, other).validate(other)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sideways", "'sideways', expected home, pile, first, "),
        ("auto; home A", "'home A', expected home, pile, first, "),
        ("home AS AH", "expected 'home AH AS'"),
        ("home 2S", "2S home without the card below it"),
        ("home A; first AS", "named twice"),
        ("first XX", "unknown card 'XX'"),
        ("cells 1", "fills the freecells 1, expected 0 of 4"),
        ("cells one", "'cells one'"),
        ("columns 1 2/3", "names 2 of the columns one by one, expected 8"),
        ("columns 1/2/3/4/5/6/7/8", "do not take each of the cards 1 to 52 once"),
        ("diagonal", "52 cards cannot be dealt diagonally to 8 columns"),
        ("home", "'home'"),
    ],
)
def test_impossible_layouts(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Rules("odd", 8, 4, "any", "any", layout=text)
    assert message in str(caught.value)


def test_more_freecells_than_cards() -> None:
    with pytest.raises(UsageError, match=r"fills 5 freecells, but has 4 cards"):
        Rules("odd", 8, 5, "any", "any", 5, layout="home A 2 3 4 5 6 7 8 9 T J Q")
