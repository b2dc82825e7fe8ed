"""Intact files of kernels in each other's places: each is compiled anew, none runs as another."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = """
from dbmsolver.jit.decorators import kernel

@kernel
def add(number):
    return number + 1

@kernel
def take(number):
    return number - 1

@kernel
def both(number, other):
    return number + other
"""
CALLS = """
from kernels import *
import sys
print(*[eval(call) for call in sys.argv[1:]])
print(*[sum(sum(counts.values()) for counts in each.stats[1:2]) for each in (add, take, both)])
"""


def answers(folder: Path, *calls: str) -> list[str]:
    """Return the results of calls in a new process, then each kernel's hits in the cache."""
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-c", CALLS, *calls]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def exchange(one: Path, other: Path) -> None:
    """Let two files change places."""
    kept = one.with_suffix(".kept")
    one.rename(kept)
    other.rename(one)
    kept.rename(other)


@pytest.mark.parametrize(
    ("one", "other", "calls", "found"),
    [
        pytest.param("add*.1", "take*.1", ("add(3)", "take(3)"), "0 0 0", id="another kernel"),
        pytest.param("add*.1", "both*.1", ("add(3)", "both(3, 4)"), "0 0 0", id="other arguments"),
        pytest.param("add*.1", "add*.2", ("add(3)", "add(3.5)"), "0 0 0", id="other types"),
    ],
)
def test_files_that_have_changed_places(
    tmp_path: Path, one: str, other: str, calls: tuple[str, ...], found: str
) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    right, _ = answers(tmp_path, *calls)
    (first,) = tmp_path.rglob(f"kernels.{one}.nbc")
    (second,) = tmp_path.rglob(f"kernels.{other}.nbc")
    exchange(first, second)
    assert answers(tmp_path, *calls) == [right, found]
    hits = [str(sum(call.startswith(name) for call in calls)) for name in ("add", "take", "both")]
    assert answers(tmp_path, *calls) == [right, " ".join(hits)]


def test_a_file_of_other_sources(tmp_path: Path) -> None:
    """The same name and types, kept when the sources said something else."""
    source = tmp_path / "kernels.py"
    source.write_text(KERNELS)
    assert answers(tmp_path, "add(3)")[0] == "4"
    (file,) = tmp_path.rglob("kernels.add*.nbc")
    shutil.copy(file, tmp_path / "old")
    source.write_text(KERNELS.replace("number + 1", "number + 20"))
    assert answers(tmp_path, "add(3)")[0] == "23"
    shutil.copy(tmp_path / "old", file)
    assert answers(tmp_path, "add(3)") == ["23", "0 0 0"]
