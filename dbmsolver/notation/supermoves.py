"""Supermoves: what players and notations count as one move, and the moves it stands for.

A run is the end of a column in which each card lies on its legal parent. A supermove moves a run,
or the end of it, as far as single-card moves through free cells and empty columns could.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.room import capacity, empty_columns, run_length
from dbmsolver.game.rules import Rules


def largest(position: Position, rules: Rules, source: int, destination: int) -> int:
    """Return the number of cards that "as many as possible" means: 0 if there is no such move.

    On a card, only one number of cards fits. Into an empty column it is the longest end of the run
    that can be moved at once and may lie there.
    """
    if source == destination:
        return 0
    return largest_end(position, rules, run_of(position, rules, source), destination)


def run_of(position: Position, rules: Rules, source: int) -> tuple[int, ...]:
    """Return the cards at the end of a column that form a run, the deepest first."""
    column = position.columns[source]
    return column[len(column) - run_length(position, column, rules) :]


def largest_end(position: Position, rules: Rules, run: tuple[int, ...], destination: int) -> int:
    """Return the number of cards that :func:`largest` means, for the run of another column."""
    target = position.columns[destination]

    def fits(card: int) -> bool:
        return (
            position.can_stack(card, target[-1], rules)
            if target
            else position.can_fill(card, rules)
        )

    fitting = [length for length in range(len(run), 0, -1) if fits(run[-length])]
    if not fitting:  # as for most columns: there is no need to look how many cards can move
        return 0
    most = capacity(position, rules, destination)
    return next((length for length in fitting if length <= most), 0)


def move_run(position: Position, source: int, destination: int, count: int) -> Position:
    """Return the position after moving `count` cards from column to column, whatever the rules."""
    columns = list(position.columns)
    columns[destination] += columns[source][-count:]
    columns[source] = columns[source][:-count]
    return replace(position, columns=tuple(columns))


def split(
    position: Position, rules: Rules, source: int, destination: int, count: int
) -> list[Move]:
    """Return the single-card moves that a supermove stands for."""
    if count > capacity(position, rules, destination):
        raise IllegalMoveError(f"{count} cards are too many to be moved at once")
    cells = [index for index, card in enumerate(position.freecells) if card is None]
    cells = [] if rules.reserve else cells
    empty = empty_columns(position, destination) if rules.fill == "any" else []
    cards = list(position.columns[source][-count:])
    moves: list[Move] = []

    def shift(start: int, here: int, there: int, through: Sequence[int]) -> None:
        """Move cards[start:], the end of column `here`, to column `there`."""
        size, level = len(moving) - start, 0
        while size > (len(cells) + 1) << level:
            level += 1
        if level:
            # The upper part waits in an empty column while the lower part takes the way that is
            # left; then it follows.
            middle = len(moving) - (size - ((len(cells) + 1) << (level - 1)))
            aside, rest = through[0], through[1:]
            shift(middle, here, aside, rest)
            upper = moving[middle:]
            del moving[middle:]
            shift(start, here, there, rest)
            moving.extend(upper)
            shift(middle, aside, there, rest)
            return
        parked = list(zip(reversed(moving[start + 1 :]), cells, strict=False))
        for card, cell in parked:
            moves.append(Move(card, Place("column", here), Place("freecell", cell)))
        moves.append(Move(moving[start], Place("column", here), Place("column", there)))
        for card, cell in reversed(parked):
            moves.append(Move(card, Place("freecell", cell), Place("column", there)))

    moving = cards
    shift(0, source, destination, empty)
    return moves
