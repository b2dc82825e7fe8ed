"""The least that --memory takes is enough to finish."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.searching import prove

from dbmsolver import api
from dbmsolver.api import solve
from dbmsolver.cli.values import LEAST_MEMORY
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.process import anonymous_memory
from dbmsolver.results import Method


def test_a_proof_with_the_least_memory(tmp_path: Path) -> None:
    deal = Deal.from_number(5979, rules_for("freecell", 3))
    result = prove(deal, store=tmp_path / "store", memory=LEAST_MEMORY)
    assert (result.verdict, result.states) == ("unsolvable", 534_206)
    assert result.digest == "b40f391d7d2fa35d"


def test_a_solution_with_the_least_memory() -> None:
    assert solve(Deal.from_number(3), memory=LEAST_MEMORY).length == 73


@pytest.mark.slow
@pytest.mark.parametrize("keep", ["all", "none"])
def test_a_proof_of_klondike_with_the_least_memory(keep: str, tmp_path: Path) -> None:
    """Without the limit it needs several times as much."""
    rules = GAMES["klondike_by_threes"]
    # All kernels, and what they take, are in memory after this.
    api.prove(
        Deal.from_number(38, rules),
        store=tmp_path / "warm",
        memory=1 << 20,
        method=Method.EVERY_POSITION,
    )
    before = anonymous_memory()
    result = api.prove(
        Deal.from_number(262, rules),
        store=tmp_path / "store",
        memory=LEAST_MEMORY,
        keep=keep,
        method=Method.EVERY_POSITION,
    )
    assert (result.verdict, result.states) == ("unsolvable", 2_956_311)
    assert result.digest == "a3656f0cbef65bd2"
    assert result.peak_memory < before + LEAST_MEMORY
