"""Searches with any solution first, killed and interrupted at random moments, and continued."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.interruptions import interrupt

TIMES = 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"question": "solve", "deal": 2, "freecells": 4},
        pytest.param(
            {"question": "solve", "deal": 2, "freecells": 4, "signal": "SIGINT"},
            marks=pytest.mark.slow,
        ),
        pytest.param(
            {"question": "solve", "deal": 3, "freecells": 3, "memory": 24 << 20},
            marks=pytest.mark.slow,
        ),
        pytest.param({"question": "solve", "deal": 1, "freecells": 2}, marks=pytest.mark.slow),
        pytest.param(
            {"question": "solve", "deal": 1, "freecells": 2, "dives": False},
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda settings: "-".join(map(str, settings.values())),
)
def test_the_end_is_the_same(tmp_path: Path, settings: dict[str, Any]) -> None:
    found = interrupt(tmp_path / "store", TIMES, share=1 / 2, any_solution=True, **settings)
    undisturbed = found["undisturbed"]
    assert undisturbed["limit"] is None
    for outcome in found["outcomes"]:
        assert (outcome["verdict"], outcome["limit"]) == (undisturbed["verdict"], None)
        assert outcome["length"] == undisturbed["length"]
        # Of the last layer, how much is closed is left to chance.
        length = undisturbed["length"] or 10**6
        assert [row for row in outcome["strata"] if row[0] < length] == [
            row for row in undisturbed["strata"] if row[0] < length
        ]
