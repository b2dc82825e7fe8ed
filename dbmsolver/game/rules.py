"""Rules: the moves that a game allows. A named game is a set of rules.

All games share the rest: one deck, every card in sight, the last card of a column and every card in
a freecell are free to move, a column is built down by one rank, in some games up, too, foundations
are built up by suit from the ace, and no card leaves a foundation, unless the game says so. In some
games a run of cards, the end of a column, is one move.

Games of one pile are another matter. Their columns only lose cards, each of which is put on the
pile, where it has to be one rank higher or lower than the card on top. A stock, if there is one, is
turned to the pile card by card. The game is won when the columns are empty.

In some games foundations begin with a rank that the deal gives, and ranks go round: after the king
follows the ace.

In pairing games the columns are a pyramid, in which each card is covered by two of the next row.
Two free cards whose ranks sum to that of the king are removed together, a king alone. A stock is
turned card by card to a waste, whose top card is free. :mod:`dbmsolver.game.pairing` plays them.

Klondike and its relatives have a stock that is turned to a waste, whose top card may be played,
cards face down in the columns, cards that come back from the foundations, or moves of any group of
cards face up. Some have a reserve, a stack of cards whose last one may be played and goes to each
column that becomes empty, and foundations that begin with a rank that the deal gives. They have no
freecells. :mod:`dbmsolver.game.patience` plays them.

*Wide* games have a deck of several packs, or a stock that is dealt in rows onto the columns, or
groups of any cards that move beside whole suits that go home: Spider, Gypsy, Forty Thieves,
Scorpion. :mod:`dbmsolver.game.wide` plays them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, get_args

from dbmsolver.arguments import checked_choice, checked_flag, checked_int, checked_text, set_checked
from dbmsolver.errors import UsageError, WrongValueError
from dbmsolver.game.bases import Base
from dbmsolver.game.cards import CARDS, rank, suit
from dbmsolver.game.features import FEATURES, Features
from dbmsolver.game.kinds import (
    BASE_WORDS,
    BUILD_WORDS,
    FREE_STOCK_WORDS,
    MOVES_WORDS,
    PAIRS,
    PAIRS_WORDS,
    PILE_WORDS,
    PILES,
    REMOVABLE_WORDS,
    RESERVE_WORDS,
    ROW_DEALS_WORDS,
    WHOLE_SUITS_WORDS,
    Bases,
    Build,
    Family,
    Fill,
    Moves,
    Pairs,
    Pile,
    RowDeals,
    draw_words,
    fill_words,
    passes_words,
    stacked_words,
    stock_words,
)
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.packs import Packs, cards_of, deck_words, packs_of

MAX_COLUMNS = 18
"""Columns of a game: what they have locked always fits into a signature (`kits/states.py`)."""
MAX_PILE_COLUMNS = 17
"""Columns of a game with one pile."""
MAX_PATIENCE_COLUMNS = 13
"""Columns of a game of Klondike's kind."""
MAX_ROWS = 7
"""Rows of a pyramid."""
MAX_FREECELLS = 13
MAX_RESERVE = 16
MAX_STACKED = 26
"""Cards of a reserve that is one stack."""
MAX_PASSES = 16
"""Passes through the stock, if their number is limited."""

_PARENTS: dict[Build, tuple[tuple[int, int], ...]] = {
    "alternate": ((1, 1), (3, 1)),
    "suit": ((0, 1),),
    "any": ((0, 1), (1, 1), (2, 1), (3, 1)),
    "none": (),
    "suit-both": ((0, 1), (0, -1)),
    "colour": ((0, 1), (2, 1)),
    "other": ((1, 1), (2, 1), (3, 1)),
}
"""A card's legal parents: what XOR on its suit gives theirs, and how much higher they are."""
_PARENT_KINDS = {build: tuple(kind for kind, _ in parents) for build, parents in _PARENTS.items()}


@cache
def _parent_number(
    build: Build, goes_round: bool, child: int, parent: int, lowest: int
) -> int | None:
    """Return the number of `parent` among the legal parents of `child`; None without one."""
    rise = rank(parent) - rank(child)
    if goes_round and rank(child) == 13:
        rise = int(rank(parent) == lowest)
    pair = suit(parent) ^ suit(child), rise
    parents = _PARENTS[build]
    return parents.index(pair) if pair in parents else None


