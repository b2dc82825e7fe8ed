"""The items of move lines that do not say what they move."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dbmsolver.game.language.description import MoveLine

_THROUGH = "ThroughReserve"


def with_items(lines: Iterable[MoveLine]) -> tuple[MoveLine, ...]:
    """Give each line without an item that of the line of its element before it.

    `ThroughReserve` says how the item of a line moves, and goes with it. A line with none before it
    is left as it is: it moves a single card.
    """
    found: list[MoveLine] = []
    said: dict[str, MoveLine] = {}
    for line in lines:
        before = said.get(line.element)
        if line.item is None and before is not None:
            through = _THROUGH in before.modifiers and _THROUGH not in line.modifiers
            modifiers = (*line.modifiers, *[_THROUGH] * through)
            line = replace(line, item=before.item, count=before.count, modifiers=modifiers)
        if line.item is not None:
            said[line.element] = line
        found.append(line)
    return tuple(found)
