"""The language of wide games: what is understood, and what is refused by its word."""

from __future__ import annotations

import pytest

from dbmsolver.game.language.reading import parse
from dbmsolver.game.language.understanding import Understood, understand
from dbmsolver.game.library import FILES
from dbmsolver.game.shipped import GAMES

SPIDER = (FILES / "spider.game").read_text()
GYPSY = (FILES / "gypsy.game").read_text()
THIEVES = (FILES / "forty_thieves.game").read_text()


def read(text: str, *changes: tuple[str, str]) -> Understood:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return understand(parse(text), "my")


def test_spider_is_understood() -> None:
    rules = GAMES["spider"]
    assert (rules.packs, rules.stock, rules.row_deals) == ("2H 2S 2D 2C", 50, "full-rows")
    assert (rules.build, rules.moves, rules.whole_suits) == ("any", "suit-runs", True)
    assert GAMES["gypsy"].row_deals == "rows" and GAMES["gypsy"].removable
    assert (GAMES["forty_thieves"].draw, GAMES["forty_thieves"].passes) == (1, 1)
    assert (GAMES["scorpion"].packs, GAMES["scorpion"].moves) == ("", "groups")


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ([("Multiple[2]", "Spades[8]")], "packs", "8S"),
        ([("Multiple[2]", "Spades[2] Hearts[6]")], "packs", "6H 2S"),
        ([("NoBlank[Tableau]", "")], "row_deals", "rows"),
        ([("Triggered[5]", "Triggered[Unlimited]")], "row_deals", "full-rows"),
        ([("Tableau[10]", "Tableau[10]")], "columns", 10)
        if False
        else ([("ValidStack Any OnBlank", "ValidStack Rank[K] OnBlank")], "fill", "kings"),
    ],
)
def test_changes(changes: list[tuple[str, str]], field: str, value: object) -> None:
    understood = read(SPIDER, *changes)
    assert understood.rules is not None, understood.problems
    assert getattr(understood.rules, field) == value


@pytest.mark.parametrize(
    ("text", "changes", "problem"),
    [
        (SPIDER, [("Multiple[2]", "Multiple[3]")], "Multiple[3]: 12 packs, expected 8 at most"),
        (SPIDER, [("Multiple[2]", "Spades[9]")], "Spades: 9 packs, expected 8 at most"),
        (SPIDER, [("Multiple[2]", "Multiple[2] Spades[8]")], "Spades: expected whole decks, or"),
        (
            SPIDER,
            [("Foundation TopStack[8]", "Foundation TopStack[4]")],
            "Foundation[4]: expected 8",
        ),
        (SPIDER, [("Triggered[5]", "Triggered[4]")], "Triggered[4]: 50 cards are left, expected 5"),
        (SPIDER, [("Tableau Rows[1]", "Tableau Rows[2]")], "Triggered: expected Triggered[x] Tab"),
        (SPIDER, [("Tableau Rows[1]", "Stock Rows[1]")], "Triggered: expected Triggered[x] Tab"),
        (SPIDER, [("NoBlank[Tableau]", "NoValidMove")], "NoValidMove: expected NoBlank[Tableau]"),
        (SPIDER, [("NoBlank[Tableau]", "NoBlank[Foundation]")], "NoBlank[Foundation]: expected No"),
        (
            SPIDER,
            [("Tableau MixDropStack[10]", "Tableau MixDropStack[19]")],
            "Tableau[19]: expected",
        ),
        (SPIDER, [("[8] Keep", "[8]")], "FullSuit: expected Keep"),
        (SPIDER, [("    Stock BackStack\n", "")], "Tableau: 50 cards are dealt nowhere"),
        (SPIDER, [("Stock BackStack", "Stock Face")], "Face: expected one of BackStack"),
        (SPIDER, [("Stock BackStack", "Stock BackStack Base[A]")], "Stock")
        if False
        else (
            SPIDER,
            [("AllInFoundation", "TableauEmpty")],
            "TableauEmpty: expected AllInFoundation",
        ),
        (SPIDER, [("45}", "AS}")], "AS: a deck with alike cards, expected the numbers of cards"),
        (GYPSY, [("    Triggered[10]\n        Tableau Rows[1]\n", "")], "Deal: 80 cards are left"),
        (GYPSY, [("AltColor", "Rank[3]")], "Rank[3]: expected AltColor, SameColor"),
        (THIEVES, [("SourceElement[Stock]", "SourceElement[Stock] Times[2]")], "Times: the stock"),
        (THIEVES, [("    Stock BackStack\n", "")], "Wastepile: expected a Stock beside it"),
        (
            THIEVES,
            [("Wastepile SingleCard Any", "Wastepile FullStack Any")],
            "Wastepile: expected W",
        ),
    ],
)
def test_what_is_refused(text: str, changes: list[tuple[str, str]], problem: str) -> None:
    understood = read(text, *changes)
    assert understood.rules is None
    assert any(str(found).startswith(problem) for found in understood.problems), [
        str(found) for found in understood.problems
    ]


def test_two_decks_with_a_stock_that_is_turned_again_are_refused() -> None:
    klondike = (FILES / "klondike.game").read_text()
    understood = read(klondike, ("Single", "Multiple[2]"), ("TopStack[4]", "TopStack[8]"))
    assert understood.rules is None
    assert "two decks are not played" in str(understood.problems)