@cache
def _parents(rules: Rules, lowest: int) -> tuple[tuple[int | None, ...], ...]:
    """Return the legal parents of all cards, each by its number."""
    numbers = range(len(rules.parent_kinds))
    return tuple(tuple(rules.parent(card, one, lowest) for one in numbers) for card in range(CARDS))


@cache  # this is asked more often than anything else
def _takers(build: Build, goes_round: bool, child: int, base: Base) -> frozenset[int]:
    """Return the cards that `child` may be put on."""
    counted = base.counted(child)
    return frozenset(
        card
        for card in range(CARDS)
        if _parent_number(build, goes_round, counted, base.counted(card), base.lowest) is not None
    )


@cache
def _run_takers(
    build: Build, goes_round: bool, moves: Moves, child: int, base: Base
) -> frozenset[int]:
    """Return the cards on which `child` is part of a run that moves as one."""
    if moves == "groups":
        return frozenset(range(CARDS))
    takers = frozenset() if moves == "single" else _takers(build, goes_round, child, base)
    if moves == "suit-runs":
        return frozenset(card for card in takers if suit(card) == suit(child))
    return takers


def check_range(what: str, value: int, low: int, high: int) -> None:
    """Raise UsageError unless the value is a whole number from `low` to `high`."""
    number = checked_int(what, value)
    if not low <= number <= high:
        raise WrongValueError(f"{number} {what}: expected {low} to {high}")


def _check_choice(what: str, value: str, choices: Sequence[str]) -> None:
    checked_choice(what, value, choices)


_CHECKS: dict[Any, Callable[[str, Any], Any]] = {
    "str": checked_text,
    "int": checked_int,
    "bool": checked_flag,
}
"""Checks of those fields of rules that are no choices, by the names of their types."""


