"""Limits of searches for shortest solutions of Klondike and its relatives."""

from __future__ import annotations

import pytest
from helpers.in_memory import PATIENCE, many_commits

from dbmsolver import api
from dbmsolver.results import Limit, Verdict
from dbmsolver.search.limits import LimitCheck
from dbmsolver.search.patience import sets


def test_limits_are_looked_at_wherever_the_room_for_candidates_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Within a layer, too: some of them take minutes."""
    many_commits(monkeypatch, PATIENCE)
    monkeypatch.setattr(sets, "OUT", 1)
    looks = 0

    def reached(self: LimitCheck) -> Limit | None:
        nonlocal looks
        looks += 1
        return Limit.MAX_TIME if looks == 40 else None

    monkeypatch.setattr(LimitCheck, "reached", reached)
    result = api.solve(PATIENCE.deck(Verdict.UNSOLVABLE))
    assert (result.verdict, result.limit) == ("undecided", Limit.MAX_TIME)
    assert 0 < result.states <= 80
