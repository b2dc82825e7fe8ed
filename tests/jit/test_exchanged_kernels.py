"""Intact files of kernels in each other's places: each is compiled anew, none runs as another."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

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

@kernel
def double(number):
    return 2 * number

@kernel
def same(number):
    return number
"""
CALLS = """
from kernels import *
import sys
print(*[eval(call) for call in sys.argv[1:]])
kernels = add, take, both, double, same
print(*[sum(sum(counts.values()) for counts in each.stats[1:2]) for each in kernels])
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


def test_files_that_have_changed_places(tmp_path: Path) -> None:
    """Those of two kernels, of kernels with other arguments, and of one kernel's two types."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    calls = ("add(3)", "take(3)", "both(3, 4)", "double(3)", "same(3)", "same(3.5)")
    right, _ = answers(tmp_path, *calls)
    assert right == "4 2 7 6 3 3.5"
    for one, other in (("add*.1", "take*.1"), ("both*.1", "double*.1"), ("same*.1", "same*.2")):
        (first,) = tmp_path.rglob(f"kernels.{one}.nbc")
        (second,) = tmp_path.rglob(f"kernels.{other}.nbc")
        exchange(first, second)
    assert answers(tmp_path, *calls) == [right, "0 0 0 0 0"]
    assert answers(tmp_path, *calls) == [right, "1 1 1 1 2"]


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
    assert answers(tmp_path, "add(3)") == ["23", "0 0 0 0 0"]