@dataclass(frozen=True)
class Rules:
    """The moves that a game allows, and the layout of its numbered deals."""

    name: str
    columns: int
    freecells: int
    build: Build
    fill: Fill
    dealt_to_freecells: int = 0
    """Cells filled by the deal, with the last cards of the deck."""
    kings_sunk: bool = False
    """True if dealing puts the kings of a column under its other cards."""
    layout: str = ""
    """The layout of a numbered deal, if cards are not simply dealt in turn: see `layouts`."""
    moves: Moves = "single"
    """The unit of a move: a card, or a run as columns are built, or a run of one suit."""
    whole_suits: bool = False
    """True if cards go home only as a whole suit, from the end of a column, in one move."""
    reserve: bool = False
    """True if cards only leave the freecells."""
    removable: bool = False
    """True if the top card of a foundation may go wherever a card may go but home."""
    pile: Pile = "none"
    """The kind of pile that columns are played to, if any: its ranks may go round."""
    stock: int = 0
    """Cards that the deal leaves in the stock, which is turned to the pile or the waste.

    In a game of pairs this counts those, too, that the deal turns to the waste.
    """
    draw: int = 0
    """Cards that are turned from the stock to the waste at once; 0 where there is no waste."""
    passes: int = 0
    """The times the stock is gone through; 0 for any number of times."""
    base: Bases = "ace"
    """The rank with which foundations begin: the ace, or the rank of a card that the deal puts
    there.

    Then ranks are counted from that one, and the rank before it is what kings are elsewhere. With
    `round` that rank goes on the base in the columns.
    """
    stacked: int = 0
    """Cards that the deal puts into a reserve that is one stack, which fills empty columns."""
    pairs: Pairs = "none"
    """The cards that have to be removed in pairs, if any; columns are a pyramid of as many rows."""
    free_stock: bool = False
    """True if the top card of the stock is free, too, in a game of pairs."""
    packs: str = ""
    """The packs of each suit, as of :mod:`dbmsolver.game.packs`; empty for one whole deck."""
    row_deals: RowDeals = "none"
    """The way the stock is dealt onto the columns, one card onto each from the first on, if it is:
    always, or only while no column is empty."""

    def __post_init__(self) -> None:
        _check_choice("build", self.build, get_args(Build))
        _check_choice("fill", self.fill, get_args(Fill))
        _check_choice("moves", self.moves, get_args(Moves))
        _check_choice("pile", self.pile, PILES)
        _check_choice("base", self.base, get_args(Bases))
        _check_choice("pairs", self.pairs, PAIRS)
        _check_choice("row_deals", self.row_deals, get_args(RowDeals))
        for field in fields(self):
            if field.type in _CHECKS:
                value = _CHECKS[field.type](field.name, getattr(self, field.name))
                set_checked(self, field.name, value)
        deck = len(cards_of(self.packs))
        check_range("cards turned at once", self.draw, 0, 1 if self.has_pairs else deck)
        check_range("columns", self.columns, 1, self.most_columns)
        most = MAX_RESERVE if self.reserve else MAX_FREECELLS
        check_range("freecells", self.freecells, 0, most)
        check_range("cells filled by the deal", self.dealt_to_freecells, 0, self.freecells)
        has_stock = self.has_pile or self.draw or self.row_deals != "none"
        check_range("cards in the stock", self.stock, 0, deck if has_stock else 0)
        self._check_freecells()
        self._check_pile()
        self._check_pairs()
        self._check_patience()
        self._check_wide()
        if (self.moves == "suit-runs" or self.whole_suits) and 0 not in self.parent_kinds:
            what = "runs of one suit" if self.moves == "suit-runs" else "whole suits"
            raise UsageError(
                f"{what}, {BUILD_WORDS[self.build]}: expected columns built by suit or by any suit"
            )
        if self.moves == "runs" and self.build == "none":
            raise UsageError(f"runs, but {BUILD_WORDS['none']}: expected moves of single cards")
        if self.whole_suits and self.moves == "single":
            raise UsageError("whole suits, but single cards: expected moves of runs")
        if self.removable and self.has_runs and not (self.is_patience or self.is_wide):
            what = f"{REMOVABLE_WORDS[True]}, but {MOVES_WORDS[self.moves]}"
            raise UsageError(f"{what}: expected moves of single cards, or cards that stay home")
        if self.build == "suit-both" and self.has_runs:
            what = f"{BUILD_WORDS[self.build]}, but {MOVES_WORDS[self.moves]}"
            raise UsageError(f"{what}: expected moves of single cards, or columns built down")
        if self.layout:
            layout = layout_of(self.layout)
            filled = self.dealt_to_freecells
            stock = self.stock - layout.turned * self.has_pairs
            layout.check(self.columns, self.freecells, filled, stock, self.off_columns, self.deck)
            if self.stacked and not layout.fills(self.columns, self.stock):
                raise UsageError(
                    f"the deal leaves one of {self.columns} columns empty, beside a reserve that "
                    "fills it: expected fewer columns"
                )
            if not self.has_pile and (layout.pile or (layout.turned and not self.has_pairs)):
                raise UsageError("cards are dealt to a pile, expected a game with one")
            if (layout.order == "pyramid") != self.has_pairs:
                raise UsageError("pairs are removed from a pyramid, expected both or neither")

    def _check_freecells(self) -> None:
        """Raise UsageError for freecells in a game of a kind that has none."""
        kinds = {
            "of one pile": self.has_pile,
            "of pairs": self.has_pairs,
            "of several packs, or with a stock that is dealt onto columns": self.is_wide,
            "of Klondike's kind": self.is_patience,
        }
        for kind, is_one in kinds.items():
            if is_one and self.freecells:
                raise UsageError(f"freecells in a game {kind}: expected none")

    def _check_pile(self) -> None:
        """Raise UsageError for rules that a game with one pile cannot have."""
        if not self.has_pile:
            return
        odd = self.kings_sunk or self.has_runs or self.whole_suits or self.reserve
        if odd or self.removable or self.build != "none" or self.fill != "none":
            raise UsageError("a game of one pile with columns that take cards: expected none")

    def _check_pairs(self) -> None:
        """Raise UsageError for rules that a game of pairs cannot have."""
        if not self.has_pairs:
            if self.free_stock:
                raise UsageError("a free card of the stock: expected a game of pairs")
            return
        odd = self.kings_sunk or self.has_runs or self.whole_suits or self.reserve
        odd = odd or self.removable or self.has_pile or self.stacked > 0 or self.base != "ace"
        if odd or self.build != "none" or self.fill != "none":
            raise UsageError(
                "a game of pairs with a pile, or columns that take cards: expected neither"
            )
        if self.stock and not (self.draw and self.passes):
            raise UsageError(
                "a stock that is gone through any number of times, or not at all, in a game of "
                f"pairs: expected 1 to {MAX_PASSES} passes of one card at once"
            )

    def _check_patience(self) -> None:
        """Raise UsageError for rules that Klondike and its relatives cannot have.

        Also for rules that only they can have. Where groups of any cards move as one, these are all
        that is face up.
        """
        check_range("passes through the stock", self.passes, 0, MAX_PASSES if self.draw else 0)
        if self.has_pairs or self.is_wide:
            return
        if not self.is_patience:
            if layout_of(self.layout).hidden:
                raise UsageError(
                    "cards are dealt face down: expected a game with a waste, or with moves of any "
                    "group"
                )
            if self.build in ("colour", "other"):
                raise UsageError(
                    f"{BUILD_WORDS[self.build]}: expected a game with a waste, or with moves of "
                    "any group"
                )
            odd = self.stacked or self.fill == "waste"
            if odd or self.moves in ("card-or-column", "columns"):
                raise UsageError(
                    "a stack in reserve, whole columns that move, or columns that take cards of "
                    "the waste only: expected a game with a waste"
                )
            self._check_base()
            return
        odd = self.has_pile or self.reserve
        if odd or self.whole_suits or self.kings_sunk:
            raise UsageError(
                "a game of Klondike's kind with one pile, or whole suits that go home: "
                "expected neither"
            )
        if self.build == "suit-both":
            raise UsageError(
                f"a game of Klondike's kind, {BUILD_WORDS[self.build]}: expected columns built down"
            )
        check_range("cards stacked in reserve", self.stacked, 0, MAX_STACKED)
        if self.base != "ace" and (self.moves == "groups" or self.fill == "kings"):
            raise UsageError(
                "foundations begin with a rank that the deal gives: expected no moves of groups, "
                "and no empty columns that take kings only"
            )
        if not self.draw and (self.stacked or self.base != "ace" or self.fill == "waste"):
            raise UsageError("a game of groups without a waste: expected no reserve and no base")
        if self.moves == "groups" and self.build == "none":
            raise UsageError(f"groups, but {BUILD_WORDS['none']}: expected moves of single cards")

    def _check_wide(self) -> None:
        """Raise UsageError for rules that a wide game cannot have."""
        if not self.is_wide:
            return
        odd = self.kings_sunk or self.reserve or self.has_pile or self.has_pairs
        if odd or self.stacked or self.base != "ace":
            raise UsageError(
                "a deck of several packs, or a stock that is dealt onto columns, beside a pile, "
                "pairs, a reserve or a base: expected none of these"
            )
        if self.build == "suit-both" or self.fill == "waste":
            raise UsageError(
                "a deck of several packs, or a stock that is dealt onto columns: expected columns "
                "built down, and empty ones that take any card, kings or nothing"
            )
        if self.moves in ("card-or-column", "columns"):
            raise UsageError(
                "a deck of several packs, or a stock that is dealt onto columns: expected moves of "
                "cards, runs or groups"
            )
        if self.draw and (self.row_deals != "none" or self.passes != 1):
            raise UsageError(
                "a stock that is turned to a waste, in a game of several packs: expected one pass, "
                "and no cards dealt onto columns"
            )
        if self.whole_suits and self.removable:
            raise UsageError("whole suits that come back: expected suits that stay home")
        if self.moves == "groups" and self.build == "none":
            raise UsageError(f"groups, but {BUILD_WORDS['none']}: expected moves of single cards")
        layout = layout_of(self.layout)
        if layout.pile or layout.turned or layout.first or layout.auto or layout.cells:
            raise UsageError(
                "cards dealt to a pile, first, or home, in a game of several packs: expected none"
            )
        if len(set(layout.heights)) > 1:
            raise UsageError("a rank that is home in part: expected whole ranks")

    def _check_base(self) -> None:
        """Raise UsageError for a base that the deal gives where it is not played.

        What the search leaves out, and its bound, are shown for runs of a suit that stay home.
        """
        odd = self.moves != "runs" or self.build != "suit" or self.whole_suits or self.removable
        if self.base != "ace" and (odd or self.reserve or self.dealt_to_freecells):
            raise UsageError(
                "foundations begin with a rank that the deal gives: expected a game with a waste, "
                "or columns built by suit whose runs move, freecells that are empty at first, and "
                "cards that stay home one by one"
            )

    @property
    def most_columns(self) -> int:
        """The number of columns that a game of this kind may have."""
        if self.has_pile:
            return MAX_PILE_COLUMNS
        if self.has_pairs:
            return MAX_ROWS
        return MAX_PATIENCE_COLUMNS if self.is_patience else MAX_COLUMNS

    @cached_property
    def is_patience(self) -> bool:
        """True if it is of Klondike's kind: with a waste, or moves of any group."""
        others = self.has_pairs or self.is_wide
        return not others and (self.draw > 0 or self.moves == "groups")

    @cached_property
    def is_wide(self) -> bool:
        """True if it is played over whole columns, whose cards are no 52 different ones."""
        groups = self.moves == "groups" and self.whole_suits
        return bool(self.packs) or self.row_deals != "none" or groups

    @property
    def deck(self) -> tuple[int, ...]:
        """The cards of the deck, lowest first, alike ones as often as they are in it."""
        return cards_of(self.packs)

    @property
    def suit_packs(self) -> Packs:
        """The number of packs of each suit."""
        return packs_of(self.packs)

    @property
    def has_twins(self) -> bool:
        """True if runs move, in Klondike's kind, and some cards of a rank take the same cards."""
        return (
            self.is_patience
            and self.moves == "runs"
            and self.base != "round"
            and self.build in ("alternate", "colour", "any")
        )

    @cached_property
    def parent_kinds(self) -> tuple[int, ...]:
        """The numbers whose XOR with the suit turns a card into each of its legal parents."""
        return _PARENT_KINDS[self.build]

    @cached_property
    def parent_rises(self) -> tuple[int, ...]:
        """The ranks that each of them is above the card."""
        return tuple(rise for _, rise in _PARENTS[self.build])

    def parents(self, lowest: int = 1) -> tuple[tuple[int | None, ...], ...]:
        """Return a row for each of the 52 cards: what `parent` returns, number by number.

        ``lowest`` is the rank with which foundations begin.
        """
        return _parents(self, lowest)

    def parent(self, card: int, number: int, lowest: int = 1) -> int | None:
        """Return the legal parent of that number, which takes the card; None without one.

        Ranks are counted from that with which foundations begin, which counts as `lowest`. Where
        columns go round over it, the cards of that rank are the parents of the highest ones.
        """
        parents = _PARENTS[self.build]
        if not 0 <= number < len(parents):
            return None
        kind, rise = parents[number]
        if self.base == "round" and rank(card) == 13:
            return (card ^ kind) - 4 * (13 - lowest)
        return (card ^ kind) + 4 * rise if 1 <= rank(card) + rise <= 13 else None

    def parent_number(self, child: int, parent: int, lowest: int = 1) -> int | None:
        """Return the number of `parent` among the legal parents of `child`; None without one."""
        return _parent_number(self.build, self.base == "round", child, parent, lowest)

    def can_stack(self, child: int, parent: int, lowest: int = 1) -> bool:
        """Return True if `child` may be put on `parent`, the last card of a column."""
        return self.parent_number(child, parent, lowest) is not None

    def takers(self, child: int, base: Base) -> frozenset[int]:
        """Return the cards on which `child` may be put in a column.

        Foundations begin with the rank of `base`, which decides where ranks go round. All these
        cards are as they are printed: their ranks are not counted from the base, as those are that
        the other methods take.
        """
        return _takers(self.build, self.base == "round", child, base)

    def run_takers(self, child: int, base: Base) -> frozenset[int]:
        """Return the cards that `child` may lie on for both to move together, as a run.

        All cards are as they are printed, as for `takers`.
        """
        return _run_takers(self.build, self.base == "round", self.moves, child, base)

    @cached_property
    def takes_back(self) -> bool:
        """True if cards come back from the foundations in a way that makes a difference.

        Klondike and its relatives are left out: their search always looks at `removable` itself.
        They make none where columns are built by suit, or not at all. By suit the only cards that
        could be put on a card that comes back are the next lower one, which is home, and, where
        columns are built up, too, the next higher one, which can go home while the card is. So
        whoever plays with such moves can leave them out, with as much room as before, or more.
        """
        removable = self.removable and not (self.is_patience or self.is_wide)
        return removable and self.build in ("alternate", "any")

    @property
    def two_way(self) -> bool:
        """True if columns are built up, too, or cards come back from the foundations."""
        return self.takes_back or self.build == "suit-both"

    @cached_property
    def family(self) -> Family:
        """The family of kernels that play it."""
        if self.has_pile:
            return "pile"
        if self.has_pairs:
            return "pairs"
        if self.is_wide:
            return "wide"
        if self.is_patience:
            whole = self.moves in ("card-or-column", "columns")
            held = self.stacked or whole or self.fill == "waste"
            return "canfield" if held else "patience"
        return "runs" if self.has_runs else "two-way" if self.two_way else "cards"

    @cached_property
    def features(self) -> Features:
        """The features of the family."""
        return FEATURES[self.family]

    @cached_property
    def kept_rank(self) -> int:
        """The highest rank that the deal puts home in all suits: its cards never come back.

        What could be put on them is home, and stays there by the same argument. In a short deck
        these are the ranks that it is without.
        """
        return min(layout_of(self.layout).heights)

    @property
    def has_pile(self) -> bool:
        """True if it is a game of one pile."""
        return self.pile != "none"

    @property
    def has_pairs(self) -> bool:
        """True if it is a game of pairs."""
        return self.pairs != "none"

    @property
    def turns(self) -> int | None:
        """The times the waste may be turned over in a game.

        None means any number, or that the game never turns a waste over.
        """
        if self.passes and not self.is_wide:
            return self.passes - 1
        return 0 if self.has_pairs else None

    @property
    def only_leave(self) -> bool:
        """True if cards only leave their places: in games of one pile, and of pairs."""
        return self.has_pile or self.has_pairs

    def is_pair(self, card: int, other: int, lowest: int) -> bool:
        """Return True if two cards are removed together: their ranks sum to that of the king.

        Ranks are counted from the `lowest` one of the deck, which counts 1.
        """
        return card != other and rank(card) + rank(other) == 12 + lowest

    def follows(self, card: int, top: int, lowest: int) -> bool:
        """Return True if `card` may be put on `top`, the last card of the pile.

        `lowest` is the lowest rank of the deck: 1, or more in a short one.
        """
        ranks = 14 - lowest
        difference = rank(card) - rank(top)
        if self.pile == "wrap":
            return difference % ranks in (1 % ranks, -1 % ranks)
        return abs(difference) == 1

    @property
    def off_columns(self) -> int:
        """Cards that a deal puts on foundations, as their base, and into a reserve of one stack."""
        based = max(1, layout_of(self.layout).bases) if self.base != "ace" else 0
        return self.stacked + based

    def is_movable(self, count: int, of: int) -> bool:
        """Return True if a run of `count` cards in a column of `of` cards goes to columns."""
        if self.moves == "columns":
            return count == of
        return self.moves != "card-or-column" or count in (1, of)

    @property
    def has_runs(self) -> bool:
        """True if a run moves as one move."""
        return self.moves != "single"

    @property
    def has_supermoves(self) -> bool:
        """True if a run moves to another column as a series of single moves.

        That takes enough empty freecells and columns (:mod:`dbmsolver.game.room`).
        """
        return self.family in ("cards", "two-way")

    def is_run(self, cards: Sequence[int], lowest: int = 1) -> bool:
        """Return True if the cards, the end of a column, deepest first, may move as one move.

        Each of them lies on the one before as columns are built; in runs of one suit, on one of its
        own suit. Groups may be any cards. `lowest` is as for `can_stack`.
        """
        if len(cards) == 1 or self.moves == "groups":
            return True
        return self.has_runs and all(
            self.can_stack(upper, lower, lowest)
            and (self.moves != "suit-runs" or suit(upper) == suit(lower))
            for lower, upper in itertools.pairwise(cards)
        )

    def can_fill(self, card: int) -> bool:
        """Return True if the card may be put into an empty column."""
        return self.fill == "any" or (self.fill == "kings" and rank(card) == 13)

    def describe(self) -> str:
        """Return the rules in one line."""
        if self.has_pile:
            parts = [
                "1 column" if self.columns == 1 else f"{self.columns} columns",
                PILE_WORDS[self.pile],
            ]
            if self.stock:
                parts.append(stock_words(self.stock))
            return ", ".join(parts)
        if self.has_pairs:
            return ", ".join(self._pairs_words())
        if self.is_patience:
            return ", ".join(self._patience_words())
        if self.is_wide:
            return ", ".join(self._wide_words())
        name = "reserve card" if self.reserve else "freecell"
        cells = f"1 {name}" if self.freecells == 1 else f"{self.freecells or 'no'} {name}s"
        if self.dealt_to_freecells:
            cells += f" ({self.dealt_to_freecells} filled by the deal)"
        parts = [
            "1 column" if self.columns == 1 else f"{self.columns} columns",
            cells,
            BUILD_WORDS[self.build],
            fill_words(self.fill, self.base),
        ]
        if self.base != "ace":
            parts.append(BASE_WORDS[self.base])
        if self.kings_sunk:
            parts.append("kings sunk when dealt")
        if self.has_runs:
            parts.append(MOVES_WORDS[self.moves])
        if self.whole_suits:
            parts.append(WHOLE_SUITS_WORDS[True])
        if self.reserve:
            parts.append(RESERVE_WORDS[True])
        if self.removable:
            parts.append(REMOVABLE_WORDS[True])
        return ", ".join(parts)

    def _pairs_words(self) -> list[str]:
        """Return the rules of a game of pairs, each in words."""
        words = ["1 row" if self.columns == 1 else f"{self.columns} rows"]
        if self.stock:
            words += [stock_words(self.stock), passes_words(self.passes)]
            words.append(FREE_STOCK_WORDS[self.free_stock])
        return [*words, PAIRS_WORDS[self.pairs]]

    def _patience_words(self) -> list[str]:
        """Return the rules of a game of Klondike's kind, each in words."""
        words = ["1 column" if self.columns == 1 else f"{self.columns} columns"]
        if self.draw:
            words += [stock_words(self.stock), draw_words(self.draw), passes_words(self.passes)]
        if self.base != "ace":
            words.append(BASE_WORDS[self.base])
        if self.stacked:
            words.append(stacked_words(self.stacked))
        words += [BUILD_WORDS[self.build], fill_words(self.fill, self.base)]
        if self.has_runs:
            words.append(MOVES_WORDS[self.moves])
        words.append(REMOVABLE_WORDS[self.removable])
        return words

    def _wide_words(self) -> list[str]:
        """Return the rules of a wide game, each in words."""
        words = [deck_words(self.packs)]
        words.append("1 column" if self.columns == 1 else f"{self.columns} columns")
        if self.stock:
            words.append(stock_words(self.stock))
        if self.row_deals != "none":
            words.append(ROW_DEALS_WORDS[self.row_deals])
        if self.draw:
            words += [draw_words(self.draw), passes_words(self.passes)]
        words += [BUILD_WORDS[self.build], fill_words(self.fill, self.base)]
        if self.has_runs:
            words.append(MOVES_WORDS[self.moves])
        words.append(WHOLE_SUITS_WORDS[self.whole_suits])
        if not self.whole_suits:
            words.append(REMOVABLE_WORDS[self.removable])
        return words
