"""A game's text as values, block by block, which are equal if the texts say the same.

Words know where they stand in the text, for messages; that is no part of their value. A word that
was not read from a text stands nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

BASE = "Base"
"""The text that an entry has for a card of the rank with which foundations begin."""


class At(NamedTuple):
    """The place of a part: line and column, from 1, and the text's name."""

    line: int
    column: int
    where: str

    def __str__(self) -> str:
        return f"{self.where}, line {self.line}, column {self.column}"


class Word(str):
    """A word of a text."""

    at: At | None = None

    @classmethod
    def standing(cls, text: str, at: At) -> Word:
        """Return the word, with its place."""
        word = cls(text)
        word.at = at
        return word


def place_of(*words: object) -> At | None:
    """Return the place of the first of these words that has one; None if none has."""
    return next((word.at for word in words if isinstance(word, Word) and word.at), None)


@dataclass(frozen=True)
class Header:
    """The texts for the player; None for those that are not given."""

    name: str | None = None
    description: str | None = None
    numbers: str | None = None
    """The program whose numbers the deals have."""
    height: int | None = None
    width: int | None = None


@dataclass(frozen=True)
class SetupLine:
    """An element of the game, how it is shown, and how many there are of it."""

    element: str
    display: str
    count: int = 1
    keep: bool = False
    """True if no card leaves the element."""
    base: str | None = None
    """The rank of its first card, A to K, or `Deal` for that of the first card dealt."""


@dataclass(frozen=True)
class Deck:
    """The cards of the game."""

    decks: int | None = None
    """The number of standard decks; None if not said."""
    suits: tuple[tuple[str, int], ...] = ()
    """Suits by themselves, with their numbers of copies."""
    high: str | None = None
    ranks: int | None = None
    """Ace to that rank only."""
    at: At | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class StackEntry:
    """Cards of a stack, in the order in which they come to lie on it."""

    first: int | str
    """A number in the order of dealing, a card's name, or `BASE`."""
    last: int | None = None
    """The last number, for a list."""
    face_down: bool = False
    at: At | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Dealt:
    """Cards that an element gets: stacks in braces, and the orders by which the rest is dealt."""

    element: str
    stacks: tuple[tuple[StackEntry, ...], ...] = ()
    rows: int | None = None
    """The number of rows; 0 for as many as the deck has."""
    diagonal: bool = False
    right_to_left: bool = False
    kings_sunk: bool = False
    auto: bool = False


@dataclass(frozen=True)
class Phase:
    """A deal: the initial one, or one that the player asks for, a number of times."""

    triggered: bool
    times: int | None = 1
    """The number of times of a triggered deal; None for any number."""
    dealt: tuple[Dealt, ...] = ()
    at: At | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class MoveLine:
    """A kind of move: the cards it takes, where they go, and under which conditions."""

    element: str
    item: str | None = None
    count: int = 1
    """The number of cards of the item `Any`."""
    destinations: tuple[str, ...] = ()
    rank: str | None = None
    """The rank of the destination `Rank`, A to K."""
    modifiers: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """Elements of `SourceElement`; empty for any."""
    times: int | None = None
    """The number of `Times`: 0 for any number, None if not said."""
    sum: int | None = None
    """The number of the destination `Sum`: that of the ranks of two cards together."""

    def __post_init__(self) -> None:
        if self.item is None and self.destinations[:1] == ("Any",):
            raise ValueError("a first `Any` is the item of the move")


@dataclass(frozen=True)
class Description:
    """A game as its text describes it. Blocks that the text does not have are None."""

    extends: str | None = None
    header: Header | None = None
    setup: tuple[SetupLine, ...] | None = None
    deck: Deck | None = None
    deal: tuple[Phase, ...] | None = None
    moves: tuple[MoveLine, ...] | None = None
    finish: tuple[str, ...] | None = None
    triggers: tuple[str, ...] | None = None
    """`NoValidMove`, or the element of `NoBlank`."""

    @property
    def name(self) -> str | None:
        """The name in the header."""
        return self.header.name if self.header else None
