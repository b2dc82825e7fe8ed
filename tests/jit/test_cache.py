"""The folder of kernels: found by what the sources say, and cleared of what nobody uses."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest
from helpers.selection import few_fast

import dbmsolver
from dbmsolver.jit import cache

PACKAGE = Path(dbmsolver.__file__).parent

LOADS = """
import numpy as np
from dbmsolver.kernels.bits import make_network
make_network(np.uint64(255), np.zeros(7, np.uint64))
hits, misses = (sum(counts.values()) for counts in make_network.stats[1:])
print(hits, misses)
"""

CALLS = """
from dbmsolver.jit.decorators import inner, kernel

@inner
def double(number):
    return 2 * number

@kernel
def fourfold(number):
    return double(double(number))

@kernel
def fourfold_of_many(numbers):
    total = 0
    for number in numbers:
        total += fourfold(number)
    return total
"""


def loads(folder: Path, home: Path) -> str:
    """Return the hits and misses of one kernel in a new process, with the package in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(home)}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-c", LOADS]
    return subprocess.run(
        command, env=environment, cwd=folder, check=True, capture_output=True, text=True
    ).stdout


LARGE = """
import numpy as np
from dbmsolver.jit.decorators import kernel

MANY = np.full(1 << 18, 7)

@kernel
def last():
    return MANY[-1]
"""


def copied(folder: Path) -> Path:
    shutil.copytree(PACKAGE, folder / "dbmsolver", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which one kernel is kept."""
    folder = tmp_path_factory.mktemp("kept")
    assert loads(PACKAGE.parent, folder) == "0 1\n"
    return folder


@pytest.mark.slow
def test_another_checkout_finds_what_is_compiled(tmp_path: Path) -> None:
    one, other, home = copied(tmp_path / "1"), copied(tmp_path / "2"), tmp_path / "home"
    assert loads(one, home) == "0 1\n"
    assert loads(other, home) == "1 0\n"
    changed = other / "dbmsolver" / "kernels" / "bits.py"
    changed.write_text(changed.read_text() + "\n# changed\n")
    assert loads(other, home) == "0 1\n"
    assert loads(one, home) == "1 0\n"


@pytest.mark.parametrize("first", ["fourfold(3)", "None"])
def test_callers_of_a_loaded_kernel_are_compiled(tmp_path: Path, first: str) -> None:
    """The facts they need are read then, whether Python has called the kernel before or not."""
    (tmp_path / "calls.py").write_text(CALLS)
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(tmp_path)}

    def answers(*calls: str) -> list[str]:
        program = "from calls import *\nimport numpy as np\n"
        for call in calls:
            program += f"print({call})\n"
        program += "print(*[sum(counts.values()) for counts in fourfold.stats[1:]])"
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    many = "fourfold_of_many(np.arange(5))"
    assert answers("fourfold(3)") == ["12", "0 1"]
    # Once it is compiled, once it is loaded itself.
    assert answers(first, many, "fourfold(5)")[1:] == ["40", "20", "1 0"]
    assert answers(first, many, "fourfold(5)")[1:-1] == ["40", "20"]


def test_a_kernel_with_addresses_of_its_process_is_not_kept(tmp_path: Path) -> None:
    """Without optimization, and with large constants, machine code has such addresses."""
    (tmp_path / "large.py").write_text(LARGE)
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    program = "from large import last; print(last(), last())"
    for _ in range(2):
        command = [sys.executable, "-W", "error", "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("7 7\n", "")
    assert not list(tmp_path.rglob("large.last*.nbc"))


DAMAGES = ["changed", "cut", "empty", "other"]


LARGER_THAN_MEMORY = b"\x80\x05\x96" + (1 << 50).to_bytes(8, "little")
"""A pickle that says that an array of a petabyte follows."""


def test_an_index_that_claims_too_much_is_made_anew(kept: Path, tmp_path: Path) -> None:
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    (path,) = tmp_path.rglob("bits.make_network*.nbi")
    path.write_bytes(LARGER_THAN_MEMORY)
    assert loads(PACKAGE.parent, tmp_path) == "0 1\n"
    assert loads(PACKAGE.parent, tmp_path) == "1 0\n"


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    """Not beside the sources either, where the code of changed callees would be found again."""
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=shutil.ignore_patterns("*.nb?"))
    no_folder = tmp_path / "file"
    no_folder.touch()
    for _ in range(2):
        assert loads(tmp_path, no_folder) == "0 1\n"
    assert not list(tmp_path.rglob("*.nb[ci]"))


@pytest.mark.parametrize(("ending", "damage"), few_fast(product(["nbc", "nbi"], DAMAGES), 1))
def test_a_damaged_kernel_is_compiled_anew(
    kept: Path, tmp_path: Path, ending: str, damage: str
) -> None:
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    (path,) = tmp_path.rglob(f"bits.make_network*.{ending}")
    data = bytearray(path.read_bytes())
    if damage == "cut":
        del data[len(data) // 2 :]
    elif damage == "empty":
        data.clear()
    elif damage == "changed":
        data[len(data) // 2] ^= 1
    else:
        data = bytearray(pickle.dumps((1, 2)))
    path.write_bytes(data)
    assert loads(PACKAGE.parent, tmp_path) == "0 1\n"
    assert loads(PACKAGE.parent, tmp_path) == "1 0\n"


def test_what_nobody_uses_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "dbmsolver"
    old, recent = folder / "kernels-old", folder / "kernels-recent"
    for other in (old, recent, folder / "mine"):
        (other / "core").mkdir(parents=True)
    long_ago = time.time() - 31 * 24 * 3600
    for other in (old, folder / "mine"):
        os.utime(other, (long_ago, long_ago))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    cache.choose_cache()
    assert os.environ["NUMBA_CACHE_DIR"] == str(folder / f"kernels-{cache.kernel_digest()}")
    assert {other.name for other in folder.iterdir()} == {
        "kernels-recent",
        "mine",
        f"kernels-{cache.kernel_digest()}",
    }


def test_a_folder_in_use_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "dbmsolver" / f"kernels-{cache.kernel_digest()}"
    mine.mkdir(parents=True)
    os.utime(mine, (0, 0))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    cache.choose_cache()
    assert time.time() - mine.stat().st_mtime < 24 * 3600
