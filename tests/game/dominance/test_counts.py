"""Counts of the records of real deals, which a search over records has to agree with."""

from __future__ import annotations

import pytest

from dbmsolver.game.deals import deal_number
from dbmsolver.game.dominance.macros import macros
from dbmsolver.game.dominance.records import Record, record_of
from dbmsolver.game.shipped import rules_for


def count(number: int, freecells: int) -> int:
    """Count the records of a FreeCell deal that cannot be won."""
    rules = rules_for("freecell", freecells=freecells)
    root = record_of(deal_number(number, rules), rules, "wkr")
    seen: set[Record] = {root}
    todo = [root]
    while todo:
        record = todo.pop()
        assert not record.is_goal()
        after = {macro.record for macro in macros(record, rules, "wkr")} - seen
        seen |= after
        todo += after
    return len(seen)


@pytest.mark.parametrize(
    ("number", "freecells", "records"), [(14, 1, 8), (1, 1, 55), (781948, 4, 909)]
)
def test_small_deals(number: int, freecells: int, records: int) -> None:
    assert count(number, freecells) == records


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "freecells", "records"),
    [
        (146692, 4, 1627),
        (512118, 4, 5172),
        (11982, 4, 11162),
        (1, 2, 14555),
    ],
)
def test_large_deals(number: int, freecells: int, records: int) -> None:
    assert count(number, freecells) == records
