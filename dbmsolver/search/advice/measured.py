"""A solution in moves of single cards, told as a measure has it."""

from __future__ import annotations

from collections.abc import Sequence

from dbmsolver.game.measures import Measure
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position


def measured(
    position: Position, moves: Sequence[Move], measure: Measure
) -> tuple[Move, ...] | None:
    """Return a solution of single cards as a solution of this measure; it may have more moves.

    Moves home that are made at once come as early as they are made. A card that is home by then is
    not moved again. None where they take the solution away: a move is not legal after them.
    """
    made: list[Move] = []
    for move in (None, *moves):
        if move is not None and not position.is_home(move.card):
            legal = _legal(position, move, measure)
            if legal is None:
                return None
            made.append(legal)
            position = position.apply(legal)
        while (home := measure.forced(position)) is not None:
            made.append(home)
            position = position.apply(home)
    return tuple(made) if position.is_goal() else None


def _legal(position: Position, move: Move, measure: Measure) -> Move | None:
    """Return the legal move of a card to the same place; of empty places, to the first one."""
    empty = _is_empty(position, move)
    for legal in position.moves(measure.rules):
        if legal.card != move.card or legal.destination.kind != move.destination.kind:
            continue
        if legal.destination == move.destination or (empty and _is_empty(position, legal)):
            return legal
    return None


def _is_empty(position: Position, move: Move) -> bool:
    """Return True if a move goes to a freecell, or to a column without cards."""
    kind, index = move.destination
    return kind == "freecell" or (kind == "column" and not position.columns[index])
