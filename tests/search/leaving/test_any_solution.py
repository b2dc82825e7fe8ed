"""Games of one pile: any solution first, and what is not possible."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.pile_games import golf

from dbmsolver import api
from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.results import Verdict
from dbmsolver.search.improve import leaving_dives
from dbmsolver.search.sequences.session import Sequences


def test_a_golf_with_any_solution_first(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = golf(Verdict.SOLVED)
    expected = api.solve(deal)
    found: list[int] = []

    def note(event: Any) -> None:
        if hasattr(event, "length"):
            found.append(event.length)

    monkeypatch.setattr(leaving_dives, "SCHEDULE", (1 << 15,))
    result = api.solve(deal, any_solution=True, progress=note)
    assert (result.length, result.shortest) == (expected.length, True)
    assert found and found[0] >= result.length


def test_what_is_not_possible_is_refused_by_name() -> None:
    deal = Deal.from_number(1, GAMES["golf"])
    with pytest.raises(UsageError, match="all cards go to one pile in golf"):
        Sequences(deal)
    with pytest.raises(UsageError, match="freecells in a game of one pile: expected none"):
        rules_for("golf", freecells=2)
