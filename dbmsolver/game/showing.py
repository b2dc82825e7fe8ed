"""Pictures of positions for notebooks, drawn by a function that a layer above this one gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Draw = Callable[[Any, str, Any], str]
"""A function that returns a position as SVG, with a title, by rules or None."""

_draw: Draw | None = None


def draw_with(draw: Draw) -> None:
    """Draw all pictures with this function from now on."""
    global _draw
    _draw = draw


def picture(position: Any, title: str = "", rules: Any = None) -> str | None:
    """Return a position as SVG; None, for which notebooks show text, where nothing draws."""
    return None if _draw is None else _draw(position, title, rules)
