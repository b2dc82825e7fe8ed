"""Texts of Canfield's kin: their meaning, and the parts that are refused by name."""

from __future__ import annotations

import re

import pytest
from helpers.printing import format_description

from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.language.reading import parse
from dbmsolver.game.language.understanding import understand
from dbmsolver.game.library import text_of
from dbmsolver.game.patience import Patience
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.titles import rules_notes, rules_of_notes

TEXT = """
Header Name "Mine"
Setup
    Tableau DropStack[4]
    Foundation TopStack[4] Keep Base[Deal]
    Reserve TopStack
    Stock BackStack
    Wastepile TopStack
Deck Single Cyclic
Deal Initial
    Foundation {1}
    Reserve {2..14}
    Tableau {18}{17}{16}{15}
Move
    Tableau SingleCard AltColor Descending
    Tableau FullStack AltColor Descending SourceElement[Tableau]
    Tableau SingleCard Any OnBlank SourceElement[Reserve] Auto
    Tableau SingleCard Any OnBlank
    Foundation SingleCard SameSuit Ascending
    Wastepile Any[3] Any SourceElement[Stock]
    Stock FullStack OnBlank SourceElement[Wastepile] Times[Unlimited]
Finish AllInFoundation
"""
SINGLE = "Tableau SingleCard AltColor Descending\n"
BLANK = "Tableau SingleCard Any OnBlank\n"
FILLED = "    Tableau SingleCard Any OnBlank SourceElement[Reserve] Auto\n"


def read(text: str) -> Rules:
    """Return the rules of a text; printing it and reading the print gives the same game."""
    game = parse(text, "m.game")
    assert parse(format_description(game)) == game
    rules = understand(game, "mine").playable("mine", "m.game")
    assert rules_of_notes(", ".join(rules_notes(rules))) == rules
    return rules


def changed(*pairs: tuple[str, str]) -> str:
    """Return the text with some words for others."""
    text = TEXT
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_the_text_is_canfield() -> None:
    rules, shipped = read(TEXT), GAMES["canfield"]
    assert rules.describe() == shipped.describe() and rules.layout == shipped.layout


@pytest.mark.parametrize(
    ("pairs", "field", "value"),
    [
        ([(" Cyclic", "")], "base", "deal"),
        ([(SINGLE, SINGLE[:-1] + " SourceElement[Wastepile] SourceElement[Reserve]\n")],
         "moves", "columns"),
        ([("    Tableau FullStack AltColor Descending SourceElement[Tableau]\n", "")],
         "moves", "single"),
        ([(BLANK, BLANK[:-1] + " SourceElement[Wastepile]\n")], "fill", "waste"),
        ([(BLANK, "")], "fill", "none"),
        ([(" Keep", "")], "removable", True),
        ([("{2..14}", "{2..5,9,(7)}"), ("{18}{17}{16}{15}", "{8}{6}{10}{11}")],
         "layout", "columns 2/1/3/4; base 1; reserve 2 3 4 5 9 7"),
        ([("Single Cyclic", "Single Cyclic Ranks[6]"), ("{2..14}", "{2,3}"),
          ("{18}{17}{16}{15}", "Rows[2]")],
         "layout", "home A 2 3 4 5 6 7; base 1; reserve 2 3"),
        ([("Foundation {1}", "Foundation {18}"), ("{2..14}", "{1..13}"),
          ("{18}{17}{16}{15}", "{14}{15}{16}{17}")],
         "layout", "base 18; reserve 1 2 3 4 5 6 7 8 9 10 11 12 13"),
    ],
)  # fmt: skip
def test_other_games(pairs: list[tuple[str, str]], field: str, value: object) -> None:
    rules = read(changed(*pairs))
    assert getattr(rules, field) == value
    position = Deal.from_number(7, rules).position
    position.validate(rules)
    assert isinstance(position, Patience) and len(position.reserve) == rules.stacked


