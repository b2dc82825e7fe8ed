"""JSON rules of games of two decks, and of those whose stock is dealt onto the piles."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.printing import format_description

from dbmsolver.errors import InputError
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.language.json_games import parse_json
from dbmsolver.game.language.reading import parse
from dbmsolver.game.language.understanding import understand
from dbmsolver.game.library import load_rules
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES

TWO, WHOLE = {"two decks": True}, {"only complete pile moves": True}
RUNS = {"build policy": "any-suit", "move built group": "yes",
        "move built group policy": "same-suit", "face up cards": "top"}  # fmt: skip
SPIDER: dict[str, Any] = {
    "tableau piles": {"count": 10, **RUNS},
    "foundations": WHOLE,
    "stock": {"size": 50, "deal type": "tableau piles"},
    **TWO,
}
FORTY: dict[str, Any] = {
    "tableau piles": {"count": 10, "build policy": "same-suit"}, "stock": {"size": 64}, **TWO,
}  # fmt: skip


def read(rules: dict[str, Any]) -> Rules:
    game = parse_json(json.dumps(rules), "r.json")
    assert parse(format_description(game)) == game
    return understand(game, "r").playable("r", "r.json")


def change(rules: dict[str, Any], group: str, **values: Any) -> dict[str, Any]:
    """Return the same rules with others in a group: names with _ for a space."""
    named = {name.replace("_", " "): value for name, value in values.items()}
    return {**rules, group: {**rules.get(group, {}), **named}}


@pytest.mark.parametrize(
    ("rules", "like", "more"),
    [
        (SPIDER, "spider", {"row_deals": "rows", "layout": None}),
        (FORTY, "forty_thieves", {"removable": False}),
        ({"tableau piles": {"count": 7, **RUNS, "diagonal deal": True}, "foundations": WHOLE,
          "stock": {"size": 24, "deal type": "tableau piles"}},
         "spiderette", {"row_deals": "rows", "layout": None}),
        ({"tableau piles": {"count": 7, **RUNS}, "foundations": WHOLE,
          "stock": {"size": 31, "deal type": "tableau piles"}},
         "will_o_the_wisp", {"row_deals": "rows"}),
        ({"tableau piles": {"count": 7, "build policy": "red-black", "move built group": "yes",
                            "face up cards": "top"}, "foundations": {"removable": True},
          "stock": {"size": 31, "deal type": "tableau piles"}},
         "gypsy", {"packs": "", "columns": 7, "stock": 31, "layout": None}),
        ({"tableau piles": {"count": 13, **RUNS, "face up cards": "all"}, "foundations": WHOLE,
          **TWO}, "spider", {"columns": 13, "stock": 0, "row_deals": "none", "layout": ""}),
        ({"tableau piles": {"count": 13, "build policy": "same-suit"}, "stock": {"size": 61},
          "foundations": {"initial cards": "all"}, **TWO},
         "forty_thieves",
         {"columns": 13, "stock": 61, "removable": False, "layout": "home A"}),
        ({"tableau piles": {"count": 9, "build policy": "red-black", "spaces policy": "kings",
                            "move built group": "yes", "diagonal deal": True,
                            "face up cards": "top"},
          "foundations": {"removable": True}, "stock": {"size": 59, "deal count": 3}, **TWO},
         "forty_thieves",
         {"columns": 9, "build": "alternate", "fill": "kings", "moves": "runs", "draw": 3,
          "stock": 59, "removable": True, "layout": None}),
    ],
)  # fmt: skip
def test_games_are_played(rules: dict[str, Any], like: str, more: dict[str, Any]) -> None:
    found = read(rules)
    more = {**more, "layout": found.layout} if more.get("layout", "") is None else more
    assert found == replace(GAMES[like], name="r", **more)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (change(SPIDER, "foundations", base_card="random"),
         'foundations: base card: "random" is not played with two decks, expected "A"'),
        (change(FORTY, "stock", redeal=True),
         "stock: redeal: true is not played with two decks, expected false"),
        (change(FORTY, "cells", count=2), "cells: count: 2 is not played with two decks"),
        (change(FORTY, "reserve", size=3), "reserve: size: 3 is not played with two decks"),
        (change(FORTY, "stock", deal_type="hole"), 'stock: deal type: "hole" is not played with'),
        (change(FORTY, "foundations", present=False),
         "foundations: present: false is not played with two decks, expected true"),
        (change(SPIDER, "tableau piles", move_built_group="partial-if-card-above-buildable"),
         '"partial-if-card-above-buildable" is not played with two decks, expected "no" or "yes"'),
        (change(SPIDER, "tableau piles", move_built_group="no"),
         'move built group: "no", expected "yes" for complete piles'),
        (change(SPIDER, "foundations", initial_cards="all"),
         'foundations: initial cards: "all" is not played with complete piles that move'),
        (change(SPIDER, "foundations", initial_cards="one"), 'initial cards: "one" is not played'),
        (change({**SPIDER, "two decks": False}, "stock", redeal=True),
         'redeal: true is not played with a stock of the deal type "tableau piles"'),
        (change(SPIDER, "stock", deal_count=2), "stock: deal count: 2 is not played with two"),
        (change(FORTY, "stock", deal_count=0), "stock: deal count: 0, expected a number from 1"),
        (change(FORTY, "stock", size=104), "stock: size: 104, expected fewer than the 104 cards"),
        (change(FORTY, "tableau piles", spaces_policy="auto-waste-then-stock"),
         'spaces policy: "auto-waste-then-stock" is not played here'),
        ({**FORTY, "two decks": 2}, "two decks: 2, expected true or false"),
        (change(SPIDER, "tableau piles", count=19), "Tableau[19]: expected at most 18"),
    ],
)  # fmt: skip
def test_what_is_not_played_is_refused_by_its_value(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        read(rules)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("dealt", "problem"),
    [
        ("{AH}{AH}{AS}{AS}{AD}{AD}{AC}", "expected all aces of the deck, or none"),
        ("{AH}{AS}{AD}{AC}", "expected all aces of the deck, or none"),
        ("{AH}{AH}{AS}{AS}{AD}{AD}{AC}{2C}", "expected all aces of the deck, or none"),
        ("{1}", "expected a card's name"),
        ("Rows", "expected named cards for the Foundation"),
    ],
)
def test_aces_that_the_deal_puts_home(dealt: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "r.game"
    text = 'Extends "forty_thieves"\nHeader Name "A"\nDeal Initial Tableau Rows[3]\n Foundation '
    path.write_text(text + "{AH}{AH}{AS}{AS}{AD}{AD}{AC}{AC}")
    rules = load_rules(str(path))
    assert (rules.layout, rules.stock) == ("home A", 66)
    start = Deal.from_number(3, rules).position
    assert start.left == 96 and Deal.from_text(format_board(start), rules).position == start
    with pytest.raises(InputError, match=problem):
        path.write_text(text + dealt)
        load_rules(str(path))


def test_boards_of_short_decks() -> None:
    """The highest rank stands for the king; the last card of stock and waste is on top."""
    rules = read({**FORTY, "max rank": 3, "tableau piles": {"count": 4}, "stock": {"size": 12}})
    board = {
        "tableau piles": [["3C", "2C"], ["3D", "2D"], ["3H", "2H"], ["3S", "2S"]],
        "stock": ["AC", "AD", "AH"],
        "waste": ["3C", "3D", "3H", "3S", "2S", "AS"],
        "foundations": ["AC", "AD", "AH", "AS", "2C", "2D", "2H"],
    }
    with pytest.raises(InputError, match=r"AH|JH"):  # the deck has no third one
        Deal.from_text(json.dumps(board), rules)
    board["foundations"] = ["2C", "2D", "2H", "AS"]
    shown = format_board(Deal.from_text(json.dumps(board), rules).position)
    assert "Stock: JH JD JC" in shown and "Waste: KC KD KH KS QS JS" in shown
    assert "S-J" in shown and "H-Q" in shown


def test_small_letters_are_cards_face_down() -> None:
    rules = read({**SPIDER, "max rank": 3, "stock": {"size": 12, "deal type": "tableau piles"},
                  "tableau piles": {"count": 4, **RUNS}})  # fmt: skip
    row = ["3C", "2C", "AC", "3D", "2D", "AD", "3H", "2H", "AH", "3S", "2S", "AS"]
    piles = [["3c", "2c", "AC"], ["3d", "2d", "AD"], ["3h", "2h", "AH"], ["3s", "2s", "AS"]]
    deal = Deal.from_text(json.dumps({"tableau piles": piles, "stock": row}), rules)
    assert deal.position.hidden == (2, 2, 2, 2)
    shown = replace(rules, layout="home A 2 3 4 5 6 7 8 9 T")
    deal = Deal.from_text(json.dumps({"tableau piles": piles, "stock": row}), shown)
    assert deal.position.hidden == (0, 0, 0, 0)
    piles[0] = ["3C", "2c", "AC"]
    with pytest.raises(InputError, match="face down on a card face up"):
        Deal.from_text(json.dumps({"tableau piles": piles, "stock": row}), rules)


def test_ranks_may_be_numbers() -> None:
    """As that program reads them: 1 for the ace, 11 to 13 for jack, queen and king."""
    deck = [f"{rank}{suit}" for suit in "HSDC" for rank in range(1, 14)]
    piles = [deck[start::8] for start in range(8)]
    named = [[{"1": "A", "11": "J", "12": "Q", "13": "K"}.get(card[:-1], card[:-1]) + card[-1]
              for card in pile] for pile in piles]  # fmt: skip
    one, other = (
        Deal.from_text(json.dumps({"tableau piles": given}), GAMES["freecell"])
        for given in (piles, named)
    )
    assert one == other
    for wrong in ("0S", "14S", "111S", "S", "1"):
        text = json.dumps({"tableau piles": [[wrong, *piles[0][1:]], *piles[1:]]})
        with pytest.raises(InputError, match=f"unknown card '{wrong}'"):
            Deal.from_text(text, GAMES["freecell"])
