"""Deals and positions as people and notebooks show them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbmsolver.game.deals import Deal
    from dbmsolver.game.position import Position


def told(deal: Deal) -> str:
    """The name of a deal, and its board."""
    from dbmsolver.game.boards import format_board
    from dbmsolver.game.titles import title

    return f"{title(deal)}\n{format_board(deal.position)}".rstrip("\n")


def picture(position: Position, name: str = "") -> str:
    """A board as SVG, for notebooks.

    What draws it lies above this package, so it is loaded by its name.
    """
    drawn: str = import_module("dbmsolver.notation.pictures.board").draw_board(position, name)
    return drawn


def picture_of(deal: Deal) -> str:
    """The board of a deal as SVG, with its name."""
    from dbmsolver.game.titles import title

    return picture(deal.position, title(deal))
