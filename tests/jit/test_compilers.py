"""Kernels compiled ahead and beside: all that is needed, once each, and by processes that end."""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.command import run
from numba import njit

from dbmsolver.api.compilers import MOST, VARIABLE, Compilers, compile_share
from dbmsolver.jit import compilation, decorators, sharing
from dbmsolver.programs import python_command

SEARCHES = """
import importlib, pkgutil, sys
from pathlib import Path
import numpy as np
import dbmsolver.kernels, dbmsolver.kits
from numba.core.dispatcher import Dispatcher
from dbmsolver import Deal, all_solutions, count_solutions, prove, solve, survey_deals
from dbmsolver.jit.arguments import type_of
from dbmsolver.search.improve import beside_proof
from dbmsolver.search.proof import dives, piece_tables, pieces, worker
from dbmsolver.search.precompile import needed, seldom_needed
from dbmsolver.search.proof.piece_set import PieceSet
from dbmsolver.kernels.workspace import BUFFER
from dbmsolver.game.shipped import rules_for

beside_proof.SHARE = 1e6  # beams come at once
pieces.FLIP_SAMPLE = 50  # of small signatures

def compiled():
    found = set()
    for package in (dbmsolver.kernels, dbmsolver.kits):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for kernel in vars(importlib.import_module(info.name)).values():
                if isinstance(kernel, Dispatcher):
                    found |= {(kernel.py_func.__name__, types) for types in kernel.signatures}
    return found

def check(questions, method, searches, more=(), **how):
    for question in questions.split():
        for kernel, arguments in [*needed(question, method, 8, **how), *more]:
            kernel.compile(tuple(map(type_of, arguments)))
    before = compiled()
    searches()
    more = compiled() - before
    assert not more, more

def solves():
    assert solve(Deal.from_number(3), threads=1, memory=1 << 30).length == 73
    assert solve(Deal.from_number(3), threads=2, memory=1 << 30).length == 73

def counts():
    deal = Deal.from_number(3)
    assert count_solutions(deal, threads=2).count == 1680842911038333660
    assert len(list(all_solutions(deal, 3))) == 3

def proves(method, whole, divided):
    cuts, split = [], PieceSet.split
    PieceSet.split = lambda *given: cuts.append(None) or split(*given)
    worker.SMALL, piece_tables.SMALLEST_BITS = UNDIVIDED
    assert prove(Deal.from_number(11982), method=method).states == whole
    dives.SCHEDULE = ()
    assert not cuts
    worker.SMALL = BUFFER + 100
    piece_tables.SMALLEST_BITS = 12
    deal = Deal.from_number(1, rules_for("freecell", freecells=2))
    assert prove(deal, method=method, threads=2, store=Path(sys.argv[1]) / method).states == divided
    assert len(cuts) > 100

def runs():
    deal = Deal.from_number(1, rules_for("alpha_star"))
    assert solve(deal, threads=1).verdict == prove(deal, threads=1).verdict == "unsolvable"
    how = {"metric": "moves", "policy": "max", "any_solution": True}
    assert solve(Deal.from_number(3), threads=1, **how).length == 18

def turns():
    worker.SMALL, piece_tables.SMALLEST_BITS = UNDIVIDED
    deal = Deal.from_number(66, rules_for("klondike_by_threes"))
    assert prove(deal, method="every-position").states == 29_182
    worker.SMALL, piece_tables.SMALLEST_BITS = 200, 12
    store = Path(sys.argv[1]) / "turns"
    assert prove(deal, method="every-position", threads=2, store=store).states == 29_182
    assert solve(deal).verdict == "unsolvable"
    assert solve(deal, metric="runs").verdict == "unsolvable"
    deal = Deal.from_number(2, rules_for("klondike"))
    assert solve(deal, any_solution=True, max_states=1000).moves

def pairs():
    worker.SMALL, piece_tables.SMALLEST_BITS = UNDIVIDED
    deal = Deal.from_number(285, rules_for("pyramid"))
    assert prove(deal).verdict == solve(deal).verdict == "unsolvable"
    assert solve(Deal.from_number(4, rules_for("relaxed_pyramid"))).moves

def classes():
    worker.SMALL, piece_tables.SMALLEST_BITS = UNDIVIDED
    deal = Deal.from_number(12, rules_for("klondike_by_threes"))
    assert prove(deal).states == 132_887
    dives.CLASS_SCHEDULE = ()
    worker.SMALL = 500
    piece_tables.SMALLEST_BITS = 12
    assert prove(deal, threads=2, store=Path(sys.argv[1]) / "classes").states == 132_887

def fills():
    deal = Deal.from_number(5, rules_for("canfield"))
    assert prove(deal).verdict == solve(deal).verdict == "unsolvable"
    deal = Deal.from_number(6, rules_for("canfield"))
    assert solve(deal, any_solution=True, max_states=1000).moves

def piles():
    deal = Deal.from_number(1, rules_for("black_hole"))
    assert prove(deal).verdict == solve(deal).verdict == "unsolvable"
    assert solve(Deal.from_number(2, rules_for("golf"))).moves

def surveys():
    rows = survey_deals("1-3", Path(sys.argv[1]) / "table.csv", threads=1)
    assert [row["verdict"] for row in rows] == ["solved"] * 3

def wide():
    deal = Deal.from_number(3, rules_for("scorpion"))
    assert prove(deal, memory=1 << 28).verdict == "unsolvable"
    assert solve(deal, memory=1 << 28, any_solution=True).verdict == "unsolvable"

UNDIVIDED = worker.SMALL, piece_tables.SMALLEST_BITS
"""
CHECKS = {
    "solve": 'check("solve", "every-position", solves)',
    "count": 'check("solve", "every-position", counts, counting=True)',
    "every position": (
        'check("prove", "every-position", lambda: proves("every-position", 61643, 70882))'
    ),
    "records": 'check("prove", "dominating", lambda: proves("dominating", 11162, 14555))',
    "surveys": 'check("prove", "dominating", surveys, seldom_needed("cards", "cover"))',
    "runs": 'check("prove", "every-position", runs, family="runs")',
    "classes": 'check("prove", "classes", classes, family="patience")',
    "turns": ('check("prove solve", "every-position", turns, family="patience", ahead="classes")'),
    "fills": 'check("prove solve", "every-position", fills, family="canfield")',
    "piles": 'check("prove", "every-position", piles, family="pile")',
    "pairs": 'check("prove", "every-position", pairs, family="pairs")',
    "wide": 'check("prove solve", "every-position", wide, family="wide")',
}

