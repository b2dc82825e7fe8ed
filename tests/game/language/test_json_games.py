"""JSON rules and boards of rules-driven solvers.

The decks and verdicts in tests/data/games/small-decks.json are Solvitaire's (Blake and Gent).
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.printing import format_description

from dbmsolver.api import prove
from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.language.json_games import parse_json
from dbmsolver.game.language.json_rules import DEFAULTS, is_json
from dbmsolver.game.language.reading import parse
from dbmsolver.game.language.understanding import understand
from dbmsolver.game.library import load_rules
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES

DATA = json.loads((Path(__file__).parents[2] / "data" / "games" / "small-decks.json").read_text())
SETS = {entry["game"]: entry for entry in DATA["games"]}


MOVING = [
    ({"move built group": "yes"}, {}, ("any", "runs", False, False)),
    ({"move built group": "yes", "move built group policy": "same-suit"}, {},
     ("any", "suit-runs", False, False)),
    ({"move built group": "yes", "move built group policy": "same-suit"},
     {"foundations": {"only complete pile moves": True}}, ("any", "suit-runs", True, False)),
    ({"move built group": "yes", "move built group policy": "red-black",
      "build policy": "red-black"}, {}, ("alternate", "runs", False, False)),
    ({"build policy": "no-build"}, {"cells": {"count": 2}}, ("none", "single", False, False)),
    ({"build policy": "red-black"}, {"reserve": {"size": 7}},
     ("alternate", "single", False, True)),
    ({"build policy": "no-build", "move built group": "yes", "spaces policy": "kings"}, {},
     ("none", "single", False, False)),
    ({"move built group policy": "red-black"}, {}, ("any", "single", False, False)),
]  # fmt: skip


FEW = ("alpha-star", "klondike", "somerset", "spider")
"""Sets of unlike games, of which other fast tests need the same kernels."""


def read(rules: dict[str, Any]) -> Rules:
    return understand(parse_json(json.dumps(rules), "r.json"), "r").playable("r", "r.json")


def test_the_defaults_are_the_field_s() -> None:
    assert DATA["default rules"] == DEFAULTS


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=() if game in FEW else pytest.mark.slow) for game in sorted(SETS)],
)
def test_sets_give_their_verdicts(game: str) -> None:
    entry = SETS[game]
    rules = read(entry["rules"])
    verdicts = {"solvable": "solved", "unsolvable": "unsolvable"}
    for deck in entry["decks"]:
        deal = Deal.from_text(json.dumps(deck["deck"]), rules)
        assert prove(deal).verdict == verdicts[deck["verdict"]]
        assert rules.takes_back == entry["rules"].get("foundations", {}).get("removable", False)


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        ({}, ("any", "any", 8, 0, "")),
        ({"cells": {"count": 4}, "tableau piles": {"build policy": "red-black"}}, (
            "alternate", "any", 8, 4, "")),
        ({"cells": {"count": 8, "pre-filled": 4},
          "tableau piles": {"build policy": "same-suit", "spaces policy": "kings"}},
         ("suit", "kings", 8, 8, "")),
        ({"foundations": {"initial cards": "all"}}, ("any", "any", 8, 0, "home A")),
        ({"tableau piles": {"count": 10, "diagonal deal": True}},
         ("any", "any", 10, 0, "diagonal")),
        ({"max rank": 12}, ("any", "any", 8, 0, "home A")),
        ({"foundations": {"removable": True}, "tableau piles": {"build policy": "same-suit"}},
         ("suit", "any", 8, 0, "")),
        ({"cells": {"count": 4, "pre-filled": 4}, "foundations": {"initial cards": "all"},
          "max rank": 12}, ("any", "any", 8, 4, "home A 2")),
        ({"max rank": 1}, ("any", "any", 8, 0, "home A 2 3 4 5 6 7 8 9 T J Q")),
        ({"tableau piles": {"spaces policy": "no-build"}}, ("any", "none", 8, 0, "")),
        ({"tableau piles": {"count": 8, "diagonal deal": True}, "max rank": 9},
         ("any", "any", 8, 0, "home A 2 3 4; diagonal")),
        ({"tableau piles": {"count": 5, "diagonal deal": True}, "max rank": 5},
         ("any", "any", 5, 0,
          "home A 2 3 4 5 6 7 8; columns 1 16/2 6 17/3 7 10 18/4 8 11 13 19/5 9 12 14 15 20")),
    ],
)  # fmt: skip
def test_rules(rules: dict[str, Any], wanted: tuple[object, ...]) -> None:
    found = read(rules)
    assert (found.build, found.fill, found.columns, found.freecells, found.layout) == wanted
    game = parse_json(json.dumps(rules))
    assert parse(format_description(game)) == game


@pytest.mark.parametrize(("piles", "more", "wanted"), MOVING)
def test_how_cards_move(piles: dict[str, Any], more: dict[str, Any], wanted: object) -> None:
    found = read({"tableau piles": piles, **more})
    assert (found.build, found.moves, found.whole_suits, found.reserve) == wanted


def test_the_field_s_eight_off_is_ours() -> None:
    piles = {"build policy": "same-suit", "spaces policy": "kings"}
    rules = read({"cells": {"count": 8, "pre-filled": 4}, "tableau piles": piles})
    assert replace(rules, name="eight_off", layout="cells 1 3 5 7") == GAMES["eight_off"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"r\.json, line 1, column 2: not JSON"),
        ("{}x", r"r\.json, line 1, column 3: not JSON"),
        ('{"piles": 8}', r"r\.json: piles: no rule, expected one of tableau piles, "),
        ('{"cells": {"number": 8}}', r"r\.json: cells: number: no rule, expected one of count"),
        ('{"cells": 8}', r"r\.json: cells: 8, expected an object"),
        ('{"cells": {"count": true}}', r"r\.json: cells: count: true, expected a number"),
        ('{"cells": {"count": -1}}', r"r\.json: cells: count: -1, expected a number from 0"),
        ('{"cells": {"count": 1, "count": 2}}', r"r\.json: 'count' twice in one object"),
        ('{"cells": {"count": 1, "pre-filled": 2}}', r"cells: pre-filled: 2, expected at most"),
        ('{"max rank": 14}', r"r\.json: max rank: 14, expected a number from 1 to 13"),
        ('{"tableau piles": {"build policy": "red"}}', r"build policy: 'red', expected any-suit"),
        ('{"tableau piles": {"move built group": "whole-pile"}}', r"whole-pile. is not played"),
        (
            '{"tableau piles": {"move built group": "yes", "build policy": "red-black", '
            '"move built group policy": "any-suit"}}',
            r"any-suit. is not played with .red-black",
        ),
        (
            '{"foundations": {"only complete pile moves": true}}',
            r'move built group: "no", expected .yes',
        ),
        ('{"reserve": {"size": 3, "stacked": true}}', r"reserve: stacked: true is not played"),
        ('{"reserve": {"size": 3}, "cells": {"count": 1}}', r"reserve: size: a reserve beside"),
        ('{"tableau piles": {"spaces policy": "auto-waste"}}', r"'auto-waste', expected any"),
        (
            '{"tableau piles": {"spaces policy": "auto-reserve-then-any"}}',
            r"spaces policy: .auto-reserve-then-any. is not played here, expected one of .any",
        ),
        (
            '{"tableau piles": {"move built group": "partial-if-card-above-buildable", '
            '"move built group policy": "same-suit"}}',
            r"group policy: .same-suit. is not played with .partial-if-card-above-buildable",
        ),
        ("The rules of 'x' are as follows:\n{\n  3}", r"r\.json, line 3, column 3: not JSON"),
        ("The rules of 'x' are as follows:{3}", r"r\.json, line 1, column 34: not JSON"),
        ("{}\nAnything else", r"r\.json, line 2, column 1: not JSON"),
        ('{"tableau piles": {"count": 19}}', r"Tableau\[19\]: expected at most 18"),
        ("[" * 100000, r"not JSON"),
        ("[]", r"r\.json: expected an object with rules"),
        ('{"cells": [' + "1, " * 50 + "1]}", r"r\.json: cells: \[(1, ){13}, expected an object"),
        ('{"max rank": ' + "9" * 5000 + "}", r"r\.json: not JSON \(Exceeds the limit"),
        ('{"max rank": 0}', r"r\.json: max rank: 0, expected a number from 1 to 13"),
        ('{"max rank": true}', r"r\.json: max rank: true, expected a number$"),
        ('{"cells": {"count": 1001}}', r"cells: count: 1001, expected a number from 0 to 1000"),
        ('{"cells": {"count": 1000}}', r"Reserve\[1000\]: expected at most 13"),
        ('{"stock": {"size": -1}}', r"stock: size: -1, expected a number from 0 to 1000"),
        ('{"tableau piles": {"count": 0}}', r"count: 0, expected a number from 1 on"),
        (
            '{"foundations": {"present": false}}',
            r"^r\.json: foundations: present: false is not played, expected true$",
        ),
        ('{"foundations": {"base card": "2"}}', r'base card: "2" is not played, expected "A"'),
        (
            '{"tableau piles": {"move built group": "yes"}, "foundations": {"removable": true}}',
            r"foundations: removable: cards that come back .* only where single cards move",
        ),
        (
            '{"tableau piles": {"move built group": "yes", "build policy": "red-black"}, '
            '"foundations": {"removable": true}}',
            r"foundations: removable: cards that come back .* only where single cards move",
        ),
        (
            '{"tableau piles": {"move built group": "yes", '
            '"move built group policy": "red-black"}}',
            r"red-black. is not played with .any-suit., expected .same-as-build",
        ),
        (
            '{"tableau piles": {"move built group": "yes", "build policy": "red-black", '
            '"move built group policy": "same-suit"}}',
            r"same-suit. is not played with .red-black., expected .same-as-build",
        ),
    ],
)
def test_wrong_rules(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        understand(parse_json(text, "r.json"), "r").playable("r", "r.json")
    assert "\n" not in str(caught.value)


def test_a_mark_of_the_order_of_bytes_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text('\ufeff{"max rank": 12}', encoding="utf-8")
    assert load_rules(str(path)).layout == "home A"
    assert is_json("\ufeff{}") and not is_json("\ufeff")


def test_boards() -> None:
    whole = {"tableau piles": [["KS", "QH"], [], ["KH"]], "cells": ["KD"],
             "foundations": ["JH", "QS", "QD", "KC"]}  # fmt: skip
    deal = Deal.from_text(json.dumps(whole))
    assert str(deal.position).startswith("[hearts 11 spades 12 diamonds 12 clubs 13] (KD - - -)")
    assert [len(column) for column in deal.position.columns] == [2, 0, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("{}", "no cards, expected a board"),
        ('{"stock": []}', "'stock' has no place in freecell"),
        ('{"tableau piles": 3}', "tableau piles: 3, expected a list"),
        ('{"tableau piles": [[3]]}', '3, expected a card, as in "TD"'),
        ('{"tableau piles": [["XX"]]}', "unknown card 'XX'"),
        ('{"tableau piles": [["KS"]]}', "missing cards"),
        ('{"cells": ["KS", "QS", "JS", "TS", "9S"]}', "5 cards in cells, expected at most 4"),
        (
            '{"tableau piles": [["KS"],[],[],[],[],[],[],[],[]]}',
            "9 tableau piles, expected at most",
        ),
    ],
)
def test_wrong_boards(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Deal.from_text(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


PILES: dict[str, Any] = {
    "tableau piles": {"count": 7, "build policy": "no-build"},
    "foundations": {"present": False},
    "hole": {"present": True, "base card": "random", "build loops": False},
    "stock": {"size": 16, "deal type": "hole"},
}
"""Golf, as that program describes it."""


def test_games_of_one_pile() -> None:
    assert replace(read(PILES), name="golf") == GAMES["golf"]
    hole = {**PILES, "tableau piles": {"count": 17, "build policy": "no-build"}}
    hole["hole"] = {"present": True}
    del hole["stock"]
    assert replace(read(hole), name="black_hole") == GAMES["black_hole"]
    row = {"count": 7, "build policy": "no-build", "diagonal deal": True}
    diagonal = {**PILES, "tableau piles": row, "stock": {"size": 23, "deal type": "hole"}}
    assert read(diagonal).layout == "diagonal; turned 1"
    small = {**PILES, "max rank": 3, "stock": {"size": 2, "deal type": "hole"}}
    assert read(small).layout == "home A 2 3 4 5 6 7 8 9 T; turned 1"
    text = format_description(parse_json(json.dumps(PILES), "r.json"))
    assert understand(parse(text), "r").rules == read(PILES)


@pytest.mark.parametrize(
    ("group", "members", "message"),
    [
        ("foundations", {"present": True}, "foundations: present: true is not played with a hole"),
        ("cells", {"count": 1}, "cells: count: 1 is not played with a hole, expected 0"),
        ("stock", {"size": 16}, 'stock: deal type: "waste", expected "hole"'),
        ("stock", {"size": 52, "deal type": "hole"}, "stock: size: 52, expected fewer than the 52"),
        ("tableau piles", {"count": 7}, 'tableau piles: build policy: "any-suit" is not played'),
        ("hole", {"present": True, "base card": "any"}, "hole: base card: 'any', expected a card"),
        (
            "tableau piles",
            {"count": 7, "build policy": "no-build", "move built group": "yes"},
            'tableau piles: move built group: "yes" is not played with a hole, expected "no"',
        ),
        (
            "tableau piles",
            {"count": 7, "build policy": "no-build", "face up cards": "top"},
            'tableau piles: face up cards: "top" is not played with a hole, expected "all"',
        ),
        ("reserve", {"size": 1}, "reserve: size: 1 is not played with a hole, expected 0"),
        (
            "stock",
            {"size": 16, "deal type": "hole", "deal count": 2},
            "stock: deal count: 2 is not played with a hole, expected 1",
        ),
        (
            "stock",
            {"size": 16, "deal type": "hole", "redeal": True},
            "stock: redeal: true is not played with a hole, expected false",
        ),
    ],
)
def test_games_of_one_pile_that_are_not_played(
    group: str, members: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read({**PILES, group: members})
    assert message in str(caught.value)
    with pytest.raises(InputError, match="two decks: true is not played with a hole"):
        read({**PILES, "two decks": True})


CANFIELD: dict[str, Any] = {
    "tableau piles": {
        "count": 4,
        "build policy": "red-black",
        "move built group": "whole-pile",
        "spaces policy": "auto-reserve-then-waste",
    },
    "foundations": {"initial cards": "one", "base card": "random"},
    "stock": {"size": 34, "deal count": 3, "redeal": True},
    "reserve": {"size": 13, "stacked": True},
}
"""Canfield, as that program describes it."""


def test_canfield_differs_from_the_shipped_one_as_it_should() -> None:
    rules = read(CANFIELD)
    assert (rules.moves, rules.base, rules.fill) == ("columns", "deal", "waste")
    same = {"name": "canfield", "moves": "card-or-column", "base": "round", "fill": "any"}
    layout = GAMES["canfield"].layout
    assert rules.layout == layout.removeprefix("backwards; ")
    assert replace(rules, **same, layout=layout) == GAMES["canfield"]  # type: ignore[arg-type]
    text = format_description(parse_json(json.dumps(CANFIELD), "r.json"))
    assert understand(parse(text), "r").rules == rules
    piles = {**CANFIELD["tableau piles"], "move built group policy": "red-black"}
    assert read({**CANFIELD, "tableau piles": piles}) == rules
    back = {**CANFIELD["foundations"], "removable": True}
    assert read({**CANFIELD, "foundations": back}) == replace(rules, removable=True)


@pytest.mark.parametrize(
    ("group", "members", "message"),
    [
        ("reserve", {"size": 13}, "reserve: stacked: false is not played beside a stock"),
        ("reserve", {"size": 0}, '"whole-pile" is played with a stock and a reserve'),
        (
            "foundations",
            {"base card": "random"},
            'foundations: initial cards: "none", expected "one"',
        ),
        ("foundations", {"base card": "2"}, "foundations: base card: "),
        ("foundations", {"initial cards": "one"}, '"one" is not played'),
        ("tableau piles", {"spaces policy": "any"}, 'spaces policy: "any" is not played with a'),
        (
            "tableau piles",
            {"spaces policy": "auto-waste-then-stock"},
            'spaces policy: "auto-waste-then-stock" is not played with a reserve',
        ),
        ("tableau piles", {"move built group": "maximal-group"}, '"maximal-group" is not played'),
        ("tableau piles", {"build policy": "no-build"}, '"no-build" is not played with whole'),
        ("tableau piles", {"move built group policy": "any-suit"}, '"any-suit" is not played'),
        ("stock", {"size": 0}, "foundations: base card: "),
    ],
)
def test_kin_of_canfield_that_are_not_played(
    group: str, members: dict[str, Any], message: str
) -> None:
    own = {**CANFIELD[group], **members} if group == "tableau piles" else members
    with pytest.raises(InputError) as caught:
        read({**CANFIELD, group: own})
    assert message in str(caught.value) and "\n" not in str(caught.value)


PARTIAL = "partial-if-card-above-buildable"


def described(name: str, rules: dict[str, Any]) -> str:
    """Return rules as that program prints those of a game that it knows."""
    text = json.dumps(rules, indent=2).replace("\n", "\n  ")
    last = "To see the default values of the JSON fields not covered here, enter "
    return f"The rules of '{name}' are as follows:\n{text}\n{last}'--describe-game-rules default'\n"


KLONDIKE: dict[str, Any] = {
    "tableau piles": {"count": 7, "build policy": "red-black", "spaces policy": "kings",
                      "move built group": PARTIAL, "diagonal deal": True, "face up cards": "top"},
    "foundations": {"removable": True},
    "stock": {"size": 24, "deal count": 3, "redeal": True},
}  # fmt: skip
"""Klondike, as that program describes it."""


@pytest.mark.parametrize(
    ("name", "rules", "like", "change"),
    [
        ("klondike", KLONDIKE, "klondike_3_left_to_right", {}),
        ("klondike-deal-1", {**KLONDIKE, "stock": {"size": 24, "redeal": True}},
         "klondike_left_to_right", {}),
        ("canfield", {**CANFIELD, "tableau piles": {
            "count": 4, "build policy": "red-black", "move built group": PARTIAL,
            "spaces policy": "auto-reserve-then-any"}},
         "canfield", {"moves": "runs", "base": "deal"}),
        ("canfield-auto-reserve-then-waste", {**CANFIELD, "tableau piles": {
            "count": 4, "build policy": "red-black", "move built group": "yes",
            "spaces policy": "auto-reserve-then-waste"}},
         "canfield", {"moves": "runs", "base": "deal", "fill": "waste"}),
        ("canister", {"tableau piles": {"build policy": "red-black", "move built group": PARTIAL}},
         "relaxed_freecell", {"freecells": 0}),
    ],
)  # fmt: skip
def test_games_that_the_field_knows_are_read_as_it_prints_them(
    name: str, rules: dict[str, Any], like: str, change: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "printed.json"
    path.write_text(described(name, rules))
    found = load_rules(str(path))
    assert found.name == name.replace("-", "_")
    layout = found.layout if like == "canfield" else GAMES[like].layout
    wanted = replace(GAMES[like], name=found.name, layout=layout, **change)
    assert found == wanted
    assert replace(read(rules), name=found.name) == found


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ({"foundations": {"present": False}, "sequences": {"count": 4}},
         "sequences: count: 4 is not played, expected 0"),
        ({"foundations": {"present": False}, "tableau piles": {"count": 0},
          "accordion": {"size": 52, "moves": ["L1", "L3"]}},
         "accordion: size: 52 is not played, expected 0"),
        ({"tableau piles": {"face up cards": "top"}, "reserve": {"size": 24}},
         'tableau piles: face up cards: "top" is not played without a stock, expected "all"'),
        ({"tableau piles": {"spaces policy": "auto-waste-then-stock"}, "stock": {"size": 36}},
         'tableau piles: spaces policy: "auto-waste-then-stock" is not played here, expected'),
    ],
)  # fmt: skip
def test_games_that_are_not_played_are_refused_by_what_they_need(
    rules: dict[str, Any], named: str
) -> None:
    with pytest.raises(InputError, match=rf"^r\.json: {named}"):
        parse_json(described("it", rules), "r.json")


@pytest.mark.parametrize(
    ("group", "members", "message"),
    [
        (
            "stock",
            {"deal type": "hole"},
            'stock: deal type: "hole" is not played with a stock that',
        ),
        ("stock", {"deal count": 53}, "stock: deal count: 53, expected a number from 1 to 52"),
        ("stock", {"size": 52}, "stock: size: 52, expected fewer than the 52 cards"),
        (
            "foundations",
            {"only complete pile moves": True},
            "foundations: only complete pile moves: true is not played with a stock that is turned",
        ),
        ("foundations", {"present": False}, "foundations: present: false is not played, expected"),
        ("cells", {"count": 2}, "cells: count: 2 is not played with a stock that is turned to a"),
        (
            "tableau piles",
            {"move built group": "maximal-group"},
            'move built group: "maximal-group" is not played, expected one of "no", "yes"',
        ),
    ],
)
def test_kin_of_klondike_that_are_not_played(
    group: str, members: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read({**KLONDIKE, group: {**KLONDIKE.get(group, {}), **members}})
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_how_cards_of_the_piles_are_shown() -> None:
    for shown, display in (("top", "MixDropStack"), ("all", "DropStack")):
        piles = {**KLONDIKE["tableau piles"], "face up cards": shown}
        game = parse_json(json.dumps({**KLONDIKE, "tableau piles": piles}), "r.json")
        assert game.setup is not None and game.setup[0].display == display


def test_how_often_a_stock_is_gone_through() -> None:
    for redeal, passes in ((True, 0), (False, 1)):
        rules = read({**KLONDIKE, "stock": {"size": 24, "deal count": 52, "redeal": redeal}})
        assert (rules.draw, rules.passes, rules.stock) == (52, passes, 24)


def test_a_waste_on_a_board() -> None:
    rules = read({**KLONDIKE, "max rank": 3, "stock": {"size": 4, "redeal": True}})
    piles = [["2C", "AC"], ["aS", "3S"], ["2S"], ["AH"], ["AD"], ["2H"], []]
    board = {"tableau piles": piles, "stock": ["3H", "3D"], "waste": ["2D", "3C"]}
    position = Deal.from_text(json.dumps(board), rules).position
    assert "waste [QD KC] stock [KD KH]" in str(position)
    with pytest.raises(InputError, match="'waste' has no place in yukon"):
        Deal.from_text(json.dumps({"waste": ["AS"]}), GAMES["yukon"])


def test_boards_of_canfield() -> None:
    rules = read({**CANFIELD, "max rank": 3, "reserve": {"size": 2, "stacked": True},
                  "stock": {"size": 5, "deal count": 3, "redeal": True}})  # fmt: skip
    board = {"foundations": ["2C"], "tableau piles": [["2S"], ["AC"], ["3D"], ["AD"]],
             "reserve": ["AH", "3S"], "stock": ["2H", "AS", "3H", "2D", "3C"]}  # fmt: skip
    position = Deal.from_text(json.dumps(board), rules).position
    assert "base Q" in str(position) and "reserve [JH KS]" in str(position)
    for tops, message in (([], "cards of one rank"), (["2C", "3S"], "cards of one rank")):
        with pytest.raises(InputError, match=message):
            Deal.from_text(json.dumps({**board, "foundations": tops}), rules)
