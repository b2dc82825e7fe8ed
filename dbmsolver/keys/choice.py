"""The keys of a deal, by what the states of its search are."""

from __future__ import annotations

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.measures import Metric, usual_metric
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.keys.piles import PileKeys
from dbmsolver.keys.records import codec_of
from dbmsolver.keys.states import StateCodec
from dbmsolver.results import Method, Question

AnyKeys = StateCodec | PileKeys | PatienceKeys


def keys_of(
    deal: Deal,
    policy: Policy,
    method: Method,
    metric: Metric | None = None,
    question: Question = Question.SOLVE,
) -> AnyKeys:
    """The keys of a deal's positions, or of its records.

    What is asked for makes a difference where a stock is turned.
    """
    if deal.rules.is_patience:
        return PatienceKeys(deal, policy, metric or usual_metric(deal.rules), question)
    return PileKeys(deal) if deal.rules.has_pile else codec_of(deal, policy, method, metric)


def position_keys(deal: Deal, policy: Policy) -> AnyKeys:
    """The keys of a deal's positions."""
    return keys_of(deal, policy, Method.EVERY_POSITION)
