"""Cards by number and by name."""

import pytest

from dbmsolver.errors import InputError
from dbmsolver.game.cards import CARDS, SUITS, card_name, parse_card, rank, suit


@pytest.mark.parametrize("card", range(CARDS))
def test_every_card_is_read_back_in_every_spelling(card: int) -> None:
    name = card_name(card)
    assert card == (rank(card) - 1) * 4 + suit(card)
    assert parse_card(name) == parse_card(name.lower()) == card
    assert parse_card(name.replace("T", "10")) == card
    assert name[1] == SUITS[suit(card)]
    assert (card & 1 == 0) == (name[1] in "HD")


def test_the_numbers_are_those_of_the_field() -> None:
    assert [card_name(card) for card in (0, 1, 2, 3, 38, 51)] == [
        "AH",
        "AS",
        "AD",
        "AC",
        "TD",
        "KC",
    ]


@pytest.mark.parametrize(
    "text",
    ["", "T", "D", "1D", "11D", "0S", "XX", "TDD", "10", "10 D", "\u017f2", "2\u017f"],
)
def test_what_is_no_card_is_named_with_its_place(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_card(text, "board, line 1")
    message = str(caught.value)
    assert message.startswith(f"board, line 1: unknown card {text!r}, expected ")
    assert "\n" not in message


def test_a_long_word_is_cut_short() -> None:
    with pytest.raises(InputError) as caught:
        parse_card("A\n" * 10_000)
    assert len(str(caught.value)) < 150
    assert "\n" not in str(caught.value)
