"""`compile`: what it compiles is found by every command of those games."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from helpers.command import run

from dbmsolver.api import compiling
from dbmsolver.api.compiling import (
    FAMILIES,
    PARTS,
    CompileTask,
    Part,
    compile_part,
    compile_tasks,
    tasks_for,
)
from dbmsolver.errors import SystemRefusedError
from dbmsolver.game.kinds import Family
from dbmsolver.game.shipped import GAMES


def test_works_of_games() -> None:
    assert tasks_for([GAMES["golf"]]) == [
        CompileTask("pile", "prove"),
        CompileTask("pile", "solve"),
        CompileTask("pile", "play"),
    ]
    every = tasks_for(GAMES.values())
    assert {work.family for work in every} == set(get_args(Family)) == set(FAMILIES)
    assert {work.part for work in every} == set(get_args(Part)) == set(PARTS)
    assert {work.family for work in every if work.part == "cover"} == {"cards", "patience"}
    assert CompileTask("runs", "solve") in tasks_for([GAMES["freecell"]])  # --metric runs


def test_a_process_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "false")
    with pytest.raises(SystemRefusedError, match="one pile: surveys and checks: its process"):
        list(compile_tasks([CompileTask("pile", "play")]))


def test_a_folder_that_cannot_keep_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(file / "kernels"))
    result = run("compile", "--game", "golf")
    assert result.exit_code == 5
    assert f"kernels cannot be kept in {file}" in result.stderr
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    result = run("compile", "--game", "golf")
    assert result.exit_code == 5 and "there is no folder to keep kernels in" in result.stderr


def test_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step for each task; the room of the disk is looked at before and after them."""
    looked: list[str] = []
    asked: list[object] = []

    def compiled(tasks: list[CompileTask], threads: int | None) -> Iterator[CompileTask]:
        asked.extend((tasks, threads))
        assert looked == ["kept here"]
        yield from tasks

    monkeypatch.setattr("dbmsolver.api.compiling.kernel_folder", lambda: "kept here")
    monkeypatch.setattr("dbmsolver.api.compiling.check_disk", looked.append)
    monkeypatch.setattr("dbmsolver.api.compiling.compile_tasks", compiled)
    found = run("compile", "--game", "golf", "--threads", "3")
    tasks = tasks_for([GAMES["golf"]])
    assert (found.exit_code, looked, asked) == (0, ["kept here"] * 2, [tasks, 3])
    assert [line.rpartition(", ")[0] for line in found.stderr.splitlines()] == [
        f"compile: {number} of {len(tasks)}, {task}" for number, task in enumerate(tasks, start=1)
    ]
    assert found.stdout.startswith("Everything is compiled, in ")
    assert found.stdout.endswith(" s; kept in kept here\n")
    looked.clear()
    assert run("compile", "-q").stderr == "" and asked[2] == tasks_for(GAMES.values())


@pytest.mark.parametrize(
    ("family", "part", "question", "methods", "bits"),
    [
        ("cards", "solve", "solve", ("every-position", "dominating"), (8, 16)),
        ("cards", "cover", "prove", ("dominating", "dominating"), (8, 16)),
        ("pile", "solve", "solve", ("every-position", "every-position"), (8,)),
        ("patience", "cover", "prove", ("classes", "classes"), (8,)),
    ],
)
def test_what_a_task_compiles(
    monkeypatch: pytest.MonkeyPatch, family: Family, part: Part, question: str,
    methods: tuple[str, str], bits: tuple[int, ...],
) -> None:  # fmt: skip
    """Each width of codes, with any solution first and without; solutions may be counted."""
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr(compiling, "end_with_parent", lambda: None)
    monkeypatch.setattr(
        "dbmsolver.search.precompile.compile_needed", lambda *given: calls.append(given)
    )
    compile_part(family, part)
    assert calls == [
        (question, methods[0], width, first, question == "solve", family, methods[1])
        for width in bits
        for first in (False, True)
    ]


LISTED = [task for task in tasks_for(GAMES.values()) if task.part != "play"]


@pytest.mark.parametrize("task", LISTED, ids=str)
def test_every_task_has_kernels(task: CompileTask, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[object] = []
    monkeypatch.setattr(compiling, "end_with_parent", lambda: None)
    monkeypatch.setattr(
        "dbmsolver.search.precompile.compile_ahead", lambda kernel, _types: listed.append(kernel)
    )
    compile_part(*task)
    assert len(set(map(id, listed))) > 2


def test_bad_games() -> None:
    assert run("compile", "--game", "frecell").exit_code == 2


COMMANDS = {
    ("golf", "black_hole"): (
        "solve 2 --game golf",
        "prove 1 --game black_hole --store proof",
        "verify proof",
        "survey 1-3 --game golf -o table.csv",
        "lookup proof 1",
    ),
    ("fortress",): (
        "solve 1 --game fortress --max-states 1000",
        "prove 1 --game fortress --max-states 1000",
    ),
}
"""Games, and commands that find compiled what they need."""


@pytest.mark.slow
@pytest.mark.parametrize("games", COMMANDS)
def test_nothing_is_compiled_later(games: tuple[str, ...], tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)

    def dbmsolver(*arguments: str) -> str:
        command = [sys.executable, "-m", "dbmsolver", *arguments]
        ended = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert ended.returncode in (0, 10, 20), ended.stderr
        return ended.stdout + ended.stderr

    told = dbmsolver("compile", *[word for game in games for word in ("--game", game)])
    assert "compile: 3 of 3" in told and f"kept in {tmp_path}" in told
    for command in COMMANDS[games]:
        assert "Compiling" not in dbmsolver(*command.split())
