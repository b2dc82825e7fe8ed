"""Numbers and decks of other programs. What they deal was seen in them, or in their documents."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from dbmsolver.errors import DbmError, InputError, UsageError
from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import Deal, deal_number, format_board
from dbmsolver.game.decks import deck_of_digits
from dbmsolver.game.numbers import NUMBERS, Numbers, first_and_last, shuffled, shuffled_packs
from dbmsolver.game.one_pile import OnePile
from dbmsolver.game.shapes import dealt_lengths
from dbmsolver.game.shipped import GAMES

KLONDIKE = GAMES["klondike"]
SUITS_OF_DIGITS = "CDHS"


def names(cards: object) -> str:
    return " ".join(map(card_name, cards))  # type: ignore[call-overload]


def digits(deck: list[int]) -> str:
    return "".join(
        f"{card // 4 + 1:02}{SUITS_OF_DIGITS.index(card_name(card)[1]) + 1}" for card in deck
    )


def test_solvitaire() -> None:
    """Its documents show Klondike with seed 1."""
    position = deal_number(1, KLONDIKE, "solvitaire")
    assert names(column[-1] for column in position.columns) == "9D AS JC 6D JH AH JD"
    assert names(position.stock[::-1]).startswith("6H KS TC QH")


def test_solvitaire_in_columns_of_other_lengths() -> None:
    """Their order is Solvitaire's own, but where cards lie face down."""
    rules = GAMES["simple_simon"]
    lengths = [len(column) for column in deal_number(5, rules, "solvitaire").columns]
    assert lengths == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8]
    assert sorted(dealt_lengths(rules)) == lengths != dealt_lengths(rules)
    starts = [1 + number * (number + 1) // 2 for number in range(8)]
    piles = [" ".join(map(str, range(*ends))) for ends in pairwise(starts)]
    turned = replace(KLONDIKE, layout=f"columns {'/'.join(piles[::-1])}; hidden 6 5 4 3 2 1 0")
    with pytest.raises(InputError, match="Solvitaire deals columns of other lengths"):
        deal_number(5, turned, "solvitaire")


def test_solvitaire_turns_one_card_at_most() -> None:
    rules = GAMES["golf"]
    pile = deal_number(5, rules, "solvitaire")
    assert isinstance(pile, OnePile) and len(pile.pile) == 1
    with pytest.raises(UsageError, match="Solvitaire has no seeds for such a deal"):
        deal_number(5, replace(rules, layout="turned 2", stock=15), "solvitaire")


def test_klondike_solver_and_ksolve() -> None:
    """As both programs show these deals."""
    position = Deal.from_text("Game: 37547\n", KLONDIKE).position
    assert names(position.stock) == (
        "3D 5H TC 4C TS KD KC 2D 5S 4D AS 2C TD 8H TH 7H JD 8D 8S 9D 5C QS KH 3C"
    )
    assert names(position.columns[6]) == "4S 5D JS QD 3H 9C 7C"
    assert position == deal_number(37547, KLONDIKE, "klondike-solver")
    position = Deal.from_text("# as its samples\n ran: 1 # too\n", KLONDIKE).position
    assert names(position.stock).startswith("JC 3H 6H QH 2H QD AC TD JD 8C 9C 5D")
    assert names(position.columns[3]) == "TH 7C 6C JS"
    assert position == deal_number(1, KLONDIKE, "ksolve")


@pytest.mark.parametrize("game", ["freecell", "bakers_dozen", "golf", "klondike", "simple_simon"])
@pytest.mark.parametrize("number", [1, 31999, 32001, 100000, 123456789012])
@pytest.mark.parametrize("numbers", ["pysolfc", "pysol"])
def test_pysol(game: str, number: int, numbers: str) -> None:
    """As pysol-cards deals them."""
    from pysol_cards.cards import CardRenderer  # type: ignore[import-untyped]
    from pysol_cards.deal_game import Game  # type: ignore[import-untyped]
    from pysol_cards.random import RandomBase  # type: ignore[import-untyped]

    which = RandomBase.DEALS_PYSOLFC if numbers == "pysolfc" else RandomBase.DEALS_PYSOL
    text = Game(game, number, which).calc_layout_string(CardRenderer(True))
    expected = Deal.from_text(text, GAMES[game]).position
    assert deal_number(number, GAMES[game], numbers) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("numbers", NUMBERS)
def test_every_shuffle_has_all_cards_and_differs_by_number(numbers: str) -> None:
    decks = [shuffled(number, numbers) for number in (1, 2, 40000, 2**31 - 1)]  # type: ignore[arg-type]
    assert all(sorted(deck) == list(range(52)) for deck in decks)
    assert len(set(map(tuple, decks))) == 4


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("numbers", NUMBERS)
def test_every_game_is_dealt_or_refused(game: str, numbers: str) -> None:
    try:
        position = deal_number(5, GAMES[game], numbers)  # type: ignore[arg-type]
    except DbmError as error:
        others = () if not GAMES[game].packs else ("pysol",)
        assert numbers in ("solvitaire", "klondike-solver", "ksolve", *others)
        assert "expected" in str(error)
        return
    position.validate(GAMES[game])
    if numbers in ("microsoft", "pysolfc", "pysol"):
        assert position == deal_number(5, GAMES[game])


@pytest.mark.parametrize(
    ("numbers", "first", "last"),
    [
        ("microsoft", 1, 2**33 - 1),
        ("pysolfc", 1, 10**20),
        ("pysol", 1, 2**64 - 1),
        ("solvitaire", 0, 2**31 - 1),
        ("klondike-solver", 0, 2**31 - 1),
        ("ksolve", 0, 2**31 - 1),
    ],
)
def test_the_first_number_and_the_last(numbers: Numbers, first: int, last: int) -> None:
    assert first_and_last(numbers) == (first, last)
    for number in (first, last):
        assert sorted(shuffled(number, numbers)) == list(range(52))
    for number in (first - 1, last + 1):
        with pytest.raises(InputError, match=f"expected a number from {first} to {last}"):
            shuffled(number, numbers)


def test_the_first_numbers_are_those_of_microsoft() -> None:
    """In PySolFC those below 32000, be it one pack or two; in pysol-cards 32000 is another."""
    deck = [card for card in range(52) for _ in range(2)]
    for number, same in ((31999, True), (32000, False)):
        assert (shuffled(number, "pysolfc") == shuffled(number, "microsoft")) == same
        found = shuffled_packs(number, deck, "pysolfc")
        assert sorted(found) == sorted(deck)
        assert (found == shuffled_packs(number, deck, "microsoft")) == same
    for number, same in ((32000, True), (32001, False)):
        assert (shuffled(number, "pysol") == shuffled(number, "microsoft")) == same


def test_numbers_that_are_none() -> None:
    for number, numbers in ((0, "microsoft"), (0, "pysolfc"), (2**31, "solvitaire"), (-1, "pysol")):
        with pytest.raises(InputError, match=f"deal {number}: no such number, expected a number"):
            Deal.load(str(number), numbers=numbers)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"solvitaire, but 'board\.txt', exp"):
        Deal.load("board.txt", numbers="solvitaire")
    with pytest.raises(UsageError, match="numbers"):
        Deal.load("3", numbers="nobody")  # type: ignore[arg-type]


