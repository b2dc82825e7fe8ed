"""The suits, on pages and in pictures: shapes and colours.

No suit is told by its colour alone. The four shapes differ, and those of the red suits are outlines
where those of the black suits are filled, so that red and black differ, too, for people who do not
see red.
"""

from __future__ import annotations

SHAPES: dict[str, str] = {
    "H": "M50 91C22 68 7 50 7 32C7 17 18 9 29 9C39 9 46 15 50 24C54 15 61 9 71 9"
    "C82 9 93 17 93 32C93 50 78 68 50 91Z",
    "S": "M50 4C60 23 94 41 94 62C94 75 84 82 74 82C66 82 59 78 55 71C56 82 60 90 68 96"
    "L32 96C40 90 44 82 45 71C41 78 34 82 26 82C16 82 6 75 6 62C6 41 40 23 50 4Z",
    "D": "M50 5Q65 31 87 50Q65 69 50 95Q35 69 13 50Q35 31 50 5Z",
    "C": "M29 26a21 21 0 1 1 42 0a21 21 0 1 1-42 0ZM4 59a21 21 0 1 1 42 0a21 21 0 1 1-42 0Z"
    "M54 59a21 21 0 1 1 42 0a21 21 0 1 1-42 0ZM50 38L62 52L55 58C55 78 60 90 68 96L32 96"
    "C40 90 45 78 45 58L38 52ZM50 30L66 62L34 62Z",
}
"""Outlines by the letter of the suit, as SVG path data in a square of 100 by 100."""

OUTLINED = "HD"
"""The suits that are drawn as outlines."""

RED = "#b3360b"
BLACK = "#15191c"
FACE = "#fdfcf8"
"""The face of a card: both inks have a contrast of more than 5.5:1 on it."""


def is_outlined(suit: str) -> bool:
    """Return True if the suit, a letter, is drawn as an outline; that is, if it is red."""
    return suit in OUTLINED
