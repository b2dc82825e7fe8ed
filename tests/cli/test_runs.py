"""Real searches, run as a user runs them: as processes, with signals and a terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
from pathlib import Path
from typing import Any

import pytest
from helpers.command import PROGRAM, SOON_COMMITTING
from helpers.selection import few_fast

LONG = ["prove", "504179225", "--every-position", "--memory", "256M", "--threads", "1"]
"""A search that takes longer than the tests that interrupt it wait."""


def run(*args: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [*PROGRAM, *args], capture_output=True, text=True, timeout=240, **options
    )


@pytest.fixture(scope="module", autouse=True)
def proof(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """Return a store with a proof, and the answer.

    Kernels are compiled for it before clocks run.
    """
    store = str(tmp_path_factory.mktemp("runs") / "proof")
    result = run("prove", "11982", "--every-position", "--store", store, "--json", "--quiet")
    assert result.returncode == 10
    return store, json.loads(result.stdout)


def one_line(text: str) -> str:
    """Return the only line of a message, apart from the notice of a compilation."""
    lines = [line for line in text.splitlines() if not line.startswith("Compiling ")]
    assert len(lines) == 1, text
    return lines[0]


def test_solve() -> None:
    result = run("solve", "3", "--quiet")
    assert result.returncode == 0
    assert result.stdout.startswith("Deal 3: solved in 73 card moves, shortest\n\nKC 7D ")
    assert "\n73  " in result.stdout


def test_prove_and_what_is_kept(proof: tuple[str, dict[str, Any]]) -> None:
    store, found = proof
    assert (found["verdict"], found["states"], found["length"]) == ("unsolvable", 61_643, None)

    again = run("resume", store, "--json", "--quiet")
    assert again.returncode == 10
    assert json.loads(again.stdout)["digest"] == found["digest"]

    status = json.loads(run("status", store, "--json").stdout)
    assert status["verdict"] == "unsolvable"
    assert sum(row["states"] for row in status["strata"]) == 61_643
    assert "unsolvable" in run("status", store).stdout

    other = run("prove", "11983", "--every-position", "--store", store)
    assert other.returncode == 4
    assert store in one_line(other.stderr)
    assert run("export", store).returncode == 0


def test_lookup(proof: tuple[str, dict[str, Any]]) -> None:
    store, _ = proof
    here = run("lookup", store, "11982")
    assert here.returncode == 0
    assert here.stdout.startswith("Deal 11982: visited, 0 card moves away\n")
    assert run("lookup", store, "11983").returncode in (0, 3)


def test_undecided_and_continued(tmp_path: Path) -> None:
    store = str(tmp_path / "proof")
    result = run(
        "prove", "11982", "--every-position", "--store", store, "--max-states", "20000", "--quiet"
    )
    assert result.returncode == 20
    assert result.stdout.startswith("Deal 11982: undecided, the limit --max-states was reached\n")
    assert run("export", store).returncode == 4
    assert run("prove", "11982", "--every-position", "--store", store, "--quiet").returncode == 10


def test_bad_stores(tmp_path: Path) -> None:
    for command in ("status", "resume", "export"):
        result = run(command, str(tmp_path / "none"))
        assert result.returncode == 4
        assert str(tmp_path / "none") in one_line(result.stderr)
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "data.mdb").write_bytes(b"not LMDB" * 1000)
    result = run("status", str(foreign))
    assert result.returncode == 4
    assert str(foreign) in one_line(result.stderr)


def test_directory_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("Dear")
    result = run("solve", "3", "--store", str(tmp_path))
    assert result.returncode == 4
    assert str(tmp_path) in one_line(result.stderr)
    assert [path.name for path in tmp_path.iterdir()] == ["letter"]


def first_event(child: subprocess.Popen[str]) -> str:
    """Return the messages of a search with `--log-json` up to its first event: then it runs."""
    assert child.stderr is not None
    lines = []
    for line in child.stderr:
        lines.append(line)
        if line.startswith("{"):
            return "".join(lines)
    raise AssertionError("no event: " + "".join(lines))


@pytest.mark.parametrize("number", few_fast([signal.SIGINT, signal.SIGTERM, signal.SIGHUP], 1))
def test_interrupt(tmp_path: Path, number: signal.Signals) -> None:
    store = tmp_path / "proof"
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    for options in (["--store", str(store)], []):
        child = subprocess.Popen(
            [*SOON_COMMITTING, *LONG, *options, "--log-json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            # It may be ignored where the tests run in the background.
            preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
        )
        begun = first_event(child)
        child.send_signal(number)
        out, err = child.communicate(timeout=60)
        err = begun + err
        assert child.returncode == 130, err
        assert out == ""
        message = [line for line in err.splitlines() if line.startswith("dbmsolver: ")]
        hint = f"; continue with: dbmsolver resume {store}" if options else ""
        assert message == [f"dbmsolver: interrupted{hint}"]
        assert "Traceback" not in err
    assert list(temporary.iterdir()) == []
    assert run("status", str(store)).returncode == 0


def test_live_line_on_a_terminal() -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [*PROGRAM, *LONG, "--max-time", "1"],
        stdout=subprocess.PIPE,
        stderr=slave,
        env=environment,
    ) as child:
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        assert child.wait(60) == 20
    os.close(master)
    assert b" states, " in shown
    assert shown.rstrip().endswith(b"\x1b[2K") or shown.rstrip().endswith(b"\x1b[?25h")
