"""Positions of Klondike and its relatives, and every rule of moving, written to be read.

Beside columns and foundations there is a stock, of which some cards at a time are turned to a
waste; the waste's top card may be played, and when the stock is empty, the waste is turned over to
be the stock again. Cards of columns may lie face down; the top one is turned up at once. The top
card of a foundation may be put back on a column. In some games any cards at the end of a column
that lie face up move as one move. All cards are known to the player, those face down, too.

*Safe moves home.* A card X of rank r on the top of a column goes home at once where that takes
nothing away. Let L be X and all cards that could ever lie on X, or on cards that do. From a
solution that leaves X where it is follows one that takes it home first, and then makes the same
moves, but those of cards of L: such a card goes home the first time it moves, and stays there. It
can: the conditions below say that each card of L is home, or next to go. What is put on other
cards, or into an empty column, is not of L or can go home instead, and columns only get shorter and
cards face down are turned up sooner. Each card of L that is not home has to make one move home
anyway, so the solution is no longer, whether or not turning the stock counts: where a card of L
leaves the waste in one solution, it does in the other.

=============== =========================================================================
columns built   L beside cards of X's own suit up to r, and the condition
=============== =========================================================================
by suit         nothing
by any suits    cards up to r-1 of the suits that may lie on X: foundations r-2 at least
by colour       cards up to r-1 of the same colour: foundation r-2 at least
in alternation  both suits of the other colour up to r-1, the other one of X's own up to
                r-2: foundations r-2 and r-3 at least
=============== =========================================================================

`horne` asks for r-1 in the place of r-2. Where groups of any cards move, a card of L may have
others on it, and cannot go home by itself; so all of L has to be home: foundations r-1, and r-2 of
X's own colour. Cards of the waste do not go home by themselves, as the place in the stock depends
on them.

*Twins.* Let every legal chain of cards move as one run, and let y and z be cards of one rank on
which the same cards may be put. A move of a run from y to z is left out unless y can go home after
it. From a solution with such a move m follows one without, that is no longer. It makes the same
moves, with what lies on y and on z exchanged, from m on until one of the two goes home: a chain
that the first one puts on y, it puts on z, and so on; both take the same cards. What lies below y
and z, and which columns become empty or turn up a card, is the same. A chain never lies on itself,
as ranks fall. When y goes home in the first solution, nothing lies on it there; in the second one a
run may, and nothing on z: that run is moved to z, and y goes home. This move is allowed, and takes
the place of m. Other exchanges, of cards of other ranks, may be under way meanwhile: they do not
meet. With safe moves home the argument is one of induction on the length of a shortest solution:
each reduction leads to a position from which a shorter one is left.

*Automatic fills.* In some games a reserve is one stack of cards, whose last one may be played.
When a move empties a column, that card goes there at once. This is no move, and counts as none. So
no column is empty while the reserve has cards.

*A base that the deal gives.* Foundations may begin with a rank that the deal gives, and go round
from the king to the ace. Ranks are then counted from the base (:mod:`dbmsolver.game.bases`): all
that is said here of ranks is said of these. Either the base is the lowest rank in the columns, too,
so that nothing is put on it, or the last rank goes on it: columns *go round*.

*Safe moves home with a reserve.* The argument holds where X leaves its column empty, and the
reserve's last card R goes there. From then on the column of X holds, in the second solution, the
card that is the last one of the reserve in the first. A move of that card from the reserve is one
from this column, which is filled with the next card. When another column is emptied, and R goes
there in the first solution, the next card does in the second, and the two columns exchange their
names. When the first solution takes X home, which the second did long ago, R comes to where it is
in the second. Where the first has no card left in the reserve, the second has an empty column in
place of X. So the second solution has each card that may be played that the first has, with as many
moves.

*Safe moves home where columns go round.* L then has all cards that may lie on bases in L, of the
last rank, and so on, unless these bases are home. So all suits in L need their base home, and X is
no base itself. Where cards come back from the foundations, bases would, too: then nothing is safe,
unless nothing is put on any card. Ranks that a short deck is without stay home there.

*Twins where columns go round* are not looked at: a run may lie on a card of the rank that it begins
with, or y may lie on z, so that what lies on the two cannot be exchanged.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from dbmsolver.errors import IllegalMoveError, InputError
from dbmsolver.game.cards import card_name, rank, suit
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import FOUNDATIONS, RESERVE, STOCK, WASTE, Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home


@dataclass(frozen=True, slots=True)
class Patience(Position):
    """One arrangement of the cards; an immutable value. Freecells are none."""

    stock: tuple[int, ...] = ()
    """The stock, the card first that is turned next."""
    waste: tuple[int, ...] = ()
    """The waste, the last card on top."""
    hidden: tuple[int, ...] = ()
    """The number of cards of each column, the deepest ones, that lie face down."""
    turns: int | None = None
    """The times the waste may still be turned over; None for any number of times."""
    reserve: tuple[int, ...] = ()
    """A stack of cards, the last of which may be played, and fills the next empty column."""

    has_waste = True

    def without_turn_limit(self) -> Self:
        """Return the position with unlimited passes through the stock."""
        return replace(self, turns=None)

    def kept(self, rules: Rules) -> int:
        """Return the highest rank up to which no card comes back from the foundations; 0 for none.

        The deck has no card of these ranks, or the deal puts the cards of all suits home. Ranks are
        counted from the base.
        """
        return max(self.lowest - 1, rules.kept_rank)

    def available(self) -> list[tuple[int, Place]]:
        """Return the cards that are free to move: last of columns, of the reserve, of the waste."""
        free = self.ends() + [(card, RESERVE) for card in self.reserve[-1:]]
        return free + [(card, WASTE) for card in self.waste[-1:]]

    def runs(self, rules: Rules) -> list[tuple[int, Place, int]]:
        """Return all movable runs as (deepest card, where it is, number of cards)."""
        single = [(card, source, 1) for card, source in self.available()]
        return single + self.longer_runs(rules)

    def moves(self, rules: Rules) -> list[Move]:
        """Return all legal moves, with those of the stock.

        Empty columns differ in nothing: cards go to the first one only, and a whole column does not
        go there.
        """
        moves: list[Move] = []
        ends = self.ends()
        empty = next((index for index, column in enumerate(self.columns) if not column), None)
        for card, source, count in self.runs(rules):
            if count == 1 and self.is_next_home(card):
                moves.append(Move(card, source, FOUNDATIONS[suit(card)]))
            size = len(self.columns[source.index]) if source.kind == "column" else 0
            if not size or rules.is_movable(count, size):
                space = None if size == count else empty
                moves += self._to_columns(card, source, count, rules, space, ends)
        if rules.removable:
            for top in self.returning(rules):
                place = FOUNDATIONS[suit(top)]
                moves += self._to_columns(top, place, 1, rules, empty, ends)
        return moves + self.moves_of_stock(rules)

    def successors(self, rules: Rules, policy: Policy) -> list[tuple[Move, Position]]:
        """Return the moves that a proof looks at, each with the position after it.

        The module says which moves are left out. Where a move is forced, it is the only one.
        """
        forced = self.forced(rules, policy)
        if forced is not None:
            return [(forced, self.apply(forced))]
        moves = (move for move in self.moves(rules) if not self.is_between_twins(move, rules))
        return [(move, self.apply(move)) for move in moves]

    def is_between_twins(self, move: Move, rules: Rules) -> bool:
        """Return True if a move is one from a twin to another that need not be made."""
        if not rules.has_twins or (move.source.kind, move.destination.kind) != ("column",) * 2:
            return False
        under = self.face_up(move.source.index)[: -move.count][-1:]
        if not under or not self.columns[move.destination.index]:
            return False
        stays = self.can_stack(move.card, under[0], rules)
        return stays and not self.is_next_home(under[0])

    def _to_columns(
        self,
        card: int,
        source: Place,
        count: int,
        rules: Rules,
        empty: int | None,
        ends: Sequence[tuple[int, Place]],
    ) -> Iterator[Move]:
        """Yield the moves of a run, whose deepest card is `card`, to columns that take it.

        `ends` are the last cards of all columns. `empty` is an empty column, None if there is none
        or the run does not go there.
        """
        for place in self.columns_for(card, source, rules, ends):
            yield Move(card, source, place, count=count)
        if empty is None:
            return
        if self.can_fill(card, rules) or (rules.fill == "waste" and source == WASTE):
            yield Move(card, source, Place("column", empty), count=count)

    def moves_of_stock(self, rules: Rules) -> list[Move]:
        """Return the move that turns cards of the stock, or the waste: at most one."""
        if self.stock:
            count = min(rules.draw, len(self.stock))
            return [Move(self.stock[count - 1], STOCK, WASTE, count=count)]
        if self.waste and self.turns != 0:
            return [Move(self.waste[-1], WASTE, STOCK, count=len(self.waste))]
        return []

    def forced(self, rules: Rules, policy: Policy) -> Move | None:
        """Return the safe move to a foundation that must be made, lowest suit first.

        None if there is none.
        """
        safe = [
            (suit(card), card, place)
            for card, place in self.ends()
            if is_safe_home(rules, self.counted(card), self.foundations, policy, self.lowest)
        ]
        if not safe:
            return None
        index, card, source = min(safe)
        return Move(card, source, FOUNDATIONS[index], forced=True)

    def card_moved(
        self, source: Place, destination: Place, count: int, named: int | None = None
    ) -> int:
        """Return the card that a move takes from a place: the lowest, of the stock the last one.

        The last card that is turned comes to lie on top of the waste.
        """
        kind, index = source
        if kind not in ("stock", "waste", "foundation", "reserve"):
            return Position.card_moved(self, source, destination, count, named)
        if kind == "foundation":
            top = self.top_home(index) if 0 <= index < 4 else None
            cards: tuple[int, ...] = () if top is None else (top,)
        elif kind == "reserve":
            cards = self.reserve[-1:] if count == 1 else ()
        else:
            cards = self.stock[:count] if kind == "stock" else self.waste[-count:]
            cards = cards if len(cards) == count else ()
        if not cards:
            raise IllegalMoveError("no card there", str(source))
        return cards[-1]

    def play(self, move: Move, rules: Rules) -> Position:
        """Return the position after a legal move; IllegalMoveError if the rules forbid it."""
        after = self.apply(move)
        kind, index = move.destination
        if kind == "column" and not self.columns[index]:
            first = next(i for i, column in enumerate(self.columns) if not column)
            move = move._replace(destination=Place("column", first))
        if not self._is_listed(move, rules):
            text = f"{card_name(move.card)} cannot be put there"
            raise IllegalMoveError(text, str(Place(kind, index)))
        return after

    def apply(self, move: Move) -> Patience:
        """Return the position after the move.

        Raises IllegalMoveError if the card is not free to move there, whatever the rules. Only
        `moves` looks at the rules of laying cards there.
        """
        if move.source == STOCK or move.destination == STOCK:
            return self._turn(move)
        card, source, destination, _, count, _ = move
        columns, waste, reserve = list(self.columns), self.waste, self.reserve
        foundations = list(self.foundations)
        taken: tuple[int, ...] = (card,)
        if source.kind == "column" and self._is_free(card, source, count):
            taken = columns[source.index][-count:]
            columns[source.index] = columns[source.index][:-count]
        elif source == WASTE and count == 1 and waste[-1:] == (card,):
            waste = waste[:-1]
        elif source == RESERVE and count == 1 and reserve[-1:] == (card,):
            reserve = reserve[:-1]
        elif self._is_home(card, source) and count == 1 and destination.kind == "column":
            foundations[suit(card)] -= 1
        else:
            raise IllegalMoveError(f"{card_name(card)} is not free to move", str(source))
        index = destination.index
        if destination.kind == "column" and 0 <= index < len(columns) and destination != source:
            columns[index] += taken
        elif (
            destination.kind == "foundation"
            and count == 1
            and index == suit(card)
            and self.is_next_home(card)
        ):
            foundations[index] += 1
        else:
            raise IllegalMoveError(f"{card_name(card)} cannot go there", str(destination))
        hearts, spades, diamonds, clubs = foundations
        hidden = self.hidden
        if source.kind == "column":
            place = source.index
            if not columns[place] and reserve:
                columns[place] = reserve[-1:]
                reserve = reserve[:-1]
            # The top card is turned up at once.
            down = min(hidden[place], max(0, len(columns[place]) - 1))
            hidden = (*hidden[:place], down, *hidden[place + 1 :])
        home = hearts, spades, diamonds, clubs
        # `replace` would take twice as long, and slow searches apply millions of moves.
        return Patience(
            tuple(columns), self.freecells, home, self.base,
            self.stock, waste, hidden, self.turns, reserve,
        )  # fmt: skip

    def _turn(self, move: Move) -> Self:
        """Return the position after cards of the stock, or the waste, were turned."""
        card, source, destination, _, count, _ = move
        if (source, destination) == (STOCK, WASTE):
            turned = self.stock[:count]
            if count < 1 or len(turned) != count or turned[-1] != card:
                raise IllegalMoveError(f"{count} cards of the stock, it has {len(self.stock)}")
            return replace(self, stock=self.stock[count:], waste=self.waste + turned)
        if (source, destination) == (WASTE, STOCK):
            wrong = self.stock or count != len(self.waste) or self.waste[-1:] != (card,)
            if wrong or self.turns == 0:
                raise IllegalMoveError("the waste cannot be turned over", str(source))
            turns = None if self.turns is None else self.turns - 1
            return replace(self, stock=self.waste, waste=(), turns=turns)
        raise IllegalMoveError(f"{card_name(card)} cannot go there", str(destination))

    def _is_home(self, card: int, source: Place) -> bool:
        """Return True if ``source`` is the card's foundation, and the card lies on top there."""
        top = self.top_home(suit(card))
        in_deck = rank(card) >= self.lowest
        return source == FOUNDATIONS[suit(card)] and top == card and in_deck

    def _is_free(self, card: int, source: Place, count: int) -> bool:
        """Return True if `count` cards lie face up at the end of a column, `card` the deepest."""
        if not 0 <= source.index < len(self.columns) or count < 1:
            return False
        cards = self.face_up(source.index)
        return count <= len(cards) and cards[-count] == card

    def canonical(self) -> Hashable:
        """Return a value that is equal for positions that differ only in the order of columns."""
        columns = sorted([pair for pair in zip(self.columns, self.hidden, strict=True) if pair[0]])
        rest = self.foundations, self.stock, self.waste, self.turns
        if self.reserve:
            rest = (*rest, self.reserve)  # type: ignore[assignment]
        return (tuple(columns), *rest)

    def validate(self, rules: Rules, where: str | None = None) -> None:
        """Raise InputError unless this is 52 different cards in a layout of these rules."""
        if len(self.hidden) != len(self.columns):
            raise InputError(f"{len(self.hidden)} columns with cards face down", where)
        for number, (down, column) in enumerate(zip(self.hidden, self.columns, strict=True), 1):
            if not 0 <= down <= max(0, len(column) - 1):
                text = f"column {number}: {down} of {len(column)} cards face down"
                raise InputError(f"{text}, expected its last card face up", where)
        self._validate_reserve(rules, where)
        if (self.waste or self.stock) and not rules.draw:
            raise InputError("a stock or a waste, expected none", where)
        if len(self.waste) + len(self.stock) > rules.stock:
            text = f"{len(self.waste) + len(self.stock)} cards in stock and waste"
            raise InputError(f"{text}, expected at most {rules.stock}", where)
        most = rules.turns
        if (self.turns is None) != (most is None) or not 0 <= (self.turns or 0) <= (most or 0):
            given = "any number of" if self.turns is None else self.turns
            expected = "any number" if most is None else f"at most {most}"
            raise InputError(f"{given} turns of the waste, expected {expected}", where)
        Position.validate(self, rules, where)

    def _validate_reserve(self, rules: Rules, where: str | None) -> None:
        """Raise InputError unless the reserve is such as the rules have."""
        if len(self.reserve) > rules.stacked:
            text = f"{len(self.reserve)} cards in the reserve, expected at most {rules.stacked}"
            raise InputError(text, where)
        if self.reserve and not all(self.columns):
            raise InputError(
                "an empty column beside a reserve that fills it, expected no empty column", where
            )

    def __str__(self) -> str:
        """Return one line for debugging; boards for people are `deals.format_board`."""
        waste, stock = (" ".join(map(card_name, cards)) for cards in (self.waste, self.stock))
        text = f"{Position.__str__(self)} waste [{waste}] stock [{stock}] face down {self.hidden}"
        if self.reserve:
            text += f" reserve [{' '.join(map(card_name, self.reserve))}]"
        return text


def counts_as_play(move: Move) -> bool:
    """Return True if a card moves, not the stock or the whole waste."""
    return STOCK not in (move.source, move.destination)


def turns_over(move: Move) -> bool:
    """Return True if a move turns the whole waste over to be the stock again."""
    return move.destination == STOCK
