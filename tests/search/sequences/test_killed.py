"""A count that is killed or interrupted goes on from its last level."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from dbmsolver.search.sequences.session import FOLDER

PROGRAM = [sys.executable, "-m", "dbmsolver", "solve", "3", "--count", "--json", "--store"]


def begun(store: Path, level: int) -> subprocess.Popen[bytes]:
    """Return the program, once it has written a level; it is stopped and can be sent a signal."""
    process = subprocess.Popen(
        [*PROGRAM, str(store)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while not (store / FOLDER / f"{level:05}.level").exists():
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
        assert process.returncode is None
    process.send_signal(signal.SIGSTOP)
    return process


def whole_levels(store: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (store / FOLDER).glob("*.level")}


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGKILL, marks=pytest.mark.slow), signal.SIGINT]
)
def test_it_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    store = tmp_path / "store"
    process = begun(store, 4)
    before = whole_levels(store)
    process.send_signal(number)
    process.send_signal(signal.SIGCONT)
    out, error = process.communicate(timeout=60)
    if process.returncode:  # otherwise it was quicker than the signal
        assert process.returncode in (-signal.SIGKILL, 130)
        assert bool(out) == (number == signal.SIGINT)
        if number == signal.SIGINT:
            told = json.loads(out)
            assert (told["count"], told["limit"], told["length"]) == (None, "interrupt", 73)
            assert error.splitlines()[-1] == (
                b"dbmsolver: interrupted; the same command continues it"
            )
            assert not list((store / FOLDER).glob("*.part"))
    again = subprocess.run([*PROGRAM, str(store)], capture_output=True, check=True)
    answer = json.loads(again.stdout)
    assert answer["count"] == "1680842911038333660"
    after = whole_levels(store)
    assert all(after[name] == time for name, time in before.items())
