"""Rows about one question: what a finding puts into them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbmsolver.errors import InputError
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limit, Limits, Verdict
from dbmsolver.survey.jobs import Finding
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.row_progress import RowFactory, SingleQuestionRow, unreadable_row, with_more
from dbmsolver.survey.rows import Inquiry, Row
from dbmsolver.version import PROGRAM

SUBJECT = Subject(7, None, rules_for("freecell"))
LIMITS = Limits(max_states=5, max_time=2.0, memory=9, max_disk=8)
FOUND = Finding(
    Verdict.SOLVED, length=70, shortest=True, at_least=70, states=3, evaluated=4, seconds=0.5,
    peak_memory=6, digest="d", method="m",
)  # fmt: skip


def row_of(question: Inquiry, found: Finding, spent: float = 0.0) -> Row | None:
    row = SingleQuestionRow(RowFactory(question, LIMITS), SUBJECT)
    assert row.row() is None and not row.is_complete
    task = row.first_task()
    assert task.dived == question.is_shortest
    assert [again is task and again.dived for again in row.postpone(task)] == [True]
    task.spent = spent
    assert list(row.accept(task, found)) == []
    assert row.is_complete and row.seconds == row.unwritten == spent + found.seconds
    return row.row()


@pytest.mark.parametrize("question", [Inquiry.VERDICT, Inquiry.SHORTEST])
def test_what_a_row_holds(question: Inquiry) -> None:
    row = row_of(question, FOUND, spent=1.25)
    assert row is not None
    assert (row.deal, row.number, row.board, row.question) == ("7", 7, None, str(question))
    assert (row.verdict, row.limit, row.length) == ("solved", None, 70)
    shortest = (True, 70, 70) if question == Inquiry.SHORTEST else (None, None, None)
    assert (row.shortest, row.at_least, row.at_most) == shortest
    assert (row.fewest, row.asked, row.digest, row.method) == (None, None, "d", "m")
    assert (row.states, row.evaluated, row.seconds, row.peak_memory) == (3, 4, 1.75, 6)
    assert (row.max_states, row.max_time, row.memory, row.max_disk) == (5, 2.0, 9, 8)


def test_a_row_without_a_solution() -> None:
    """It does not say of a solution that there is not whether it is shortest."""
    found = Finding(Verdict.UNDECIDED, Limit.MAX_TIME, at_least=60)
    row = row_of(Inquiry.SHORTEST, found)
    assert row is not None
    assert (row.verdict, row.limit, row.method) == ("undecided", "max-time", None)
    assert (row.shortest, row.at_least, row.at_most, row.length) == (None, 60, None, None)
    assert row_of(Inquiry.VERDICT, Finding(None, seconds=1.0)) is None


@pytest.mark.parametrize(
    ("where", "file", "limit"),
    [
        ("a board", "a board", "a board: none"),
        ("a board, line 3", "a board", "a board, line 3: none"),
        ("", "<board>", "<board>: none"),
    ],
)
def test_a_file_that_is_no_board(where: str, file: str, limit: str) -> None:
    """The row has the name of the file, and says where it cannot be read; it has no limits."""
    factory = RowFactory(Inquiry.VERDICT, LIMITS)
    row = unreadable_row(factory, InputError("none", where), SUBJECT.rules)
    assert (row.deal, row.board, row.number) == (file, file, None)
    assert (row.verdict, row.limit, row.question) == ("unreadable", limit, "verdict")
    assert (row.states, row.evaluated, row.seconds, row.peak_memory) == (0, 0, 0.0, 0)
    assert (row.rules, row.program) == (SUBJECT.rules, PROGRAM)
    assert (row.length, row.max_states, row.memory) == (None, None, None)
    assert not row.is_open and row.is_finished


@pytest.mark.parametrize("name", ["max_states", "max_time", "memory", "max_disk"])
def test_more_of_a_limit(name: str) -> None:
    row = row_of(Inquiry.VERDICT, FOUND)
    assert row is not None and not with_more(row, LIMITS)
    old = getattr(LIMITS, name)
    for given, more in ((None, True), (old + 1, True), (old - 1, False)):
        assert with_more(row, replace(LIMITS, **{name: given})) == more
    assert not with_more(replace(row, **{name: None}), replace(LIMITS, **{name: old + 1}))