SHARED = """
from dbmsolver.jit.decorators import kernel

@kernel
def double(number):
    return 2 * number
"""

FIRST = """
import sys
from shared import double
assert double._cache.reserve()
print("reserved", flush=True)
sys.stdin.read()
assert double(21) == 42
"""

SECOND = """
from numba.core import event
from dbmsolver.jit.sharing import WAITING

class Tell(event.Listener):
    def on_start(self, event):
        print("waiting", flush=True)

    def on_end(self, event):
        print("waited", flush=True)

event.register(WAITING, Tell())
from shared import double
assert double(21) == 42
hits, misses = (sum(counts.values()) for counts in double.stats[1:])
print(f"{hits} hit, {misses} misses")
"""

PARENT = """
import os, signal
from numba import njit
from dbmsolver.api.compilers import Compilers, compile_share
from dbmsolver.programs import python_command

compilers = Compilers(lambda: python_command(compile_share, [], "prove", "every-position", 8))
with compilers:
    njit(lambda number: number + 1)(1)
    print(*[process.pid for process, _ in compilers._running], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=() if what == "records" else pytest.mark.slow) for what in CHECKS],
)
def test_nothing_else_is_compiled(tmp_path: Path, what: str) -> None:
    program = SEARCHES + CHECKS[what]
    subprocess.run([sys.executable, "-c", program, tmp_path], check=True, timeout=600)


def test_one_process_compiles_and_the_other_reads(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text(SHARED)
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(tmp_path)}

    def program(text: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", text],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    with program(FIRST) as first:
        assert first.stdin is not None and first.stdout is not None
        assert first.stdout.readline() == "reserved\n"
        with program(SECOND) as second:
            assert second.stdout is not None
            assert second.stdout.readline() == "waiting\n"
            first.stdin.close()
            assert second.stdout.read() == "waited\n1 hit, 0 misses\n"
    assert (first.returncode, second.returncode) == (0, 0)


AGAIN = """
import sys
from dbmsolver.jit.compilation import compile_ahead
from shared import double
for _ in range(2):
    compile_ahead(double, (21,))
print("done", flush=True)
sys.stdin.read()
"""
FAILING = """
import sys
from numba.core.errors import TypingError
from shared import double
try:
    double(None)
except TypingError:
    print("done", flush=True)
