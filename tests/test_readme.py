"""The README shows what happens: its examples are run, and every command stands in it.

An example is a `console` block. Lines that begin with `$ `, continued by lines with `> `, are run
by a shell in one and the same temporary folder, from the first to the last of the document. What
follows them is their output, standard error after standard output. Times and sizes differ from run
to run and are not compared; a line `...` stands for any lines.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from dbmsolver.cli.app import COMMANDS

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8") if README.exists() else ""

PROGRESS = re.compile(r"Compiling |(solve|prove|verify) .* memory, ")
"""Lines that only a slow or first run prints."""

VOLATILE = [
    (re.compile(r"\b\d+(\.\d+)?( [KMGT]i)?B\b|\b\d+(\.\d+)? [KMGT]iB\b"), "SIZE"),
    (re.compile(r"\b\d+\.\d+ bytes\b"), "BYTES"),
    (re.compile(r"\b(\d+ h )?(\d+ min )?\d+(\.\d+)? s\b"), "TIME"),
    (re.compile(r'("seconds"|"peak_memory"|"disk"): [0-9.]+'), r"\1: NUMBER"),
]


class Example(NamedTuple):
    """A command line and what the README says that it prints."""

    line: int
    command: str
    output: str


def examples() -> list[Example]:
    found: list[Example] = []
    inside = False
    for number, line in enumerate(TEXT.splitlines(), start=1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append(Example(number, line[2:], ""))
        elif inside and line.startswith("> ") and not found[-1].output:
            found[-1] = found[-1]._replace(command=found[-1].command + "\n" + line[2:])
        elif inside:
            assert found, f"line {number}: output of no command"
            found[-1] = found[-1]._replace(output=found[-1].output + line + "\n")
    return found


def masked(text: str) -> str:
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return text


def same(expected: str, printed: str) -> bool:
    pattern = re.escape(masked(expected)).replace(re.escape("...\n"), r"(?:.*\n)*?")
    return re.fullmatch(pattern, masked(printed)) is not None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the examples are run."""
    return prepared(tmp_path_factory.mktemp("readme"))


def prepared(path: Path) -> Path:
    """The folder, with a program `dbmsolver` and an empty folder to work in."""
    program = path / "bin" / "dbmsolver"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m dbmsolver "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (path / "work").mkdir()
    return path


@pytest.mark.parametrize("example", examples(), ids=lambda e: f"line {e.line}")
def test_examples(example: Example, folder: Path) -> None:
    printed = run(example.command, folder)
    assert same(example.output, printed), f"printed:\n{printed}"


def run(command: str, folder: Path) -> str:
    """What a command prints."""
    root = str(README.parent)
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
        capture_output=True,
        text=True,
        timeout=300,
    )
    errors = done.stderr.splitlines(keepends=True)
    return done.stdout + "".join(line for line in errors if not PROGRESS.match(line))


def test_library_examples() -> None:
    text = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(text, {}, "README", str(README), 0)
    assert test.examples
    printed: list[str] = []
    doctest.DocTestRunner().run(test, out=printed.append)
    assert not printed, "".join(printed)


def test_there_are_examples() -> None:
    assert len(examples()) >= 5


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_mentioned(name: str) -> None:
    assert f"dbmsolver {name}" in TEXT


def test_setup_commands() -> None:
    """The two commands for a fresh machine stand in the README, each in a line of its own."""
    lines = [line for line in TEXT.splitlines() if line.startswith("python3 -m venv ")]
    assert len(lines) == 2
    assert lines[0].endswith(".venv/bin/pip install . && .venv/bin/dbmsolver solve 3")
    assert lines[1].endswith(".venv/bin/python -m pytest -q -n 3 --dist loadfile")


def test_comparison_of_outputs() -> None:
    assert same("a 1.2 s\n...\nz 3 MiB\n", "a 3 min 4 s\nb\nc\nz 12.5 KiB\n")
    assert same('  "seconds": 1.5,\n', '  "seconds": 12,\n')
    assert not same("a 1\n", "a 2\n")
    assert not same("a\n...\nz\n", "a\nb\n")


def rewritten(folder: Path) -> str:
    """The README with what its examples print today in place of what it says they print."""
    lines = TEXT.splitlines(keepends=True)
    printed = [run(example.command, folder) for example in examples()]
    for example, text in reversed(list(zip(examples(), printed, strict=True))):
        start = example.line + example.command.count("\n")
        end = start + example.output.count("\n")
        if "...\n" not in lines[start:end]:
            lines[start:end] = [text]
    return "".join(lines)


if __name__ == "__main__":  # python tests/test_readme.py: bring the README up to date
    with tempfile.TemporaryDirectory() as temporary:
        README.write_text(rewritten(prepared(Path(temporary))), encoding="utf-8")
