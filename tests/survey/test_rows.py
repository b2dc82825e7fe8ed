"""Rows: what two of them tell together, and what contradicts what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.rows import NOTHING, row
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.errors import StoreError, UsageError
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.results import Limits, Method
from dbmsolver.survey.formats import checked_row, values_of
from dbmsolver.survey.kept_searches import store_name
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.row_progress import RowFactory, with_more
from dbmsolver.survey.rows import Inquiry, Row, contradiction, key_of, merged

COLUMNS = {
    line.split(" | ")[0]: line
    for line in (Path(__file__).parents[2] / "docs" / "surveys.md").read_text().splitlines()
    if line.startswith("| `")
}
"""The lines of the manual about columns, by the columns."""


def test_the_manual_names_what_a_column_can_hold() -> None:
    assert all(f"`{method}`" in COLUMNS["| `method`"] for method in Method)
    (rules,) = (line for names, line in COLUMNS.items() if "`moves`" in names)
    three = values_of(row(1, rules=GAMES["klondike_by_threes"]))
    assert f"`{three['moves']}`" in rules


def test_keys() -> None:
    assert row(1).key == key_of(row(1, verdict="undecided").subject)
    assert row(1).key != row(2).key
    assert row(1).key != row(1, rules=rules_for("freecell", 2)).key
    assert row(1).key != row(1, rules=rules_for("bakers_game")).key
    for name in ("board of a file", "solvitaire 7", "7"):
        board = replace(row(1), number=None, board="AS / 2H", deal=name)
        assert board.whose == "microsoft"
        assert board.key == key_of(board.subject) == ("AS / 2H", board.rules)


def test_numbers_of_other_programs_are_other_deals() -> None:
    known = {**NOTHING, "verdict": "solved"}
    asked = RowFactory(Inquiry.VERDICT, Limits())
    rows = [
        asked.row(Subject(5, None, GAMES["klondike"], whose), **known)
        for whose in ("microsoft", "solvitaire", "ksolve")
    ]
    assert [one.deal for one in rows] == ["5", "solvitaire 5", "ksolve 5"]
    assert [one.whose for one in rows] == ["microsoft", "solvitaire", "ksolve"]
    assert len({one.key for one in rows}) == 3
    assert len({one.subject.deal().position for one in rows}) == 3
    assert len({store_name(Inquiry.VERDICT, one.subject) for one in rows}) == 3
    for one in rows:
        assert checked_row(values_of(one), "row") == one
        for name in ("mine 5", "pysol 6", "5 ", "a name"):
            with pytest.raises(StoreError, match="is none with the number 5"):
                checked_row(values_of(one) | {"deal": name}, "row")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("evaluated", 10**309),
        ("peak_memory", 2**63),
        ("states", -1),
        ("number", -3),
        ("seconds", 10**309),
        ("seconds", -0.5),
        ("seconds", float("nan")),
        ("max_time", float("inf")),
        ("limit", "\ud800"),
        ("board", "\ud800"),
    ],
)
def test_values_that_no_table_holds(name: str, value: object) -> None:
    with pytest.raises(StoreError, match=f"^row: {name} is .*, expected "):
        checked_row(values_of(row(1)) | {name: value}, "row")


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
    assert merged(old, new, "") is old  # the first of two that say the same


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


def test_what_contradicts_nothing() -> None:
    """Other ways to search, other bounds, and lengths that are no shortest ones."""
    pairs = [
        ({"verdict": "unsolvable", "digest": "00", "method": "dominating"},
         {"verdict": "unsolvable", "digest": "01", "method": "every-position"}),
        ({"verdict": "unsolvable", "digest": "00"}, {"verdict": "unsolvable"}),
        ({"verdict": "undecided", "digest": "00"}, {"verdict": "undecided", "digest": "01"}),
        ({"verdict": "solved", "length": 80, "shortest": True},
         {"verdict": "solved", "length": 81, "shortest": False}),
        ({"at_least": 81}, {"at_most": 81}),
        ({"verdict": "solved"}, {"verdict": "undecided"}),
        ({"fewest": 3}, {"fewest": None}),
    ]  # fmt: skip
    for one, other in pairs:
        for old, new in ((one, other), (other, one)):
            assert contradiction(row(1, **old), row(1, **new)) is None
    assert contradiction(row(1, at_least=82), row(1, at_most=81)) == (
        "at most 81, but it was at least 82"
    )
    assert contradiction(row(1, at_most=81), row(1, at_least=82)) == (
        "at most 81, but it is at least 82"
    )


@pytest.mark.parametrize(
    ("question", "known", "is_open"),
    [
        (Inquiry.VERDICT, {"verdict": "solved"}, False),
        (Inquiry.VERDICT, {"verdict": "unsolvable"}, False),
        (Inquiry.VERDICT, {"verdict": "undecided"}, True),
        (Inquiry.SHORTEST, {"verdict": "solved", "shortest": True}, False),
        (Inquiry.SHORTEST, {"verdict": "solved", "shortest": False}, True),
        (Inquiry.SHORTEST, {"verdict": "unsolvable"}, False),
        (Inquiry.SHORTEST, {"verdict": "undecided"}, True),
        (Inquiry.SHORTEST_RUNS, {"verdict": "solved", "shortest": False}, True),
        (Inquiry.FEWEST_FREECELLS, {"verdict": "solved", "shortest": False}, False),
    ],
)
def test_which_rows_are_open(question: Inquiry, known: dict[str, Any], is_open: bool) -> None:
    assert row(1, question, **known).is_open == is_open
    assert row(1, question, **known).is_finished
    assert not row(1, question, limit="unfinished", **known).is_finished


def test_the_shorter_solution_is_kept_with_what_it_says() -> None:
    old = row(1, Inquiry.SHORTEST, verdict="solved", length=90, shortest=False, states=1)
    longer = row(1, Inquiry.SHORTEST, verdict="solved", length=91, shortest=False, states=2)
    nothing = row(1, Inquiry.SHORTEST, verdict="undecided", states=2)
    for new in (longer, nothing):
        kept = merged(old, new, "")
        assert (kept.length, kept.verdict, kept.shortest, kept.states) == (90, "solved", False, 2)
    kept = merged(longer, old, "")
    assert (kept.length, kept.states) == (90, 1)


@pytest.mark.parametrize(
    ("question", "metric", "policy"),
    [
        ("verdict", None, "wkr"),
        ("shortest", None, "wkr"),
        ("shortest-runs", "runs", "wkr"),
        ("shortest-turns", "turns", "wkr"),
        ("shortest-plays", "plays", "wkr"),
        ("shortest-moves-horne", "moves", "horne"),
        ("shortest-moves-wkr", "moves", "wkr"),
        ("shortest-moves-max", "moves", "max"),
        ("shortest-moves-none", "moves", "none"),
        ("fewest-freecells", None, "wkr"),
    ],
)
def test_questions(question: str, metric: Metric | None, policy: Policy) -> None:
    inquiry = Inquiry(question)
    assert (inquiry.metric, inquiry.policy) == (metric, policy)
    assert inquiry.is_shortest == question.startswith("shortest")
    asked = Inquiry.SHORTEST if inquiry.is_shortest else inquiry
    assert asked.measured(metric, policy if metric == "moves" else None) == inquiry


def test_questions_in_metrics() -> None:
    assert Inquiry.SHORTEST.measured("cards", None) == Inquiry.SHORTEST
    assert Inquiry.SHORTEST.measured("moves", None) == Inquiry.SHORTEST_MOVES_WKR
    assert Inquiry.VERDICT.measured(None, None) == Inquiry.VERDICT
    with pytest.raises(UsageError, match=r"^automove wkr says nothing without the metric moves"):
        Inquiry.SHORTEST.measured("runs", "wkr")
    with pytest.raises(UsageError, match="expected the question shortest"):
        Inquiry.VERDICT.measured("runs", None)
    Inquiry.SHORTEST_RUNS.check([rules_for("freecell")])
    with pytest.raises(UsageError):
        Inquiry.SHORTEST_RUNS.check([rules_for("freecell"), rules_for("golf")])


def test_questions_about_freecells() -> None:
    """The fewest freecells are asked for only where there are some; other questions everywhere."""
    none = rules_for("freecell", 0)
    Inquiry.FEWEST_FREECELLS.check([rules_for("freecell", 1)])
    with pytest.raises(UsageError, match="freecell has no freecells here"):
        Inquiry.FEWEST_FREECELLS.check([rules_for("freecell"), none])
    Inquiry.VERDICT.check([none])
    Inquiry.SHORTEST.check([none])


@pytest.mark.parametrize("name", ["max_states", "max_time", "memory", "max_disk"])
def test_each_limit_counts_by_itself(name: str) -> None:
    """A row is taken up again where one limit is larger, or is none."""
    made = row(1, limits=Limits(**{name: 100}))
    for limit, more in ((99, False), (100, False), (101, True), (None, True)):
        assert with_more(made, Limits(**{name: limit})) == more
    unlimited = row(1, limits=Limits())
    assert not with_more(unlimited, Limits(**{name: 101}))


def test_rows_tell_the_rules_and_the_limits_they_are_about() -> None:
    for rules in GAMES.values():
        assert row(1, rules=rules).rules == rules
    made = row(1, limits=Limits(max_states=1, max_time=2.0, memory=3, max_disk=4))
    assert (made.max_states, made.max_time, made.memory, made.max_disk) == (1, 2.0, 3, 4)
    assert made.title == "deal 1 (freecell, 4 freecells)"
