"""`survey` on the command line: what it prints, and one line for whatever cannot be done."""

from __future__ import annotations

import builtins
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dbmsolver.cli.app import cli
from dbmsolver.cli.progress import report_line
from dbmsolver.cli.survey_options import parse_cells
from dbmsolver.errors import UsageError
from dbmsolver.results import SurveyReport
from dbmsolver.survey.loading import journal_of, load_rows
from dbmsolver.version import PROGRAM

TINY = ("1-6", "--game", "seahaven_towers", "--freecells", "2")


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["survey", *args])


def fails(code: int, *args: str) -> str:
    """Return the one line that a command line ends with."""
    result = run(*args)
    assert result.exit_code == code, result.output
    assert result.output.count("\n") == 1
    assert result.output.startswith("dbmsolver: ")
    return result.output


def test_what_it_says(tmp_path: Path) -> None:
    table = str(tmp_path / "table.csv")
    result = run(*TINY, "-o", table)
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("table.csv: 6 rows: 1 solved, 5 unsolvable\n")
    assert run(*TINY, "-o", table).stdout == result.stdout
    result = run("7", "--game", "seahaven_towers", "--max-states", "1", "-o", table)
    assert result.stdout.endswith("table.csv: 7 rows: 1 solved, 5 unsolvable, 1 undecided\n")
    result = run("--undecided-only", "--max-states", "1", "-o", table)
    assert "was searched with these limits already" in result.stdout
    result = run("--undecided-only", "-o", table)
    assert result.stdout.endswith("table.csv: 7 rows: 2 solved, 5 unsolvable\n")
    assert "nothing is undecided" in run("--undecided-only", "-o", table).stdout


def test_deals_that_are_not_undecided_are_not_said_to_be(tmp_path: Path) -> None:
    """Other deals and other rules than those of undecided rows were never searched."""
    table = ("--max-states", "1", "-q", "-o", str(tmp_path / "table.csv"))
    assert run("1-2", "--game", "seahaven_towers", *table).stdout.endswith("2 undecided\n")
    for asked in (("7-9", "--game", "seahaven_towers"), ("1-2",)):
        said = run(*asked, "--undecided-only", *table).stdout.splitlines()[0]
        assert said.endswith("table.csv: none of these deals, with these rules, is undecided in it")
    said = run("1-2", "--game", "seahaven_towers", "--undecided-only", *table).stdout
    assert "was searched with these limits already" in said


def test_undecided_only_takes_the_question_of_the_table(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    args = ("11", "--fewest-freecells", "--max-states", "3", "-o", str(table))
    assert run(*args).stdout.endswith("1 undecided\n")
    assert run("--undecided-only", "-o", str(table)).stdout.endswith("1 solved\n")
    for more in ((), ("--question", "shortest")):
        missing = str(tmp_path / "no.csv")
        assert "no such table" in fails(4, "--undecided-only", *more, "-o", missing)
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_undecided_only_takes_the_games_of_the_table(tmp_path: Path) -> None:
    """They need not be named, nor can they be: a metric of theirs is asked about as it is."""
    table = tmp_path / "table.csv"
    asked = ("--question", "shortest", "--metric", "plays", "-q", "-o", str(table))
    result = run("2", "--game", "klondike", *asked, "--max-states", "1")
    assert result.stdout.endswith("1 undecided\n")
    before = table.read_text()
    for said in (
        ("--game", "freecell"),
        ("--freecells", "1"),
        ("--columns", "7"),
        ("--build", "suit"),
        ("--fill", "none"),
        ("--moves", "single"),
        ("--numbers", "ksolve"),
        ("--rows",),
    ):
        message = fails(2, "--undecided-only", *said, "-q", "-o", str(table))
        expected = f"{said[0]} says nothing about the deals of the table, expected RANGES beside it"
        assert message == f"dbmsolver: {expected}\n"
    assert table.read_text() == before
    for more in ((), ("--question", "shortest", "--metric", "plays")):
        again = run("--undecided-only", *more, "--max-states", "2", "-q", "-o", str(table))
        assert again.stdout.endswith("1 row: 1 undecided\n"), again.output


def test_lists_that_begin_with_a_negative_number(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    for before, after in ((("-1,-2",), ()), ((), ("-1,3", "-2,-1"))):
        more = ("--max-states", "1", "-q", "-o", str(table))
        assert run(*before, *more, *after).exit_code == 0
    assert [row.number for row in load_rows(table).sorted()] == [-2, -1, 3]
    assert "'-3' is no range of deals" in fails(2, "-1,-3", "-o", str(table))


def test_a_table_and_its_page_beside_the_boards(tmp_path: Path) -> None:
    (tmp_path / "board").write_text("Foundations: H-K C-K D-K S-J\nFreecells: KS - - -\nQS\n")
    page = tmp_path / "page.html"
    page.write_text("an older page")
    args = (str(tmp_path), "-o", str(tmp_path / "table.csv"), "--report", str(page))
    for _ in range(2):
        assert run(*args).stdout.endswith("table.csv: 1 row: 1 solved\n")


def test_several_games_and_numbers_of_freecells(tmp_path: Path) -> None:
    table = tmp_path / "table.jsonl"
    games = ("--game", "seahaven_towers", "--game", "bakers_game", "--game", "bakers_game")
    result = run("1", *games, "--freecells", "0..1", "--columns", "8", "-o", str(table))
    assert result.exit_code == 0, result.output
    rows = load_rows(table).sorted()
    assert [(row.game, row.freecells) for row in rows] == [
        ("bakers_game", 0),
        ("bakers_game", 1),
        ("seahaven_towers", 0),
        ("seahaven_towers", 1),
    ]


def test_fewest_freecells_by_either_name(tmp_path: Path) -> None:
    for name, words in (
        ("one", ("--fewest-freecells",)),
        ("two", ("--question", "fewest-freecells")),
    ):
        table = tmp_path / f"{name}.csv"
        assert run("11", *words, "--freecells", "0..3", "-o", str(table)).exit_code == 0
        (row,) = load_rows(table).values()
        assert (row.fewest, row.freecells) == (1, 3)


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("9-1",), 2, "ends before it begins"),
        (("0",), 3, "'0': no such number, expected one from 1 to "),
        (("1-99999999999",), 3, "no such number"),
        (("nowhere",), 3, "no such file"),
        ((), 2, "expected RANGES, --undecided-only or --report"),
        (("1", "--freecells", "4..0"), 2, "expected a number from 0 to 16"),
        (("1", "--freecells", "x"), 2, "expected a number from 0 to 16"),
        (("1", "--game", "chess"), 2, "unknown game"),
        (("1", "--fewest-freecells", "--freecells", "2..4"), 2, "expected 0..N"),
        (("1", "--fewest-freecells", "--question", "shortest"), 2, "expected one of them"),
        (("1", "--fewest-freecells", "--game", "golf"), 2, "golf has no freecells"),
        (("1", "--fewest-freecells", "--freecells", "0"), 2, "freecell has no freecells here"),
        (("1", "--lengths", "--question", "shortest"), 2, "--lengths"),
        (("-1", "--columns", "7"), 3, "no such deal"),
        (("1", "--report", "page.pdf"), 2, ".html"),
        (("--report", "a.html", "--game", "freecell"), 2, "--game says nothing about a report"),
        (("--report", "a.html", "--max-time", "3"), 2, "--max-time says nothing about a report"),
        (("--report", "a.html", "--rows"), 2, "expected RANGES or --undecided-only beside it"),
        (("--report", "a.html", "--lengths", "-q"), 2, "--lengths says nothing about a report"),
    ],
)
def test_bad_wishes(tmp_path: Path, args: tuple[str, ...], code: int, words: str) -> None:
    if "--report" in args:
        pytest.importorskip("matplotlib")
    assert words in fails(code, *args, "-o", str(tmp_path / "table.csv"))
    assert [p.name for p in tmp_path.iterdir() if p.stat().st_size] == [] or code == 3


