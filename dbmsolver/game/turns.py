"""Turns of a stock on the readable model."""

from __future__ import annotations

from dbmsolver.game.moves import Move
from dbmsolver.game.patience import Patience
from dbmsolver.game.rules import Rules


def turns_before(position: Patience, card: int, rules: Rules) -> list[Move] | None:
    """Return the fewest turns of the stock that bring a card to the top of the waste.

    An empty list for a card that lies elsewhere, None for one that never comes there.
    """
    turns: list[Move] = []
    if card not in (*position.waste, *position.stock):
        return turns
    seen = set()
    while position.waste[-1:] != (card,):
        state = position.waste, position.turns
        turning = position.moves_of_stock(rules)
        if state in seen or not turning:
            return None
        seen.add(state)
        turns += turning
        position = position.apply(turning[0])
    return turns
