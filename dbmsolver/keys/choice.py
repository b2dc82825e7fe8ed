"""The keys of a deal, by what the states of its search are."""

from __future__ import annotations

from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Metric
from dbmsolver.game.rules import Policy
from dbmsolver.keys.piles import PileKeys
from dbmsolver.keys.records import codec_of
from dbmsolver.keys.states import StateCodec
from dbmsolver.results import Method

AnyKeys = StateCodec | PileKeys


def keys_of(deal: Deal, policy: Policy, method: Method, metric: Metric | None = None) -> AnyKeys:
    """The keys of a deal's positions, or of its records."""
    return PileKeys(deal) if deal.rules.has_pile else codec_of(deal, policy, method, metric)


def position_keys(deal: Deal, policy: Policy) -> AnyKeys:
    """The keys of a deal's positions."""
    return keys_of(deal, policy, Method.EVERY_POSITION)
