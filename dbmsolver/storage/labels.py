"""The labels of a search: combinations of question, method, metric and verdict that there are.

Each may be right by itself, and still no search has all of them. The labels of stores and
certificates are checked before anything else in them is used.
"""

from __future__ import annotations

from dbmsolver.game.classes import has_classes, is_in_a_class
from dbmsolver.game.dominance.records import can_dominate
from dbmsolver.game.measures import usual_metric
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.results import Bound, Method, Question, Verdict


def wrong_label(
    rules: Rules,
    question: str,
    method: str,
    metric: str,
    verdict: str | None,
    shortest: bool,
) -> str | None:
    """Return why a question, method, metric and verdict cannot be those of one search.

    None if they can.

    ``shortest`` says whether a solution is claimed to be a shortest one.
    """
    if method == Method.DOMINATING and not can_dominate(rules):
        return f"method {method}: {rules.name} has no dominating positions"
    if method == Method.CLASSES_ANY_PASSES and (not rules.passes or verdict != Verdict.UNSOLVABLE):
        return f"method {method}: it proves deals of limited passes unsolvable, and nothing else"
    if method in (Method.CLASSES, Method.CLASSES_ANY_PASSES) and not has_classes(rules):
        return f"method {method}: {rules.name} has no classes of positions"
    lost_ahead = verdict == Verdict.UNSOLVABLE and method != Method.CLASSES_ANY_PASSES
    if question == Question.SOLVE and method != Method.EVERY_POSITION and not lost_ahead:
        return f"method {method}: a search for a shortest solution needs every position"
    usual = usual_metric(rules)
    if metric != usual and (question == Question.PROVE or method != Method.EVERY_POSITION):
        return f"metric {metric}: a proof of {rules.name} is told in {usual}"
    if shortest and (question != Question.SOLVE or verdict != Verdict.SOLVED):
        return f"a shortest solution, where the question is {question} and the verdict {verdict}"
    return None


def wrong_label_of_deal(
    position: Position, rules: Rules, method: Method, bound: Bound
) -> str | None:
    """Return why a search of this deal cannot have a method and bound; None if it can.

    The rules allow both: what depends on the deal is looked at here. ``position`` is its first one.
    """
    if not method.of_classes and bound != Bound.CLASSES:
        return None
    if method == Method.CLASSES_ANY_PASSES:
        position = position.without_turn_limit()
    if is_in_a_class(position, rules):
        return None
    label = f"method {method}" if method.of_classes else f"bound {bound}"
    return f"{label}: the theorem of classes does not hold for this deal"
