"""Runs that a player moves at once where the rules move single cards.

A run is the end of a column in which each card lies on its legal parent. It, or the end of it, can
be moved to another column at once if single cards could be moved there one by one through empty
freecells and empty columns, so that nothing stays behind. That is a *supermove*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules


def run_length(position: Position, column: Sequence[int], rules: Rules) -> int:
    """Return the number of cards at the end of a column of the position that form a run."""
    length = min(1, len(column))
    while length < len(column) and position.can_stack(column[-length], column[-length - 1], rules):
        length += 1
    return length


def capacity(position: Position, rules: Rules, destination: int) -> int:
    """Count the cards that fit in one move to a column: (freecells + 1) * 2 ** empty columns.

    The destination is no empty column in this sense, and empty columns that do not take every card
    are none either.
    """
    cells = 0 if rules.reserve else sum(card is None for card in position.freecells)
    empty = empty_columns(position, destination) if rules.fill == "any" else []
    return (cells + 1) << len(empty)


def supermoves(position: Position, rules: Rules) -> Iterator[Move]:
    """Yield the moves of runs of two cards and more that there is room for.

    As for :meth:`Position.moves`, empty columns count once, and a whole column is not moved to an
    empty one.
    """
    empty = next((index for index, column in enumerate(position.columns) if not column), None)
    rooms = [capacity(position, rules, index) for index in range(len(position.columns))]
    for source, column in enumerate(position.columns):
        for count in range(2, min(run_length(position, column, rules), max(rooms)) + 1):
            card = column[-count]
            for index, other in enumerate(position.columns):
                if index == source or count > rooms[index]:
                    continue
                if other:
                    fits = position.can_stack(card, other[-1], rules)
                else:
                    may_fill = position.can_fill(card, rules)
                    fits = index == empty and count < len(column) and may_fill
                if fits:
                    places = Place("column", source), Place("column", index)
                    yield Move(card, *places, count=count)


def empty_columns(position: Position, destination: int) -> list[int]:
    """Return the columns that are empty, without the one that a run goes to."""
    columns = enumerate(position.columns)
    return [index for index, column in columns if not column and index != destination]
