"""The fewest freecells of a deal: which numbers are asked about, and the row that comes of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.results import Limits, Verdict
from dbmsolver.survey.fewest import (
    FewestFreecellsRow,
    least_freecells,
    parse_asked,
    row_in_progress,
)
from dbmsolver.survey.jobs import Finding
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.row_progress import DealTask, RowFactory, SingleQuestionRow
from dbmsolver.survey.rows import UNFINISHED, Inquiry, Row

FACTORY = RowFactory(Inquiry.FEWEST_FREECELLS, Limits())
SUBJECT = Subject(7, None, rules_for("freecell"))
NUMBERS = range(5)


def finding(cells: int, win: int | None, *unknown: int) -> Finding:
    """Return what is found out about a number of freecells."""
    verdict = Verdict.SOLVED if win is not None and cells >= win else Verdict.UNSOLVABLE
    if cells in unknown:
        return Finding(Verdict.UNDECIDED, limit="time", states=1, seconds=1.0, peak_memory=9)
    return Finding(
        verdict,
        states=10**cells,
        evaluated=2 * 10**cells,
        seconds=0.25,
        peak_memory=100 - cells,
        digest=f"digest {cells}",
        method="dominating",
    )


def fill(
    row: FewestFreecellsRow, win: int | None, open_: tuple[int, ...] = (), *unknown: int
) -> list[tuple[int, bool]]:
    """Answer all tasks, but dives with some numbers; return what was asked, and how."""
    asked = []
    tasks = [task for task in [row.first_task()] if task is not None]
    while tasks:
        task: DealTask = tasks.pop(0)
        cells = task.subject.rules.freecells
        assert task.owner is row and task.subject.number == 7
        asked.append((cells, task.dived))
        if not task.dived and cells in open_:
            tasks += row.postpone(task)
        else:
            tasks += row.accept(task, finding(cells, win, *unknown))
    return asked


@pytest.mark.parametrize("win", [*NUMBERS, None])
def test_two_verdicts_are_enough(win: int | None) -> None:
    """The number in the middle is first, then its neighbours on the side that is left."""
    row = FewestFreecellsRow(FACTORY, SUBJECT)
    assert row.row() is None and not row.is_complete
    asked = [cells for cells, dived in fill(row, win)]
    expected = {0: [2, 1, 0], 1: [2, 1, 0], 2: [2, 1], 3: [2, 3], 4: [2, 3, 4], None: [2, 3, 4]}
    assert asked == expected[win]
    found = row.row()
    assert row.is_complete and found is not None
    assert found.verdict == ("unsolvable" if win is None else "solved")
    assert (found.fewest, found.at_most) == (win, win)
    assert found.at_least == (5 if win is None else win)
    assert (found.limit, found.length, found.shortest) == (None, None, None)
    assert found.states == sum(10**cells for cells in asked)
    assert found.evaluated == 2 * found.states
    assert found.seconds == 0.25 * len(asked)
    assert found.peak_memory == 100 - min(asked)
    assert found.digest == (None if found.at_least == 0 else f"digest {found.at_least - 1}")
    assert found.method == "dominating"
    verdicts = {cells: finding(cells, win).verdict for cells in asked}
    assert found.asked == "; ".join(f"{cells} {verdicts[cells]}" for cells in sorted(asked))
    assert dict(parse_asked(found.asked)) == verdicts


@pytest.mark.parametrize("win", [*NUMBERS, None])
def test_dives_before_searches(win: int | None) -> None:
    """Whatever dives leave open, the answer is the same; searches begin with the fewest."""
    for open_ in product((False, True), repeat=5):
        left = tuple(cells for cells in NUMBERS if open_[cells])
        row = FewestFreecellsRow(FACTORY, SUBJECT)
        asked = fill(row, win, left)
        found = row.row()
        assert found is not None and (found.fewest, found.at_most) == (win, win)
        assert len(set(asked)) == len(asked)
        searched = [cells for cells, dived in asked if dived]
        dived = [cells for cells, dived in asked if not dived]
        assert set(searched) <= set(left) and searched == sorted(searched)
        assert asked[: len(dived)] == [(cells, False) for cells in dived]


def test_numbers_that_a_limit_leaves_open() -> None:
    row = FewestFreecellsRow(FACTORY, SUBJECT)
    assert [cells for cells, _ in fill(row, 3, (), 2)] == [2, 1, 3]
    found = row.row()
    assert found is not None and row.is_complete
    assert (found.verdict, found.fewest, found.at_least, found.at_most) == ("undecided", None, 2, 3)
    assert (found.limit, found.digest) == ("time", "digest 1")
    assert found.asked == "1 unsolvable; 2 undecided; 3 solved"
    # With more, only what was left open is asked about; the seconds are those of this run.
    again = FewestFreecellsRow(FACTORY, SUBJECT, found)
    assert [cells for cells, _ in fill(again, 3)] == [2]
    later = again.row()
    assert later is not None
    assert (later.verdict, later.fewest, later.digest) == ("solved", 3, "digest 2")
    assert later.seconds == again.unwritten == 0.25
    whole = FewestFreecellsRow(FACTORY, SUBJECT, later)
    assert whole.is_complete and whole.first_task() is None
    kept = whole.row()
    assert kept is not None and kept.digest == "digest 2" and kept.asked == later.asked


def test_a_limit_that_leaves_the_most_freecells_open() -> None:
    """With fewer the deal is lost; that says nothing of the number that was not decided."""
    row = FewestFreecellsRow(FACTORY, SUBJECT)
    assert [cells for cells, _ in fill(row, None, (), 4)] == [2, 3, 4]
    found = row.row()
    assert found is not None and row.is_complete
    assert (found.verdict, found.limit) == ("undecided", "time")
    assert (found.fewest, found.at_least, found.at_most) == (None, 4, None)


def test_a_limit_that_does_not_matter_in_the_end() -> None:
    """A number that was left open may be decided by the verdicts on others."""
    row = FewestFreecellsRow(FACTORY, SUBJECT)
    assert [cells for cells, _ in fill(row, 4, (), 2)] == [2, 1, 3, 4]
    found = row.row()
    assert found is not None and row.is_complete
    assert (found.verdict, found.fewest, found.limit) == ("solved", 4, None)


def test_a_row_that_is_not_finished() -> None:
    row = FewestFreecellsRow(FACTORY, SUBJECT)
    task = row.first_task()
    assert task is not None
    task.spent = 2.0
    (following,) = row.accept(task, finding(2, 2))
    assert following.subject.rules.freecells == 1
    found = row.row()
    assert found is not None
    assert (found.verdict, found.limit) == ("undecided", UNFINISHED)
    assert (found.at_least, found.at_most, found.seconds) == (0, 2, 2.25)


def test_what_an_earlier_row_says_of_other_numbers() -> None:
    """Verdicts are taken for the numbers of freecells that the deal can be played with."""
    row = FewestFreecellsRow(FACTORY, SUBJECT)
    fill(row, 1)
    earlier = row.row()
    assert isinstance(earlier, Row)
    for text, known in (
        ("0 unsolvable; 1 solved; 5 solved; 9 unsolvable", {0, 1}),
        ("0 unsolvable; x solved; 2 maybe; -1 solved; 4 solved;3 solved", {0}),
        ("", set()),
    ):
        again = FewestFreecellsRow(FACTORY, SUBJECT, replace(earlier, asked=text))
        assert set(again.found) == known
        assert {n for n, one in again.found.items() if one.digest} == {0} & known
    assert not FewestFreecellsRow(FACTORY, SUBJECT, replace(earlier, asked=None)).found


def test_cards_in_freecells_of_the_deal() -> None:
    """A deal is not played with fewer freecells than hold a card."""
    rules = GAMES["eight_off"]
    assert least_freecells(Subject(7, None, rules)) == rules.dealt_to_freecells == 4
    position = Deal.from_number(1, rules).position
    to_cell = next(m for m in position.moves(rules) if m.destination.kind == "freecell")
    for cells, board in ((4, position), (5, position.apply(to_cell))):
        text = format_board(board).strip().replace("\n", " / ")
        assert least_freecells(Subject(None, text, rules)) == cells
    row = FewestFreecellsRow(FACTORY, Subject(7, None, rules))
    assert row.at_least == row.least == 4 and not row.is_complete
    task = row.first_task()
    assert task is not None and task.subject.rules.freecells == 6


def test_other_questions_have_one_task() -> None:
    row = row_in_progress(RowFactory(Inquiry.VERDICT, Limits()), SUBJECT, None)
    assert isinstance(row, SingleQuestionRow)
    assert isinstance(row_in_progress(FACTORY, SUBJECT, None), FewestFreecellsRow)
