"""A system that has no room, on the disk or in the address space: one line, and exit code 5."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest
from helpers.command import PROGRAM
from helpers.fake_search import NEARLY_DONE

from dbmsolver.errors import EXIT_SYSTEM

KIB, MIB = 1 << 10, 1 << 20


def run(limit: int, most: int, *words: object, **variables: object) -> tuple[int, str]:
    """Return the exit code and messages of the program, one of whose resources is limited."""

    def limited() -> None:
        resource.setrlimit(limit, (most, most))

    # Python itself would write modules that are cut short, and load them the next time.
    given = {"PYTHONDONTWRITEBYTECODE": "1", **{name: str(v) for name, v in variables.items()}}
    done = subprocess.run(
        [*PROGRAM, *map(str, words)],
        env={**os.environ, **given},
        preexec_fn=limited,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board"
    path.write_text(NEARLY_DONE)
    return path


@pytest.mark.parametrize("size", [5, 8])
def test_no_room_for_the_first_commit(tmp_path: Path, board: Path, size: int) -> None:
    """The same command begins the search when there is room."""
    store = tmp_path / "store"
    words = ("solve", board, "--quiet", "--store", store)
    code, said = run(resource.RLIMIT_FSIZE, size * KIB, *words)
    assert (code, said.count("\n")) == (EXIT_SYSTEM, 1), said
    assert said.startswith(f"dbmsolver: {store}: cannot ")
    assert run(resource.RLIMIT_FSIZE, 64 * MIB, *words) == (0, "")


@pytest.mark.parametrize("size", [0, 8])
def test_no_room_for_a_temporary_store(tmp_path: Path, board: Path, size: int) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    words = ("solve", board, "--quiet")
    code, said = run(resource.RLIMIT_FSIZE, size * KIB, *words, TMPDIR=folder)
    assert (code, said.count("\n")) == (EXIT_SYSTEM, 1), said
    assert not list(folder.iterdir())


@pytest.mark.parametrize("size", [40, 60, 90, 200])
def test_too_little_address_space(board: Path, size: int) -> None:
    code, said = run(resource.RLIMIT_AS, size * MIB, "solve", board, "--quiet")
    assert (code, said.count("\n")) == (EXIT_SYSTEM, 1), said
    assert f"this process may have {size} MiB of address space" in said


def test_less_address_space_than_a_store_can_have(tmp_path: Path, board: Path) -> None:
    """A smaller part of it is asked for then, and what needs little has enough."""
    store = tmp_path / "store"
    words = ("solve", board, "--quiet", "--store", store)
    assert run(resource.RLIMIT_AS, 2000 * MIB, *words) == (0, "")
    assert run(resource.RLIMIT_AS, 1 << 50, *words) == (0, "")
    assert run(resource.RLIMIT_AS, 60 * MIB, "deal", board) == (0, "")
