"""`solve`, `prove` and `resume`: what they ask the search for, and what becomes of its answer."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.command import run
from helpers.fake_search import install, nearly_done, report, result, unit

from dbmsolver.errors import InternalError, StoreError
from dbmsolver.game.boards import parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.notation import formats
from dbmsolver.results import Limits, Options, Report, Result


def unsolvable() -> Result:
    return result(verdict="unsolvable", shortest=False, moves=(), states=61_643)


def test_the_help_of_resume_tells_what_a_store_does_not_know() -> None:
    words = " ".join(run("resume", "--help").stdout.split())
    assert "Of --count, --all and --every-first-move only the search" in words


def test_what_is_asked_for_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch)
    assert run("solve", "3").exit_code == 0
    assert fake.asked == ("solve", Deal.from_number(3), Options(method="every-position"), Limits())


def test_what_is_asked_for_by_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = install(monkeypatch)
    store = str(tmp_path / "store")
    line = (
        "prove -1 --game bakers_game --freecells 3 --automove none --threads 1 --max-states 1000 "
        f"--max-time 2h --memory 2G --max-disk 500M --keep none --store {store}"
    )
    assert run(*line.split()).exit_code == 0
    deal = Deal.from_number(-1, rules_for("bakers_game", 3))
    options = Options(policy="none", threads=1, keep="none", store=Path(store), method="dominating")
    assert fake.asked == ("prove", deal, options, Limits(1000, 7200, 2 << 30, 500 << 20))
    assert not Path(store).exists()


def test_resume(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = install(monkeypatch, unsolvable)
    assert run("resume", str(tmp_path), "--threads", "2", "--max-time", "90").exit_code == 10
    assert fake.asked == (tmp_path, 2, Limits(max_time=90), None)


def test_resume_says_which_options_a_store_does_not_keep(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = install(monkeypatch)
    assert run("resume", str(tmp_path)).exit_code == 0
    assert fake.asked == (tmp_path, None, Limits(), None)
    told = " ".join(run("resume", "--help").stdout.partition("Options:")[0].split())
    assert "Limits, --memory, --threads and --ray are those given here, not those of" in told


def test_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    outcome = run("solve", "3")
    assert outcome.exit_code == 0
    assert outcome.stderr == ""
    first, *rest = outcome.stdout.splitlines()
    assert first.endswith("solved in 2 card moves, shortest")
    assert "1  QS  column 1 -> home  (forced)" in rest
    assert "2  KS  column 1 -> home  (forced)" in rest
    assert "States:    1 and 2 forced ones in layers below 2, 3 evaluated" in rest
    assert "Time:      1 min 15 s" in rest


def test_solved_in_the_first_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, lambda: result(states=0, forced=0, strata=()))
    assert "States:    3 evaluated\n" in run("solve", "3").stdout


def test_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    plain = run("solve", "3").stdout
    boards = run("solve", "3", "--boards").stdout
    assert "Foundations: H-K C-K D-K S-Q" not in plain
    assert "Foundations: H-K C-K D-K S-Q\nKS\n" in boards
    assert "Foundations: H-K C-K D-K S-K\n" in boards


def test_solved_by_prove(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, lambda: result(question="prove", shortest=False))
    outcome = run("prove", "3")
    assert outcome.exit_code == 0
    assert "solved in 2 card moves, not shown to be shortest" in outcome.stdout
    assert "States:    1 and 2 forced ones, 3 evaluated\n" in outcome.stdout


def test_unsolvable(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, lambda: replace(unsolvable(), deal=Deal.from_number(11982)))
    outcome = run("prove", "11982")
    assert outcome.exit_code == 10
    assert outcome.stdout.startswith("Deal 11982: unsolvable, after 61,643 positions\n")
    assert "undecided" not in outcome.stdout


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("max-states", "the limit --max-states was reached"),
        ("max-time", "the limit --max-time was reached"),
        ("memory", "--memory"),
        ("max-disk", "the limit --max-disk was reached"),
        ("disk full", "the disk, a quota or a limit of file sizes is full"),
    ],
)
def test_undecided(monkeypatch: pytest.MonkeyPatch, limit: str, words: str) -> None:
    install(monkeypatch, lambda: result(verdict="undecided", limit=limit, shortest=False, moves=()))
    outcome = run("solve", "3")
    assert outcome.exit_code == 20
    first = outcome.stdout.splitlines()[0]
    assert "undecided" in first and words in first
    assert "solvable" not in outcome.stdout
    assert json.loads(run("solve", "3", "--json").stdout)["limit"] == limit


def test_json(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, lambda: result(store=Path("kept")))
    outcome = run("solve", "3", "--json")
    assert outcome.stdout == run("solve", "3", "--format", "json").stdout
    data = json.loads(outcome.stdout)
    assert (data["verdict"], data["metric"], data["length"], data["shortest"]) == (
        "solved",
        "cards",
        2,
        True,
    )
    assert (data["states"], data["forced"], data["evaluated"]) == (1, 2, 3)
    assert (data["seconds"], data["peak_memory"], data["disk"]) == (75.04, 300 << 20, 5000)
    assert data["store"] == "kept"
    assert data["strata"] == [{"layer": 2, "stratum": 50, "states": 1, "forced": 2}]
    assert data["moves"][0] == {
        "card": "QS",
        "source": {"kind": "column", "index": 0},
        "destination": {"kind": "foundation", "suit": "S"},
        "forced": True,
    }
    board = "\n".join(data["deal"]["board"])
    assert parse_board(board, GAMES["freecell"]) == nearly_done()[0].position


def test_json_of_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, unsolvable)
    outcome = run("prove", "3", "--json")
    assert outcome.exit_code == 10
    data = json.loads(outcome.stdout)
    assert (data["verdict"], data["length"], data["moves"]) == ("unsolvable", None, [])


@pytest.mark.parametrize("form", formats.FORMATS)
def test_formats_of_solutions(monkeypatch: pytest.MonkeyPatch, form: str, tmp_path: Path) -> None:
    install(monkeypatch)
    path = tmp_path / "answer"
    assert run("solve", "3", "--format", form, "-o", str(path)).exit_code == 0
    assert len(path.read_text(encoding="utf-8").splitlines()) > 2


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.json", "json"),
        ("a.JSON", "json"),
        ("a.txt", "text"),
        ("a.xml", "universal-xml"),
        ("a.sfn", "sfn"),
        ("a.moves", "moves"),
        ("a.short", "short"),
        ("a.html", "html"),
        ("a.htm", "html"),
        ("a", "text"),
        ("a.json.log", "text"),
    ],
)
def test_the_ending_says_the_format(
    monkeypatch: pytest.MonkeyPatch, name: str, form: str, tmp_path: Path
) -> None:
    install(monkeypatch)
    path = tmp_path / name
    assert run("solve", "3", "-o", str(path)).exit_code == 0
    text = path.read_text(encoding="utf-8")
    assert formats.detect(formats.Source(text)) == form
    # What is asked for in words counts before the ending.
    assert run("solve", "3", "-o", str(path), "--format", "short").exit_code == 0
    assert formats.detect(formats.Source(path.read_text(encoding="utf-8"))) == "short"
    assert run("solve", "3", "-o", str(path), "--json").exit_code == 0
    assert formats.detect(formats.Source(path.read_text(encoding="utf-8"))) == "json"


@pytest.mark.parametrize("form", ["universal-json", "universal-xml", "html"])
def test_forced_moves_are_marked(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    install(monkeypatch)
    found = formats.read(run("solve", "3", "--format", form).stdout)
    assert {step.automove for step in found.steps} == {"wkr"}
    for answer in ("json", "text"):
        found = formats.read(run("solve", "3", "--format", answer).stdout)
        assert "none" not in {step.automove for step in found.steps}


def test_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    found = formats.read(run("solve", "3", "--format", "universal-json", "--runs").stdout)
    assert all(step.before is not None for step in found.steps)
    outcome = run("solve", "3", "--runs")
    assert outcome.exit_code == 2
    assert "--runs says nothing about the format text, expected one of universal-json" in (
        outcome.stderr
    )


def test_output_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch)
    path = tmp_path / "answer"
    outcome = run("solve", "3", "-o", str(path))
    assert outcome.exit_code == 0
    assert outcome.stdout == ""
    assert outcome.stderr.endswith("solved in 2 card moves, shortest\n")
    assert path.read_text() == run("solve", "3").stdout
    assert run("solve", "3", "-o", str(path), "--quiet").stderr == ""


def test_no_solution_to_write(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, unsolvable)
    path = tmp_path / "answer"
    outcome = run("solve", "3", "--format", "html", "-o", str(path), "--quiet")
    assert outcome.exit_code == 10
    assert "unsolvable" in outcome.stderr
    assert not path.exists()


@pytest.mark.parametrize(
    ("error", "code"),
    [(StoreError("belongs to deal 4", "kept"), 4), (InternalError("replay fails"), 1)],
)
def test_errors_of_the_search(monkeypatch: pytest.MonkeyPatch, error: Exception, code: int) -> None:
    def fail() -> Result:
        raise error

    install(monkeypatch, fail)
    outcome = run("solve", "3", "--store", "kept")
    assert outcome.exit_code == code
    assert outcome.stderr == f"dbmsolver: {error}\n"
    assert outcome.stdout == ""


@pytest.mark.parametrize(
    ("error", "limited", "said"),
    [
        (RuntimeError("can't start new thread"), False, "the system allows no more threads"),
        (MemoryError(), False, "too little memory"),
        (SystemError("no memory"), True, "2 MiB of address space"),
        (ImportError("x.so: failed to map segment from shared object"), True, "address space"),
        (OSError("mmap: Cannot allocate memory"), True, "address space"),
        (OSError(errno.ENOMEM, "no memory"), False, "no memory"),
        (OSError(errno.ENOENT, "no such file", "gone"), False, "gone: no such file"),
        (OSError(errno.ENOSPC, "no space", "full"), False, "full: no space"),
        (OSError(errno.ENOSPC, "no space"), False, "standard output: cannot be written (no space)"),
    ],
)
def test_errors_of_the_system(
    monkeypatch: pytest.MonkeyPatch, error: Exception, limited: bool, said: str
) -> None:
    """Each is one line; a file that is not there is an input, what the system refuses is not."""

    def fail() -> Result:
        raise error

    monkeypatch.setattr("dbmsolver.cli.app.address_space", lambda: 2 << 20 if limited else None)
    monkeypatch.setattr(
        "dbmsolver.cli.app.too_little_memory",
        lambda: "2 MiB of address space" if limited else "too little memory",
    )
    install(monkeypatch, fail)
    outcome = run("solve", "3")
    assert (outcome.exit_code, outcome.stdout) == (3 if "gone" in said else 5, "")
    assert outcome.stderr.count("\n") == 1 and said in outcome.stderr


@pytest.mark.parametrize(
    ("error", "limited"),
    [
        (RuntimeError("a thread has failed"), False),
        (SystemError("no memory"), False),
        (ImportError("no module"), True),
        (ImportError("x.so: failed to map segment from shared object"), False),
    ],
)
def test_faults_of_the_program_are_not_told_as_those_of_the_system(
    monkeypatch: pytest.MonkeyPatch, error: Exception, limited: bool
) -> None:
    def fail() -> Result:
        raise error

    monkeypatch.setattr("dbmsolver.cli.app.address_space", lambda: 2 << 20 if limited else None)
    install(monkeypatch, fail)
    assert run("solve", "3").exception is error


@pytest.mark.parametrize(
    ("game", "store", "words"),
    [
        ("freecell", None, "give more with --memory; with --store a run goes on where the one"),
        ("spider", None, "give more with --memory\n"),
        ("freecell", "a b", "dbmsolver resume 'a b', with more --memory\n"),
    ],
)
def test_what_to_do_with_too_little_memory(
    monkeypatch: pytest.MonkeyPatch, game: str, store: str | None, words: str
) -> None:
    """Searches of Spider have no store to go on from."""
    kept = None if store is None else Path(store)
    deal = Deal.from_number(1, GAMES[game])
    open_one = {"verdict": "undecided", "shortest": False, "moves": (), "store": kept, "deal": deal}
    install(monkeypatch, lambda: result(limit="memory", **open_one))
    assert f"Go on:     {words}" in run("solve", "3").stdout
    install(monkeypatch, lambda: result(limit="max-time", **open_one))
    assert "Go on:" not in run("solve", "3").stdout


def test_interrupt_in_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> Result:
        raise KeyboardInterrupt

    fake = install(monkeypatch, interrupt)
    outcome = run("solve", "3")
    assert outcome.exit_code == 130
    assert outcome.stderr == "dbmsolver: interrupted\n"
    assert fake.closed
    outcome = run("solve", "3", "--store", "kept")
    assert outcome.exit_code == 130
    assert outcome.stderr == "dbmsolver: interrupted; continue with: dbmsolver resume kept\n"


def test_interrupt_while_showing_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    fake = install(monkeypatch, events=[report()])
    monkeypatch.setattr("dbmsolver.cli.progress.PlainLines.__call__", interrupt)
    assert run("solve", "3").exit_code == 130
    assert fake.closed


def events() -> Iterator[Report]:
    yield report(0.5)
    yield report(3.0)
    yield report(4.0)
    yield report(14.0)


def test_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, events=events())
    lines = run("solve", "3").stderr.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("solve layer 73, stratum 12/80 (25%), 3,000,000 states, ")


def test_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, events=events())
    assert run("solve", "3", "--quiet").stderr == ""


def test_log_json(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, events=[report(3.0), unit(1), report(30.0), unit(2)])
    lines = [json.loads(line) for line in run("solve", "3", "--log-json").stderr.splitlines()]
    assert [line["number"] for line in lines] == [1, 2]
    assert lines[0] == {
        "number": 1,
        "layer": 73,
        "stratum": 12,
        "states": 1000,
        "forced": 10,
        "pending": 1234,
        "bytes": 4096,
        "seconds": 0.123,
    }


def test_a_shortest_solution_is_not_marked_otherwise() -> None:
    """The solution of a proof is no shortest one, and formats of solutions say so."""
    for form in ("sfn", "moves", "short", "universal-json", "universal-xml"):
        assert "proven" not in run("solve", "3", "--format", form).stdout
        told = formats.read(formats.Source(run("prove", "3", "--format", form).stdout), form)
        assert told.remarks == ("not proven shortest",)


def test_solution_that_was_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, lambda: result(question="prove", shortest=False, moves=()))
    outcome = run("prove", "3", "--keep", "none")
    assert outcome.exit_code == 0
    assert "solved, but the solution was not kept (--keep none)\n" in outcome.stdout
    assert "No move is needed" not in outcome.stdout
    assert json.loads(run("prove", "3", "--json").stdout)["length"] is None
    outcome = run("prove", "3", "--format", "sfn", "-o", str(tmp_path / "answer"))
    assert outcome.exit_code == 0
    assert "not kept" in outcome.stderr
    assert not (tmp_path / "answer").exists()


def test_deal_that_is_solved_already(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = Deal.from_text("Foundations: H-K C-K D-K S-K\n")
    install(monkeypatch, lambda: result(deal=home, moves=()))
    outcome = run("solve", "3")
    assert "solved in 0 card moves, shortest" in outcome.stdout
    assert "No move is needed.\n" in outcome.stdout
    assert run("solve", "3", "--format", "short", "-o", str(tmp_path / "answer")).exit_code == 0
    assert (tmp_path / "answer").exists()