def test_bad_tables(tmp_path: Path) -> None:
    assert "Missing option '--output'" in fails(2, "1")
    assert "expected one of .parquet, .csv, .jsonl" in fails(2, "1", "-o", str(tmp_path / "a.txt"))
    assert "is no directory" in fails(2, "1", "-o", str(tmp_path / "no" / "a.csv"))
    (tmp_path / "other.csv").write_text("name,price\nbread,3\n")
    assert "not the columns of a survey" in fails(4, "1", "-o", str(tmp_path / "other.csv"))
    assert (tmp_path / "other.csv").read_text() == "name,price\nbread,3\n"


def test_tables_of_others(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    run(*TINY, "-o", str(table))
    said = fails(4, "1", "--question", "shortest", "-o", str(table))
    assert "its question is verdict, not shortest" in said
    table.write_text(table.read_text().replace(PROGRAM, "dbmsolver 0.0.1"))
    assert f"made by dbmsolver 0.0.1, this is {PROGRAM}" in fails(4, *TINY, "-o", str(table))
    with open(journal_of(table), "a") as journal:
        import fcntl

        fcntl.flock(journal, fcntl.LOCK_EX)
        assert "another process is making this table" in fails(4, *TINY, "-o", str(table))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "cannot be written" in fails(2, *TINY, "-o", str(tmp_path / "table.csv"))


def test_a_table_that_became_full(tmp_path: Path) -> None:
    """/dev/full has no room for the report."""
    pytest.importorskip("matplotlib")
    table = str(tmp_path / "table.csv")
    run(*TINY, "-o", table)
    (tmp_path / "full.html").symlink_to("/dev/full")
    assert "cannot be written" in fails(5, "-o", table, "--report", str(tmp_path / "full.html"))


@pytest.mark.parametrize(
    ("library", "args"),
    [("pyarrow", ("1", "-o", "t.parquet")), ("matplotlib", ("--report", "r.html", "-o", "t.csv"))],
)
def test_without_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, args: tuple[str, ...]
) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name.partition(".")[0] == library:
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(builtins, "__import__", without)
    assert "pip install 'dbmsolver[" in fails(2, *args)


def test_numbers_of_freecells() -> None:
    assert parse_cells("3") == (3, 3)
    assert parse_cells("0..4") == (0, 4)
    assert parse_cells("16") == (16, 16)
    for text in ("", "..", "1..", "..4", "1-4", "4..99", "-1"):
        with pytest.raises(UsageError):
            parse_cells(text)


def test_progress_line() -> None:
    report = SurveyReport("survey verdict", 75.0, 0.5, 500, 1000, 400, 300, 90, 10, 0)
    line = report_line(report, 20.0, 25.0)
    assert line == (
        "survey verdict 50%, 500 of 1,000 deals, 20.0/s, about 25.0 s left, 10 undecided, "
        "1 min 15 s"
    )
    report = SurveyReport("survey verdict", 75.0, 0.998, 998, 1000, 998, 900, 98, 0, 2)
    assert "left" not in report_line(report, 20.0, 25.0)
    assert "2 put back for more memory" in report_line(report, 20.0, 25.0)
    nearly = SurveyReport("survey verdict", 75.0, 0.9999, 9999, 10000, 1, 1, 0, 0, 0)
    assert "99%" in report_line(nearly, 1.0)
