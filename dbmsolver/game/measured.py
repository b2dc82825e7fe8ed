"""A solution in moves of single cards, told as a measure has it."""

from __future__ import annotations

from collections.abc import Sequence

from dbmsolver.game.measures import Measure
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position


def measured(
    position: Position, moves: Sequence[Move], measure: Measure
) -> tuple[Move, ...] | None:
    """Return a solution in moves of single cards as one in moves of ``measure``.

    It need not be a shortest one. Each move home that the measure makes at once is made as soon as
    it is possible. Later moves of a card that is home by then are left out, except one that takes
    it back to a column where it can stay. Returns None if a later move is not legal after that.
    """
    made: list[Move] = []
    for move in (None, *moves):
        if move is not None and not _stays_home(position, move, measure):
            legal = _legal(position, move, measure)
            if legal is None:
                return None
            made.append(legal)
            position = position.apply(legal)
        while (home := measure.forced(position)) is not None:
            made.append(home)
            position = position.apply(home)
    return tuple(made) if position.is_goal() else None


def _stays_home(position: Position, move: Move, measure: Measure) -> bool:
    """Return True if the move's card is home, and the move can be left out.

    A move can that does not take the card back to a column, or not to one where it can stay.
    """
    if not position.is_home(move.card):
        return False
    if move.source.kind != "foundation":
        return True
    back = _legal(position, move, measure)
    if back is None:
        return True
    home = measure.forced(position.apply(back))
    return home is not None and home.card == move.card


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
