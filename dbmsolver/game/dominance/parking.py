"""Parking without a search: each lifted card goes to the next free slot, then the card is moved.

That is enough nearly always. Where slots run full it may not be, and then nothing is returned.
"""

from __future__ import annotations

from dbmsolver.game.cards import suit
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position


class ParkingBoard:
    """A position that changes: where each exposed card lies is looked up."""

    def __init__(self, position: Position) -> None:
        self.columns = [list(column) for column in position.columns]
        self.cells = list(position.freecells)
        self.heights = list(position.foundations)
        self.moves: list[Move] = []

    def place_of(self, card: int) -> Place | None:
        """Return the place of an exposed card; None if it is not exposed."""
        if card in self.cells:
            return Place("freecell", self.cells.index(card))
        for index, column in enumerate(self.columns):
            if column and column[-1] == card:
                return Place("column", index)
        return None

    def free_cell(self) -> Place | None:
        """Return the first free freecell, None if there is none."""
        return Place("freecell", self.cells.index(None)) if None in self.cells else None

    def empty_column(self) -> Place | None:
        """Return the first empty column, None if there is none."""
        return Place("column", self.columns.index([])) if [] in self.columns else None

    def move(self, card: int, to: Place | None) -> bool:
        """Move an exposed card; return False if it is not exposed or there is no such place."""
        source = self.place_of(card)
        if source is None or to is None:
            return False
        if source.kind == "column":
            self.columns[source.index].pop()
        else:
            self.cells[source.index] = None
        if to.kind == "column":
            self.columns[to.index].append(card)
        elif to.kind == "freecell":
            self.cells[to.index] = card
        else:
            self.heights[to.index] += 1
        self.moves.append(Move(card, source, to))
        return True

    def home(self, card: int) -> bool:
        """Move a card home."""
        return self.move(card, Place("foundation", suit(card)))

    def alone(self) -> set[int]:
        """Return the cards that lie alone in columns."""
        return {column[0] for column in self.columns if len(column) == 1}

    def position(self) -> Position:
        """Return the position as it is now."""
        hearts, spades, diamonds, clubs = self.heights
        columns = tuple(map(tuple, self.columns))
        return Position(columns, tuple(self.cells), (hearts, spades, diamonds, clubs))
