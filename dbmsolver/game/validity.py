"""Positions that rules cannot have: other places, or other cards than 52 different ones."""

from __future__ import annotations

from typing import Protocol

from dbmsolver.errors import InputError
from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.cards import CARDS, RANKS, card_name
from dbmsolver.game.moves import Place
from dbmsolver.game.rules import Rules

NAMED_AT_MOST = 6
"""The number of missing cards that a message names before it counts the others."""


class Arrangement(Protocol):
    """A position, as far as it is looked at here."""

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """The columns, the deepest card first."""

    @property
    def freecells(self) -> tuple[int | None, ...]:
        """The cards in freecells, None for an empty one."""

    @property
    def foundations(self) -> tuple[int, int, int, int]:
        """The heights of the foundations."""

    @property
    def pile(self) -> tuple[int, ...] | None:
        """The pile, None where there is none."""

    @property
    def stock(self) -> tuple[int, ...]:
        """The stock."""

    @property
    def base(self) -> Base:
        """The rank with which foundations begin."""

    def home_card(self, index: int, height: int) -> int:
        """Return the card on a foundation of that suit and height, from 1."""

    def lying(self) -> list[tuple[int, str]]:
        """Return each card that is not home, and its place in words."""


def check_position(position: Arrangement, rules: Rules, where: str | None) -> None:
    """Raise InputError unless this is 52 different cards in a layout of these rules."""
    _check_places(position, rules, where)
    check_cards(position, where)


def _check_places(position: Arrangement, rules: Rules, where: str | None) -> None:
    """Raise InputError unless the position has the places that the rules give it."""
    if len(position.columns) != rules.columns:
        raise InputError(f"{len(position.columns)} columns, expected {rules.columns}", where)
    if len(position.freecells) != rules.freecells:
        raise InputError(f"{len(position.freecells)} freecells, expected {rules.freecells}", where)
    if len(position.foundations) != 4:
        raise InputError(f"{len(position.foundations)} foundations, expected 4", where)
    if (position.pile is not None) != rules.has_pile:
        text = "no pile, expected one" if rules.has_pile else "a pile, expected none"
        raise InputError(text, where)
    if position.stock and not rules.stock:
        raise InputError("a stock, expected none", where)
    if len(position.stock) > rules.stock:
        raise InputError(
            f"{len(position.stock)} cards in the stock, expected at most {rules.stock}", where
        )
    if position.pile is not None and len(set(position.foundations)) > 1:
        raise InputError(
            "foundations of different heights, expected them to tell the ranks that a short "
            "deck is without",
            where,
        )
    if rules.takes_back and min(position.foundations, default=0) < rules.kept_rank:
        kept = RANKS[rules.kept_rank - 1]
        text = f"foundations below {kept}, where the deal puts all cards up to it home"
        raise InputError(f"{text}, expected heights from {kept} on", where)
    _check_base(position, rules, where)


def note_place(seen: dict[int, str], card: int, place: str, where: str | None) -> None:
    """Note in ``seen`` where a card lies; InputError if it is there already."""
    if card in seen:
        text = f"{card_name(card)} twice, in {seen[card]} and in {place}"
        raise InputError(f"{text}, expected each card once", where)
    seen[card] = place


def check_cards(position: Arrangement, where: str | None) -> None:
    """Raise InputError unless these are 52 different cards."""
    seen: dict[int, str] = {}
    for index, height in enumerate(position.foundations):
        place = str(Place("foundation", index))
        if not 0 <= height <= 13:
            raise InputError(f"height {height} of the {place}, expected 0 to 13", where)
        seen.update({position.home_card(index, r): place for r in range(1, height + 1)})
    for card, place in position.lying():
        if not 0 <= card < CARDS:
            raise InputError(f"unknown card {card} in {place}, expected 0 to 51", where)
        note_place(seen, card, place, where)
    missing = [card_name(card) for card in range(CARDS) if card not in seen]
    if missing:
        names = " ".join(missing[:NAMED_AT_MOST])
        if len(missing) > NAMED_AT_MOST:
            names += f" and {len(missing) - NAMED_AT_MOST} more"
        cards = "missing card" if len(missing) == 1 else "missing cards"
        raise InputError(f"{cards} {names}, expected all 52", where)


def _check_base(position: Arrangement, rules: Rules, where: str | None) -> None:
    """Raise InputError unless the base is one that the rules have."""
    given, lowest = position.base
    if rules.base == "ace" and position.base != ACE:
        raise InputError("a base, expected foundations that begin with the ace", where)
    if not 1 <= lowest <= given <= 13:
        text = f"the base {given} and the lowest rank {lowest}, expected ranks of the deck"
        raise InputError(text, where)
    if rules.base != "ace" and any(height < lowest - 1 for height in position.foundations):
        name = RANKS[lowest - 2]
        raise InputError(f"foundations below {name}, expected ranks below the deck home", where)
