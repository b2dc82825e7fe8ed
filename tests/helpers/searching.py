"""What tests of the search share: how they ask, and what a win must be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.rules import Policy

prove = partial(api.prove, method="every-position")
"""`api.prove` over every position, which published counts are about."""


def check_win(deal: Deal, moves: Sequence[Move], policy: Policy) -> None:
    """The moves are legal and win, and each safe move is made where it becomes possible."""
    position = deal.position
    for move in moves:
        forced = position.forced(deal.rules, policy)
        assert forced is None or forced.card == move.card
        assert move in position.moves(deal.rules)
        position = position.apply(move)
    assert position.is_goal()
