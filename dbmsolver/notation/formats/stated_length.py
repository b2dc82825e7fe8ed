"""The length that an answer of `dbmsolver solve` states, held against its own moves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

from dbmsolver.errors import UsageError, any_of, quoted
from dbmsolver.game.automoves import Automove
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import Measure, length_words, measure_of
from dbmsolver.game.moves import Move
from dbmsolver.notation.solution import Solution

METRICS: tuple[Metric, ...] = get_args(Metric)
_LENGTH = re.compile(r"solved in ([0-9]{1,3}(?:,[0-9]{3})*) ([a-z ]+)", re.ASCII)


class StatedError(Exception):
    """An error in what an answer states of its length: the name of the field, and why."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(why)
        self.name = name


def check_fields(value: Mapping[str, Any], solution: Solution, policy: Automove) -> None:
    """Raise StatedError unless what an answer states of its length is true of its moves.

    ``value`` is the answer, ``solution`` what was read from it, and ``policy`` its automoves. The
    fields are metric, length, at_most and at_least; each may be missing, or null.
    """
    metric = value.get("metric")
    if metric is None:
        return
    if metric not in METRICS:
        raise StatedError("metric", f"metric {quoted(str(metric))}, expected {any_of(METRICS)}")
    try:
        measure = measure_of(solution.rules, "none", metric)._replace(policy=policy)
    except UsageError as error:
        raise StatedError("metric", error.message) from None
    length = length_of(solution, measure)
    least, most = value.get("at_least"), value.get("at_most")
    _compare("length", value.get("length"), length)
    _compare("at_most", most, length)
    if value.get("shortest") is True:
        _compare("at_least", least, length)
    elif least is not None and not (_is_number(least) and least <= length):
        raise StatedError("at_least", f"at_least is {least!r}, but the moves count {length}")


def _compare(name: str, stated: object, length: int) -> None:
    if stated is not None and not (_is_number(stated) and stated == length):
        raise StatedError(name, f"{name} is {stated!r}, but the moves count {length}")


def _is_number(stated: object) -> bool:
    return isinstance(stated, int) and not isinstance(stated, bool)


def check_title(title: str, solution: Solution) -> None:
    """Raise StatedError unless the length in the title of a text is that of the moves.

    Words that name no metric of the game say nothing.
    """
    found = _LENGTH.search(title)
    if found is None:
        return
    policy: Policy = "wkr"  # of a program's moves it matters only that they are its own
    for metric in METRICS:
        if found[2] in length_words(metric, solution.rules):
            length = length_of(solution, Measure(solution.rules, policy, metric))
            _compare("the length", int(found[1].replace(",", "")), length)


def length_of(solution: Solution, measure: Measure) -> int:
    """Return how many of the steps count, each as one move."""
    moves = (
        Move(0, step.source, step.destination, forced=step.automove != "none")
        for step in solution.steps
    )
    return measure.length(moves)
