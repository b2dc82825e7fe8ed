"""The scripts of benchmarks/ start, and the quickest of their rows hold."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks"
SCRIPTS = ("bars", "bench", "oracles", "verify", "where_time_goes")


def script(name: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), *args],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("name", SCRIPTS)
def test_help(name: str) -> None:
    result = script(name, "--help")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"usage: {name}.py")


CLOCKED = """
from where_time_goes import FUNCTIONS, WORK
for owner, name in [*WORK, *(pair for pairs in FUNCTIONS.values() for pair in pairs)]:
    if not hasattr(owner, name):
        print(owner, name)
"""


def test_the_functions_with_clocks_exist() -> None:
    result = subprocess.run(
        [sys.executable, "-c", CLOCKED],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert result.stdout == ""


def test_every_script_is_explained() -> None:
    text = (FOLDER / "README.md").read_text()
    for path in FOLDER.glob("*.py"):
        assert f"`{path.name}`" in text


@pytest.mark.parametrize("most", [1000, pytest.param(5000, marks=pytest.mark.slow)])
def test_oracles(most: int) -> None:
    result = script("oracles", "--max-states", str(most), "--no-lengths", "--fewest", "0")
    assert result.returncode == 0, result.stdout + result.stderr
    row = "781948          4  wkr     prove     unsolvable, 4,381 "
    assert (row in result.stdout) == (most > 4381)
    assert result.stdout.count(" ok\n") >= 10
    assert result.stdout.endswith(" rows, 0 wrong\n")


def test_signature_of_the_search() -> None:
    result = script("bench")
    assert result.returncode == 0, result.stdout + result.stderr


def test_bars_names_unknown_rows() -> None:
    result = script("bars", "no-such-row")
    assert result.returncode == 2
    assert "unknown rows no-such-row" in result.stderr
