"""With how many freecells deals can be won, and that one less does not do.

A sample of what others have found.

benchmarks/oracles.py checks more of the table.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.searching import prove
from helpers.selection import few_fast

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Verdict

TABLE = Path(__file__).parents[1] / "data" / "min-freecells.tsv"
LINES = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
FEWEST = {int(deal): int(cells) for deal, cells in (line.split("\t") for line in LINES[1:])}
WON_SOON = (2, 16, 20, 22, 51, 97, 104, 112, 200)
"""Deals for which a solution is found on the way towards the goal."""


def verdict(number: int, freecells: int) -> Verdict:
    deal = Deal.from_number(number, rules_for("freecell", freecells=freecells))
    return prove(deal).verdict


@pytest.mark.parametrize("number", WON_SOON)
def test_fewest_freecells_that_win(number: int) -> None:
    assert verdict(number, FEWEST[number]) == "solved"


@pytest.mark.parametrize("number", few_fast([*range(1, 26), *WON_SOON[-5:]], 10))
def test_one_less_does_not(number: int) -> None:
    assert verdict(number, FEWEST[number] - 1) == "unsolvable"
