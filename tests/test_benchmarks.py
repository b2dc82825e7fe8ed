"""The scripts of benchmarks/ start, and the quickest of their rows hold."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from helpers.rows import row

from dbmsolver.survey.rows import Inquiry
from dbmsolver.survey.table import SurveyTable

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks"
SCRIPTS = (
    "anytime",
    "bars",
    "bench",
    "oracles",
    "recheck",
    "verdicts",
    "verify",
    "where_time_goes",
)


def script(name: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), *args],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


HELP = """
import runpy, sys
for path in sys.argv[1:]:
    sys.argv = [path, "--help"]
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        print("ends with", end.code)
"""


def test_help() -> None:
    """All scripts are run by one program, as loading what they import takes longest."""
    result = subprocess.run(
        [sys.executable, "-c", HELP, *(str(FOLDER / f"{name}.py") for name in SCRIPTS)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(FOLDER)])},
    )
    told = result.stdout.split("ends with 0\n")
    assert [text.split()[:2] for text in told] == [
        *(["usage:", f"{name}.py"] for name in SCRIPTS),
        [],
    ]


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


def test_counts_and_digests_of_verdicts(tmp_path: Path) -> None:
    """The digest is that of the columns that are the same in every run."""
    table = tmp_path / "table.csv"
    rows = [
        row(2, verdict="solved", states=7, evaluated=9, seconds=0.5),
        row(-1, verdict="unsolvable", states=1, evaluated=1, digest="00ff"),
        row(11, verdict="undecided", limit="max-time"),
        row(10, verdict="solved", states=3, evaluated=4),
    ]
    with SurveyTable(table, Inquiry.VERDICT) as file:
        file.put(rows)
    told = [
        "-1\t-1\t1\t0\t1\t0\t" + sha256(b"-1,unsolvable,1,1,00ff\n").hexdigest(),
        "2\t10\t2\t2\t0\t0\t" + sha256(b"2,solved,7,9,\n10,solved,3,4,\n").hexdigest(),
        "11\t11\t1\t0\t0\t1\t" + sha256(b"11,undecided,0,0,\n").hexdigest(),
    ]
    heading, *lines = script("verdicts", "--each", "10", str(table)).stdout.splitlines()
    assert heading.split("\t")[2] == "rows"
    assert lines == told
    with SurveyTable(table, Inquiry.VERDICT) as file:
        file.put([row(12, verdict="solved", states=1_000_001, evaluated=1_000_001)])
    large = sha256(b"11,undecided,0,0,\n12,solved,,,\n").hexdigest()
    assert script("verdicts", "--each", "10", str(table)).stdout.split()[-1] == large
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:-1]))
    cut = "tail -n +2 table.csv | cut -d, -f2,14,22,23,26 | sha256sum"
    shell = subprocess.run(cut, shell=True, cwd=tmp_path, capture_output=True, text=True)
    whole = script("verdicts", str(table)).stdout.split()[-1]
    assert shell.stdout.split()[0] == whole
    assert script("verdicts", "--numbers", "solved", str(table)).stdout == "2\n10\n"
    wrong = script("verdicts", str(tmp_path / "nothing.csv"))
    assert (wrong.returncode, wrong.stderr.count("\n")) == (4, 1)


def test_proofs_of_a_table_are_checked_again(tmp_path: Path) -> None:
    right = row(146692, verdict="unsolvable", states=1627, digest="a5545956b6ff9d4b")
    wrong = replace(right, digest="a5545956b6ff9d4c")
    for name, one, code, word in (("right", right, 0, "valid"), ("wrong", wrong, 1, "another")):
        table = tmp_path / f"{name}.csv"
        with SurveyTable(table, Inquiry.VERDICT) as file:
            file.put([one, row(1, verdict="solved")])
        result = script("recheck", str(table), "--sample", "5", "--largest", "1")
        assert result.returncode == code, result.stderr
        assert result.stdout.splitlines()[1].split("\t")[:3] == ["146692", "4", "1627"]
        assert result.stdout.splitlines()[-1].startswith(f"1 proofs: 1 {word}")


@pytest.mark.parametrize(("length", "code"), [(73, 0), (74, 1)])
def test_solutions_are_compared_with_those_of_a_table(
    tmp_path: Path, length: int, code: int
) -> None:
    """The shortest solution of deal 3 has 73 moves; who says that it has more is wrong."""
    table = tmp_path / "table.csv"
    with SurveyTable(table, Inquiry.SHORTEST) as file:
        file.put([row(3, verdict="solved", length=length, shortest=True), row(4, limit="max-time")])
    result = script("anytime", "--table", str(table), "--seconds", "5")
    assert result.returncode == code, result.stderr
    last = result.stdout.splitlines()[-1].split()
    assert last == ["5", "1", f"{73 - length:.2f}", "1", str(int(length == 73)), "1"]
    wrong = script("anytime", "--table", str(tmp_path / "nothing.csv"))
    assert (wrong.returncode, wrong.stderr.count("\n")) == (4, 1)


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
