"""Steps of games whose stock is turned: each turn is a step, whether it counts or not."""

from __future__ import annotations

from collections.abc import Iterable

from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.patience import counts_as_play
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.turns import turns_before
from dbmsolver.kits.cards.tables import PLACE_BOTTOM, PLACE_HOME, PLACE_LOCKED
from dbmsolver.kits.states import Step

TURN = PLACE_LOCKED
"""The place value of a step that turns cards of the stock, or the waste; its card is 0."""


def step_of(position: Position, move: Move, rules: Rules) -> Step:
    """Return the step of a move: its card and the place value that it gets, or a turn."""
    if not counts_as_play(move):
        return 0, TURN
    if move.destination.kind == "foundation":
        return move.card, PLACE_HOME
    column = position.columns[move.destination.index]
    if not column:
        return move.card, PLACE_BOTTOM
    return move.card, rules.parent_kinds.index((move.card ^ column[-1]) & 3)


def with_turns(deal: Deal, plays: Iterable[Step]) -> list[Step] | None:
    """Return plays of cards, with the turns of the stock that they need before them, as steps.

    None where one cannot be played.
    """
    position, steps = deal.position, list[Step]()
    for card, place in plays:
        turns = turns_before(position, card, deal.rules)
        if turns is None:
            return None
        for turn in turns:
            steps.append((0, TURN))
            position = position.apply(turn)
        move = _play_to(position, (card, place), deal.rules)
        if move is None:
            return None
        steps.append((card, place))
        position = position.apply(move)
    return steps


def _play_to(position: Position, step: Step, rules: Rules) -> Move | None:
    """Return the legal play of a step; None if there is none."""
    for move in position.moves(rules):
        if counts_as_play(move) and step_of(position, move, rules) == step:
            return move
    return None


__all__ = ["TURN", "step_of", "with_turns"]
