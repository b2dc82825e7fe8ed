"""Cards as numbers 0..51 and as names.

    card = (rank - 1) * 4 + suit        rank 1 = ace .. 13 = king
    suit = 0 hearts, 1 spades, 2 diamonds, 3 clubs

Red suits are even and black ones odd, and two cards of one rank differ in the two low bits only:
XOR with 2 is the other suit of the same colour, XOR with 1 and 3 are the two of the other colour.
"""

from __future__ import annotations

from dbmsolver.errors import InputError, quoted

SUITS = "HSDC"
RANKS = "A23456789TJQK"
SUIT_NAMES = ("hearts", "spades", "diamonds", "clubs")
CARDS = 52

_SYMBOLS = str.maketrans({"♥": "H", "♡": "H", "♠": "S", "♤": "S", "♦": "D", "♢": "D", "♣": "C",
                          "♧": "C", "\ufe0e": "", "\ufe0f": ""})  # fmt: skip
"""The suits of Unicode; what may follow them says how they are drawn."""

_NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
_CARDS = {name: card for card, name in enumerate(_NAMES)}


def rank(card: int) -> int:
    """Return the rank of a card: 1 for an ace to 13 for a king."""
    return (card >> 2) + 1


def suit(card: int) -> int:
    """Return the index of the card's suit in `SUITS`."""
    return card & 3


def is_red(card: int) -> bool:
    """Return True if the card is a heart or a diamond."""
    return card & 1 == 0


def card_name(card: int) -> str:
    """Return the card's two letters, as in "TD"."""
    return _NAMES[card]


def suit_letters(text: str) -> str:
    """Return the text with a letter for each suit of Unicode."""
    return text.translate(_SYMBOLS)


def is_card(text: str) -> bool:
    """Return True if `parse_card` can read the text."""
    letters = suit_letters(text).upper()
    return letters.isascii() and letters.replace("10", "T") in _CARDS


def parse_card(text: str, where: str | None = None) -> int:
    """Read a card: `TD`, `10D`, `td` or `T♦`.

    Raises InputError, for the place `where`, if it is none.
    """
    letters = suit_letters(text)
    name = letters.upper()
    if name.startswith("10"):
        name = "T" + name[2:]
    # Only ASCII: upper() turns a few other letters into ASCII ones.
    card = _CARDS.get(name) if letters.isascii() else None
    if card is None:
        raise InputError(
            f"unknown card {quoted(text)}, expected a rank (A 2-9 T J Q K) and a suit (H S D C)",
            where,
        )
    return card
