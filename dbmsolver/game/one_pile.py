"""Positions of games of one pile, as Golf and Black Hole, and every rule of moving, to be read.

The last cards of columns go to one pile, each onto a card that it follows: by rank, up or down. The
stock, if there is one, is turned to the pile card by card, whatever lies there. No card leaves the
pile. The game is won when the columns are empty.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.cards import card_name
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import PILE, STOCK, Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules


@dataclass(frozen=True, slots=True)
class OnePile(Position):
    """An immutable position of a game of one pile.

    ``foundations`` are the ranks missing from the deck.
    """

    pile: tuple[int, ...] = ()
    """The pile's cards, the last one on top."""
    stock: tuple[int, ...] = ()
    """The stock, the card first that is turned next."""

    def is_goal(self) -> bool:
        """Return True if the columns are empty."""
        return not any(self.columns)

    @property
    def left(self) -> int:
        """The number of cards in columns."""
        return sum(map(len, self.columns))

    @property
    def left_where(self) -> str:
        """The words for cards in columns."""
        return "left in the columns"

    def moves(self, rules: Rules) -> list[Move]:
        """Return all legal moves: last cards of columns, then the card of the stock.

        Any card may be the first one of an empty pile. The stock is turned whatever lies on the
        pile; nothing need be turned where the columns are empty.
        """
        lowest = 1 + min(self.foundations)
        moves = [
            Move(card, place, PILE)
            for card, place in self.ends()
            if not self.pile or rules.follows(card, self.pile[-1], lowest)
        ]
        if self.stock and not self.is_goal():
            moves.append(Move(self.stock[0], STOCK, PILE))
        return moves

    def forced(self, rules: Rules, policy: Policy) -> Move | None:
        """Return None: no move is forced."""
        return None

    def card_moved(
        self, source: Place, destination: Place, count: int, named: int | None = None
    ) -> int:
        """Return the card that a move takes from a place; IllegalMoveError if none lies there."""
        kind = source.kind
        if kind == "stock" and self.stock:
            return self.stock[0]
        if kind == "pile":
            raise IllegalMoveError("no card leaves a pile", str(source))
        if kind == "foundation":
            raise IllegalMoveError("no such place", str(source))
        return Position.card_moved(self, source, destination, count, named)

    def card_under(self, card: int, destination: Place, count: int) -> int | None:
        """Return the card on top of the pile, None if there is none."""
        return self.pile[-1] if self.pile else None

    def play(self, move: Move, rules: Rules) -> OnePile:
        """Return the position after a legal move; IllegalMoveError if the rules forbid it."""
        after = self.apply(move)
        if not self._is_listed(move, rules):
            if self.is_goal():
                raise IllegalMoveError("the columns are empty, and nothing is left to be played")
            what = card_name(self.pile[-1]) if self.pile else "an empty pile"
            raise IllegalMoveError(f"{card_name(move.card)} cannot be put on {what}")
        return after

    def apply(self, move: Move) -> OnePile:
        """Return the position after the move.

        Raises IllegalMoveError if the card is not free to move there, whatever the rules. Only
        `moves` looks at what lies on the pile.
        """
        card, source, destination, _, count, _ = move
        if not self._is_free(card, source, count):
            raise IllegalMoveError(f"{card_name(card)} is not free to move", str(source))
        if destination != PILE or count != 1:
            raise IllegalMoveError(f"{card_name(card)} cannot go there", str(destination))
        if source == STOCK:
            return replace(self, pile=(*self.pile, card), stock=self.stock[1:])
        columns = tuple(
            column[:-1] if index == source.index else column
            for index, column in enumerate(self.columns)
        )
        return replace(self, columns=columns, pile=(*self.pile, card))

    def _is_free(self, card: int, source: Place, count: int) -> bool:
        """Return True if nothing lies on the cards that move, the deepest of which is `card`."""
        if source == STOCK:
            return count == 1 and self.stock[:1] == (card,)
        return source.kind == "column" and Position._is_free(self, card, source, count)

    def canonical(self) -> Hashable:
        """Return a value that is equal for positions that differ only in the order of columns.

        Of the pile only the card on top makes a difference.
        """
        columns = tuple(sorted(column for column in self.columns if column))
        return columns, self.pile[-1:], self.stock, self.foundations

    def __str__(self) -> str:
        """Return one line for debugging; boards for people are `deals.format_board`."""
        pile, stock = (" ".join(map(card_name, cards)) for cards in (self.pile, self.stock))
        columns = " | ".join(" ".join(map(card_name, column)) for column in self.columns)
        return f"pile [{pile}] stock [{stock}] {columns}"
