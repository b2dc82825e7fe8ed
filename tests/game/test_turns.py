"""Turns of a stock on the readable model."""

from __future__ import annotations

from dataclasses import replace

from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.turns import turns_before, turns_to

RULES = replace(GAMES["klondike_by_threes"], passes=2)


def a_way() -> tuple[list[Position], list[Move]]:
    """Return a deal and the positions that eleven turns of its stock lead to, and the turns."""
    path, turns = [Deal.from_number(1, RULES).position], list[Move]()
    for _ in range(11):
        turns += path[-1].moves_of_stock(RULES)
        path.append(path[-1].apply(turns[-1]))
    return path, turns


def test_turns_that_lead_to_another_position() -> None:
    path, turns = a_way()
    for start in (0, 4):
        for end in (start, start + 1, 11):
            assert turns_to(path[start], path[end], RULES) == turns[start:end]
            if start < end:
                assert turns_to(path[end], path[start], RULES) is None


def test_turns_that_bring_a_card_to_the_top_of_the_waste() -> None:
    """Every third card comes there in the first pass, no other card while nothing is played."""
    path, turns = a_way()
    stock = path[0].stock
    for place, card in enumerate(stock):
        expected = None if (place + 1) % 3 else turns[: (place + 1) // 3]
        assert turns_before(path[0], card, RULES) == expected
    assert turns_before(path[0], path[0].columns[0][0], RULES) == []
