"""The README and the manual show what happens: their examples are run, every command is in them.

An example is a `console` block. Lines that begin with `$ `, continued by lines with `> `, are run
in a temporary folder of the document, from the first to the last. What
follows them is their output, standard error after standard output. Times and sizes differ from run
to run and are not compared; a line `...` stands for any lines.

A line of plain words that begins with `dbmsolver` is run in this process, where everything is
loaded; a shell runs what its output is piped into, and all other lines.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers.command import run as run_here

from dbmsolver.cli.app import COMMANDS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TEXTS = {path: path.read_text(encoding="utf-8") for path in [README, *ROOT.glob("docs/*.md")]}
MANUAL = sorted(path for path, text in TEXTS.items() if "```console\n" in text)
"""The documents whose examples are run."""

PROGRESS = re.compile(r"Compiling |(solve|prove|verify) .* memory, ")
"""Lines that only a slow or first run prints."""

PLAIN = re.compile(r"dbmsolver((?: (?!--help)[-\w./:=,+]+)*)(?: \| (.*))?", re.DOTALL)
"""A command of the program without quotes, and what reads its output.

Help is as wide as the terminal, which click knows only in a program of its own.
"""

VOLATILE = [
    (re.compile(r"\b\d+(\.\d+)?( [KMGT]i)?B\b|\b\d+(\.\d+)? [KMGT]iB\b"), "SIZE"),
    (re.compile(r"\b\d+\.\d+ bytes\b"), "BYTES"),
    (re.compile(r"\b(\d+ h )?(\d+ min )?\d+(\.\d+)? s\b"), "TIME"),
    (re.compile(r'("seconds"|"peak_memory"|"disk"): [0-9.]+'), r"\1: NUMBER"),
]


class Example(NamedTuple):
    """A command line of a document, and what the document says that it prints."""

    document: Path
    line: int
    command: str
    output: str


def examples(document: Path) -> list[Example]:
    found: list[Example] = []
    inside = False
    for number, line in enumerate(TEXTS[document].splitlines(), start=1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append(Example(document, number, line[2:], ""))
        elif inside and line.startswith("> ") and not found[-1].output:
            found[-1] = found[-1]._replace(command=found[-1].command + "\n" + line[2:])
        elif inside:
            assert found, f"{document}, line {number}: output of no command"
            found[-1] = found[-1]._replace(output=found[-1].output + line + "\n")
    return found


def masked(text: str) -> str:
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return text


def same(expected: str, printed: str) -> bool:
    pattern = re.escape(masked(expected)).replace(re.escape("...\n"), r"(?:.*\n)*?")
    return re.fullmatch(pattern, masked(printed)) is not None


EXAMPLES = [example for document in MANUAL for example in examples(document)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    """Return the folder in which each document's examples are run."""
    return {path: prepared(tmp_path_factory.mktemp(path.stem)) for path in MANUAL}


def prepared(path: Path) -> Path:
    """Return the folder with a program `dbmsolver` and an empty folder to work in."""
    program = path / "bin" / "dbmsolver"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m dbmsolver "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (path / "work").mkdir()
    return path


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.document.name} line {e.line}")
def test_examples(example: Example, folders: dict[Path, Path]) -> None:
    printed = run(example.command, folders[example.document])
    assert same(example.output, printed), f"printed:\n{printed}"


def run(command: str, folder: Path) -> str:
    """Return what a command prints."""
    printed, told = "", ""
    plain = PLAIN.fullmatch(command)
    if plain:
        with chdir(folder / "work"):
            done = run_here(*plain[1].split(), env={"COLUMNS": "80"})
        printed, told = done.stdout, done.stderr
        command = plain[2]
    if command:
        printed, more = run_in_shell(command, folder, printed)
        told += more
    errors = told.splitlines(keepends=True)
    return printed + "".join(line for line in errors if not PROGRESS.match(line))


def run_in_shell(command: str, folder: Path, given: str) -> tuple[str, str]:
    """Return what a shell prints to standard output and to standard error.

    ``given`` is its standard input.
    """
    root = str(ROOT)
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]),
        "COLUMNS": "80",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder / "work",
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout, done.stderr


def test_pictures(folders: dict[Path, Path]) -> None:
    """The README's drawings are those that its examples draw."""
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+\.svg)\)", TEXTS[README])
    assert len(shown) >= 2
    for name in shown:
        drawn = folders[README] / "work" / Path(name).name
        for example in EXAMPLES:
            if example.document == README and not drawn.exists():
                run(example.command, folders[README])
        assert drawn.read_bytes() == (ROOT / name).read_bytes(), name


def test_pictures_of_pages() -> None:
    """The pictures that tools/pictures.py takes of pages are small, and the README shows them."""
    for name in ("play.png", "replay.png"):
        data = (ROOT / "docs" / name).read_bytes()
        assert data.startswith(b"\x89PNG") and len(data) < 100_000, name
        assert f"docs/{name})" in TEXTS[README]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 60
    for name in ("README", "solving", "proving", "output", "games"):
        assert len([e for e in EXAMPLES if e.document.stem == name]) >= 5, name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example(name: str) -> None:
    assert any(re.search(rf"\bdbmsolver {name}\b", example.command) for example in EXAMPLES)


def test_setup_commands() -> None:
    """The two commands for a fresh machine stand in the README, each in a line of its own."""
    lines = [line for line in TEXTS[README].splitlines() if line.startswith("python3 -m venv ")]
    assert len(lines) == 2
    assert lines[0].endswith(".venv/bin/pip install . && .venv/bin/dbmsolver solve 3")
    assert lines[1].endswith(".venv/bin/python -m pytest -q -n 3 --dist loadfile")


def test_comparison_of_outputs() -> None:
    assert same("a 1.2 s\n...\nz 3 MiB\n", "a 3 min 4 s\nb\nc\nz 12.5 KiB\n")
    assert same('  "seconds": 1.5,\n', '  "seconds": 12,\n')
    assert not same("a 1\n", "a 2\n")
    assert not same("a\n...\nz\n", "a\nb\n")


def rewritten(document: Path, folder: Path) -> str:
    """Return the document with what its examples print today in place of what it says."""
    lines = TEXTS[document].splitlines(keepends=True)
    found = examples(document)
    printed = [run(example.command, folder) for example in found]
    for example, text in reversed(list(zip(found, printed, strict=True))):
        start = example.line + example.command.count("\n")
        end = start + example.output.count("\n")
        if "...\n" not in lines[start:end]:
            lines[start:end] = [text]
    return "".join(lines)


if __name__ == "__main__":  # python tests/test_readme.py: bring the documents up to date
    for document in MANUAL:
        with tempfile.TemporaryDirectory() as temporary:
            text = rewritten(document, prepared(Path(temporary)))
            document.write_text(text, encoding="utf-8")
