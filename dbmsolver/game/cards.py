"""Cards as numbers 0..51 and as names.

    card = (rank - 1) * 4 + suit        rank 1 = ace .. 13 = king
    suit = 0 hearts, 1 spades, 2 diamonds, 3 clubs

Red suits are even and black ones odd, and two cards of one rank differ in the two low bits only:
XOR with 2 is the other suit of the same colour, XOR with 1 and 3 are the two of the other colour.
"""

from __future__ import annotations

import re

from dbmsolver.errors import InputError, quoted

SUITS = "HSDC"
RANKS = "A23456789TJQK"
SUIT_NAMES = ("hearts", "spades", "diamonds", "clubs")
CARDS = 52

_SUIT_SYMBOLS = {"♥": "H", "♡": "H", "♠": "S", "♤": "S", "♦": "D", "♢": "D", "♣": "C", "♧": "C"}
_GLYPHS = {
    chr(0x1F0A0 + 16 * block + number): rank + suit
    for block, suit in enumerate("SHDC")
    for number, rank in zip((*range(1, 12), 13, 14), RANKS, strict=True)
}
"""The playing cards of Unicode; between jack and queen it has a knight, which no deck here has."""
_SYMBOLS = str.maketrans({**_SUIT_SYMBOLS, **_GLYPHS, "\ufe0e": "", "\ufe0f": ""})
"""The signs of Unicode for suits and cards, and those behind a suit that say how it is drawn."""

_SUIT = f"[HSDC{''.join(_SUIT_SYMBOLS)}][\ufe0e\ufe0f]?"
_RANK = "(?:10|[A2-9TJQK])"
_CARD = f"(?:{_RANK}{_SUIT}|{_SUIT}{_RANK}|[{''.join(_GLYPHS)}])"
_IN_WORD = re.compile(rf"<{_CARD}>|\({_CARD}\)|{_CARD}", re.IGNORECASE)
_WORD = re.compile(rf"(?:{_IN_WORD.pattern})+", re.IGNORECASE)

_NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
_CARDS = {name: card for card, name in enumerate(_NAMES)}


def rank(card: int) -> int:
    """Return the rank of a card: 1 for an ace to 13 for a king."""
    return (card >> 2) + 1


def suit(card: int) -> int:
    """Return the index of the card's suit in `SUITS`."""
    return card & 3


def card_name(card: int) -> str:
    """Return the card's two letters, as in "TD"."""
    return _NAMES[card]


def suit_letters(text: str) -> str:
    """Return the text with a letter for each suit of Unicode."""
    return text.translate(_SYMBOLS)


def cards_in(word: str) -> list[tuple[int, str]]:
    """Return the cards that a word runs together, each with its place: `KC7D<TC>` has three.

    A word that is none, or one card, is returned whole.
    """
    if not _WORD.fullmatch(word):
        return [(0, word)]
    return [(match.start(), match.group()) for match in _IN_WORD.finditer(word)]


def is_card(text: str) -> bool:
    """Return True for a card with its rank first, which moves such as `d2` are not."""
    letters = suit_letters(text).upper()
    return letters.isascii() and letters.replace("10", "T") in _CARDS


def parse_card(text: str, where: str | None = None) -> int:
    """Read a card: `TD`, `10D`, `td`, `T♦`, `DT` or the glyph of a playing card.

    Raises InputError, for the place `where`, if it is none.
    """
    letters = suit_letters(text)
    name = letters.upper()
    if name.startswith("10") or name.endswith("10"):
        name = name.replace("10", "T")
    # Only ASCII: upper() turns a few other letters into ASCII ones.
    card = _CARDS.get(name, _CARDS.get(name[::-1])) if letters.isascii() else None
    if card is None:
        raise InputError(
            f"unknown card {quoted(text)}, expected a rank (A 2-9 T J Q K) and a suit (H S D C)",
            where,
        )
    return card
