"""The keys of a deal, by what the states of its search are.

Keys and kernels of games that are not played are not loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES, Metric, Policy
from dbmsolver.game.measures import usual_metric
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Method, Question

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from dbmsolver.kits.klondike.class_keys import ClassKeys
    from dbmsolver.kits.klondike.keys import PatienceKeys
    from dbmsolver.kits.leaving import LeavingKeys
    from dbmsolver.kits.wide.keys import WideKeys

CoveringKeys: TypeAlias = "RecordKeys | ClassKeys"
"""Keys of states that stand for several positions."""
AnyKeys: TypeAlias = "StateCodec | WideKeys"
"""Keys of any kind; only those of wide games are not keys of states."""


def are_leaving(keys: AnyKeys) -> TypeIs[LeavingKeys]:
    """Return True if they are those of a game whose cards only leave: of one pile, or of pairs."""
    return keys.deal.rules.only_leave


def are_of_patience(keys: AnyKeys) -> TypeIs[PatienceKeys]:
    """Return True if they are those of positions of Klondike or one of its relatives."""
    return keys.deal.rules.is_patience and keys.method == Method.EVERY_POSITION


def are_of_classes(keys: AnyKeys) -> TypeIs[ClassKeys]:
    """Return True if they are those of classes of positions of Klondike."""
    return keys.method.of_classes


def are_of_records(keys: AnyKeys) -> TypeIs[RecordKeys]:
    """Return True if they are those of records of dominating positions."""
    return keys.method == Method.DOMINATING


def are_wide(keys: AnyKeys) -> TypeIs[WideKeys]:
    """Return True if they are those of a game that is searched over whole columns."""
    return keys.deal.rules.is_wide


def are_covering(keys: AnyKeys) -> TypeIs[CoveringKeys]:
    """Return True if a state stands for several positions."""
    return keys.method != Method.EVERY_POSITION


def keys_of(
    deal: Deal,
    policy: Policy,
    method: Method,
    metric: Metric | None = None,
    question: Question = Question.SOLVE,
) -> AnyKeys:
    """Return the keys of a deal's positions, or of its records or classes.

    Where a stock is turned, the question makes a difference to the keys.
    """
    if method.of_classes:
        from dbmsolver.kits.klondike.class_keys import ClassKeys

        return ClassKeys(deal, policy, method=method)
    if deal.rules.is_patience:
        from dbmsolver.kits.klondike.keys import PatienceKeys

        metric = metric or usual_metric(deal.rules)
        return PatienceKeys(deal, policy, metric, question)
    if deal.rules.has_pile:
        from dbmsolver.kits.pile.keys import PileKeys

        return PileKeys(deal, question)
    if deal.rules.has_pairs:
        from dbmsolver.kits.pairs.keys import PairKeys

        return PairKeys(deal, question)
    if deal.rules.is_wide:
        from dbmsolver.kits.wide.keys import WideKeys

        return WideKeys(deal)
    if method == Method.DOMINATING:
        return RecordKeys(deal, policy if policy in POLICIES else "wkr")
    return StateCodec(deal, policy, metric)


def position_keys(deal: Deal, policy: Policy) -> AnyKeys:
    """Return the keys of a deal's positions."""
    return keys_of(deal, policy, Method.EVERY_POSITION)
