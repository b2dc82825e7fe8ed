"""Steps of wide games: a card, and a number for the places of its move."""

from __future__ import annotations

from dbmsolver.game.moves import Move, Place

_FIRST = {"column": 0, "stock": 18, "waste": 19, "columns": 20, "foundation": 21}
"""The number of the first place of each kind."""
_PLACES = 25


def place_of(move: Move) -> int:
    """Return a number for the places that a move leads from and to, and its number of cards."""
    return (move.count * _PLACES + _number(move.source)) * _PLACES + _number(move.destination)


def _number(place: Place) -> int:
    return _FIRST[place.kind] + place.index
