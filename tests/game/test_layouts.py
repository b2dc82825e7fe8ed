"""Layouts: every card gets a place, whatever they say, or they are refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dbmsolver.errors import UsageError
from dbmsolver.game.cards import CARDS, card_name, rank
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
        ("base 0", "expected the number of a card"),
        ("bases 0", "expected a number of cards"),
        ("bases x", "'bases x'"),
        ("bases 3", "puts 3 cards on a foundation and into the reserve, expected 0"),
        ("turned 0", "expected a number of cards"),
        ("turned x", "'turned x'"),
        ("auto; auto", "'auto', expected home, pile, first, "),
    ],
)
def test_impossible_layouts(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Rules("odd", 8, 4, "any", "any", layout=text)
    assert message in str(caught.value)


def test_more_freecells_than_cards() -> None:
    with pytest.raises(UsageError, match=r"fills 5 freecells, but has 4 cards"):
        Rules("odd", 8, 5, "any", "any", 5, layout="home A 2 3 4 5 6 7 8 9 T J Q")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["dealt to 8 columns in turn"]),
        ("home A", ["aces home at the start", "dealt to 8 columns in turn"]),
        ("home A 2", ["aces and twos home at the start", "dealt to 8 columns in turn"]),
        ("home A 2 3", ["aces to threes home at the start", "dealt to 8 columns in turn"]),
        ("home AH AS 2H", ["AH AS 2H home at the start", "dealt to 8 columns in turn"]),
        ("pile AS", ["AS on the pile at the start", "dealt to 8 columns in turn"]),
        ("first 2C 2S", ["2C 2S dealt first", "dealt to 8 columns in turn"]),
        ("first KH KS KD KC JH JS JD JC", ["kings and jacks dealt first",
                                           "dealt to 8 columns in turn"]),
        ("first KH KS KD KC JH JS JD JC TH TS TD TC",
         ["kings and jacks and tens dealt first", "dealt to 8 columns in turn"]),
        ("first 2C; columns 1 2/3", ["2C in a place of its own", "dealt to columns of 2, 1 cards"]),
        ("backwards", ["dealt to 8 columns in turn, from right to left"]),
        ("diagonal", ["dealt to 8 columns, each row one column shorter at the left"]),
        ("auto", ["dealt to 8 columns in turn", "cards that fit go home as they are dealt"]),
        ("cells 2 3", ["dealt to 8 columns in turn"]),
        ("turned 1", ["dealt to 8 columns in turn", "the next card to the pile"]),
        ("turned 2", ["dealt to 8 columns in turn", "the next 2 cards to the pile"]),
        ("hidden 0 1 2", ["dealt to 8 columns in turn", "3 cards face down"]),
        ("bases 1", ["the first card of its first card's rank home, the others of it dealt first",
                     "dealt to 8 columns in turn"]),
        ("bases 3", [
            "the first 3 cards of its first card's rank home, the others of it dealt first",
            "dealt to 8 columns in turn",
        ]),
        ("base 1; reserve 2 3", ["card 1 to its foundation", "2 cards to the reserve",
                                 "dealt to 8 columns in turn"]),
    ],
)  # fmt: skip
def test_a_layout_in_words(text: str, words: list[str]) -> None:
    layout = layout_of(text)
    assert str(layout) == text
    assert layout.words(8) == words


def placed(text: str, columns: int = 4, filled: int = 0) -> tuple[list[str], str, tuple[int, ...]]:
    """Columns, the cards left over and heights of an unshuffled deck."""
    laid, left, heights = layout_of(text).arrange(range(CARDS), columns, filled)
    return [" ".join(map(card_name, column[:4])) for column in laid], names(left), heights


def names(cards: Sequence[int]) -> str:
    return " ".join(map(card_name, cards))


def test_where_cards_are_dealt() -> None:
    """By hand: the first four cards of each column."""
    assert placed("", filled=2) == (
        ["AH 2H 3H 4H", "AS 2S 3S 4S", "AD 2D 3D 4D", "AC 2C 3C 4C"], "KD KC", (0, 0, 0, 0)
    )  # fmt: skip
    assert placed("backwards")[0] == ["AC 2C 3C 4C", "AD 2D 3D 4D", "AS 2S 3S 4S", "AH 2H 3H 4H"]
    assert placed("diagonal", 10)[0][:4] == ["AH", "AS 3D", "AD 3C 5C", "AC 4H 6H 7C"]
    assert placed("home A; first 5H 3S") == (
        ["5H 2D 3C 4C", "3S 2C 4H 5S", "2H 3H 4S 5D", "2S 3D 4D 5C"],
        "",
        (1, 1, 1, 1),
    )
    assert placed("auto", 2, 1)[1:] == ("KC", (13, 13, 13, 12))
    assert placed("pile AS")[0][0] == "AH 2S 3S 4S"


def test_base_and_reserve_are_taken_from_the_deck() -> None:
    base, reserve, rest = layout_of("home A; base 1; reserve 3 2").taken_apart(range(CARDS))
    assert (names(base), names(reserve)) == ("2H", "2D 2S")
    assert rest == list(range(7, CARDS))
    assert layout_of("").taken_apart([3, 1]) == ([], [], [3, 1])


def test_cards_of_the_first_card_s_rank_are_taken_from_the_deck() -> None:
    deck = [8, 5, 11, 4, 9, 6, 10]  # 3H 2S 3C 2H 3S 2D 3D
    for home in range(1, 5):
        base, reserve, rest = layout_of(f"bases {home}").taken_apart(deck)
        assert (base, reserve) == ([8, 11, 9, 10][:home], [])
        assert rest == [*[8, 11, 9, 10][home:], 5, 4, 6]


def test_columns_that_get_no_card() -> None:
    assert layout_of("").fills(3, 49) and not layout_of("").fills(3, 50)
    assert layout_of("base 1").fills(3, 48) and not layout_of("base 1").fills(3, 49)


@pytest.mark.parametrize(
    ("text", "fits", "message"),
    [
        ("cells 1 2", (8, 2, 2), None),
        ("cells 1 3", (8, 2, 2), "fills the freecells 1 3, expected 2 of 2"),
        ("cells 1 1", (8, 2, 2), "fills the freecells 1 1, expected 2 of 2"),
        ("cells 1", (8, 2, 2), "fills the freecells 1, expected 2 of 2"),
        ("pile AS; first AS", (8, 0, 0), "named twice"),
        ("hidden 1 2", (2, 0, 0), None),
        ("hidden 1 2", (3, 0, 0), "2 columns have cards face down, expected 3"),
        ("diagonal", (10, 0, 0), None),
        ("diagonal", (9, 0, 0), "52 cards cannot be dealt diagonally to 9 columns"),
        ("diagonal", (9, 0, 0, 7), None),
        ("diagonal", (9, 0, 0, 6), "46 cards cannot be dealt diagonally to 9 columns"),
        ("turned 1", (8, 0, 0, 51), None),
        ("turned 1", (8, 0, 0, 52), "1 cards too few for pile and stock"),
        ("pile AS", (8, 0, 0, 52), "1 cards too few for pile and stock"),
        ("home A", (8, 0, 0, 48), None),
        ("home A", (8, 0, 0, 49), "1 cards too few for pile and stock"),
        ("base 1; reserve 2", (8, 0, 0, 50, 2), None),
        ("base 1; reserve 2", (8, 0, 0, 51, 2), "1 cards too few for pile and stock"),
        ("base 1; reserve 2", (8, 0, 0, 0, 1), "puts 2 cards on a foundation and into the reserve"),
        ("base 1; reserve 1", (8, 0, 0, 0, 2), "puts 1 cards on a foundation"),
        ("reserve 2", (8, 0, 0, 0, 1), None),
        ("reserve 52", (8, 0, 0, 0, 1), None),
        ("reserve 53", (8, 0, 0, 0, 1), "the deck has cards 1 to 52, expected base and reserve"),
        ("reserve 0", (8, 0, 0, 0, 1), "the deck has cards 1 to 52"),
        ("home A; base 48", (8, 0, 0, 0, 1), None),
        ("home A; base 49", (8, 0, 0, 0, 1), "the deck has cards 1 to 48"),
        ("home AH; base 1", (8, 0, 0, 0, 1), "a rank is home in part"),
        ("home AH; bases 2", (8, 0, 0, 0, 2), "a rank is home in part"),
        ("bases 4", (8, 0, 0, 0, 4), None),
        ("bases 5", (8, 0, 0, 0, 5), "5 cards of the rank of the first card go to foundations"),
        ("bases 3; reserve 2", (8, 0, 0, 0, 4), "no other base, reserve or cards dealt first"),
    ],
)
def test_what_a_layout_fits(text: str, fits: tuple[int, ...], message: str | None) -> None:
    if message is None:
        layout_of(text).check(*fits)
        return
    with pytest.raises(UsageError) as caught:
        layout_of(text).check(*fits)
    assert message in str(caught.value)


def test_cells_that_no_longer_fit_are_forgotten() -> None:
    layout = layout_of("cells 1 3")
    assert layout.with_cells(2, 3) is layout
    for filled, freecells in ((2, 2), (1, 3), (3, 4)):
        assert layout.with_cells(filled, freecells).cells == ()
    assert layout_of("").with_cells(0, 0) == layout_of("")


def test_every_rank_has_a_name() -> None:
    """By whole ranks on the pile, so that none has to lie on another."""
    found = []
    for index in range(13):
        cards = " ".join(card_name(4 * index + suit) for suit in range(4))
        found.append(layout_of(f"pile {cards}").words(8)[0].split()[0])
    assert found == (
        [
            "aces",
            "twos",
            "threes",
            "fours",
            "fives",
            "sixes",
            "sevens",
            "eights",
            "nines",
            "tens",
            "jacks",
            "queens",
            "kings",
        ]
    )
