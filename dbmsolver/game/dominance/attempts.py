"""A move of a macro under consideration, and the cards to be lifted for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from dbmsolver.game.cards import CARDS, rank, suit
from dbmsolver.game.dominance.records import Column, Heights, Record
from dbmsolver.game.rules import Rules

Kind = Literal["home", "onto", "onto moved", "to column"]


class Macro(NamedTuple):
    """One successor of a record, and the data needed to unfold it."""

    kind: Kind
    card: int
    """x, the card that is moved."""
    onto: int | None
    """p, the card it is put on."""
    host: Column | None
    """The stuck column that is stripped to make room for p (or the king)."""
    stripped: tuple[Column, ...]
    """J: the columns that are stripped besides, as they are when x has moved."""
    lifts: int
    """Cards parked on purpose, without those of J."""
    raw: Record
    """The record that the macro leads to, before it is normalised."""
    record: Record
    """The same, normalised: the successor."""


class Attempt(NamedTuple):
    """A move x -> p under consideration. Columns are numbered as in the record."""

    kind: Kind
    card: int
    onto: int | None
    host: int | None
    kept: dict[int, int]
    """The cards that each column lifted from keeps while x moves."""


class RecordFacts(NamedTuple):
    """A record, with the facts about it that are looked up again and again."""

    record: Record
    rules: Rules
    places: dict[int, tuple[int, int]]
    """Column and depth of every card in a stuck column."""
    free: int
    empty: int


def within_reach(card: int, facts: RecordFacts) -> bool:
    """Return True if all cards above it can be lifted; only then can a macro use the card."""
    if card not in facts.places:
        return True
    index, depth = facts.places[card]
    return len(facts.record.columns[index]) - depth - 1 <= facts.free


def parents_of(card: int, facts: RecordFacts) -> list[int]:
    """Return the legal parents that are in play and within reach, lowest first."""
    row = range(4 * rank(card), min(4 * rank(card) + 4, CARDS))
    return [
        parent
        for parent in row
        if facts.rules.can_stack(card, parent)
        and parent >> 2 >= facts.record.foundations[parent & 3]
        and within_reach(parent, facts)
    ]


def least_kept(record: Record, *limits: tuple[int, int]) -> dict[int, int]:
    """Return the least of the limits for each column, where that is less than the column has."""
    kept: dict[int, int] = {}
    for index, count in limits:
        if count < kept.get(index, len(record.columns[index])):
            kept[index] = count
    return kept


def on_top(card: int, facts: RecordFacts) -> list[tuple[int, int]]:
    """Return the limit that a card's column keeps to, so that nothing lies on the card.

    There is none for a card that is in no stuck column.
    """
    if card not in facts.places:
        return []
    column, depth = facts.places[card]
    return [(column, depth + 1)]


def home_or_onto(card: int, facts: RecordFacts) -> Iterator[Attempt]:
    """Yield the ways to move a card home, and onto cards that stay in stuck columns."""
    record, places = facts.record, facts.places
    limits = on_top(card, facts)
    if record.foundations[suit(card)] == rank(card) - 1:
        yield Attempt("home", card, None, None, least_kept(record, *limits))
    for parent in parents_of(card, facts):
        if parent not in places:
            continue
        column, depth = places[parent]
        below = card in places and places[card][0] == column and places[card][1] < depth
        if not below and places.get(card) != (column, depth + 1):
            kept = least_kept(record, *limits, (column, depth + 1))
            yield Attempt("onto", card, parent, None, kept)


def lifts_of(record: Record, kept: dict[int, int]) -> int:
    """Return the number of cards lifted if each column keeps the given number."""
    return sum(len(record.columns[index]) - count for index, count in kept.items())


def height_added(heights: Heights, card: int) -> Heights:
    """Return the heights once the card is home."""
    hearts, spades, diamonds, clubs = (
        height + (index == suit(card)) for index, height in enumerate(heights)
    )
    return hearts, spades, diamonds, clubs
