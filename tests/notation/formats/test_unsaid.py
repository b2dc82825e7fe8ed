"""A format that has no words for a game names only what there is in that game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbmsolver.errors import UsageError
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.formats import check_game

GROUPS = replace(GAMES["yukon"], name="own", layout="")


@pytest.mark.parametrize(
    ("rules", "things"),
    [
        (GAMES["klondike"], "stock, waste and cards face down"),
        (GAMES["whitehead"], "stock and waste"),
        (GAMES["canfield"], "stock, waste and a stacked reserve"),
        (GAMES["yukon"], "cards face down"),
        (GROUPS, "moves of any group of cards"),
        (GAMES["pyramid"], "stock, waste and pairs"),
        (GAMES["scorpion"], "a stock dealt onto columns and cards face down"),
        (GAMES["forty_thieves"], "cards that are alike, stock and waste"),
        (GAMES["spider"], "cards that are alike, a stock dealt onto columns and cards face down"),
    ],
    ids=lambda value: value.name if isinstance(value, Rules) else "",
)
def test_the_things_that_a_game_has(rules: Rules, things: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_game("moves", rules, "wkr")
    assert str(caught.value) == f"{rules.name}: Freecell Solver's text has no words for {things}"


def test_letters_and_notation_name_them_too() -> None:
    with pytest.raises(UsageError, match="the format short has no letters for stock, waste and p"):
        check_game("short", GAMES["pyramid"], "wkr")
    with pytest.raises(UsageError, match="Notation has no words for a stock dealt onto columns"):
        check_game("sfn", GAMES["scorpion"], "wkr")