def test_decks_of_digits() -> None:
    deck = list(range(52))
    random.Random(1).shuffle(deck)
    assert deck_of_digits(digits(deck), "here") == deck
    position = Deal.load(digits(deck), KLONDIKE).position
    assert names(position.columns[0]) == card_name(deck[0])
    assert names(position.columns[1]) == names([deck[1], deck[7]])
    assert position.columns[6][-1] == deck[27]
    assert position.stock == tuple(deck[28:])
    for text in (digits(deck), f"\n# seen\nDeal: {digits(deck)} \n"):
        assert Deal.from_text(text, KLONDIKE).position == position
    threes = Deal.load(digits(deck), GAMES["klondike_by_threes"])
    assert format_board(threes.position) == format_board(position)
    shown = Deal.load(digits(deck), GAMES["whitehead"]).position
    assert (shown.columns, shown.stock) == (position.columns, position.stock)
    assert (shown.hidden, position.hidden) == ((0,) * 7, tuple(range(7)))


def test_decks_that_are_none() -> None:
    good = digits(list(range(52)))
    for bad, message in (
        ("144" + good[3:], "144 at digit 1 of the deck is no card, expected a rank from 01"),
        (good[:3] + "015" + good[6:], "015 at digit 4 of the deck is no card"),
        (good[:-3] + good[:3], "AH at digit 154 of the deck is there already"),
    ):
        with pytest.raises(InputError, match=message):
            Deal.load(bad, KLONDIKE)
        with pytest.raises(InputError, match=f"<board>, line 1: {message}"):
            Deal.from_text(bad, KLONDIKE)
    with pytest.raises(InputError, match="a deck of Klondike, which freecell is not, exp"):
        Deal.load(good)
    with pytest.raises(InputError, match="line 3: more after the deck of line 1, exp"):
        Deal.from_text("Game: 1\n\nGame: 2\n", KLONDIKE)
