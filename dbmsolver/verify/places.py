"""Place values: the numbers by which keys, codes and solutions say where a card lies."""

from __future__ import annotations

FREECELL, BOTTOM, LOCKED, HOME = 4, 5, 6, 7
"""0 to 3 stand for the first to fourth card that takes a card."""
PAIRED = 64
"""The place value of a card that is removed with another, less the number of that one."""
NO_CARD = 63
"""The card that the deal's parent-move code moves, where a run is one move: none."""
