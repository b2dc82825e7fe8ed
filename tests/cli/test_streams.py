"""Standard streams that are closed or full: an answer or one line, and the exit code."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import time
from contextlib import ExitStack
from itertools import product
from pathlib import Path

import pytest
from helpers.command import PROGRAM, SOON_COMMITTING
from helpers.selection import few_fast

LINE = shlex.join(PROGRAM)


def shell(command: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell, in which `dbmsolver` is the program."""
    line = f'dbmsolver() {{ {LINE} "$@"; }}; {command}'
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        ["bash", "-c", line], capture_output=True, text=True, timeout=120, **options
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("streams") / "proof"
    assert shell(f"dbmsolver prove 11982 --store {path} --quiet").returncode == 10
    assert shell("dbmsolver solve 3 --quiet").returncode == 0
    return path


CLOSED = [">&-", ">/dev/full", ">&- <&-"]
SIGNALS = [signal.SIGINT, signal.SIGTERM]
EARLY, LATER = [0.03, 0.1, 0.2, 0.3], [0.5, 0.8, 1.3]
"""Seconds after the start, and after the program has said which signals it hears."""
COMMANDS = [
    "solve 3 -q",
    "solve 3 --json -q",
    "status STORE",
    "export STORE",
    "certificate STORE",
    "deal 3",
    "games",
    "verify STORE --quiet",
    "lookup STORE 11982",
    "--help",
    "solve --help",
]


@pytest.mark.parametrize(("where", "command"), few_fast(product(CLOSED, COMMANDS), 3))
def test_output_that_cannot_be_written(store: Path, command: str, where: str) -> None:
    result = shell(f"dbmsolver {command.replace('STORE', str(store))} {where}")
    lines = [line for line in result.stderr.splitlines() if not line.startswith("Compiling")]
    assert result.returncode == 5, result.stderr
    assert len(lines) == 1 and lines[0].startswith("dbmsolver: standard output: "), lines


def test_full_file_and_full_output_have_one_code() -> None:
    assert shell("dbmsolver solve 3 -q -o /dev/full").returncode == 5
    result = shell("dbmsolver solve 3 -q -o /dev/full >&- 2>&- <&-")
    assert (result.returncode, result.stdout, result.stderr) == (5, "", "")


@pytest.mark.parametrize("where", few_fast(["2>&-", "2>/dev/full"], 1))
def test_messages_that_nobody_can_read(where: str) -> None:
    """They are no reason not to answer."""
    result = shell(f"dbmsolver prove 11982 --log-json {where}")
    assert result.returncode == 10
    assert result.stdout.startswith("Deal 11982: unsolvable")
    result = shell(f"dbmsolver deal 0 {where}")
    assert (result.returncode, result.stdout, result.stderr) == (3, "", "")


def test_answer_in_a_file_needs_no_streams(tmp_path: Path) -> None:
    result = shell(f"dbmsolver solve 3 -o {tmp_path}/answer >&- 2>&- <&-")
    assert result.returncode == 0
    assert (tmp_path / "answer").read_text().startswith("Deal 3: solved in 73")


def test_nothing_is_written_into_the_store(store: Path) -> None:
    """The store's file must not get the number of a closed stream."""
    before = (store / "data.mdb").read_bytes()
    shell(f"dbmsolver status {store} <&- >&- 2>&-")
    assert (store / "data.mdb").read_bytes() == before


def test_board_on_closed_input() -> None:
    result = shell("dbmsolver deal - <&-")
    assert result.returncode == 3
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
def test_odd_names(tmp_path: Path) -> None:
    name = tmp_path / "a\nb"
    for command in ("status", "export", "verify", "certificate", "resume"):
        result = subprocess.run(
            [*PROGRAM, command, str(name)], capture_output=True, text=True, timeout=60
        )
        assert result.returncode in (2, 4)
        assert result.stderr.count("\n") == 1, result.stderr
    file = tmp_path / "file"
    file.write_text("text")
    assert shell(f"dbmsolver prove 3 --store {file}").returncode == 4


def hears(child: subprocess.Popen[str], number: int) -> bool:
    """Return True if a child process has a handler of its own for a signal, by its number."""
    caught = Path(f"/proc/{child.pid}/status").read_text().partition("SigCgt:")[2].split()[0]
    return bool(int(caught, 16) >> number - 1 & 1)


@pytest.mark.parametrize(("number", "delay"), few_fast(product(SIGNALS, EARLY + LATER), 4))
def test_signals_in_the_first_second(tmp_path: Path, number: int, delay: float) -> None:
    """However early: 130, one line at most, nothing left behind.

    Before Python has started, Python says how it ends.
    """
    child = subprocess.Popen(
        [*PROGRAM, "prove", "504179225", "--every-position", "--memory", "1G", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    with ExitStack() as stack:
        stack.callback(child.kill)  # where a test fails no search goes on
        last = time.monotonic() + 60
        while delay in LATER and not hears(child, signal.SIGTERM):
            assert child.poll() is None and time.monotonic() < last
        time.sleep(delay)  # the moment is what is tested
        child.send_signal(number)
        out, err = child.communicate(timeout=100)
    pythons_own = ("Fatal Python error: init_", "Could not import runpy module")
    starting = child.returncode == -number or err.startswith(pythons_own)
    early = starting and delay in EARLY
    assert child.returncode == 130 or early, err
    assert out == ""
    if not early:
        assert re.fullmatch(r"(dbmsolver: interrupted\n)?", err), err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_signals_in_the_background(tmp_path: Path) -> None:
    """A shell has SIGINT ignored there; SIGTERM ends the search after a commit."""
    store, events = tmp_path / "store", tmp_path / "events"
    line = (
        "dbmsolver prove 504179225 --every-position --memory 256M --threads 1 --log-json "
        f"--store {store} 2> {events} & "
        # Once it runs: SIGINT, the second signal, is among those that it ignores.
        f"until grep -q '^{{' {events}; do sleep 0.1; done; "
        "kill -INT $! && grep SigIgn /proc/$!/status; kill -TERM $!; wait $!; echo $?"
    )
    result = shell(line.replace("dbmsolver prove", f"{shlex.join(SOON_COMMITTING)} prove"))
    ignored, status = result.stdout.removeprefix("SigIgn:").split()
    assert int(ignored, 16) >> signal.SIGINT - 1 & 1
    assert status == "130", events.read_text()
    assert "continue with: dbmsolver resume" in events.read_text()
    assert shell(f"dbmsolver status {store}").returncode == 0
