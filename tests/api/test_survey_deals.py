"""Surveys as a Python program makes them."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import NoReturn

import pytest
from helpers.rows import row
from helpers.surveys import facts, survey

from dbmsolver import SurveyReport, UsageError, rules_for, survey_deals
from dbmsolver.api import surveys
from dbmsolver.results import Limits
from dbmsolver.survey.filling import FilledTable
from dbmsolver.survey.formats import write_table
from dbmsolver.survey.ranges import parse_ranges
from dbmsolver.survey.report import render
from dbmsolver.survey.rows import Inquiry
from dbmsolver.survey.run import Survey

NONE = rules_for("freecell", 0)


def test_the_same_as_any_other_survey(tmp_path: Path) -> None:
    expected = tmp_path / "expected.csv"
    games = (NONE, rules_for("freecell", 1))
    survey(expected, ["1-5", "9"], games)
    reports: list[SurveyReport] = []
    path = tmp_path / "table.csv"
    rows = survey_deals(["1-5", "9"], path, rules=games, progress=reports.append)
    assert facts(path) == facts(expected)
    assert [row["freecells"] for row in rows] == [0] * 6 + [1] * 6
    assert (reports[-1].deals, reports[-1].new) == (12, 12)


def test_cancelled_at_once(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    assert survey_deals("1-4", path, rules=NONE, cancel=lambda: True) == []
    assert len(survey_deals("1-4", path, rules=NONE)) == 4


@pytest.mark.slow
def test_cancelled_and_continued(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    reports: list[SurveyReport] = []
    some = survey_deals(
        "1-400", path, rules=NONE, progress=reports.append, cancel=lambda: reports[-1].new > 0
    )
    assert 0 < len(some) < 400
    whole = survey_deals("1-400", path, rules=NONE)
    assert [row["number"] for row in whole] == list(range(1, 401))
    assert [row for row in whole if row in some] == some


def test_an_exception_of_the_caller(tmp_path: Path) -> None:
    def fail(_: SurveyReport) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        survey_deals("1-4", tmp_path / "table.csv", rules=NONE, progress=fail)
    assert len(survey_deals("1-4", tmp_path / "table.csv", rules=NONE)) == 4


@pytest.mark.parametrize(
    ("ranges", "wishes", "words"),
    [
        ("1", {"question": "longest"}, "unknown question"),
        ("1", {"question": "shortest", "lengths": True}, "lengths say nothing about shortest"),
        (None, {}, "nothing to ask"),
        (
            None,
            {"undecided_only": True, "rules": NONE},
            "^rules say nothing about the deals of the table, expected ranges, too$",
        ),
        ("1", {"rules": []}, "rules are empty, expected those of one game or of several"),
        ("1-", {}, "expected"),
        (3, {}, "^ranges is 3, expected a text$"),
        (b"3", {}, "^ranges is of the type bytes, expected a text$"),
        ("1", {"rules": "klondike"}, "^rules is 'klondike', expected a Rules$"),
        ("1", {"undecided_only": 7}, "^undecided_only is 7, expected True or False$"),
        ("1", {"lengths": "no"}, "^lengths is 'no', expected True or False$"),
        ("1", {"rows": True}, "rows says nothing about numbers, expected boards$"),
        ("1", {"rows": 0}, "^rows is 0, expected True or False$"),
        ("1", {"progress": 3}, "^progress is 3, expected a function or None$"),
        ("1", {"cancel": 3}, "^cancel is 3, expected a function or None$"),
        (
            "1",
            {"question": "fewest-freecells", "lengths": True},
            "^lengths say nothing about fewest-freecells, expected the question verdict$",
        ),
        (
            "1",
            {"metric": "runs"},
            "^metric runs: verdict has none, expected the question shortest$",
        ),
        (
            "1",
            {"question": "shortest", "metric": "cards", "rules": rules_for("klondike")},
            "^metric cards in klondike, expected turns, runs or plays$",
        ),
        ("1", {"ray": 3}, "^ray is 3, expected a text$"),
        ("1", {"threads": 0}, "^threads is 0, expected 1 to 256$"),
        ("1", {"threads": 257}, "^threads is 257, expected 1 to 256$"),
    ],
)
def test_bad_wishes(tmp_path: Path, ranges: str, wishes: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        survey_deals(ranges, tmp_path / "table.csv", **wishes)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


class Asked(Exception):
    """The survey would begin."""


def test_what_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fill(survey: Survey, path: Path, *more: object) -> NoReturn:
        raise Asked(survey, path, *more[:2])

    monkeypatch.setattr("dbmsolver.survey.filling.fill", fill)
    path = tmp_path / "table.csv"
    with pytest.raises(Asked) as caught:
        survey_deals(
            "3-5", path, question="shortest", metric="moves", automove="horne", threads=2,
            ray="local", max_states=7, max_time="2m", memory="64M", max_disk="1G",
        )  # fmt: skip
    survey, *rest = caught.value.args
    assert rest == [path, "local", 2]
    assert survey.question == Inquiry.SHORTEST.measured("moves", "horne")
    assert survey.games == (rules_for("freecell"),)
    assert survey.limits == Limits(7, 120.0, 64 << 20, 1 << 30)
    assert (survey.undecided_only, survey.lengths) == (False, False)
    assert [number in survey.ranges for number in range(2, 7)] == [False, True, True, True, False]
    assert survey.ranges.whose == "microsoft"
    with pytest.raises(Asked) as caught:
        survey_deals("5", path, lengths=True, undecided_only=True, numbers="pysolfc", rules=NONE)
    survey, *rest = caught.value.args
    assert rest == [path, None, None]
    assert survey.question == Inquiry.VERDICT
    assert (survey.undecided_only, survey.lengths, survey.games) == (True, True, (NONE,))
    assert survey.ranges.whose == "pysolfc"
    with pytest.raises(Asked) as caught:
        survey_deals(None, path, undecided_only=True)
    assert caught.value.args[0].ranges is None
    with pytest.raises(Asked) as caught:
        survey_deals(None, path, undecided_only=True, question="shortest", metric="turns")
    assert caught.value.args[0].question == Inquiry.SHORTEST_TURNS


def test_a_summary_counts_rows_by_what_they_say(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A solution that may not be a shortest one leaves its deal undecided."""
    verdicts = ("solved", "solved", "unsolvable", "undecided", "unreadable", "solved")
    shortest = (True, False, None, None, None, True)
    rows = {
        number: row(number, Inquiry.SHORTEST, verdict=verdict, shortest=is_shortest)
        for number, (verdict, is_shortest) in enumerate(zip(verdicts, shortest, strict=True))
    }
    given: list[tuple[object, ...]] = []
    reports = [SurveyReport("shortest", 0.5, 0.25, 1, 4, 1, 1, 0, 0, 0)]

    def fill(*args: object) -> Generator[SurveyReport, None, FilledTable]:
        given.append(args)
        yield from reports
        return FilledTable(rows, 4)  # type: ignore[arg-type]

    monkeypatch.setattr("dbmsolver.survey.filling.fill", fill)
    asked = surveys.survey_of(Inquiry.SHORTEST, parse_ranges("1"), (NONE,), Limits(), False, False)
    path, told = tmp_path / "table.csv", list[SurveyReport]()
    work = surveys.fill_table(asked, path, "local", 3, told.clear)
    while True:
        try:
            told.append(next(work))
        except StopIteration as end:
            summary = end.value
            break
    assert given == [(asked, path, "local", 3, told.clear)]
    assert told == reports
    assert summary.answers == {"solved": 2, "undecided": 2, "unsolvable": 1, "unreadable": 1}
    assert summary.new == 4


def test_tables_that_are_there(tmp_path: Path) -> None:
    """Rows come in the order of numbers, whenever each was filled."""
    path = tmp_path / "table.csv"
    write_table([row(number, verdict="solved") for number in (4, 2, 3, 1)], path, ".csv")
    rows = survey_deals("1-4", path, cancel=lambda: True)
    assert [one["number"] for one in rows] == [1, 2, 3, 4]
    assert surveys.question_and_games(path)[0] == "verdict"
    shortest = tmp_path / "shortest.csv"
    write_table([row(1, Inquiry.SHORTEST)], shortest, ".csv")
    assert surveys.question_and_games(shortest)[0] == "shortest"
    empty = tmp_path / "empty.csv"
    write_table([], empty, ".csv")
    assert surveys.question_and_games(empty)[0] == "verdict"


def test_a_page_is_named_as_its_table(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    path = tmp_path / "my.table.csv"
    write_table([row(2, verdict="solved"), row(1, verdict="solved")], path, ".csv")
    assert surveys.report_page(path) == render(
        [row(1, verdict="solved"), row(2, verdict="solved")], "my.table.csv"
    )


def test_charts_are_asked_for_before_a_survey_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match="a report needs matplotlib"):
        surveys.require_charts()
