"""Deals and positions as people and notebooks show them.

What names and draws them lies above this module, so it is loaded by its name.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def told(deal: Any) -> str:
    """Return the name of a deal, and its board."""
    board = import_module("dbmsolver.game.boards").format_board(deal.position)
    return f"{_title(deal)}\n{board}".rstrip("\n")


def picture(position: Any, name: str = "") -> str:
    """Return a position as SVG, for notebooks."""
    drawn: str = import_module("dbmsolver.notation.pictures.board").draw_board(position, name)
    return drawn


def picture_of(deal: Any) -> str:
    """Return the board of a deal as SVG, with its name."""
    return picture(deal.position, _title(deal))


def _title(deal: Any) -> str:
    title: str = import_module("dbmsolver.game.titles").title(deal)
    return title
