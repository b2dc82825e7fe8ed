"""Positions of pairing games, and every rule of moving, written to be read.

The columns are a pyramid: row after row, each one card longer than the row above. A card is covered
by the two of the next row that lie below it to its left and to its right. So with the cards of a
row counted from the left, a card is covered by the one of its own number, and by the next. Column
*n* holds the *n*-th card of each row, the highest row first: its last card is covered by the next
column's card of the same depth. It is *free* where the next column is shorter.

Two free cards whose ranks sum to that of the king are removed together, a king alone. The stock is
turned card by card to the waste, whose top card is free, too; by some rules the next card of the
stock is. When the stock is empty, the waste is turned over to be the stock again, a number of
times. The game is won when the pyramid is empty, or when no card is left: the rules say which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from dbmsolver.errors import IllegalMoveError, InputError
from dbmsolver.game.cards import card_name, rank
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import REMOVED, STOCK, WASTE, Move, Place
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position, Pyramid
from dbmsolver.game.rules import Rules
from dbmsolver.game.validity import check_cards


@dataclass(frozen=True, slots=True)
class Pairing(Patience):
    """An immutable position. ``foundations`` are the ranks missing from the deck."""

    removed: tuple[int, ...] = ()
    """The removed cards."""
    whole: bool = False
    """True if the game is won when no card is left, not only none of the pyramid."""

    @property
    def pyramid(self) -> Pyramid:
        """The rows of the pyramid."""
        return rows_of(self.columns)

    def is_goal(self) -> bool:
        """Return True if the pyramid is empty; by some rules, if no card is left at all."""
        return not self.left

    @property
    def left(self) -> int:
        """The number of cards that have to be removed still."""
        cards = sum(map(len, self.columns))
        return cards + len(self.stock) + len(self.waste) if self.whole else cards

    @property
    def left_where(self) -> str:
        """The words for cards that have to be removed still."""
        return "left" if self.whole else "left in the pyramid"

    @property
    def lowest(self) -> int:
        """The lowest rank of the deck."""
        return 1 + min(self.foundations)

    def is_covered(self, column: int) -> bool:
        """Return True if the last card of a column lies under one of the next column."""
        following = self.columns[column + 1 : column + 2]
        return bool(following) and len(following[0]) >= len(self.columns[column])

    def available(self) -> list[tuple[int, Place]]:
        """Return the cards that are free by all rules: those of the pyramid, and of the waste."""
        free = [
            (column[-1], Place("column", index))
            for index, column in enumerate(self.columns)
            if column and not self.is_covered(index)
        ]
        return free + [(card, WASTE) for card in self.waste[-1:]]

    def free(self, rules: Rules) -> list[tuple[int, Place]]:
        """Return the cards that are free."""
        turned = self.stock[:1] if rules.free_stock else ()
        return self.available() + [(card, STOCK) for card in turned]

    def moves(self, rules: Rules) -> list[Move]:
        """Return all legal moves: kings, pairs, and the move of the stock."""
        if self.is_goal():
            return []
        free = self.free(rules)
        moves = [Move(card, place, REMOVED) for card, place in free if rank(card) == 13]
        for pair in combinations(free, 2):
            (card, place), (other, _) = sorted(pair)
            if rules.is_pair(card, other, self.lowest):
                moves.append(Move(card, place, REMOVED, other=other))
        return moves + self.moves_of_stock(rules)

    def successors(self, rules: Rules, policy: Policy) -> list[tuple[Move, Position]]:
        """Return the moves, each with the position after it."""
        return [(move, self.apply(move)) for move in self.moves(rules)]

    def forced(self, rules: Rules, policy: Policy) -> Move | None:
        """Return None: no move is forced."""
        return None

    def with_lower_first(self, move: Move) -> Move:
        """Return the move as `moves` lists it: of a pair, the card of the lower number first."""
        if move.destination == REMOVED and move.other is not None and move.other < move.card:
            place = dict(self._within_reach()).get(move.other)
            if place is not None:
                return move._replace(card=move.other, source=place, other=move.card)
        return move

    def play(self, move: Move, rules: Rules) -> Position:
        """Return the position after a legal move; IllegalMoveError if the rules forbid it."""
        after = self.apply(move)
        if not self._is_listed(move, rules):
            if self.is_goal():
                raise IllegalMoveError("the game is won, and nothing is left to be played")
            name = card_name(move.card)
            if move.destination != REMOVED:
                raise IllegalMoveError(f"{name} cannot go there", str(move.destination))
            alone = "alone" if move.other is None else f"with {card_name(move.other)}"
            raise IllegalMoveError(f"{name} is not removed {alone}")
        return after

    def apply(self, move: Move) -> Pairing:
        """Return the position after the move.

        Raises IllegalMoveError if a card is not free, whatever the rules. Only `moves` looks at the
        rules of pairs.
        """
        if move.destination != REMOVED:
            return self._turn(move)
        free = self._within_reach()
        if (move.card, move.source) not in free or move.count != 1:
            raise IllegalMoveError(f"{card_name(move.card)} is not free to move", str(move.source))
        taken = {move.card: move.source}
        if move.other is not None:
            places = dict(free)
            if move.other == move.card or move.other not in places:
                raise IllegalMoveError(f"{card_name(move.other)} is not free to move")
            taken[move.other] = places[move.other]
        return replace(
            self,
            columns=tuple(column[:-1] if set(column[-1:]) & taken.keys() else column
                          for column in self.columns),
            waste=self.waste[:-1] if WASTE in taken.values() else self.waste,
            stock=self.stock[1:] if STOCK in taken.values() else self.stock,
            removed=(*self.removed, *taken),
        )  # fmt: skip

    def _within_reach(self) -> list[tuple[int, Place]]:
        """Return the cards that some rules let go, and their places: the next of the stock, too."""
        return [*self.available(), *((card, STOCK) for card in self.stock[:1])]

    def canonical(self) -> Hashable:
        """Return a value that is equal for positions that differ only in the order of removal."""
        return self.columns, self.stock, self.waste, self.turns

    def validate(self, rules: Rules, where: str | None = None) -> None:
        """Raise InputError unless this is 52 different cards in a layout of these rules."""
        if len(self.columns) != rules.columns:
            raise InputError(f"{len(self.columns)} rows, expected {rules.columns}", where)
        held = len(self.waste) + len(self.stock)
        if held > rules.stock:
            text = f"{held} cards in stock and waste, expected at most {rules.stock}"
            raise InputError(text, where)
        most = rules.turns or 0
        if self.turns is None or not 0 <= self.turns <= most:
            given = "any number of" if self.turns is None else self.turns
            text = f"{given} turns of the waste, expected at most {most}"
            raise InputError(text, where)
        if len(set(self.foundations)) > 1:
            text = "foundations of different heights, expected them to tell the ranks that a short"
            raise InputError(f"{text} deck is without", where)
        lengths = list(map(len, self.columns))
        for number, (length, following) in enumerate(pairwise((*lengths, 0)), 1):
            if length > len(lengths) - number + 1:
                raise InputError(f"{length} cards in column {number} of the pyramid", where)
            if following > length:
                card = self.columns[number][length]
                text = f"{card_name(card)} covers a place where no card is"
                raise InputError(f"{text}, expected the card under it", where)
        check_cards(self, where)
        self._check_removed(where)

    def _check_removed(self, where: str | None) -> None:
        """Raise InputError unless the removed cards are kings and pairs."""
        ranks = Counter(map(rank, self.removed))
        for one in range(self.lowest, 13):
            other = 12 + self.lowest - one
            if ranks[one] != ranks[other] or (one == other and ranks[one] % 2):
                name = next(card_name(card) for card in self.removed if rank(card) in (one, other))
                text = f"{name} is removed without a card that it makes a pair with"
                raise InputError(f"{text}, expected pairs and kings", where)

    def lying(self) -> list[tuple[int, str]]:
        """Return each card, and its place in words."""
        return [*Patience.lying(self), *((card, str(REMOVED)) for card in self.removed)]

    def __str__(self) -> str:
        """Return one line for debugging; boards for people are `deals.format_board`."""
        waste, stock = (" ".join(map(card_name, cards)) for cards in (self.waste, self.stock))
        columns = " | ".join(" ".join(map(card_name, column)) for column in self.columns)
        return f"waste [{waste}] stock [{stock}] turns {self.turns} {columns}"


def columns_of_pyramid(
    rows: Sequence[Sequence[int | None]], number: int
) -> tuple[tuple[int, ...], ...]:
    """Return the columns of a pyramid of `number` rows, of which those with cards are given."""
    return tuple(
        tuple(card for row in rows[index:] if (card := row[index]) is not None)
        for index in range(number)
    )


def rows_of(columns: tuple[tuple[int, ...], ...]) -> Pyramid:
    """Return the rows of a pyramid down to the last one with a card; None where a card is gone."""
    rows: list[list[int | None]] = []
    for row in range(len(columns)):
        cards: list[int | None] = [
            column[row - index] if row - index < len(column) else None
            for index, column in enumerate(columns[: row + 1])
        ]
        rows.append(cards)
    while rows and not any(card is not None for card in rows[-1]):
        rows.pop()
    return rows
