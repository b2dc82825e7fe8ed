"""Moves of a card, or of a run of cards."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from dbmsolver.game.cards import SUIT_NAMES, card_name

PlaceKind = Literal[
    "column", "freecell", "foundation", "pile", "stock", "waste", "reserve", "removed", "columns"
]


class Place(NamedTuple):
    """A place of a card. Columns and freecells count from 0; a foundation's index is its suit.

    There is one pile, one stock, one waste, and one reserve: their index is 0. So is that of the
    place of removed cards, and of all columns together, which get a card each when a row is dealt.
    A column of a pyramid has the card of each row that is as far from the
    left: the second column has the second cards.
    """

    kind: PlaceKind
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here

    def __str__(self) -> str:
        """Return the place for people, who count from 1."""
        if self.kind == "foundation":
            known = 0 <= self.index < len(SUIT_NAMES)
            return f"foundation of {SUIT_NAMES[self.index]}" if known else "foundation"
        if self.kind in ("pile", "stock", "waste", "reserve", "removed", "columns"):
            return self.kind
        return f"{self.kind} {self.index + 1}"


@cache
def column_places(count: int) -> tuple[Place, ...]:
    """Return the places of ``count`` columns."""
    return tuple(Place("column", index) for index in range(count))


FOUNDATIONS = tuple(Place("foundation", index) for index in range(len(SUIT_NAMES)))
PILE = Place("pile", 0)
STOCK = Place("stock", 0)
WASTE = Place("waste", 0)
RESERVE = Place("reserve", 0)
REMOVED = Place("removed", 0)
COLUMNS = Place("columns", 0)


class Move(NamedTuple):
    """A card goes from one place to another; `forced` if the search allows no other move.

    In games where a run is one move, `card` is the deepest of `count` cards, the end of a column.
    When `count` cards are turned from the stock to the waste, `card` is the one that comes to lie
    on top; when the waste is turned over, the one that was. When a pair is removed, `card` is the
    one of the lower number, and `other` goes with it, wherever it lies. When `count` cards are
    dealt onto the columns, one onto each from the first column on, `card` is the first of them.
    """

    card: int
    source: Place
    destination: Place
    forced: bool = False
    count: int = 1  # type: ignore[assignment]  # hides tuple.count, as above
    other: int | None = None

    def __str__(self) -> str:
        if self.destination == COLUMNS:
            cards = "1 card" if self.count == 1 else f"{self.count} cards"
            return f"{cards} dealt from {self.source} to {self.destination}"
        more = f" and {self.count - 1} on it" if self.count > 1 else ""
        if self.destination == REMOVED:
            pair = "" if self.other is None else f" and {card_name(self.other)}"
            return f"{card_name(self.card)} from {self.source}{pair} removed"
        return f"{card_name(self.card)}{more} from {self.source} to {self.destination}"
