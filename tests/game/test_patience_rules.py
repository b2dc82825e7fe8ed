"""Rules of Klondike and its relatives, changed in one respect: named in full, and read back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from helpers.patience_games import PATIENCE_GAMES

from dbmsolver.errors import UsageError
from dbmsolver.game.moving import moving, with_moving
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_fields, rules_for
from dbmsolver.game.titles import rules_notes, rules_of_notes

CHANGES: list[dict[str, Any]] = [
    {},
    {"removable": True},
    {"removable": False},
    {"fill": "any"},
    {"draw": 2},
    {"passes": 4},
]


@pytest.mark.parametrize(
    ("game", "change"),
    [
        pytest.param(game, change, id=f"{game}-{change}")
        for game in PATIENCE_GAMES
        for change in CHANGES
        if GAMES[game].draw or not change.keys() & {"draw", "passes"}
    ],
)
def test_nothing_is_left_out(game: str, change: dict[str, Any]) -> None:
    rules = replace(GAMES[game], **change)
    assert Rules(**rules_fields(rules)) == rules
    assert rules_of_notes(", ".join(rules_notes(rules))) == rules
    assert bool(rules_notes(rules)[1:]) == (rules != GAMES[game])
    plain = Rules(rules.name, rules.columns, 0, "alternate", rules.fill)
    read = with_moving(plain, moving(rules), rules.build)
    assert replace(read, layout=rules.layout) == rules
    words = rules.describe()
    assert ("cards come back" in words, "no card comes back" in words) == (
        rules.removable,
        not rules.removable,
    )


def test_cards_that_come_back_do_not_make_a_game_of_this_kind() -> None:
    with pytest.raises(UsageError, match="expected moves of single cards, or cards that stay home"):
        Rules("x", 7, 0, "alternate", "kings", moves="runs", removable=True)
    with pytest.raises(UsageError, match="for how cards move"):
        with_moving(GAMES["klondike"], "runs stock-24 draw-1 passes-0 worrying-back")
    assert not GAMES["klondike"].takes_back and not GAMES["klondike"].two_way


@pytest.mark.parametrize("moves", ["runs", "suit-runs", "single"])
def test_cards_face_down_take_a_waste_or_groups(moves: Any) -> None:
    text = "dealt face down: expected a game with a waste, or with moves of any group"
    with pytest.raises(UsageError, match=text):
        rules_for("yukon", moves=moves)


@pytest.mark.parametrize(
    "changes",
    [
        {"reserve": True},
        {"kings_sunk": True},
        {"whole_suits": True, "build": "suit"},
    ],
)
def test_what_a_game_of_this_kind_does_not_have(changes: dict[str, Any]) -> None:
    """No freecells, so none that cards only leave, either."""
    plain = replace(GAMES["klondike"], layout="")
    with pytest.raises(UsageError, match="whole suits that go home: expected neither"):
        replace(plain, **changes)


def test_it_is_built_down_and_has_no_pile() -> None:
    plain = replace(GAMES["klondike"], layout="")
    with pytest.raises(UsageError, match="by suit: expected columns built down"):
        replace(plain, build="suit-both", moves="single")
    with pytest.raises(UsageError, match="a game of one pile with columns that take cards"):
        replace(plain, pile="ends")
