"""Positions of Spider, Gypsy, Forty Thieves and their kin, and every rule of moving, to be read.

The deck has packs of suits, so cards may be alike: they have one number, and nothing tells them
apart. Each suit has as many foundations as packs. Which of two foundations of one height a card
goes to makes no difference, so a suit's heights are kept in descending order.

The stock is dealt onto the columns, one card onto each from the first one on, as long as there are
cards; by some rules only if no column is empty. Or it is turned to a waste, once through. Cards of
columns may lie face down; the top one is turned up at once. All cards are known to the player.

Cards go home one by one, from the ace up, or as a whole suit from the king down to the lowest rank,
the end of a column, in one move. No move is made by itself.

Columns differ as long as the stock is dealt onto them: positions are the same if an exchange of
columns that get the same cards makes one the other. :meth:`Wide.canonical_for` says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace

from dbmsolver.errors import IllegalMoveError, InputError
from dbmsolver.game.cards import CARDS, SUIT_NAMES, SUITS, card_name, rank, suit
from dbmsolver.game.kinds import Policy
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.moves import COLUMNS, STOCK, WASTE, Move, Place
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Home, Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.validity import NAMED_AT_MOST


@dataclass(frozen=True, slots=True)
class Wide(Patience):
    """An immutable position. ``foundations`` are the ranks missing from the deck."""

    names_empty_foundations = False

    home: Home = ((), (), (), ())
    """The heights of the foundations of each suit, highest first: 13 for a complete one."""

    def is_goal(self) -> bool:
        """Return True if all cards are home."""
        return not self.left

    @property
    def left(self) -> int:
        """The number of cards that are not home."""
        return sum(13 - height for heights in self.home for height in heights)

    @property
    def lowest(self) -> int:
        """The lowest rank of the deck."""
        return 1 + min(self.foundations)

    def top_home(self, index: int) -> int | None:
        """Return the card on the highest foundation of a suit; None if none has one."""
        height = max(self.home[index], default=0)
        return 4 * (height - 1) + index if height else None

    def tops_home(self, index: int) -> list[int | None]:
        """Return the card on top of each foundation of a suit, None where there is none."""
        return [4 * (height - 1) + index if height else None for height in self.home[index]]

    def is_home(self, card: int) -> bool:
        """Return True if all cards like this one are home."""
        return rank(card) <= min(self.home[suit(card)], default=0)

    def is_next_home(self, card: int) -> bool:
        """Return True if a foundation of the card's suit takes it next."""
        return rank(card) - 1 in self.home[suit(card)]

    def moves(self, rules: Rules) -> list[Move]:
        """Return all legal moves, with that of the stock."""
        moves: list[Move] = []
        for card, source, count in self.runs(rules):
            if self._goes_home_from(card, source, count, rules):
                moves.append(Move(card, source, Place("foundation", suit(card)), count=count))
            moves += self._onto_columns(card, source, count, rules)
        if rules.removable:
            for index, heights in enumerate(self.home):
                for height in sorted(set(heights)):
                    if height >= self.lowest:
                        card = 4 * (height - 1) + index
                        moves += self._onto_columns(card, Place("foundation", index), 1, rules)
        return moves + self.moves_of_stock(rules)

    def _goes_home_from(self, card: int, source: Place, count: int, rules: Rules) -> bool:
        if not rules.whole_suits:
            return count == 1 and self.is_next_home(card)
        if source.kind != "column" or rank(card) != 13 or count != 14 - self.lowest:
            return False
        column = self.columns[source.index][-count:]
        return column == tuple(card - 4 * depth for depth in range(count))

    def _onto_columns(self, card: int, source: Place, count: int, rules: Rules) -> Iterator[Move]:
        for index, column in enumerate(self.columns):
            place = Place("column", index)
            if place == source:
                continue
            if self.can_stack(card, column[-1], rules) if column else self.can_fill(card, rules):
                yield Move(card, source, place, count=count)

    def moves_of_stock(self, rules: Rules) -> list[Move]:
        """Return the move that deals a row, or turns cards of the stock: at most one."""
        if not self.stock:
            return []
        if rules.draw:
            count = min(rules.draw, len(self.stock))
            return [Move(self.stock[count - 1], STOCK, WASTE, count=count)]
        if rules.row_deals == "full-rows" and not all(self.columns):
            return []
        count = min(len(self.columns), len(self.stock))
        return [Move(self.stock[0], STOCK, COLUMNS, count=count)]

    def successors(self, rules: Rules, policy: Policy) -> list[tuple[Move, Position]]:
        """Return the moves, each with the position after it."""
        return [(move, self.apply(move)) for move in self.moves(rules)]

    def forced(self, rules: Rules, policy: Policy) -> Move | None:
        """Return None: no move is forced."""
        return None

    def card_moved(
        self, source: Place, destination: Place, count: int, named: int | None = None
    ) -> int:
        """Return the card that a move takes from a place: of a row that is dealt, the first one."""
        kind, index = source
        if kind == "stock" and destination == COLUMNS:
            cards = self.stock[:count] if len(self.stock) >= count else ()
        elif kind == "foundation":
            tops = self.tops_home(index) if 0 <= index < 4 else []
            cards = tuple(top for top in tops if top is not None)
            cards = (named,) if named in cards else cards
        else:
            return Patience.card_moved(self, source, destination, count, named)
        if not cards:
            raise IllegalMoveError("no card there", str(source))
        return cards[0]

    def card_under(self, card: int, destination: Place, count: int) -> int | None:
        """Return the card that moved cards are put on; on a foundation, the next lower one."""
        if destination.kind == "foundation":
            return card - 4 * count if card >= 4 * count else None
        return Patience.card_under(self, card, destination, count)

    def play(self, move: Move, rules: Rules) -> Position:
        """Return the position after a legal move; IllegalMoveError if the rules forbid it."""
        after = self.apply(move)
        if not self._is_listed(move, rules):
            raise IllegalMoveError(f"{card_name(move.card)} cannot go there", str(move.destination))
        return after

    def apply(self, move: Move) -> Wide:
        """Return the position after the move.

        Raises IllegalMoveError if the card is not free to move there, whatever the rules. Only
        `moves` looks at the rules of laying cards there.
        """
        if move.source == STOCK:
            return self._from_stock(move)
        card, source, destination, _, count, _ = move
        columns, waste = list(self.columns), self.waste
        home = [list(heights) for heights in self.home]
        taken: tuple[int, ...] = (card,)
        if source.kind == "column" and self._is_free(card, source, count):
            taken = columns[source.index][-count:]
            columns[source.index] = columns[source.index][:-count]
        elif source == WASTE and count == 1 and waste[-1:] == (card,):
            waste = waste[:-1]
        elif (
            source == Place("foundation", suit(card))
            and count == 1
            and destination.kind == "column"
            and rank(card) >= self.lowest
            and rank(card) in home[suit(card)]
        ):
            home[suit(card)].remove(rank(card))
            home[suit(card)].append(rank(card) - 1)
        else:
            raise IllegalMoveError(f"{card_name(card)} is not free to move", str(source))
        index = destination.index
        if destination.kind == "column" and 0 <= index < len(columns) and destination != source:
            columns[index] += taken
        elif destination == Place("foundation", suit(card)) and self._are_next_home(taken):
            low = rank(taken[-1]) - 1
            home[index].remove(low)
            home[index].append(low + count)
        else:
            raise IllegalMoveError(f"{card_name(card)} cannot go there", str(destination))
        return replace(
            self,
            columns=tuple(columns),
            waste=waste,
            home=tuple(tuple(sorted(heights, reverse=True)) for heights in home),
            hidden=tuple(
                # The top card is turned up at once.
                min(down, max(0, len(column) - 1))
                for down, column in zip(self.hidden, columns, strict=True)
            ),
        )

    def _are_next_home(self, taken: tuple[int, ...]) -> bool:
        """Return True if these cards are of one suit, the last of which goes home next."""
        down = all(card == taken[0] - 4 * depth for depth, card in enumerate(taken))
        return down and self.is_next_home(taken[-1])

    def _from_stock(self, move: Move) -> Wide:
        """Return the position after a row was dealt, or cards were turned to the waste."""
        card, _, destination, _, count, _ = move
        taken, rest = self.stock[:count], self.stock[count:]
        known = count >= 1 and len(taken) == count
        if destination == WASTE and known and taken[-1] == card:
            return replace(self, stock=rest, waste=self.waste + taken)
        row = count == min(len(self.columns), len(self.stock))
        if destination != COLUMNS or not known or not row or taken[0] != card:
            raise IllegalMoveError(f"{count} cards of the stock, it has {len(self.stock)}")
        columns = tuple(
            column + taken[index : index + 1] for index, column in enumerate(self.columns)
        )
        return replace(self, stock=rest, columns=columns)

    def _future(self, index: int) -> tuple[int, ...]:
        """Return the cards that are still dealt onto a column."""
        return self.stock[index :: len(self.columns)]

    def canonical_for(self, rules: Rules) -> Hashable:
        """Return a value that two positions share if, and only if, the rules treat them as one."""
        dealt = rules.row_deals != "none"
        columns = sorted(
            (self._future(index) if dealt else (), down, column)
            for index, (column, down) in enumerate(zip(self.columns, self.hidden, strict=True))
        )
        return tuple(columns), len(self.stock), self.waste, self.home

    def canonical(self) -> Hashable:
        """Return a value that is equal for positions that are the same, columns in their order."""
        return self.columns, self.hidden, self.stock, self.waste, self.home

    def validate(self, rules: Rules, where: str | None = None) -> None:
        """Raise InputError unless these are the cards of the deck in a layout of these rules."""
        if len(self.columns) != rules.columns or len(self.hidden) != rules.columns:
            raise InputError(f"{len(self.columns)} columns, expected {rules.columns}", where)
        for number, (down, column) in enumerate(zip(self.hidden, self.columns, strict=True), 1):
            if not 0 <= down <= max(0, len(column) - 1):
                text = f"column {number}: {down} of {len(column)} cards face down"
                raise InputError(f"{text}, expected its last card face up", where)
        held = len(self.stock) + len(self.waste)
        if held > rules.stock:
            text = f"{held} cards in stock and waste, expected at most {rules.stock}"
            raise InputError(text, where)
        if self.waste and not rules.draw:
            raise InputError("a waste, expected none", where)
        self._check_home(rules, where)
        self._check_deck(rules, where)

    def _check_home(self, rules: Rules, where: str | None) -> None:
        """Raise InputError unless the foundations are such as the rules have."""
        if len(set(self.foundations)) > 1 or tuple(map(len, self.home)) != rules.suit_packs:
            raise InputError("other foundations than the deck has", where)
        for index, heights in enumerate(self.home):
            for height in heights:
                whole = height in (self.lowest - 1, 13)
                if not (self.lowest - 1 <= height <= 13 and (whole or not rules.whole_suits)):
                    text = f"a foundation of {SUITS[index]} with {height} cards"
                    raise InputError(f"{text}, expected none, or a whole suit", where)

    def _check_deck(self, rules: Rules, where: str | None) -> None:
        """Raise InputError unless these are the cards of the deck."""
        found = Counter(card for card, _ in self.lying())
        for index, heights in enumerate(self.home):
            found.update(4 * r + index for height in heights for r in range(height))
        deck = Counter(rules.deck)
        for card in sorted(found):
            if not 0 <= card < CARDS:
                raise InputError(f"unknown card {card}, expected 0 to 51", where)
            if found[card] > deck[card]:
                text = f"{card_name(card)} {found[card]} times"
                raise InputError(f"{text}, expected {deck[card]} in the deck", where)
        missing = [card_name(card) for card in sorted((deck - found).elements())]
        if missing:
            names = " ".join(missing[:NAMED_AT_MOST])
            if len(missing) > NAMED_AT_MOST:
                names += f" and {len(missing) - NAMED_AT_MOST} more"
            cards = "missing card" if len(missing) == 1 else "missing cards"
            raise InputError(f"{cards} {names}, expected all {sum(deck.values())}", where)

    def __str__(self) -> str:
        """Return one line for debugging; boards for people are `deals.format_board`."""
        home = " ".join(f"{SUITS[s]}{height}" for s, h in enumerate(self.home) for height in h)
        stock, waste = (" ".join(map(card_name, cards)) for cards in (self.stock, self.waste))
        columns = " | ".join(" ".join(map(card_name, column)) for column in self.columns)
        return f"[{home}] stock [{stock}] waste [{waste}] {columns} face down {self.hidden}"


def with_heights(rules: Rules, told: Iterable[tuple[int, int]], where: str | None) -> Home:
    """Return foundations by the suits and heights that a board tells; others are empty.

    InputError if there are more of a suit than the deck has packs.
    """
    found: list[list[int]] = [[], [], [], []]
    for index, height in told:
        found[index].append(height)
    least = min(layout_of(rules.layout).heights)
    for index, (heights, packs) in enumerate(zip(found, rules.suit_packs, strict=True)):
        if len(heights) > packs:
            text = f"{len(heights)} foundations of {SUIT_NAMES[index]}"
            raise InputError(f"{text}, expected at most {packs}", where)
        heights += [least] * (packs - len(heights))
    return tuple(tuple(sorted(heights, reverse=True)) for heights in found)


def home_of(rules: Rules, height: int) -> Home:
    """Return foundations all of one height."""
    return tuple((height,) * count for count in rules.suit_packs)
