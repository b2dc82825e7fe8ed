"""The allowed values of each field of a manifest, which are checked before any is used."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.kinds import METRICS
from dbmsolver.game.shipped import RULE_TYPES
from dbmsolver.game.texts import members_once
from dbmsolver.results import Bound, Limit, Method, Question, Verdict
from dbmsolver.storage.records import FORMAT, LARGEST

_MOST_ROWS = 1 << 20
MOST_MOMENTS = 256
"""The longest history of a store."""
CHOICES: dict[str, tuple[str | None, ...]] = {
    "question": tuple(Question),
    "policy": AUTOMOVES,
    "metric": METRICS,
    "method": tuple(Method),
    "keep": ("all", "none"),
    "verdict": (*Verdict, None),
    "limit": (*Limit, None),
    "phase": ("new", "search"),
    "bound": tuple(Bound),
}
"""The fields that have one of a few values."""


def read_json(data: bytes) -> Any:
    """Return the value of JSON in UTF-8; ValueError for other data, or a name given twice."""
    return json.loads(data.decode("utf-8"), object_pairs_hook=members_once)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _is_time(value: object) -> bool:
    """Return True if it is a number of seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 <= value < LARGEST


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_hex(value: object) -> bool:
    """Return True if it is 16 hexadecimal digits."""
    return isinstance(value, str) and len(value) == 16 and set(value) <= set("0123456789abcdef")


def _is_deal(value: object) -> bool:
    """Return True if it is a board and its number, and nothing else."""
    if not isinstance(value, dict) or value.keys() != {"number", "board"}:
        return False
    if not isinstance(value["board"], str):
        return False
    number = value["number"]
    unnumbered = isinstance(number, int) and number in (-1, -2)  # boards with a name of their own
    return number is None or unnumbered or _is_number(number)


def _are_rules(value: object) -> bool:
    """Return True if the fields of these rules have the right types."""
    return isinstance(value, dict) and all(
        type(content) is kind and (kind is not int or _is_number(content))
        for name, content in value.items()
        for kind in [RULE_TYPES.get(name)]
    )


def _is_entry(value: object) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and _is_number(value[0]) and _is_hex(value[1])
    )


def _are_rows(value: object, most: tuple[int, ...]) -> bool:
    """Return True if it is a list of lists of numbers, each up to ``most`` of its column."""
    if not isinstance(value, list) or len(value) > _MOST_ROWS:
        return False
    if not all(isinstance(row, list) and len(row) == len(most) for row in value):
        return False
    # Column by column: every commit of a search checks all rows.
    return all(
        set(map(type, column)) == {int} and min(column) >= 0 and max(column) <= limit
        for column, limit in zip(zip(*value, strict=True), most, strict=False)
    )


def _are_strata(value: object) -> bool:
    """Return True if these are rows of layers and strata in ascending order, each once."""
    if not _are_rows(value, (0xFFFF, 0xFFFF, LARGEST, LARGEST)):
        return False
    assert isinstance(value, list)
    return all(before[:2] < other[:2] for before, other in pairwise(value))


def _is_history(value: object) -> bool:
    """Return True if these are moments of a search, each later than the one before."""
    if not _are_rows(value, (LARGEST, 0xFFFF, 0xFFFF, LARGEST, LARGEST)):
        return False
    assert isinstance(value, list)
    later = all(before[0] < other[0] for before, other in pairwise(value))
    return later and len(value) <= MOST_MOMENTS


MOST_PLACE = (1 << 16) - 1
"""The largest number for a place in a step of a solution: those of wide games are largest."""

FIELDS: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: _is_number(value) and value == FORMAT,
    "program": _is_text,
    "id": _is_hex,
    "deal": _is_deal,
    "rules": _are_rules,
    "shortest": lambda value: isinstance(value, bool),
    "any_solution": lambda value: isinstance(value, bool),
    "next": _is_number,
    "states": _is_number,
    "forced": _is_number,
    "evaluated": _is_number,
    "closed_bytes": _is_number,
    "peak_memory": _is_number,
    "known": _is_number,
    "beams_won": _is_number,
    "beams_failed": _is_number,
    "seconds": _is_time,
    "digest": _is_hex,
    "waiting": _is_entry,
    "strata": _are_strata,
    "history": _is_history,
    "path": lambda value: value is None or _are_rows(value, (51, MOST_PLACE)),
    "length": lambda value: value is None or _is_number(value),
}
"""The check of each field by itself; those with a list of choices are in ``CHOICES``."""
