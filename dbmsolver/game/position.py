"""A position as people see it, and every rule of moving, written to be read.

This is the slow truth that everything fast is compared with: solutions are replayed on it before
they are printed, and the compiled kernels are tested against it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Self

from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.cards import CARDS, RANKS, SUIT_NAMES, card_name, rank, suit
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import (
    FOUNDATIONS,
    PILE,
    RESERVE,
    STOCK,
    WASTE,
    Move,
    Place,
    column_places,
)
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.game.showing import picture
from dbmsolver.game.validity import check_position

Home = tuple[tuple[int, ...], ...]
"""The heights of each suit's foundations, highest first."""

Pyramid = list[list[int | None]]
"""The rows of a pyramid from its top, None for a card that is gone."""


@dataclass(frozen=True, slots=True)
class Position:
    """One arrangement of the cards; an immutable value."""

    columns: tuple[tuple[int, ...], ...]
    """Deepest card first."""
    freecells: tuple[int | None, ...]
    foundations: tuple[int, int, int, int]
    """Heights, 0 for empty to 13 for complete, in the order of `cards.SUITS`."""
    base: Base = ACE
    """The rank with which foundations begin."""

    def is_goal(self) -> bool:
        """Return True if all cards are home."""
        return all(height == 13 for height in self.foundations)

    @property
    def left(self) -> int:
        """The number of cards that are not home."""
        return CARDS - sum(self.foundations)

    @property
    def left_where(self) -> str:
        """The words for where cards are that are left."""
        return "not home"

    has_waste: ClassVar[bool] = False
    """True for the kinds of positions that have a place for a waste, be it always empty."""

    names_empty_foundations: ClassVar[bool] = True
    """True if the text of a board lists all foundations, the empty ones too, if one has a card."""

    @property
    def pile(self) -> tuple[int, ...] | None:
        """The pile's cards, the last one on top; None in games that have no pile."""
        return None

    @property
    def stock(self) -> tuple[int, ...]:
        """The stock, the card first that is turned next."""
        return ()

    @property
    def waste(self) -> tuple[int, ...]:
        """The waste, the last card on top; only Klondike's kind has one."""
        return ()

    @property
    def reserve(self) -> tuple[int, ...]:
        """A reserve that is one stack, the last card free; only Klondike's kind has one."""
        return ()

    @property
    def hidden(self) -> tuple[int, ...]:
        """The number of cards of each column, the deepest ones, that lie face down."""
        return (0,) * len(self.columns)

    @property
    def turns(self) -> int | None:
        """The times the waste may still be turned over; None for any number, or without a waste."""
        return None

    @property
    def removed(self) -> tuple[int, ...]:
        """The removed cards; only pairing games have some."""
        return ()

    @property
    def pyramid(self) -> Pyramid | None:
        """The rows of a pyramid, None where there is none."""
        return None

    @property
    def home(self) -> Home:
        """The heights of the foundations of each suit; only wide games have several of a suit."""
        return tuple((height,) for height in self.foundations)

    def is_like(self, other: Position) -> bool:
        """Return True if both are positions of the same kind of game."""
        return type(self) is type(other)

    def rearranged(self, **cards: Any) -> Self:
        """Return a copy of the position in which some fields of its class have other values."""
        return replace(self, **cards)

    def kept(self, rules: Rules) -> int:
        """Return the highest rank up to which no card comes back from the foundations; 0 for none.

        The deal puts the cards of all suits home. Ranks are counted from the base.
        """
        return rules.kept_rank

    def returning(self, rules: Rules) -> list[int]:
        """Return the top cards of foundations that can move back to columns, if rules allow it."""
        kept = self.kept(rules)
        tops = map(self.top_home, range(4))
        return [top for top in tops if top is not None and rank(self.counted(top)) > kept]

    def without_turn_limit(self) -> Self:
        """Return the position with unlimited passes through the stock.

        All moves that can be made from this position can be made from the returned one, too.
        """
        return self

    def face_up(self, column: int) -> tuple[int, ...]:
        """Return the cards of a column that lie face up."""
        return self.columns[column][self.hidden[column] :]

    def counted(self, card: int) -> int:
        """Return the card with its rank counted from the base (:mod:`dbmsolver.game.bases`)."""
        return self.base.counted(card)

    @property
    def lowest(self) -> int:
        """The rank that the base counts as: the lowest one of the deck where the deal gives it."""
        return self.base.lowest

    def home_card(self, index: int, height: int) -> int:
        """Return the card on a foundation of that suit and height, from 1."""
        return self.base.card(4 * (height - 1) + index)

    def can_stack(self, child: int, parent: int, rules: Rules) -> bool:
        """Return True if `child` may be put on `parent`, the last card of a column."""
        return parent in rules.takers(child, self.base)

    def can_fill(self, card: int, rules: Rules) -> bool:
        """Return True if the card may be put into an empty column, wherever it comes from."""
        return rules.can_fill(self.counted(card))

    def is_run(self, cards: Sequence[int], rules: Rules) -> bool:
        """Return True if the cards, the end of a column, deepest first, may move as one move."""
        return rules.is_run([self.counted(card) for card in cards], self.lowest)

    def top_home(self, index: int) -> int | None:
        """Return the card on top of a foundation, None if there is none."""
        height = self.foundations[index]
        return self.home_card(index, height) if height else None

    def tops_home(self, index: int) -> list[int | None]:
        """Return the card on top of each foundation of a suit, None where there is none."""
        return [self.top_home(index)]

    def is_home(self, card: int) -> bool:
        """Return True if the card lies on its foundation."""
        return rank(self.counted(card)) <= self.foundations[suit(card)]

    def is_next_home(self, card: int) -> bool:
        """Return True if the card's foundation takes it next."""
        return rank(self.counted(card)) == self.foundations[suit(card)] + 1

    def ends(self) -> list[tuple[int, Place]]:
        """Return the last card of each column that has one, and where it lies."""
        places = column_places(len(self.columns))
        return [
            (column[-1], place)
            for column, place in zip(self.columns, places, strict=True)
            if column
        ]

    def columns_for(
        self, card: int, source: Place, rules: Rules, ends: Iterable[tuple[int, Place]]
    ) -> list[Place]:
        """Return the columns to which the card may move: those whose last card it may be put on.

        `source` is where the card lies. It is left out: where ranks go round, the first card of a
        whole suit would fit on the last one. `ends` is what `self.ends()` returns.
        """
        takers = rules.takers(card, self.base)
        return [place for end, place in ends if end in takers and place != source]

    def available(self) -> list[tuple[int, Place]]:
        """Return the cards free to move: last of the columns, then those in the freecells."""
        cells = [
            (card, Place("freecell", index))
            for index, card in enumerate(self.freecells)
            if card is not None
        ]
        return self.ends() + cells

    def runs(self, rules: Rules) -> list[tuple[int, Place, int]]:
        """Return all movable runs as (deepest card, where it is, number of cards)."""
        found = [(card, source, 1) for card, source in self.available()]
        if rules.takes_back:
            found += [
                (self.home_card(index, height), Place("foundation", index), 1)
                for index, height in enumerate(self.foundations)
                if height > self.kept(rules)
            ]
        return found + self.longer_runs(rules) if rules.has_runs else found

    def longer_runs(self, rules: Rules) -> list[tuple[int, Place, int]]:
        """Return the movable runs of two cards or more, which lie in columns, as `runs` does."""
        found = []
        places = column_places(len(self.columns))
        for place, cards, down in zip(places, self.columns, self.hidden, strict=True):
            for count in range(2, len(cards) - down + 1):  # the cards on it are a run already
                if cards[-count] not in rules.run_takers(cards[1 - count], self.base):
                    break
                found.append((cards[-count], place, count))
        return found

    def goes_home(self, card: int, count: int, rules: Rules) -> bool:
        """Return True if the foundation takes the moving cards.

        It takes the next card or, by some rules, the rest of a whole suit.
        """
        height = self.foundations[suit(card)]
        if not rules.whole_suits:
            return count == 1 and self.is_next_home(card)
        # The cards are a run, and may still be of several suits.
        return rank(card) == 13 and count == 13 - height and self._is_of_one_suit(card, count)

    def _is_of_one_suit(self, card: int, count: int) -> bool:
        column = next((column for column in self.columns if card in column), (card,))
        return all(suit(other) == suit(card) for other in column[-count:])

    def moves(self, rules: Rules) -> list[Move]:
        """Return all legal moves: of single cards, and of runs where a run is one move.

        Places that differ in nothing count once: a card goes to the first empty freecell and the
        first empty column only. A card alone in its column does not move to an empty column, nor a
        run that is a whole column, nor a card from freecell to freecell.
        """
        cells = [] if rules.reserve else self.freecells
        empty_cell = _first(index for index, card in enumerate(cells) if card is None)
        empty_column = _first(index for index, column in enumerate(self.columns) if not column)
        moves: list[Move] = []
        ends = self.ends()
        for card, source, count in self.runs(rules):
            if self.goes_home(card, count, rules):
                moves.append(Move(card, source, FOUNDATIONS[suit(card)], count=count))
            for place in self.columns_for(card, source, rules, ends):
                moves.append(Move(card, source, place, count=count))
            from_column = source.kind == "column"
            if empty_cell is not None and source.kind != "freecell" and count == 1:
                moves.append(Move(card, source, Place("freecell", empty_cell)))
            alone = from_column and len(self.columns[source.index]) == count
            if empty_column is not None and self.can_fill(card, rules) and not alone:
                moves.append(Move(card, source, Place("column", empty_column), count=count))
        return moves

    def moves_of_stock(self, rules: Rules) -> list[Move]:
        """Return the moves that turn the stock or the waste; only Klondike's kind has some."""
        return []

    def forced(self, rules: Rules, policy: Policy) -> Move | None:
        """Return the safe move to a foundation that must be made, lowest suit first.

        None if there is none.
        """
        safe = [
            (suit(card), card, source)
            for card, source in self.available()
            if is_safe_home(rules, self.counted(card), self.foundations, policy, self.lowest)
        ]
        if not safe:
            return None
        index, card, source = min(safe)
        return Move(card, source, FOUNDATIONS[index], forced=True)

    def successors(self, rules: Rules, policy: Policy) -> list[tuple[Move, Position]]:
        """Return the moves, each with the position after it; if a move is forced, only that one."""
        forced = self.forced(rules, policy)
        moves = self.moves(rules) if forced is None else [forced]
        return [(move, self.apply(move)) for move in moves]

    def card_moved(
        self, source: Place, destination: Place, count: int, named: int | None = None
    ) -> int:
        """Return the card that a move of `count` cards takes from a place: the lowest of them.

        Games of two packs have several foundations of a suit: there it is the `named` card if a
        foundation has it on top, else the highest top card. Only cards of the stock depend on the
        destination: see the kinds of positions. Raises IllegalMoveError if no card lies there.
        """
        kind, index = source
        card: int | None
        if kind == "column" and 0 <= index < len(self.columns):
            column = self.columns[index]
            if column and len(column) < count:
                raise IllegalMoveError(f"{count} cards, there are {len(column)}", str(source))
            card = column[-count] if column else None
        elif kind == "freecell" and 0 <= index < len(self.freecells):
            card = self.freecells[index]
        elif kind == "foundation" and 0 <= index < 4:
            card = self.top_home(index)
        else:
            raise IllegalMoveError("no such place", str(source))
        if card is None:
            raise IllegalMoveError("no card there", str(source))
        return card

    def card_under(self, card: int, destination: Place, count: int) -> int | None:
        """Return the card that moved cards are put on, None if there is none.

        `card` is the lowest of the moved cards, `count` their number.
        """
        kind, index = destination
        if kind == "column" and 0 <= index < len(self.columns):
            return self.columns[index][-1] if self.columns[index] else None
        return self.top_home(suit(card)) if kind == "foundation" else None

    def with_lower_first(self, move: Move) -> Move:
        """Return the move as `moves` lists it: of a pair, the card of the lower number first."""
        return move

    def play(self, move: Move, rules: Rules) -> Position:
        """Return the position after a legal move.

        Raises IllegalMoveError, with the reason, if the rules forbid the move. `moves` lists only
        one of several equal moves, as to the first of two empty columns; the others are legal, too.
        """
        card, source, destination, _, count, _ = move
        if source.kind == "foundation" and not rules.takes_back:
            raise IllegalMoveError("no card leaves a foundation", str(source))
        if source.kind == "foundation" and rank(card) <= self.kept(rules):
            raise IllegalMoveError(f"{card_name(card)} never leaves its foundation", str(source))
        self.check_column(card, destination, rules)
        if destination.kind == "freecell" and rules.reserve:
            raise IllegalMoveError("no card is put into the reserve", str(destination))
        if destination.kind == "foundation" and rules.whole_suits:
            if not self.goes_home(card, count, rules):
                raise IllegalMoveError("no whole suit, expected its cards from the king on")
        elif count != 1:
            self.check_run(move, rules)
            if not rules.has_runs:
                raise IllegalMoveError(f"{count} cards, which move one by one", str(source))
        return self.apply(move)

    def _is_listed(self, move: Move, rules: Rules) -> bool:
        """Return True if `moves` lists the move, which may be marked as forced."""
        return move._replace(forced=False) in self.moves(rules)

    def check_column(self, card: int, destination: Place, rules: Rules) -> None:
        """Raise IllegalMoveError if the destination is a column that does not take the card."""
        if destination.kind != "column" or not 0 <= destination.index < len(self.columns):
            return
        column = self.columns[destination.index]
        if column and not self.can_stack(card, column[-1], rules):
            raise IllegalMoveError(f"{card_name(card)} cannot be put on {card_name(column[-1])}")
        if not column and not self.can_fill(card, rules):
            raise IllegalMoveError(f"{card_name(card)} cannot be put into an empty column")

    def check_run(self, move: Move, rules: Rules) -> None:
        """Raise IllegalMoveError unless the cards are a run, and both places are columns."""
        _, source, destination, _, count, _ = move
        if source.kind != "column" or destination.kind != "column":
            raise IllegalMoveError(f"{count} cards, expected 1 unless from column to column")
        if not 0 <= destination.index < len(self.columns) or source == destination:
            raise IllegalMoveError("no column to move to", str(destination))
        run = self.columns[source.index][-count:]
        whole = all(self.can_stack(upper, lower, rules) for lower, upper in pairwise(run))
        if not whole or (rules.has_runs and not self.is_run(run, rules)):
            raise IllegalMoveError(f"the last {count} cards are no run", str(source))

    def apply(self, move: Move) -> Position:
        """Return the position after the move.

        Raises IllegalMoveError if the card is not free to move there, whatever the rules. Only
        `moves` looks at the rules of laying cards there.
        """
        card, source, destination, _, count, _ = move
        if not self._is_free(card, source, count):
            raise IllegalMoveError(f"{card_name(card)} is not free to move", str(source))
        columns = list(self.columns)
        freecells = list(self.freecells)
        foundations = list(self.foundations)
        taken: tuple[int, ...] = (card,)
        if source.kind == "column":
            taken = columns[source.index][-count:]
            columns[source.index] = columns[source.index][:-count]
        elif source.kind == "foundation":
            foundations[source.index] -= 1
        else:
            freecells[source.index] = None
        # Destinations are looked at as they were before the card left its source.
        index = destination.index
        if destination.kind == "column" and 0 <= index < len(columns) and destination != source:
            columns[index] += taken
        elif (
            destination.kind == "freecell"
            and count == 1
            and 0 <= index < len(freecells)
            and self.freecells[index] is None
        ):
            freecells[index] = card
        elif (
            destination.kind == "foundation"
            and source.kind != "foundation"
            and index == suit(card)
            and foundations[index] == rank(self.counted(taken[-1])) - 1
            and all(other == card - 4 * depth for depth, other in enumerate(taken))
        ):
            foundations[index] += count
        else:
            raise IllegalMoveError(f"{card_name(card)} cannot go there", str(destination))
        hearts, spades, diamonds, clubs = foundations
        home = hearts, spades, diamonds, clubs
        return Position(tuple(columns), tuple(freecells), home, base=self.base)

    def _is_free(self, card: int, source: Place, count: int) -> bool:
        """Return True if nothing lies on the cards that move, the deepest of which is `card`."""
        if source.kind == "foundation":
            height = self.foundations[suit(card)]
            return count == 1 and source.index == suit(card) and height == rank(self.counted(card))
        if source.kind != "column":
            index = source.index
            cells = self.freecells if source.kind == "freecell" else ()
            return count == 1 and 0 <= index < len(cells) and cells[index] == card
        if not 0 <= source.index < len(self.columns):
            return False
        column = self.columns[source.index]
        return 1 <= count <= len(column) and column[-count] == card

    def turned(self) -> Position:
        """Return the position with each card turned into what it counts as.

        All rules hold for it as for any other, with the base as the lowest rank.
        """
        if self.base.rank == self.base.lowest:
            return self
        cells = (None if card is None else self.counted(card) for card in self.freecells)
        return replace(
            self,
            columns=tuple(tuple(map(self.counted, column)) for column in self.columns),
            freecells=tuple(cells),
            base=self.base._replace(rank=self.lowest),
        )

    def canonical(self) -> Hashable:
        """Return a value equal for positions that differ by an order of columns or freecells."""
        columns = tuple(sorted([column for column in self.columns if column]))
        freecells = tuple(sorted([card for card in self.freecells if card is not None]))
        return columns, freecells, self.foundations

    def validate(self, rules: Rules, where: str | None = None) -> None:
        """Raise InputError unless this is 52 different cards in a layout of these rules."""
        check_position(self, rules, where)

    def lying(self) -> list[tuple[int, str]]:
        """Return each card that is not home, and its place in words."""
        lying = [
            (card, str(Place("column", index)))
            for index, column in enumerate(self.columns)
            for card in column
        ]
        lying += [
            (card, str(Place("freecell", index)))
            for index, card in enumerate(self.freecells)
            if card is not None
        ]
        for cards, place in (
            (self.pile or (), PILE),
            (self.stock, STOCK),
            (self.reserve, RESERVE),
            (self.waste, WASTE),
        ):
            lying += [(card, str(place)) for card in cards]
        return lying

    def _repr_svg_(self) -> str | None:
        """Return a picture of the position, which notebooks show."""
        return picture(self)

    def __str__(self) -> str:
        """Return one line for debugging; boards for people are `deals.format_board`."""
        home = " ".join(
            f"{name} {height}" for name, height in zip(SUIT_NAMES, self.foundations, strict=True)
        )
        cells = " ".join("-" if card is None else card_name(card) for card in self.freecells)
        columns = " | ".join(" ".join(map(card_name, column)) for column in self.columns)
        text = f"[{home}] ({cells}) {columns}"
        return text if self.base == ACE else f"{text} base {RANKS[self.base.rank - 1]}"


def _first(indices: Iterable[int]) -> int | None:
    return next(iter(indices), None)
