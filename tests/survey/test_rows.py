"""Rows: what two of them tell together, and what contradicts what."""

from __future__ import annotations

import pytest
from helpers.rows import row
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.errors import StoreError
from dbmsolver.game.shipped import rules_for
from dbmsolver.survey.rows import Inquiry, Row, contradiction, key_of, merged


def test_keys() -> None:
    assert row(1).key == key_of(row(1, verdict="undecided").subject)
    assert row(1).key != row(2).key
    assert row(1).key != row(1, rules=rules_for("freecell", 2)).key
    assert row(1).key != row(1, rules=rules_for("bakers_game")).key


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (row(1, verdict="solved"), row(1, verdict="unsolvable"), "verdict"),
        (row(1, verdict="unsolvable"), row(1, verdict="solved"), "verdict"),
        (
            row(1, verdict="unsolvable", digest="00", method="dominating"),
            row(1, verdict="unsolvable", digest="01", method="dominating"),
            "digest",
        ),
        (
            row(1, Inquiry.SHORTEST, verdict="solved", shortest=True, length=80),
            row(1, Inquiry.SHORTEST, verdict="solved", shortest=True, length=81),
            "length",
        ),
        (
            row(1, Inquiry.SHORTEST, verdict="undecided", at_least=82),
            row(1, Inquiry.SHORTEST, verdict="solved", shortest=True, length=81, at_most=81),
            "at most 81",
        ),
        (
            row(1, Inquiry.FEWEST_FREECELLS, verdict="solved", fewest=2),
            row(1, Inquiry.FEWEST_FREECELLS, verdict="solved", fewest=3),
            "fewest",
        ),
    ],
)
def test_contradictions(old: Row, new: Row, reason: str) -> None:
    assert reason in str(contradiction(old, new))
    assert contradiction(old, old) is None
    with pytest.raises(StoreError, match=f"deal 1 .*{reason}.*contradiction"):
        merged(old, new, "table.csv")


def test_decided_rows_stay() -> None:
    old = row(1, verdict="solved")
    assert merged(old, row(1, verdict="undecided"), "") is old
    new = row(1, verdict="solved", states=9)
    assert merged(row(1, verdict="undecided"), new, "") is new


bounds = st.tuples(st.none() | st.integers(60, 80), st.none() | st.integers(81, 120))


@given(bounds, bounds)
def test_bounds_only_tighten(
    first: tuple[int | None, int | None], second: tuple[int | None, int | None]
) -> None:
    rows = []
    for least, most in (first, second):
        verdict, shortest = ("undecided", None) if most is None else ("solved", False)
        known = {"at_least": least, "at_most": most, "length": most, "shortest": shortest}
        rows.append(row(1, Inquiry.SHORTEST, verdict=verdict, **known))
    both = merged(rows[0], rows[1], "")
    least = [one for one in (first[0], second[0]) if one is not None]
    most = [one for one in (first[1], second[1]) if one is not None]
    assert both.at_least == max(least, default=None)
    assert both.at_most == both.length == min(most, default=None)
    assert both.verdict == ("solved" if most else "undecided")
    assert both.is_open
