"""`solve --any` as a user runs it: what is written when it is ended, and with which exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.command import run
from helpers.fake_search import install, nearly_done, report, result

from dbmsolver.cli.progress import better_line
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Better, Event, Options

PROGRAM = [sys.executable, "-m", "dbmsolver"]
LONG = ["solve", "70", "--any", "--memory", "1G"]
"""A search that takes longer than the tests that interrupt it wait."""


def test_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch)
    assert run("solve", "3", "--any").exit_code == 0
    assert fake.asked[2] == Options(method="every-position", any_solution=True)


def test_other_commands_have_no_such_option() -> None:
    for command in (["prove", "3"], ["resume", "store"]):
        assert run(*command, "--any").exit_code == 2


def test_what_a_limit_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, lambda: result(shortest=False, limit="max-time", at_least=1))
    outcome = run("solve", "3", "--any")
    assert outcome.exit_code == 0
    assert outcome.stdout.splitlines()[0].endswith(
        "solved in 2 card moves; the shortest has at most 2, at least 1 "
        "(the limit --max-time was reached)"
    )
    answer = json.loads(run("solve", "3", "--any", "--json").stdout)
    assert (answer["verdict"], answer["limit"]) == ("solved", "max-time")
    assert (answer["at_most"], answer["at_least"], answer["shortest"]) == (2, 1, False)


def test_a_limit_before_there_is_any(monkeypatch: pytest.MonkeyPatch) -> None:
    install(
        monkeypatch,
        lambda: result(
            verdict="undecided", shortest=False, moves=(), limit="max-time", at_least=71
        ),
    )
    outcome = run("solve", "3", "--any")
    assert outcome.exit_code == 20
    assert "Lengths:   at least 71\n" in outcome.stdout
    answer = json.loads(run("solve", "3", "--any", "--json").stdout)
    assert (answer["at_most"], answer["at_least"]) == (None, 71)


def better() -> Iterator[Event]:
    yield report(best=None, phase="dive", dive=(1, 9))
    deal, moves = nearly_done()
    yield Better(moves=moves, elapsed=0.4, length=2, metric="cards", rules=deal.rules)
    yield report(elapsed=60.0, best=2)


def test_better_solutions_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, events=list(better()))
    outcome = run("solve", "3", "--any")
    assert "2 card moves after 0.4 s\n" in outcome.stderr
    assert "solve at most 2, layer 73," in outcome.stderr


def test_better_solutions_of_a_game_without_a_stock_do_not_speak_of_one() -> None:
    told = Better(nearly_done()[1], 0.4, 2, "turns", GAMES["yukon"])
    assert better_line(told) == "2 plays after 0.4 s"
    assert better_line(replace(told, rules=GAMES["spider"])).startswith("2 plays and turns of the")


def test_better_solutions_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, events=list(better()))
    outcome = run("solve", "3", "--any", "--log-json", "-o", "/dev/null")
    assert json.loads(outcome.stderr.splitlines()[0]) == {"length": 2, "elapsed": 0.4}


def interrupted(tmp_path: Path, number: signal.Signals, *args: str) -> tuple[int, str]:
    """Run a long search, interrupt it after its first solution: (exit code, standard error)."""
    with subprocess.Popen(
        [*PROGRAM, *LONG, *args],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        # It may be ignored where the tests run in the background.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as process:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "card moves after" in line:
                process.send_signal(number)
                break
        lines += process.stderr
        return process.wait(120), "".join(lines)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(tmp_path: Path, number: signal.Signals) -> None:
    """The best solution is written, and checked by the other command."""
    code, said = interrupted(tmp_path, number, "-o", str(tmp_path / "best.json"))
    assert code == 130
    assert said.splitlines()[-1] == "dbmsolver: interrupted"
    answer = json.loads((tmp_path / "best.json").read_text())
    assert (answer["verdict"], answer["limit"], answer["shortest"]) == (
        "solved",
        "interrupt",
        False,
    )
    assert answer["at_least"] <= answer["at_most"] == len(answer["moves"])
    assert run("check", str(tmp_path / "best.json")).exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["best.json"]


def test_interrupted_with_a_store(tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    code, said = interrupted(
        tmp_path, signal.SIGINT, "--store", store, "-o", str(tmp_path / "best.txt")
    )
    assert code == 130
    assert said.splitlines()[-1] == (
        f"dbmsolver: interrupted; continue with: dbmsolver resume {store}"
    )
    status = json.loads(run("status", store, "--json").stdout)
    assert status["verdict"] == "undecided" and status["at_least"] <= status["at_most"]
    exported = run("export", store, "--format", "short")
    assert exported.exit_code == 0
    (tmp_path / "kept.short").write_text(exported.stdout)
    for name in ("best.txt", "kept.short"):
        assert run("check", str(tmp_path / name)).exit_code == 0
    more = run("resume", store, "--max-time", "1", "--json", "--quiet")
    assert more.exit_code == 0
    assert json.loads(more.stdout)["at_most"] <= status["at_most"]


class _Interrupted:
    """The events of a search that is interrupted; it ends when it is asked to."""

    def __iter__(self) -> Generator[Event, object, None]:
        os.kill(os.getpid(), signal.SIGTERM)  # the other may be ignored where the tests run
        request = yield report(best=2)
        assert request is not None, "the search is asked to end"


def test_interrupted_without_any(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A plain search writes the solution that it has, too."""
    answer = result(shortest=False, limit="interrupt", at_least=1)
    install(monkeypatch, lambda: answer, events=_Interrupted())
    for command in (["solve", "3"], ["resume", str(tmp_path)]):
        outcome = run(*command, "-o", tmp_path / "best.json", "--quiet")
        assert outcome.exit_code == 130 and outcome.stderr.startswith("dbmsolver: interrupted")
        told = json.loads((tmp_path / "best.json").read_text())
        assert (told["verdict"], told["limit"], told["at_most"]) == ("solved", "interrupt", 2)
        (tmp_path / "best.json").unlink()


def test_a_file_is_replaced_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch)
    out = tmp_path / "answer.txt"
    out.write_text("before")
    out.chmod(0o600)
    assert run("solve", "3", "-o", str(out)).exit_code == 0
    assert out.read_text().startswith("Deal") and out.stat().st_mode & 0o777 == 0o600
    link = tmp_path / "link.txt"
    link.symlink_to(out)
    out.write_text("before")
    assert run("solve", "3", "-o", str(link)).exit_code == 0
    assert link.is_symlink() and out.read_text().startswith("Deal")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.txt", "link.txt"]