sys.stdin.read()
"""
ONCE = """
from shared import double
assert double._cache.reserve(), "another process keeps it"
"""


@pytest.mark.parametrize("program", [AGAIN, FAILING], ids=["twice", "failing"])
def test_a_kernel_is_free_for_others_after(tmp_path: Path, program: str) -> None:
    (tmp_path / "shared.py").write_text(SHARED)
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(tmp_path)}
    first = subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with first:
        assert first.stdin is not None and first.stdout is not None
        assert first.stdout.readline() == "done\n"
        subprocess.run([sys.executable, "-c", ONCE], env=environment, check=True, timeout=60)
        first.stdin.close()


def command(parts: list[str]) -> list[str]:
    """Return the command of a process that compiles a proof's kernels, and those of parts."""
    later = [("cards", part, 8) for part in parts]
    return python_command(compile_share, later, "prove", "every-position", 8)


@pytest.fixture
def some(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes compile, which other tests do without."""
    monkeypatch.setenv(VARIABLE, str(MOST))


@pytest.mark.usefixtures("some")
def test_they_end_with_the_search() -> None:
    """They are waited for, and no new ones start."""
    told: list[int] = []
    compilers = Compilers(lambda: command([]), lambda: told.append(1))
    with compilers:
        njit(lambda number: number + 1)(1)
        running = [process for process, _ in compilers._running]
        assert 1 <= len(running) <= 4
    assert [process.returncode for process in running] == [0] * len(running) and told == [1]
    njit(lambda number: number + 2)(1)
    assert [process for process, _ in compilers._running] == running
    with Compilers(list, lambda: told.append(2)):
        pass
    assert told == [1]


@pytest.mark.usefixtures("some")
@pytest.mark.parametrize("interrupted", [True, False])
def test_they_are_ended_where_nobody_waits(interrupted: bool) -> None:
    """An error ends them, and Ctrl-C while they are waited for, which is none."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    compilers = Compilers(lambda: command(["cover"]), interrupt)
    with suppress(ZeroDivisionError), compilers:
        njit(lambda number: number + 6 + interrupted)(1)
        running = [process for process, _ in compilers._running]
        for process in running:  # they take seconds to find that there is nothing to do
            process.send_signal(signal.SIGSTOP)
        if not interrupted:
            raise ZeroDivisionError
    assert [process.returncode for process in running] == [-signal.SIGKILL] * len(running)


@pytest.mark.usefixtures("some")
def test_they_end_with_the_process() -> None:
    run = subprocess.run([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, timeout=60)
    assert run.returncode == -signal.SIGKILL
    for pid in run.stdout.split():
        try:
            process = os.pidfd_open(int(pid))
        except ProcessLookupError:
            continue
        assert select.select([process], [], [], 60)[0]
        os.close(process)


@pytest.mark.usefixtures("some")
@pytest.mark.parametrize(("wanted", "number"), [("0", 0), ("1", 1), ("99", 4)])
def test_the_environment_says_how_many(
    monkeypatch: pytest.MonkeyPatch, wanted: str, number: int
) -> None:
    monkeypatch.setattr("dbmsolver.api.compilers.processors", lambda: 8)
    monkeypatch.setenv(VARIABLE, wanted)
    assert Compilers(list).processes == number
    assert Compilers(list, most=1).processes == min(number, 1)


@pytest.mark.parametrize("wanted", ["", "-1", "two", "²"])
def test_no_number_of_processes(monkeypatch: pytest.MonkeyPatch, wanted: str) -> None:
    monkeypatch.setenv(VARIABLE, wanted)
    result = run("prove", "3", "--quiet")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{VARIABLE} is '{wanted}', expected a whole number" in result.stderr


@pytest.mark.usefixtures("some")
def test_none_without_a_shared_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "is_shared", lambda: False)
    compilers = Compilers(lambda: command([]))
    with compilers:
        njit(lambda number: number + 3)(1)
        assert not compilers._running


def test_without_a_folder_kernels_work_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object, **__: object) -> None:
        raise RuntimeError("no locator available")

    monkeypatch.setattr(sharing, "SharedCache", nowhere)
    assert decorators.kernel(lambda number: number + 4)(1) == 5


def test_a_full_disk_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    assert decorators.kernel(lambda number: number + 5)(1) == 6


def test_damaged_files_that_cannot_be_removed_are_no_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def damaged(*_: object) -> None:
        raise ValueError("no such index")

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.load", damaged)
    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", refused)
    monkeypatch.setattr("pathlib.Path.unlink", refused)
    assert decorators.kernel(lambda number: number + 6)(1) == 7
