"""Turns of a stock among the steps of a solution: each is a step, whether it counts or not."""

from __future__ import annotations

from collections.abc import Iterable

from dbmsolver.core.tables import PLACE_BOTTOM, PLACE_HOME
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.patience import Patience, counts_as_play
from dbmsolver.game.rules import Rules
from dbmsolver.game.turns import turns_before
from dbmsolver.keys.patience import TURN

Step = tuple[int, int]


def with_turns(deal: Deal, plays: Iterable[Step]) -> list[Step] | None:
    """Return plays of cards, with the turns of the stock that they need before them, as steps.

    None where one cannot be played.
    """
    position, steps = deal.position, list[Step]()
    assert isinstance(position, Patience)
    for card, place in plays:
        turns = turns_before(position, card, deal.rules)
        if turns is None:
            return None
        for turn in turns:
            steps.append((0, TURN))
            position = position.apply(turn)
        move = play_to(position, card, place, deal.rules)
        if move is None:
            return None
        steps.append((card, place))
        position = position.apply(move)
    return steps


def play_to(position: Patience, card: int, place: int, rules: Rules) -> Move | None:
    """Return the legal play of a card to a place value; None if there is none."""
    for move in position.moves(rules):
        if move.card == card and counts_as_play(move) and place_of(position, move, rules) == place:
            return move
    return None


def place_of(position: Patience, move: Move, rules: Rules) -> int:
    """Return the place value that a move gives its card."""
    if not counts_as_play(move):
        return TURN
    if move.destination.kind == "foundation":
        return PLACE_HOME
    column = position.columns[move.destination.index]
    return rules.parent_kinds.index((move.card ^ column[-1]) & 3) if column else PLACE_BOTTOM


__all__ = ["place_of", "with_turns"]
