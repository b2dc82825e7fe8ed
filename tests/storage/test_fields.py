"""The fields of a manifest: what each may be at most, and what it may not be any more."""

from __future__ import annotations

from typing import Any

import pytest

from dbmsolver.storage.fields import FIELDS, MOST_MOMENTS, MOST_PLACE
from dbmsolver.storage.records import FORMAT, LARGEST

SIXTEEN = 0xFFFF


def moments(number: int) -> list[list[int]]:
    return [[time, 0, 0, 0, 0] for time in range(number)]


NUMBERS = ("next", "states", "forced", "evaluated", "closed_bytes", "peak_memory", "known")
CASES: dict[str, tuple[list[Any], list[Any]]] = {
    **dict.fromkeys(NUMBERS, ([0, LARGEST], [-1, LARGEST + 1, 1.0, True, None, "1"])),
    "format": ([FORMAT], [FORMAT - 1, FORMAT + 1, float(FORMAT)]),
    "seconds": ([0, 0.0, 1.5, 7], [-0.5, -1, float(LARGEST), float("nan"), float("inf"), True]),
    "id": (["0" * 16, "0123456789abcdef"], ["0" * 15, "0" * 17, "0" * 15 + "A", 0]),
    "digest": (["f" * 16], ["F" * 16, " " + "f" * 15, None]),
    "waiting": ([[0, "0" * 16]], [[0], [0, "0" * 16, 0], [-1, "0" * 16], [0, "0" * 15], [0, 0]]),
    "length": ([None, 0, LARGEST], [-1, LARGEST + 1, 1.0, False]),
    "shortest": ([True, False], [0, 1, None]),
    "any_solution": ([True, False], [0, 1, None]),
    "program": (["", "any"], [None, 1]),
    "deal": (
        [{"number": number, "board": ""} for number in (None, 0, -1, -2, LARGEST)],
        [
            *({"number": number, "board": ""} for number in (-3, LARGEST + 1, True, 1.0, "1")),
            {"number": 1, "board": None},
            {"number": 1},
            {"board": ""},
            {"number": 1, "board": "", "more": 1},
            [],
        ],
    ),
    "strata": (
        [
            [],
            [[0, 0, 0, 0]],
            [[0, 1, 5, 5], [0, 2, 0, 0], [1, 0, 0, 0]],
            [[SIXTEEN, SIXTEEN, LARGEST, LARGEST]],
        ],
        [
            [[0, 1, 5, 5], [0, 1, 6, 6]],
            [[0, 2, 0, 0], [0, 1, 0, 0]],
            [[1, 0, 0, 0], [0, 5, 0, 0]],
            [[SIXTEEN + 1, 0, 0, 0]],
            [[0, SIXTEEN + 1, 0, 0]],
            [[0, 0, LARGEST + 1, 0]],
            [[0, 0, 0, LARGEST + 1]],
            [[0, 0, 0]],
            [[0, 0, 0, 0, 0]],
            [None],
            None,
        ],
    ),
    "history": (
        [[], moments(1), moments(MOST_MOMENTS), [[LARGEST, SIXTEEN, SIXTEEN, LARGEST, LARGEST]]],
        [
            moments(MOST_MOMENTS + 1),
            [*moments(2), [1, 0, 0, 0, 0]],
            [*moments(3), [0, 0, 0, 0, 0]],
            [[0, SIXTEEN + 1, 0, 0, 0]],
            [[0, 0, SIXTEEN + 1, 0, 0]],
            [[0, 0, 0, 0]],
            None,
        ],
    ),
    "path": (
        [None, [], [[0, 0], [51, MOST_PLACE]]],
        [[[52, 0]], [[0, MOST_PLACE + 1]], [[-1, 0]], [[0]], [[0, 0, 0]], {}],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_field_has_its_values(name: str) -> None:
    good, bad = CASES[name]
    for value in good:
        assert FIELDS[name](value), value
    for value in bad:
        assert not FIELDS[name](value), value


def test_no_field_is_left_out() -> None:
    assert CASES.keys() | {"rules"} == FIELDS.keys()
