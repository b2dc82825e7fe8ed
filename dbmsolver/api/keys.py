"""Keys of positions: big integers that say how one differs from the deal it was reached from."""

from __future__ import annotations

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.position import Position


def key_of(deal: Deal, policy: Policy, position: Position) -> int:
    """Return the key of a position in the search of a deal; InputError if it has none there."""
    from dbmsolver.keys.choice import position_keys

    return position_keys(deal, policy).encode(position)


def position_of(deal: Deal, policy: Policy, key: int) -> Position:
    """Return the position that has a key in the search of a deal; InputError if there is none."""
    from dbmsolver.keys.choice import position_keys

    return position_keys(deal, policy).decode(key)
