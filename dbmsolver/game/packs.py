"""Decks of several packs: how many packs of each suit there are, as in "2H 2S 2D 2C" or "8S".

A pack is the cards of one suit. Cards that are alike have one number.
"""

from __future__ import annotations

import re
from functools import cache

from dbmsolver.errors import UsageError, quoted
from dbmsolver.game.cards import SUIT_NAMES, SUITS

MOST_PACKS = 8
"""The most packs of a deck: two whole decks."""
WHOLE = (1, 1, 1, 1)
"""The packs of one whole deck."""
Packs = tuple[int, int, int, int]

_PACK = re.compile("([1-8])([HSDC])")
_WORDS = re.compile(r"([1-8]) packs? of (hearts|spades|diamonds|clubs)")
_DEALT = (3, 1, 0, 2)
"""Suits in the order in which PySolFC has them in a new deck: C S H D."""


@cache
def packs_of(text: str) -> Packs:
    """Return the packs of each suit, in the order of `SUITS`; "" is one whole deck.

    UsageError for a text that says them in no, or in another, way.
    """
    found = [0, 0, 0, 0]
    for word in text.split(" ") if text else ():
        match = _PACK.fullmatch(word)
        if match is None:
            expected = 'expected packs of suits, as in "2H 2S 2D 2C" or "8S"'
            raise UsageError(f"deck {quoted(text, 40)}, {expected}")
        found[SUITS.index(match[2])] += int(match[1])
    hearts, spades, diamonds, clubs = found if text else WHOLE
    packs = hearts, spades, diamonds, clubs
    if sum(packs) > MOST_PACKS:
        raise UsageError(f"{sum(packs)} packs of cards, expected at most {MOST_PACKS}")
    if packs_text(packs) != text:
        raise UsageError(f"deck {quoted(text, 40)}, expected {quoted(packs_text(packs))}")
    return packs


def packs_text(packs: Packs) -> str:
    """Return the text of packs: suits in the order of `SUITS`, "" for one whole deck."""
    if packs == WHOLE:
        return ""
    return " ".join(f"{count}{SUITS[suit]}" for suit, count in enumerate(packs) if count)


def deck_words(text: str) -> str:
    """Return a deck in words: "one whole deck", "8 packs of spades"."""
    packs = packs_of(text)
    if packs == WHOLE:
        return "one whole deck"
    words = [
        f"{count} pack{'s' if count > 1 else ''} of {SUIT_NAMES[suit]}"
        for suit, count in enumerate(packs)
        if count
    ]
    return "two whole decks" if packs == (2, 2, 2, 2) else " and ".join(words)


def deck_of_words(words: str) -> str | None:
    """Return the text of a deck in words, such as "two whole decks"; None for other words."""
    if words == "one whole deck":
        return ""
    if words == "two whole decks":
        return packs_text((2, 2, 2, 2))
    found = [_WORDS.fullmatch(part) for part in words.split(" and ")]
    if not all(found):
        return None
    return " ".join(f"{match[1]}{SUITS[SUIT_NAMES.index(match[2])]}" for match in found if match)


@cache
def cards_of(text: str) -> tuple[int, ...]:
    """Return the cards of a deck in ascending order, each as often as the deck has it."""
    packs = packs_of(text)
    return tuple(4 * r + s for r in range(13) for s in range(4) for _ in range(packs[s]))


def new_deck(text: str) -> list[int]:
    """Return the cards as they lie in a new deck of PySolFC, deck after deck, suit after suit.

    Where there are fewer than four suits, packs of a suit take the places of others.
    """
    packs = packs_of(text)
    decks = sum(packs) // 4
    if not decks or sum(packs) % 4 or any(count % decks for count in packs):
        decks = 1
    suits = [suit for suit in _DEALT for _ in range(packs[suit] // decks)]
    return [4 * r + suit for _ in range(decks) for suit in suits for r in range(13)]
