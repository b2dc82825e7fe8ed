"""`solve --count` and `solve --all` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from helpers import command
from helpers.fake_search import NEARLY_DONE, FakeSequences, result

from dbmsolver.notation.formats.source import MAX_BYTES, MAX_LINES
from dbmsolver.results import Limit

TWO = "Foundations: H-K C-K D-K S-J\nQS KS\n"
"""A deal with two solutions: the king waits in a freecell or in an empty column."""


def run(*args: str) -> Result:
    return command.run(*args, "--quiet")


@pytest.fixture
def board(tmp_path: Path) -> str:
    path = tmp_path / "board"
    path.write_text(TWO)
    return str(path)


def test_count(board: str) -> None:
    outcome = run("solve", board, "--count")
    assert outcome.exit_code == 0
    assert outcome.stdout.splitlines()[0].endswith(
        "solved in 3 card moves, shortest; 2 such solutions"
    )
    data = command.answer("solve", board, "--count")
    assert (data["count"], data["length"], data["solutions"]) == ("2", 3, None)


def test_all(board: str, tmp_path: Path) -> None:
    data = command.answer("solve", board, "--all")
    solutions = data["solutions"]
    assert isinstance(solutions, list)
    assert sorted(solutions) == ["12 1h 2h", "1a 1h ah"]
    lines = run("solve", board, "--all").stdout.splitlines()
    for number, words in enumerate(solutions, start=1):
        assert f"{number}  {words}" in lines
        (tmp_path / "moves").write_text(words)
        checked = run_check(tmp_path / "moves", board)
        assert checked.exit_code == 0, checked.output
    assert len(command.answer("solve", board, "--all", "1")["solutions"]) == 1  # type: ignore[arg-type]
    assert command.answer("solve", board, "--all", "99")["solutions"] == solutions


@pytest.mark.parametrize("ending", ["txt", "json"])
def test_all_of_a_file_are_checked(board: str, tmp_path: Path, ending: str) -> None:
    name = tmp_path / f"every.{ending}"
    assert run("solve", board, "--all", "-o", str(name)).exit_code == 0
    checked = command.run("check", str(name))
    form = {"txt": "text"}.get(ending, ending)
    assert checked.stdout.endswith(
        f": 2 different solutions, legal and winning, 3 moves ({form})\n"
    )
    found = command.answer("check", str(name))
    assert (found["solutions"], found["length"]) == (2, 3)
    whole = name.read_text()
    for change, reason in (
        (("1a 1h ah", "12 1h 2h"), "the same solution as at"),
        (("1a 1h ah", "1b 1h 2h"), "illegal move 3 '2h'"),
        (("1a 1h ah", "1a 1h"), "not solved after 2 moves"),
        (("1a 1h ah", "1a 1h a!"), {"txt": "unknown line", "json": "unknown move 'a!'"}[ending]),
        (("1a 1h ah", "1a ab 1h bh"), ""),
    ):
        name.write_text(whole.replace(*change))
        checked = command.run("check", str(name))
        assert checked.exit_code == 3
        assert reason in checked.stderr.splitlines()[-1]
        assert str(name) in checked.stderr.splitlines()[-1]
    name.write_text(whole)
    for args in (["convert", str(name), str(tmp_path / "x.html")], ["board", str(name)]):
        other = command.run(*args)
        assert other.exit_code == 3
        assert "many solutions, expected one" in other.stderr
    metric = command.run("check", str(name), "--metric")
    assert metric.exit_code == 2


def test_the_manual_says_how_large_a_file_is_read() -> None:
    """A larger one is written by `--all` all the same."""
    page = (Path(__file__).parents[2] / "docs" / "all-solutions.md").read_text()
    assert f"{MAX_BYTES >> 20} MiB, nor one of more than {MAX_LINES:,} lines" in page.replace(
        "\n", " "
    )


def run_check(path: Path, board: str, form: str = "short") -> Result:
    return command.run("check", str(path), "--from", form, "--deal", board)


def test_the_limit_may_be_left_out(board: str) -> None:
    """The word after --all is the deal where there is no other."""
    for order in (["--all", board], [board, "--all"], ["--all", "5", board], ["--all=5", board]):
        assert "2 such solutions" in run("solve", *order).stdout
    assert "Missing argument 'DEAL'" in run("solve", "--all").output
    assert run("solve", "--all", "-3").exit_code == 3  # a deal that does not exist
    assert run("solve", board, "--all", "0").exit_code == 2


@pytest.mark.parametrize("form", ["universal-json", "universal-xml", "moves", "short", "html"])
def test_a_file_for_each(board: str, tmp_path: Path, form: str) -> None:
    name = tmp_path / "answer.out"
    outcome = run("solve", board, "--all", "5", "--format", form, "-o", str(name))
    assert (outcome.exit_code, outcome.stdout) == (0, "")
    assert sorted(path.name for path in tmp_path.glob("answer*")) == [
        "answer-1.out",
        "answer-2.out",
    ]
    for number in (1, 2):
        checked = run_check(tmp_path / f"answer-{number}.out", board, form)
        assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--count", "--boards"], "--count and --boards"),
        (["--count", "--format", "short"], "--count says nothing about the format short"),
        (["--all", "--format", "short"], "expected -o NAME"),
        (["--all", "-o", "x.short"], "expected --all LIMIT"),
        (["--all", "10001", "-o", "x.short"], "at most 10000"),
        (["--all", "5", "-o", "x.sfn"], "Standard FreeCell Notation leaves safe moves out"),
        (["--count", "-o", "no/such/folder"], "no/such is no directory"),
    ],
)
def test_what_cannot_be(board: str, args: list[str], message: str) -> None:
    outcome = run("solve", board, *args)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1


def test_limits(tmp_path: Path) -> None:
    outcome = run("solve", "3", "--count", "--max-states", "30000")
    assert outcome.exit_code == 20
    line = "Deal 3: solved in 73 card moves, shortest; such solutions are not counted, "
    assert outcome.stdout.startswith(line + "the limit --max-states was reached")
    found = command.answer("solve", "3", "--all", "--max-states", "30000", code=20)
    assert (found["count"], found["limit"], found["solutions"]) == (None, "max-states", [])
    outcome = run("solve", "3", "--count", "--max-states", "10")
    assert outcome.exit_code == 20
    assert outcome.stdout.startswith("Deal 3: undecided")


def test_without_a_solution() -> None:
    tiny = ("1", "--game", "seahaven_towers", "--freecells", "2")
    outcome = run("solve", *tiny, "--all", "--json")
    assert outcome.exit_code == 10
    found = json.loads(outcome.stdout)
    assert (found["verdict"], found["count"], found["solutions"]) == ("unsolvable", "0", [])


def test_with_a_store(tmp_path: Path) -> None:
    board, store = tmp_path / "board", str(tmp_path / "store")
    board.write_text(NEARLY_DONE)
    first = command.answer("solve", str(board), "--count", "--store", store)
    again = command.answer("solve", str(board), "--all", "--store", store)
    assert first["count"] == again["count"]
    checked = run("verify", store)
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize("form", [(), ("--json",), ("-o", "x.moves")])
def test_a_limit_when_they_are_counted_already(
    board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    """It is said that none is written, and the exit code is that of a limit."""
    monkeypatch.chdir(tmp_path)
    script = FakeSequences(result(), 2, None, Limit.MEMORY)
    monkeypatch.setattr("dbmsolver.api.advice.shortest_solutions", script)
    found = run("solve", board, "--all", "5", *form)
    assert found.exit_code == 20
    said = "no solution is written, the memory allowed by --memory did not suffice"
    assert found.stderr == f"dbmsolver: {said}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["board"]
    if form == ("--json",):
        assert json.loads(found.stdout)["solutions"] == []
    assert "solutions" not in script.asked
    counting = run("solve", board, "--count")
    assert (counting.exit_code, counting.stderr) == (0, "")


def test_an_interrupted_count_tells_the_length(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is like a limit, and the exit code says that it was Ctrl-C."""
    script = FakeSequences(result(), None, Limit.INTERRUPT, None)
    monkeypatch.setattr("dbmsolver.api.advice.shortest_solutions", script)
    found = run("solve", board, "--count")
    assert found.exit_code == 130
    assert "shortest; such solutions are not counted, it was interrupted\n" in found.stdout
    assert found.stderr == "dbmsolver: interrupted\n"
    found = run("solve", board, "--count", "--json", "--store", "st")
    assert json.loads(found.stdout)["limit"] == "interrupt"
    assert found.stderr.endswith("interrupted; the same command continues it\n")
