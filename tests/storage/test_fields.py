"""The fields of a manifest: what each may be at most, and what it may not be any more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, RULE_TYPES, rules_fields
from dbmsolver.results import Options, Question
from dbmsolver.storage.fields import CHOICES, FIELDS, MOST_MOMENTS, MOST_PLACE
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.records import FORMAT, LARGEST

SIXTEEN = 0xFFFF


def moments(number: int) -> list[list[int]]:
    return [[time, 0, 0, 0, 0] for time in range(number)]


NUMBERS = (
    *("next", "states", "forced", "evaluated", "closed_bytes", "peak_memory", "known"),
    *("beams_won", "beams_failed"),
)
CASES: dict[str, tuple[list[Any], list[Any]]] = {
    **dict.fromkeys(NUMBERS, ([0, LARGEST], [-1, LARGEST + 1, 1.0, True, None, "1"])),
    "format": ([FORMAT], [FORMAT - 1, FORMAT + 1, float(FORMAT)]),
    "seconds": (
        [0, 0.0, 1.5, 7, LARGEST - 1],
        [-0.5, -1, LARGEST, float(LARGEST), float("nan"), float("inf"), True, None, "1", [1]],
    ),
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
    "rules": (
        [rules_fields(rules) for rules in GAMES.values()],
        [
            {"freecells": True},
            {"freecells": -1},
            {"freecells": LARGEST + 1},
            {"freecells": 1.0},
            {"kings_sunk": 0},
            {"name": None},
            {"name": "freecell", "more": 1},
            {"more": None},
            [],
            None,
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
        [
            [[52, 0]],
            [[0, MOST_PLACE + 1]],
            [[-1, 0]],
            [[0]],
            [[0, 0, 0]],
            [[0, 0]] * ((1 << 20) + 1),  # more than there is room for
            {},
        ],
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
    assert CASES.keys() == FIELDS.keys()


@pytest.mark.parametrize("name", [*FIELDS, *CHOICES])
def test_a_manifest_has_no_other_values(name: str) -> None:
    """Name the field, whichever it is, of which a manifest has a value that it cannot have."""
    made = new_manifest(Question.PROVE, Deal.from_number(1), Options())
    bad = CASES[name][1] if name in CASES else ["", "maybe", 0, True, [], ["all"], {}]
    for value in bad:
        with pytest.raises(ValueError, match=name):
            replace(made, **{name: value})


def test_fields_of_a_manifest_fit_each_other() -> None:
    """Refuse rules that are told otherwise than they are written, and lengths of other paths."""
    made = new_manifest(Question.PROVE, Deal.from_number(1), Options())
    path = [[0, 7], [4, 7]]
    for changes in ({}, {"path": path, "length": 2}, {"path": [], "length": 0}):
        replace(made, verdict="solved", **changes)
    for changes in (
        {"length": 2},
        {"path": path},
        {"path": path, "length": 1},
        {"path": path, "length": 3},
        {"path": [], "length": 1},
    ):
        with pytest.raises(ValueError, match="length"):
            replace(made, verdict="solved", **changes)
    plain = Deal.from_number(1).rules
    for name in RULE_TYPES.keys() - made.rules.keys():
        with pytest.raises(ValueError, match="rules"):
            replace(made, rules={**made.rules, name: getattr(plain, name)})
