"""Words of the line of foundations in a board: `H-2`, `2-H`, `2H`, `H-0`."""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.errors import InputError, quoted
from dbmsolver.game.cards import RANKS, SUITS, is_card, suit_letters

HEIGHTS = {"0": 0, "10": 10, **{name: height for height, name in enumerate(RANKS, start=1)}}
"""Ranks by what they are called; 0 is none."""

_FORM = "expected a suit, -, and the rank on top (0 A 2-9 T J Q K), as in H-2"


class Home(NamedTuple):
    """The height of a suit's foundation."""

    suit: int
    height: int
    turned: bool
    """True if the rank stands before the dash."""


def parse_home(word: str, where: str) -> Home:
    """Read a word; InputError for what is none."""
    letters = suit_letters(word).upper()
    name, dash, top = letters.partition("-")
    turned = bool(dash) and name in HEIGHTS and len(top) == 1 and top in SUITS
    if turned:
        name, top = top, name
    elif is_card(word):
        name, top = letters[-1], letters[:-1]
    elif not (suit_letters(word).isascii() and dash and len(name) == 1 and name in SUITS):
        raise InputError(f"unknown foundation {quoted(word)}, {_FORM}", where)
    height = HEIGHTS.get(top)
    if height is None:
        raise InputError(f"impossible foundation {quoted(word)}, {_FORM}", where)
    return Home(SUITS.index(name), height, turned)
