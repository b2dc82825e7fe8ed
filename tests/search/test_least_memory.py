"""The least that --memory takes is enough to finish."""

from __future__ import annotations

from pathlib import Path

from helpers.searching import prove

from dbmsolver.api import solve
from dbmsolver.cli.values import LEAST_MEMORY
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for


def test_a_proof_with_the_least_memory(tmp_path: Path) -> None:
    deal = Deal.from_number(5979, rules_for("freecell", 3))
    result = prove(deal, store=tmp_path / "store", memory=LEAST_MEMORY)
    assert (result.verdict, result.states) == ("unsolvable", 534_206)
    assert result.digest == "b40f391d7d2fa35d"


def test_a_solution_with_the_least_memory() -> None:
    assert solve(Deal.from_number(3), memory=LEAST_MEMORY).length == 73
