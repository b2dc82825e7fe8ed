"""Systems without what Linux has: each piece is hidden, and the rest works as before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.fake_search import NEARLY_DONE

from dbmsolver import disk, process

HIDE = """
import os, signal, subprocess, multiprocessing, tempfile, sys, types
import fcntl as real
for name in ("sched_getaffinity", "posix_fallocate", "pwrite", "preadv", "sysconf"):
    delattr(os, name)
del signal.SIGHUP, signal.SIGPIPE
import mmap
del mmap.MADV_HUGEPAGE
from importlib.machinery import ModuleSpec
locks = types.ModuleType("msvcrt")
locks.__spec__ = ModuleSpec("msvcrt", None)
locks.LK_LOCK, locks.LK_NBLCK = 1, 2
def locking(handle, mode, size):
    assert size == 1 and os.lseek(handle, 0, os.SEEK_CUR) == 0
    real.flock(handle, real.LOCK_EX | (0 if mode == locks.LK_LOCK else real.LOCK_NB))
locks.locking = locking
sys.modules.update(msvcrt=locks, fcntl=None, resource=None)
"""
"""Hides what macOS or Windows has not; locks of files are those of Windows' module."""


def hidden(*args: object) -> subprocess.CompletedProcess[str]:
    """Run the program in a process that lacks all of it."""
    code = HIDE + "from dbmsolver.__main__ import main\nmain()\n"
    command = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_boards_and_games() -> None:
    found = hidden("deal", 3)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("KC 7D TC 4H")


def test_a_search_with_a_store_and_its_check(tmp_path: Path) -> None:
    board, store = tmp_path / "board", tmp_path / "store"
    board.write_text(NEARLY_DONE)
    found = hidden("solve", board, "--store", store, "--quiet")
    assert "solved in 2 card moves, shortest" in found.stdout, found.stderr
    assert hidden("solve", board, "--store", store, "--quiet").stdout == found.stdout
    found = hidden("verify", store, "--quiet")
    assert "valid" in found.stdout, found.stderr


def test_processors_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    assert process.processors() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    assert process.processors() == os.cpu_count()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert process.processors() == 1


def test_memory_where_nothing_tells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_RESOURCE", None)
    assert process.address_space() is None
    assert process.free_address_space() is None
    monkeypatch.delattr(os, "sysconf")
    assert 0 < process.all_memory() <= 4 << 30


def test_memory_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_file(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", no_file)
    kibibytes = process.anonymous_memory()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert process.anonymous_memory() * 1024 == pytest.approx(kibibytes, rel=0.5)
    monkeypatch.setattr(process, "_RESOURCE", None)
    assert process.anonymous_memory() == 0


def test_room_is_taken_by_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_fallocate")
    path = tmp_path / "file"
    path.write_bytes(b"kept")
    handle = os.open(path, os.O_RDWR)
    disk.reserve(handle, 3 << 20)
    disk.reserve(handle, 5)  # it has more already
    os.close(handle)
    assert path.read_bytes() == b"kept" + bytes((3 << 20) - 4)


def test_a_system_without_locks_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "_FCNTL", None)
    monkeypatch.setattr(disk, "_MSVCRT", None)
    with open(tmp_path / "file", "w") as file:
        with pytest.raises(OSError, match="no locks of files"):
            disk.lock(file.fileno())
        assert not disk.is_read_only(file.fileno())
