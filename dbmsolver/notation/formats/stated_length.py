"""The length that an answer of `dbmsolver solve` states, held against its own moves.

A solution that is not proven shortest keeps that as a remark, in the words of `not_proven`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from dbmsolver.errors import UsageError, any_of, quoted
from dbmsolver.game.automoves import Automove
from dbmsolver.game.kinds import METRICS, Metric, Policy
from dbmsolver.game.measures import (
    Measure,
    counted,
    length_words,
    measure_of,
    usual_metric,
)
from dbmsolver.game.moves import Move
from dbmsolver.game.rules import Rules
from dbmsolver.notation.formats.source import InvalidError
from dbmsolver.notation.solution import Path, Solution

_LENGTH = re.compile(r"solved in ([0-9]{1,3}(?:,[0-9]{3})*) ([a-z ]+)", re.ASCII)
_BOUND = re.compile(r"\b(at most|at least) ([0-9]{1,6})\b", re.ASCII)
_LEAST = re.compile(r"; the shortest has (?:at most [0-9]+, at least )?([0-9]{1,6})\b", re.ASCII)
"""The lengths of a shortest solution in a title, of which the least one may be the only one."""
_OPEN = re.compile(r"; the shortest has |, not shown to be shortest$", re.ASCII)
_NOT_PROVEN = "not proven shortest"

Problem = Callable[[Path, str], InvalidError]
"""Makes the error for the value at a path of the answer."""


def check_fields(
    value: Mapping[str, Any], solution: Solution, policy: Automove, problem: Problem
) -> None:
    """Raise InvalidError unless what an answer states of its length is true of its moves.

    ``value`` is the answer, ``solution`` what was read from it, and ``policy`` its automoves. The
    fields are metric, length, at_most and at_least; each may be missing, or null.
    """
    metric = value.get("metric")
    if metric is None:
        return
    if metric not in METRICS:
        text = f"metric {quoted(str(metric))}, expected {any_of(METRICS)}"
        raise problem(("metric",), text)
    try:
        measure = measure_of(solution.rules, "none", metric)._replace(policy=policy)
    except UsageError as error:
        raise problem(("metric",), error.message) from None
    length = length_of(solution, measure)
    exact = ["length", "at_most", *(["at_least"] if value.get("shortest") is True else [])]
    for name in ("length", "at_most", "at_least"):
        stated = value.get(name)
        if stated is None:
            continue
        fault = _contradiction(name, stated, length, name in exact)
        if fault is not None:
            raise problem((name,), fault)


def check_title(title: str, solution: Solution, where: str) -> None:
    """Raise InvalidError if the title of a text states a length that does not fit its moves.

    It states the length of the solution, and those that a shortest one can have. Words that name no
    metric are passed over. ``where`` is the place of the title, for the message.
    """
    found = _LENGTH.search(title)
    if found is None:
        return
    stated = int(found[1].replace(",", ""))
    policy: Policy = "wkr"  # of a program's moves it matters only that they are its own
    failure: UsageError | None = None
    lengths = []
    for metric in METRICS:
        if found[2] not in length_words(metric, solution.rules):
            continue
        try:
            measure = measure_of(solution.rules, "none", metric)._replace(policy=policy)
        except UsageError as error:
            failure = failure or error
        else:
            lengths.append(length_of(solution, measure))
    if failure is not None and not lengths:
        raise InvalidError(failure.message, where)
    bounds = _BOUND.findall(title[found.end() :])
    for length in lengths:
        for name, number in (("the length", stated), *((name, int(text)) for name, text in bounds)):
            fault = _contradiction(name, number, length, name != "at least")
            if fault is not None:
                raise InvalidError(fault, where)


def _contradiction(name: str, stated: object, length: int, exact: bool) -> str | None:
    """Return the fault of a stated number, None if it is true: at most the length, or just that."""
    fits = isinstance(stated, int) and (stated == length or (stated < length and not exact))
    if fits and not isinstance(stated, bool):
        return None
    expected = length if exact else f"at most {length}"
    return f"{name} is {stated!r}, but the moves count {length}, expected {expected}"


def length_of(solution: Solution, measure: Measure) -> int:
    """Return how many of the steps count, each as one move."""
    moves = (
        Move(0, step.source, step.destination, forced=step.automove != "none")
        for step in solution.steps
    )
    return measure.length(moves)


def not_proven(at_least: int | str | None) -> str:
    """Return the remark that a solution is not proven shortest, with the known lower bound."""
    if at_least is None:
        return _NOT_PROVEN
    moves = at_least if isinstance(at_least, str) else counted(at_least, "move", "moves")
    return f"{_NOT_PROVEN}: at least {moves} are needed"


def is_not_proven(remark: str) -> bool:
    """Return True if a remark says that a solution is not proven shortest."""
    return remark == _NOT_PROVEN or remark.startswith(f"{_NOT_PROVEN}:")


def in_words(moves: int | None, metric: Metric, rules: Rules) -> int | str | None:
    """Return a number of moves; in words, with their unit, if the metric is not the usual one."""
    usual = metric == usual_metric(rules)
    if moves is None or (usual and metric != "turns"):  # where the waste is turned for free
        return moves
    return counted(moves, *length_words(metric, rules))


def remarks_of_title(title: str, rules: Rules) -> tuple[str, ...]:
    """Return the remark that a solution is not proven shortest, if the title of a text says so."""
    if not _OPEN.search(title.strip()):
        return ()
    least, unit = _LEAST.search(title), _LENGTH.search(title)
    metrics = [name for name in METRICS if unit and unit[2] in length_words(name, rules)]
    if least is None or not metrics:
        return (not_proven(None),)
    usual = usual_metric(rules)
    metric = usual if usual in metrics else metrics[0]
    return (not_proven(in_words(int(least[1]), metric, rules)),)


def remarks_of_fields(value: Mapping[str, Any], rules: Rules) -> tuple[str, ...]:
    """Return the remark that a solution is not proven shortest, if an answer's fields say so.

    The fields are those that `check_fields` has found to be true of the moves.
    """
    if value.get("shortest") is not False:
        return ()
    metrics = [name for name in METRICS if name == value.get("metric")]
    if not metrics:
        return (not_proven(None),)
    return (not_proven(in_words(value.get("at_least"), metrics[0], rules)),)
