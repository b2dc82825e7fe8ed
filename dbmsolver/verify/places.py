"""Place values: the numbers by which keys, codes and solutions say where a card lies."""

from __future__ import annotations

FREECELL, BOTTOM, AS_DEALT, HOME = 4, 5, 6, 7
"""0 to 3 stand for the first to fourth card that takes a card. A card lies as it was dealt where it
has not moved, and has no other place value there."""
PAIRED = 64
"""The place value of a card that is removed with another, less the number of that one."""
