"""Temporary folders: removed at the end, and by the next process where theirs was killed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dbmsolver.temporary import temporary_folder

HOLDING = """
import sys
from dbmsolver.temporary import temporary_folder
with temporary_folder() as folder:
    (folder / "file").write_bytes(bytes(100))
    print(folder, flush=True)
    sys.stdin.read()
"""


@contextmanager
def holding() -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Yield a process that has a temporary folder, and the folder."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().rstrip())


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder in which temporary ones are made."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_a_folder_is_empty_and_is_removed_at_the_end(base: Path) -> None:
    with temporary_folder() as folder:
        assert list(folder.iterdir()) == [] and base in folder.parents
        (folder / "file").write_bytes(b"x")
    assert list(base.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next(base: Path) -> None:
    with holding() as (process, killed):
        process.kill()
        process.wait()
        assert (killed / "file").exists()
        with temporary_folder() as folder:
            assert [folder.parent] == list(base.iterdir())


def test_folders_in_use_are_kept(base: Path) -> None:
    with ExitStack() as stack:
        mine = stack.enter_context(temporary_folder())
        process, other = stack.enter_context(holding())
        with temporary_folder() as third:
            assert {folder.parent for folder in (mine, other, third)} == set(base.iterdir())
            assert (other / "file").exists()
        process.communicate("")
        assert not other.exists() and mine.exists()


def test_folders_of_others_are_kept(base: Path) -> None:
    """A name alone does not say that a folder is abandoned, nor does a link to one that is."""
    named = base / "dbmsolver-notes"
    named.mkdir()
    (named / "text").write_text("mine")
    elsewhere = base / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "in-use").touch()
    (base / "dbmsolver-link").symlink_to(elsewhere)
    before = set(base.iterdir())
    with temporary_folder():
        pass
    assert set(base.iterdir()) == before
    assert (named / "text").exists() and (elsewhere / "in-use").exists()
