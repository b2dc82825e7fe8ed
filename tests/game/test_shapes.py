"""Shapes of boards: lines that are rows of a fresh deal, and lines that are not."""

from __future__ import annotations

from dataclasses import replace

from dbmsolver.game.shapes import dealt_lengths, is_shape_of_rows
from dbmsolver.game.shipped import GAMES


def test_rows_of_a_fresh_deal() -> None:
    rules = GAMES["freecell"]
    assert dealt_lengths(rules) == [7, 7, 7, 7, 6, 6, 6, 6]
    assert is_shape_of_rows([8] * 6 + [4], rules)
    assert not is_shape_of_rows([8] * 6 + [3], rules)
    assert not is_shape_of_rows([4] + [8] * 6, rules)
    assert not is_shape_of_rows([], rules)


def test_no_rows_are_known_of_a_deal_that_is_not_told() -> None:
    """Cards that are neither in columns nor in the stock come from anywhere in the deck."""
    rules = GAMES["canfield"]
    assert is_shape_of_rows([4], rules)
    untold = replace(rules, layout="")
    assert not is_shape_of_rows([4, 4, 4, 4, 2], untold)