def test_a_reserve_without_a_base() -> None:
    start = "Foundation SingleCard SameSuit Ascending\n"
    rules = read(
        changed(
            (" Base[Deal]", ""), (" Cyclic", ""), ("    Foundation {1}\n", ""),
            (start, f"{start}    Foundation Rank[A] OnBlank\n"), ("{2..14}", "{1..13}"),
            ("{18}{17}{16}{15}", "{14}{15}{16}{17}"),
        )
    )  # fmt: skip
    assert (rules.base, rules.stacked, rules.stock) == ("ace", 13, 35)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(" Auto", "")], "Reserve: the player puts its cards into empty columns, which is not"),
        ([(FILLED, "")], "Reserve: the player puts its cards into empty columns, which is not"),
        ([(FILLED, ""), (BLANK, BLANK[:-1] + " SourceElement[Wastepile]\n")],
         "Reserve: no line puts its cards into empty columns, which is not played; where the "
         "program puts them there, expected Tableau SingleCard Any OnBlank SourceElement[Reserve] "
         "Auto"),
        ([(FILLED, FILLED + FILLED)], "a second line, expected one"),
        ([(FILLED, FILLED.replace("Reserve", "Wastepile"))], "expected Tableau SingleCard Any"),
        ([("Base[Deal]", "Base[K]")], "Base[K]: foundations begin with the ace or with a card"),
        ([("Cyclic", "KingHigh")], "KingHigh: the rank before the base is the highest"),
        ([("    Foundation {1}\n", "")], "expected the number of one card for it"),
        ([("Foundation {1}", "Foundation {AS}")], "expected the number of one card for it"),
        ([("Foundation {1}", "Foundation {53}")], "53: expected numbers from 1 to 52"),
        ([("{2..14}", "{2..60}")], "expected numbers from 1 to 52"),
        ([("{2..14}", "{2..14}{19}")], "expected one stack of numbers"),
        ([("{2..14}", "{1..13}")], "the deal puts 13 cards on a foundation and into the reserve"),
        ([("{18}", "{14}")], "14: the card is dealt twice"),
        ([("{18}", "{AS}")], "AS: expected numbers beside base and reserve"),
        ([("    Reserve TopStack\n", ""), ("    Reserve {2..14}\n", ""),
          ("{18}{17}{16}{15}", "{5}{4}{3}{2}")],
         "Auto: there is no reserve that could fill columns"),
        ([("Reserve TopStack", "Reserve TopStack[2]")], "Reserve[2]: expected 1"),
        ([("Reserve TopStack", "Reserve Face")], "Face: expected one of TopStack"),
        ([(BLANK, f"{BLANK}    Tableau FullStack Any OnBlank\n")], "a whole column in another"),
        ([("SourceElement[Tableau]", "SourceElement[Wastepile]")], "comes from the Tableau"),
        ([(SINGLE, SINGLE.replace("SingleCard", "ValidStack"))], "expected SingleCard beside"),
        ([(BLANK, "Tableau SingleCard Rank[K] OnBlank\n")], "Rank[K]: ranks are counted"),
        ([("Foundation SingleCard SameSuit Ascending\n",
           "Foundation SingleCard SameSuit Ascending\n    Foundation Rank[A] OnBlank\n")],
         "Base[Deal] says what foundations begin with"),
        ([(SINGLE, SINGLE[:-1] + " SourceElement[Wastepile]\n")], "expected moves from Reserve"),
    ],
)  # fmt: skip
def test_what_is_not_played(pairs: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(changed(*pairs))
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert re.match(r"m\.game(, line |: mine cannot be played: Deal: )", str(caught.value))


def test_a_fill_by_the_player_is_refused_alone() -> None:
    text = changed((" Auto", ""), (BLANK, BLANK[:-1] + " SourceElement[Wastepile]\n"))
    assert [one.word for one in understand(parse(text), "mine").problems] == ["Reserve"]


def test_a_fill_from_a_reserve_that_is_not_there_is_refused() -> None:
    text = text_of("klondike").replace("Rank[K] OnBlank", "Rank[K] OnBlank SourceElement[Reserve]")
    words = [one.word for one in understand(parse(text), "mine").problems]
    assert "Reserve" in words
