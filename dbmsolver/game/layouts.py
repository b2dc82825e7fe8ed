"""Layouts of numbered deals that are not simply dealt card after card to the columns in turn.

A layout is text, as rules are kept in stores with it: parts in this order, with "; " between them.

=================  ================================================================================
`home A 2H`        these cards are on the foundations when the game begins, not in the deck; a rank
                   without a suit is all four cards
`pile AS`          these cards are on the pile when the game begins, not in the deck
`first 2C 2S`      these cards are dealt first, in this order
`backwards`        rows are dealt from the last column to the first
`diagonal`         each row begins one column further to the right than the one before
`pyramid`          each row has one card more than the one before, and begins with the first column
`columns 1 3/2 4`  the columns, deepest card first, by the order in which cards come from the deck
`auto`             a card that fits on its foundation goes there, and its column gets none for it
`cells 1 3`        the freecells that the last cards of the deck go to; otherwise the first ones
`turned 1`         this number of cards goes to the pile or the waste after those for the columns
`hidden 0 1 2`     these numbers of cards of each column, the deepest ones, lie face down
`base 1`           that card, by the order in which cards come from the deck, goes to its foundation
`bases 3`          the first three cards of the rank of the first card go to their foundations, and
                   the others of it are dealt before all other cards
`reserve 2 3`      these cards, counted in the same way, go to the reserve, deepest card first; the
                   rest of the deck, without these and the base, counts from 1 again
=================  ================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from dbmsolver.errors import DbmError, UsageError, quoted
from dbmsolver.game.cards import CARDS, RANKS, card_name, parse_card, rank, suit

Order = Literal["turn", "backwards", "diagonal", "pyramid"]
Heights = tuple[int, int, int, int]

_ORDER = (
    "home",
    "pile",
    "first",
    "backwards",
    "diagonal",
    "pyramid",
    "columns",
    "auto",
    "cells",
    "turned",
    "hidden",
    "base",
    "bases",
    "reserve",
)
EXPECTED = f"{', '.join(_ORDER)}, in this order"


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout's parts; see the module."""

    home: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    order: Order = "turn"
    columns: tuple[tuple[int, ...], ...] = ()
    """Numbers from 1; empty unless every column is given by itself."""
    auto: bool = False
    cells: tuple[int, ...] = ()
    """Freecells from 0; empty for the first ones."""
    pile: tuple[int, ...] = ()
    turned: int = 0
    hidden: tuple[int, ...] = ()
    base: int = 0
    """The number of the card that is the base, 0 for none."""
    bases: int = 0
    """The cards of the first card's rank that go to their foundations; 0 where `base` says it."""
    reserve: tuple[int, ...] = ()

    @property
    def has_pile(self) -> bool:
        """True if it deals cards to a pile."""
        return bool(self.pile or self.turned)

    @property
    def heights(self) -> Heights:
        """The foundations' heights when the game begins; UsageError if `home` leaves gaps."""
        heights = [0, 0, 0, 0]
        for card in sorted(self.home):
            if heights[suit(card)] != rank(card) - 1:
                text = f"{card_name(card)} home without the card below it, or twice"
                raise UsageError(f"{text}, expected foundations without gaps")
            heights[suit(card)] += 1
        hearts, spades, diamonds, clubs = heights
        return hearts, spades, diamonds, clubs

    def check(
        self,
        columns: int,
        freecells: int,
        filled: int,
        stock: int = 0,
        apart: int = 0,
        deck: Sequence[int] = range(CARDS),
    ) -> None:
        """Raise UsageError if it does not fit these numbers of columns and cells.

        `filled` cells get a card by the deal. `stock` cards are left in the stock; `apart` are the
        base, if there is one, and those of a reserve that is one stack. Every card of the deck has
        to get a place, and only one.
        """
        _ = self.heights
        named = [*self.home, *self.pile, *self.first]
        if len(set(named)) != len(named):
            raise UsageError("a card is named twice in the layout, expected each card once")
        if self.cells and (
            len(set(self.cells)) != len(self.cells)
            or len(self.cells) != filled
            or max(self.cells) >= freecells
        ):
            text = f"the layout fills the freecells {_numbers(self.cells)}"
            raise UsageError(f"{text}, expected {filled} of {freecells}")
        self._check_apart(apart)
        dealt = sum(card not in self.home for card in deck)
        cards = dealt - len(self.pile) - filled - self.turned - stock - apart
        if cards < 0 and not filled:
            raise UsageError(f"{-cards} cards too few for pile and stock, expected a smaller stock")
        if cards < 0:
            text = f"the deal fills {filled} freecells, but has {cards + filled} cards"
            raise UsageError(f"{text}, expected as many at least")
        if self.columns:
            numbers = sorted(number for column in self.columns for number in column)
            if len(self.columns) != columns:
                text = f"the deal names {len(self.columns)} of the columns one by one"
                raise UsageError(f"{text}, expected {columns}")
            if numbers != list(range(1, cards + 1)):
                raise UsageError(
                    f"the deal's columns do not take each of the cards 1 to {cards} once"
                )
        if self.hidden and len(self.hidden) != columns:
            text = f"{len(self.hidden)} columns have cards face down"
            raise UsageError(f"{text}, expected {columns}")
        if self.order == "diagonal" and cards > columns * (columns + 1) // 2:
            text = f"{cards} cards cannot be dealt diagonally to {columns} columns"
            raise UsageError(f"{text}, expected more columns")
        if self.order == "pyramid" and cards != columns * (columns + 1) // 2:
            text = f"{cards} cards for a pyramid of {columns} rows"
            raise UsageError(f"{text}, expected {columns * (columns + 1) // 2}")

    def _check_apart(self, apart: int) -> None:
        """Raise UsageError unless base and reserve are `apart` different cards of the deck."""
        numbers = [*self.reserve, *[self.base] * bool(self.base)]
        deck = CARDS - len(self.home)
        given = len(set(numbers)) + self.bases
        if len(numbers) + self.bases != apart or given != apart:
            text = f"the deal puts {given} cards on a foundation and into the reserve"
            raise UsageError(f"{text}, expected {apart}")
        if self.bases > 4 or (self.bases and (self.base or self.reserve or self.first)):
            raise UsageError(
                f"{self.bases} cards of the rank of the first card go to foundations: expected at "
                f"most 4, and no other base, reserve or cards dealt first"
            )
        if (self.base or self.bases) and len(set(self.heights)) > 1:
            raise UsageError(
                "a rank is home in part, and the deal gives a base: expected whole ranks"
            )
        if any(not 1 <= number <= deck for number in numbers):
            raise UsageError(
                f"the deck has cards 1 to {deck}, expected base and reserve among them"
            )

    def taken_apart(self, deck: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
        """Return the cards that are the base, the reserve, and the others of a shuffled deck."""
        cards = [card for card in deck if card not in self.home]
        if self.bases:
            same = [card for card in cards if rank(card) == rank(cards[0])]
            others = [card for card in cards if rank(card) != rank(cards[0])]
            return same[: self.bases], [], same[self.bases :] + others
        base = [cards[self.base - 1]] if self.base else []
        reserve = [cards[number - 1] for number in self.reserve]
        return base, reserve, [card for card in cards if card not in (*base, *reserve)]

    def fills(self, columns: int, left: int) -> bool:
        """Return True if each of `columns` columns gets a card while `left` stay for the stock."""
        _, _, rest = self.taken_apart(range(CARDS))
        laid, _, _ = self.arrange(rest, columns, left)
        return all(laid)

    def arrange(
        self, deck: Sequence[int], columns: int, filled: int
    ) -> tuple[list[list[int]], list[int], Heights]:
        """Return columns, the `filled` cards left for other places, and heights, of a deck.

        The deck is shuffled.
        """
        named = {*self.home, *self.pile, *self.first}
        cards = [*self.first, *(card for card in deck if card not in named)]
        end = len(cards) - filled
        if self.columns:
            taken = [[cards[number - 1] for number in column] for column in self.columns]
            return taken, cards[end:], self.heights
        heights = list(self.heights)
        laid: list[list[int]] = [[] for _ in range(columns)]
        for index, card in zip(self._places(columns, end), cards[:end], strict=True):
            if self.auto and heights[suit(card)] == rank(card) - 1:
                heights[suit(card)] += 1
            else:
                laid[index].append(card)
        hearts, spades, diamonds, clubs = heights
        return laid, cards[end:], (hearts, spades, diamonds, clubs)

    def _places(self, columns: int, cards: int) -> list[int]:
        """Return the column of each card, row after row."""
        places: list[int] = []
        start = end = 0
        while len(places) < cards:
            end += 1
            row = list(range(start, end if self.order == "pyramid" else columns))
            places += row[::-1] if self.order == "backwards" else row
            start += self.order == "diagonal"
        return places[:cards]

    def with_cells(self, filled: int, freecells: int) -> Layout:
        """Return a layout for another number of cells: the first are filled if those do not fit."""
        fits = len(self.cells) == filled and max(self.cells, default=0) < freecells
        return self if fits else replace(self, cells=())

    def __str__(self) -> str:
        parts = []
        if self.home:
            parts.append("home " + _home(self.home))
        if self.pile:
            parts.append("pile " + _names(self.pile))
        if self.first:
            parts.append("first " + _names(self.first))
        if self.order != "turn":
            parts.append(self.order)
        if self.columns:
            parts.append("columns " + "/".join(" ".join(map(str, c)) for c in self.columns))
        if self.auto:
            parts.append("auto")
        if self.cells:
            parts.append("cells " + _numbers(self.cells))
        if self.turned:
            parts.append(f"turned {self.turned}")
        if self.hidden:
            parts.append("hidden " + " ".join(map(str, self.hidden)))
        if self.base:
            parts.append(f"base {self.base}")
        if self.bases:
            parts.append(f"bases {self.bases}")
        if self.reserve:
            parts.append("reserve " + " ".join(map(str, self.reserve)))
        return "; ".join(parts)

    def words(self, columns: int) -> list[str]:
        """Return the layout in words: one phrase for each part but the freecells."""
        parts = []
        if self.home:
            parts.append(f"{_cards(self.home)} home at the start")
        if self.base:
            parts.append(f"card {self.base} to its foundation")
        if self.bases:
            text = "the first card" if self.bases == 1 else f"the first {self.bases} cards"
            parts.append(f"{text} of its first card's rank home, the others of it dealt first")
        if self.reserve:
            parts.append(f"{len(self.reserve)} cards to the reserve")
        if self.pile:
            parts.append(f"{_cards(self.pile)} on the pile at the start")
        if self.first:
            how = "in a place of its own" if self.columns else "dealt first"
            parts.append(f"{_cards(self.first)} {how}")
        if self.columns:
            lengths = ", ".join(str(len(column)) for column in self.columns)
            parts.append(f"dealt to columns of {lengths} cards")
        elif self.order == "pyramid":
            parts.append(f"dealt row by row to a pyramid of {columns} rows")
        elif self.order == "diagonal":
            parts.append(f"dealt to {columns} columns, each row one column shorter at the left")
        elif self.order == "backwards":
            parts.append(f"dealt to {columns} columns in turn, from right to left")
        else:
            parts.append(f"dealt to {columns} columns in turn")
        if self.auto:
            parts.append("cards that fit go home as they are dealt")
        if self.turned:
            parts.append("the next card" if self.turned == 1 else f"the next {self.turned} cards")
            parts[-1] += " to the waste" if self.order == "pyramid" else " to the pile"
        if self.hidden:
            parts.append(f"{sum(self.hidden)} cards face down")
        return parts


def _cards(cards: tuple[int, ...]) -> str:
    """Return cards in words, a whole rank by its name: `aces`, `twos and aces`, `AH, AS`."""
    names = ("aces", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines",
             "tens", "jacks", "queens", "kings")  # fmt: skip
    ranks = list(dict.fromkeys(rank(card) for card in cards))
    if len(set(cards)) == 4 * len(ranks):
        if len(ranks) > 2 and ranks == list(range(ranks[0], ranks[-1] + 1)):
            return f"{names[ranks[0] - 1]} to {names[ranks[-1] - 1]}"
        return " and ".join(names[r - 1] for r in ranks)
    return " ".join(map(card_name, cards))


def _home(cards: Sequence[int]) -> str:
    """Return cards by their names, lowest first, a whole rank by its letter."""
    names = []
    for r in range(1, 14):
        some = [card for card in sorted(cards) if rank(card) == r]
        names += [RANKS[r - 1]] if len(some) == 4 else list(map(card_name, some))
    return " ".join(names)


def _names(cards: Sequence[int]) -> str:
    return " ".join(map(card_name, cards))


def _numbers(cells: Sequence[int]) -> str:
    return " ".join(str(cell + 1) for cell in cells)


@cache
def layout_of(text: str) -> Layout:
    """Read a layout; UsageError, in one line, if the text is none. "" is the plain one."""
    found = Layout()
    last = -1
    for part in text.split("; ") if text else ():
        word, _, rest = part.partition(" ")
        if word not in _ORDER or _ORDER.index(word) <= last:
            raise UsageError(f"layout {quoted(text, 60)}: {quoted(part)}, expected {EXPECTED}")
        last = _ORDER.index(word)
        try:
            found = _with(found, word, rest)
        except (ValueError, DbmError) as error:
            raise UsageError(f"layout {quoted(text, 60)}: {quoted(part)} ({error})") from None
    if str(found) != text:
        raise UsageError(f"layout {quoted(text, 60)}, expected {quoted(str(found), 60)}")
    return found


def _with(layout: Layout, word: str, rest: str) -> Layout:
    if word == "home":
        home = tuple(
            card
            for name in rest.split()
            for card in (
                [4 * RANKS.index(name) + s for s in range(4)]
                if name in RANKS
                else [parse_card(name)]
            )
        )
        return replace(layout, home=home)
    if word == "pile":
        return replace(layout, pile=tuple(map(parse_card, rest.split())))
    if word == "first":
        return replace(layout, first=tuple(map(parse_card, rest.split())))
    if word == "backwards":
        return replace(layout, order="backwards")
    if word == "diagonal":
        return replace(layout, order="diagonal")
    if word == "pyramid":
        return replace(layout, order="pyramid")
    if word == "columns":
        columns = tuple(tuple(map(int, column.split())) for column in rest.split("/"))
        return replace(layout, columns=columns)
    if word == "auto":
        return replace(layout, auto=True)
    if word == "hidden":
        return replace(layout, hidden=tuple(map(int, rest.split())))
    if word == "base":
        if int(rest) < 1:
            raise ValueError("expected the number of a card")
        return replace(layout, base=int(rest))
    if word == "bases":
        if int(rest) < 1:
            raise ValueError("expected a number of cards")
        return replace(layout, bases=int(rest))
    if word == "reserve":
        return replace(layout, reserve=tuple(map(int, rest.split())))
    if word == "turned":
        if int(rest) < 1:
            raise ValueError("expected a number of cards")
        return replace(layout, turned=int(rest))
    return replace(layout, cells=tuple(int(number) - 1 for number in rest.split()))
