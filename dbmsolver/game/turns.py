"""Turns of a stock on the readable model."""

from __future__ import annotations

from collections.abc import Callable

from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules


def turns_before(position: Position, card: int, rules: Rules) -> list[Move] | None:
    """Return the fewest turns of the stock that bring a card to the top of the waste.

    An empty list for a card that lies elsewhere, None for one that never comes there.
    """
    if card not in (*position.waste, *position.stock):
        return []
    return _turns_until(lambda turned: turned.waste[-1:] == (card,), position, rules)


def turns_to(position: Position, wanted: Position, rules: Rules) -> list[Move] | None:
    """Return the turns that make stock and waste the same as in the ``wanted`` position.

    Turns are moves from the stock to the waste, and of the whole waste back. None if they do not
    lead there.
    """
    lying = wanted.waste, wanted.stock, wanted.turns
    return _turns_until(
        lambda turned: (turned.waste, turned.stock, turned.turns) == lying, position, rules
    )


def _turns_until(
    is_reached: Callable[[Position], bool], position: Position, rules: Rules
) -> list[Move] | None:
    """Return the fewest turns of the stock that lead to such a position, None if none do."""
    turns: list[Move] = []
    seen = set()
    while not is_reached(position):
        state = position.waste, position.turns
        turning = position.moves_of_stock(rules)
        if state in seen or not turning:
            return None
        seen.add(state)
        turns += turning
        position = position.apply(turning[0])
    return turns
