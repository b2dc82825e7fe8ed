"""Keys of positions: big integers that hold the difference between a position and its deal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.position import Position

if TYPE_CHECKING:
    from dbmsolver.kits.states import StateCodec


def key_of(deal: Deal, policy: Policy, position: Position) -> int:
    """Return the key of a position in the search of a deal; InputError if it has none there."""
    return _keys(deal, policy).encode(position)


def position_of(deal: Deal, policy: Policy, key: int) -> Position:
    """Return the position that has a key in the search of a deal; InputError if there is none."""
    return _keys(deal, policy).decode(key)


def _keys(deal: Deal, policy: Policy) -> StateCodec:
    """Return the keys of a deal; UsageError for a game whose positions have no numbers."""
    from dbmsolver.kits.choice import are_wide, position_keys

    keys = position_keys(deal, policy)
    if are_wide(keys):
        raise UsageError(f"{deal.rules.name}: its positions have no keys that are numbers")
    return keys
