"""The folder of unfinished searches: what a survey has made goes at its end, nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.surveys import MEMORY, in_process, survey

from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.results import Limits
from dbmsolver.survey.kept_searches import store_name
from dbmsolver.survey.ranges import Subject, parse_ranges
from dbmsolver.survey.rows import Inquiry
from dbmsolver.survey.run import Run, Survey, stores_of
from dbmsolver.survey.table import SurveyTable


def test_what_others_have_put_there_stays(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    folder = stores_of(table)
    rules = Deal.from_number(1).rules
    left = folder / store_name(Inquiry.VERDICT, Subject(9, None, rules))
    left.mkdir(parents=True)
    for name in ("data.mdb", "lock.mdb", "writer.lock"):
        (left / name).touch()
    others = [
        folder / "notes.txt",
        folder / "mine" / "data.mdb",
        folder / f"{left.name[1:]}0" / "a",
    ]
    for file in others:
        file.parent.mkdir(exist_ok=True)
        file.touch()
    named_alike, link, linked = folder / ("0" * 16), folder / ("1" * 16), tmp_path / "linked"
    named_alike.touch()
    linked.mkdir()
    (linked / "data.mdb").touch()
    link.symlink_to(linked)
    survey(table, "1-2")
    assert not left.exists()
    assert all(file.exists() for file in (*others, named_alike, link / "data.mdb"))
    for file in (named_alike, link):
        file.unlink()
    for file in others[1:]:
        file.unlink()
        file.parent.rmdir()
    others[0].unlink()
    survey(table, "1-3")
    assert not folder.exists()


def test_names_are_of_deals_and_questions() -> None:
    rules = Deal.from_number(1).rules
    subjects = [
        Subject(1, None, rules),
        Subject(2, None, rules),
        Subject(1, None, rules, "solvitaire"),
        Subject(1, None, replace(rules, freecells=3)),
        Subject(None, "AS", rules),
        Subject(None, "2S", rules),
    ]
    names = {store_name(one, subject) for one in Inquiry for subject in subjects}
    assert len(names) == len(subjects) * len(Inquiry)


def test_a_survey_that_is_left_leaves_no_empty_folder(tmp_path: Path) -> None:
    path, question = tmp_path / "table.csv", Inquiry.VERDICT
    asked = Survey(question, parse_ranges(["1-9"]), (Deal.from_number(1).rules,), Limits())
    with SurveyTable(path, question) as table:
        events = Run(asked, table, in_process(1, MEMORY), keep_searches=True).events()
        next(events)
        assert stores_of(path).exists()
        events.close()
        assert not stores_of(path).exists()


def test_no_place_for_the_folder(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    stores_of(table).touch()
    with pytest.raises(UsageError, match="expected a folder for unfinished searches"):
        survey(table, "1-2")
