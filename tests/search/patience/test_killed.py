"""Searches of Klondike, killed from their start-up on, and continued with the same memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.interruptions import interrupt

KLONDIKE = {"game": "klondike_by_threes", "deal": 38}
"""Unsolvable, with 56,636 states in a proof."""
PIECES = {**KLONDIKE, "memory": 2 << 20}
"""The same, in pieces of some thousand states."""


def check_killed(store: Path, times: int, **settings: Any) -> None:
    """Killed so many times, each time continued: the same in the end."""
    found = interrupt(store, times, share=0.9, dives=False, **{"memory": 256 << 20, **settings})
    assert found["undisturbed"]["verdict"] == "unsolvable"
    for outcome in found["outcomes"]:
        assert outcome == found["undisturbed"]


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(KLONDIKE, id="klondike"),
        pytest.param(PIECES, id="pieces", marks=pytest.mark.slow),
    ],
)
def test_killed_from_start_up_on(tmp_path: Path, game: dict[str, Any]) -> None:
    check_killed(tmp_path / "store", 4, question="prove", **game)


@pytest.mark.slow
@pytest.mark.parametrize(("commit", "signal"), [(0.0, "SIGKILL"), (5.0, "SIGINT")])
@pytest.mark.parametrize("question", ["prove", "solve"])
@pytest.mark.parametrize("game", [KLONDIKE, PIECES], ids=["klondike", "pieces"])
def test_killed_many_times(
    tmp_path: Path, game: dict[str, Any], question: str, commit: float, signal: str
) -> None:
    check_killed(tmp_path / "store", 3, question=question, commit=commit, signal=signal, **game)
